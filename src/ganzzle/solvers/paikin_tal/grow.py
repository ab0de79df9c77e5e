"""The placer: from what lies on the board it places the best fitting piece, again and again.

Open slots are empty ones beside a placed face that the frame still allows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.seams import STEP_X, STEP_Y
from ganzzle.solvers.paikin_tal.board import Board, Frame, allows, put
from ganzzle.solvers.paikin_tal.seams import I32, Seams, compatibility, pair_cost, table_cost

# Rules, may be added: buddies before all others; the best neighbour instead of the mean.
BUDDIES_FIRST, STRONGEST = 1, 2
BUDDY = np.float32(10)  # what a buddy's score is raised by: more than any compatibility
NOTHING = np.float32(-100)
WIDTH = 3  # candidates of a placed face that are tried at an open slot


@njit(cache=True, nogil=True)
def _available(seams: Seams, board: Board, r: int, asker_placed: bool, face: int) -> bool:
    """May `face` still become the neighbour at side r of the asker?"""
    piece = seams.owner[face]
    lies = board.face[piece]
    if lies < 0:
        return True
    if asker_placed or lies != face:
        return False
    return board.cell[board.row[piece] + STEP_Y[r ^ 1], board.col[piece] + STEP_X[r ^ 1]] < 0


@njit(cache=True, nogil=True)
def _renewed(seams: Seams, board: Board, r: int, a: int) -> tuple[int, np.float32]:
    """The best face still available at side r of a (or -1), and the cost of the second best piece."""
    placed = board.face[seams.owner[a]] == a
    k = seams.ids.shape[2]
    n = board.skip[r, a]
    while n < k and not _available(seams, board, r, placed, seams.ids[r, a, n]):
        n += 1
    board.skip[r, a] = n
    best = -1
    if n < k:
        best = seams.ids[r, a, n]
        for m in range(n + 1, k):
            b = seams.ids[r, a, m]
            if seams.owner[b] != seams.owner[best] and _available(seams, board, r, placed, b):
                return best, seams.costs[r, a, m]
    if seams.table.shape[1] == 0:
        return best, seams.costs[r, a, -1]
    return _renewed_from_table(seams, board, r, a, placed)


@njit(cache=True, nogil=True)
def _renewed_from_table(seams: Seams, board: Board, r: int, a: int, placed: bool) -> tuple[int, np.float32]:
    """The same when the list of candidates has run out."""
    best, least, second = -1, np.float32(np.inf), np.float32(np.inf)
    for b in range(seams.table.shape[2]):
        cost = table_cost(seams, r, a, b)
        if cost < second and _available(seams, board, r, placed, b):
            if best >= 0 and seams.owner[b] == seams.owner[best]:
                if cost < least:
                    best, least = b, cost
            elif cost < least:
                best, least, second = b, cost, least
            else:
                second = cost
    return best, second if second < np.inf else seams.typical


@njit(cache=True, nogil=True)
def _fit(seams: Seams, board: Board, face: int, y: int, x: int, rule: int) -> np.float32:
    """How well a face fits an open slot: its mutual compatibility, renewed, with the neighbours that lie there."""
    total, strongest, neighbours, buddies = np.float32(0), np.float32(-1), 0, 0
    for o in range(4):
        a = board.cell[y + STEP_Y[o], x + STEP_X[o]]
        if a < 0:
            continue
        r = o ^ 1  # the slot lies at side r of a
        best_of_a, second_of_a = _renewed(seams, board, r, a)
        best_here, second_here = _renewed(seams, board, o, face)
        there = compatibility(pair_cost(seams, r, a, face), second_of_a)
        value = (there + compatibility(pair_cost(seams, o, face, a), second_here)) * np.float32(0.5)
        total += value
        strongest = max(strongest, value)
        neighbours += 1
        if best_of_a == face and best_here == a:
            buddies += 1
    value = strongest if rule & STRONGEST else total / np.float32(neighbours)
    return value + BUDDY * np.float32(buddies) if rule & BUDDIES_FIRST else value


@njit(cache=True, nogil=True)
def _chance(face: int, o: int, salt: int) -> float:
    """A number in 0..1 that looks random and depends on the arguments alone (the mixing steps of splitmix64)."""
    h = np.uint64(face * 4 + o) * np.uint64(0x9E3779B97F4A7C15)
    h += np.uint64(salt) * np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(31)
    h *= np.uint64(0x94D049BB133111EB)
    h ^= h >> np.uint64(29)
    return (h >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True, nogil=True)
def _best_for(
    seams: Seams, board: Board, y: int, x: int, rule: int, noise: float, salt: int
) -> tuple[int, np.float32]:
    """The best face for an open slot (or -1) and how well it fits."""
    best, score = -1, NOTHING
    for o in range(4):
        a = board.cell[y + STEP_Y[o], x + STEP_X[o]]
        if a < 0:
            continue
        r = o ^ 1
        tried, n = 0, board.skip[r, a]
        while tried < WIDTH and n < seams.ids.shape[2]:
            face = seams.ids[r, a, n]
            n += 1
            if board.face[seams.owner[face]] < 0:
                tried += 1
                fit = _fit(seams, board, face, y, x, rule) + np.float32(noise * _chance(face, o, salt))
                if fit > score:
                    best, score = face, fit
        if tried == 0 and best < 0:
            best, _ = _renewed(seams, board, r, a)
            if best >= 0:
                score = _fit(seams, board, best, y, x, rule)
    return best, score


@njit(cache=True, nogil=True)
def grow(
    seams: Seams, board: Board, frame: Frame, rule: int, threshold: float, noise: float = 0.0, salt: int = 0
) -> bool:
    """Place pieces until all lie, no open slot has a candidate, or the best fit falls under the threshold.

    The choice of a slot is renewed when a neighbour is added or its piece is taken. `noise` is the most that chance,
    drawn from `salt`, adds to a fit. Returns whether it stopped for the threshold.
    """
    height, width = board.cell.shape
    slots = np.empty((height * width, 2), np.int32)
    is_open = np.zeros((height, width), np.bool_)
    choice = np.full((height, width), -1, np.int32)
    score = np.full((height, width), NOTHING)
    opened = 0
    for piece in range(len(board.face)):
        if board.face[piece] >= 0:
            opened = _open_around(
                board, frame, board.row[piece], board.col[piece], slots, opened, is_open, choice
            )
    while board.placed[0] < len(board.face):
        best, kept = -1, 0
        for n in range(opened):
            y, x = slots[n]
            if board.cell[y, x] >= 0 or not allows(frame, board, y, x):
                is_open[y, x] = False
                continue
            slots[kept] = slots[n]
            if choice[y, x] < 0 or board.face[seams.owner[choice[y, x]]] >= 0:
                choice[y, x], score[y, x] = _best_for(seams, board, y, x, rule, noise, salt)
            if choice[y, x] >= 0 and (best < 0 or score[y, x] > score[slots[best, 0], slots[best, 1]]):
                best = kept
            kept += 1
        opened = kept
        if best < 0:
            return False
        y, x = slots[best]
        if score[y, x] - BUDDY * np.floor((score[y, x] + 1) / BUDDY) < threshold:
            return True
        put(seams, board, choice[y, x], y, x)
        opened = _open_around(board, frame, y, x, slots, opened, is_open, choice)
    return False


@njit(cache=True, nogil=True)
def _open_around(
    board: Board,
    frame: Frame,
    y: int,
    x: int,
    slots: I32,
    opened: int,
    is_open: NDArray[np.bool_],
    choice: I32,
) -> int:
    """Open the slots around a placed face, and forget what was chosen for them before; returns how many are open."""
    for r in range(4):
        v, u = y + STEP_Y[r], x + STEP_X[r]
        if board.cell[v, u] < 0 and allows(frame, board, v, u):
            choice[v, u] = -1
            if not is_open[v, u]:
                is_open[v, u] = True
                slots[opened, 0] = v
                slots[opened, 1] = u
                opened += 1
    return opened
