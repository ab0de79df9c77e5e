"""Loops: a seam is believed more where it closes into squares of four pieces.

Among very many pieces chance finds a good-looking neighbour for every edge, but hardly ever three more seams that agree
with it. Every seam is weighed anew by the squares on both sides of it, these by the squares around them, and so on,
until what is believed fits together. A square may also bring two pieces together that neither had on its list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ganzzle.board.best_edges import best_neighbours
from ganzzle.board.candidates import Candidates, Seams, seam
from ganzzle.board.problem import FLOOR, Ints, Problem, Table, limits, make_large_problem
from ganzzle.compiling import njit
from ganzzle.puzzle import Grid

ROUNDS = 30  # of weighing
LISTED = 20  # neighbours that are weighed for each side of a piece
EMPTY = np.float32(-4.6)  # added to log P that nothing lies at a side: neighbours are to be found first
UNSUPPORTED = np.float32(0.001)  # share of a seam's probability that stays where no square closes
HELD = np.float32(0.5)  # share of what was believed before that stays in every round
FOLLOWED = np.float32(3e-4)  # less likely seams, and ways along them, close no squares
BALANCES = 3  # times that the probabilities of all sides are made to add up to one


class Beliefs(NamedTuple):
    """What is believed of K neighbours at every side of N pieces; the two sides of a seam agree."""

    ids: Ints  # (N, 4, K) neighbours, likeliest first, -1 where there are no more
    logs: Table  # (N, 4, K) log P of each
    share: Table  # (N, 4, K) P of each
    empty: Table  # (N, 4) log P that nothing lies there
    taken: Table  # (N, 4) what was taken off the logarithms of a side so that they are those of probabilities


def with_loops(problem: Problem, depth: int) -> tuple[Problem, Ints]:
    """The same puzzle with its seams weighed by the loops they close into, to find a board by, not to judge it; and
    the best neighbours (N, 4, depth) it gives."""
    if isinstance(problem.seams, Candidates):
        beliefs = weigh_loops(problem.seams, problem.seams.ids, ROUNDS)
        listed = Candidates(beliefs.ids, np.maximum(beliefs.logs, FLOOR), problem.seams.border)
        guide = make_large_problem(listed, Grid(problem.rows, problem.cols))
    else:
        beliefs = weigh_loops(problem.seams, best_neighbours(problem.seams, LISTED), ROUNDS)
        seams = _seam_table(problem.seams, beliefs)
        ceiling, bound = limits(seams, problem.unary, problem.cells)
        guide = problem._replace(seams=seams, ceiling=ceiling, bound=bound)
    return guide, np.ascontiguousarray(beliefs.ids[:, :, :depth])


@njit(cache=True, nogil=True)
def weigh_loops(seams: Seams, ids: Ints, rounds: int) -> Beliefs:
    """What is believed after `rounds` rounds; ids (N, 4, K) are the neighbours to begin with, -1 where there are no
    more."""
    count, _, depth = ids.shape
    logs, empty = np.empty((count, 4, depth), np.float32), np.empty((count, 4), np.float32)
    for i in range(count):
        for side in range(4):
            empty[i, side] = seam(seams, i, side, count) + EMPTY
            for k in range(depth):
                j = ids[i, side, k]
                logs[i, side, k] = seam(seams, i, side, j) if j >= 0 else -np.inf
    now = Beliefs(ids.copy(), logs, np.empty_like(logs), empty, np.empty_like(empty))
    _balance(now)
    closing = np.full((count, 2), -1, np.float32)
    candidates = np.empty(count, np.int64)
    for _ in range(rounds):
        new = Beliefs(
            np.empty_like(ids),
            np.empty_like(logs),
            np.empty_like(logs),
            now.empty.copy(),
            np.empty_like(empty),
        )
        for i in range(count):
            for side in range(4):
                found = _find_squares(now, closing, candidates, i, side)
                _weigh_side(seams, now, new, closing, candidates[:found], i, side)
        _balance(new)
        now = new
    return now


@njit(cache=True, nogil=True)
def _find_squares(now: Beliefs, closing: Table, candidates: Ints, i: int, side: int) -> int:
    """Write to `closing` (N, 2), -1 before, how likely a square closes on either side of the seam with each candidate;
    those on the list and those that some square brings. The number of candidates."""
    depth = now.ids.shape[2]
    found = 0
    for k in range(depth):
        if now.ids[i, side, k] >= 0:
            found = _add_candidate(closing, candidates, found, now.ids[i, side, k])
    for way in range(2):
        turn = way + (2 if side < 2 else 0)
        for a in range(depth):
            beside, first = now.ids[i, turn, a], now.share[i, turn, a]
            if first < FOLLOWED:
                break
            for b in range(depth):
                opposite, second = now.ids[beside, side, b], first * now.share[beside, side, b]
                if second < FOLLOWED:
                    break
                for c in range(depth):
                    j, third = now.ids[opposite, turn ^ 1, c], second * now.share[opposite, turn ^ 1, c]
                    if third < FOLLOWED:
                        break
                    if j != i:
                        found = _add_candidate(closing, candidates, found, j)
                        closing[j, way] += third
    return found


@njit(cache=True, nogil=True)
def _add_candidate(closing: Table, candidates: Ints, found: int, j: int) -> int:
    """Note a candidate once; the number of them."""
    if closing[j, 0] >= 0:
        return found
    closing[j, 0] = closing[j, 1] = 0
    candidates[found] = j
    return found + 1


@njit(cache=True, nogil=True)
def _weigh_side(
    seams: Seams, now: Beliefs, new: Beliefs, closing: Table, candidates: Ints, i: int, side: int
) -> None:
    """Write the new beliefs about one side of a piece, not yet balanced; `closing` is -1 again afterwards."""
    count, _, depth = now.ids.shape
    turns = (2, 3) if side < 2 else (0, 1)
    nothing = seam(seams, i, side, count) + EMPTY
    for turn in turns:  # beyond the border of the picture there is nothing beside the next piece, too
        support = np.exp(now.empty[i, turn])
        for k in range(depth):
            if now.ids[i, turn, k] >= 0:
                support += now.share[i, turn, k] * np.exp(now.empty[now.ids[i, turn, k], side])
        nothing += np.log(support + UNSUPPORTED)
    new.empty[i, side] = HELD * now.empty[i, side] + (1 - HELD) * nothing
    ids, logs = new.ids[i, side], new.logs[i, side]
    ids[:], logs[:] = -1, -np.inf
    for j in candidates:
        score = seam(seams, i, side, j)
        before, value = score - now.taken[i, side] + 2 * np.log(UNSUPPORTED), score
        for k in range(depth):
            if now.ids[i, side, k] == j:
                before = now.logs[i, side, k]
        for way in range(2):
            at_border = np.exp(now.empty[i, turns[way]] + now.empty[j, turns[way]])
            value += np.log(closing[j, way] + at_border + UNSUPPORTED)
            closing[j, way] = -1
        value = HELD * before + (1 - HELD) * value
        if value > logs[depth - 1]:
            ids[depth - 1], logs[depth - 1] = j, value
            _move_up(ids, logs, depth - 1)


@njit(cache=True, nogil=True)
def _move_up(ids: Ints, logs: Table, k: int) -> None:
    """Bring the k-th of a list to its place among those before it, which are sorted, the highest first."""
    while k > 0 and logs[k - 1] < logs[k]:
        logs[k], logs[k - 1] = logs[k - 1], logs[k]
        ids[k], ids[k - 1] = ids[k - 1], ids[k]
        k -= 1


@njit(cache=True, nogil=True)
def _balance(beliefs: Beliefs) -> None:
    """Let the probabilities of every side add up to one, by turns on both sides of the seams, which agree afterwards.
    What only one of two pieces has on its list is taken off it."""
    ids, logs, share, empty, taken = beliefs
    count, _, depth = ids.shape
    back = np.full(ids.shape, -1, np.int64)  # the place of the piece on its neighbour's list
    for i in range(count):
        for side in range(4):
            for k in range(depth):
                j = ids[i, side, k]
                for m in range(depth if j >= 0 else 0):
                    if ids[j, side ^ 1, m] == i:
                        back[i, side, k] = m
                        break
                if back[i, side, k] < 0:
                    ids[i, side, k], logs[i, side, k] = -1, -np.inf
    taken[:] = 0
    for turn in range(2 * BALANCES):
        for i in range(count):
            for side in (turn % 2, turn % 2 + 2):
                top = max(empty[i, side], logs[i, side].max())
                total = np.exp(empty[i, side] - top)
                for k in range(depth):
                    total += np.exp(logs[i, side, k] - top)
                off = top + np.log(total)
                taken[i, side] += off
                empty[i, side] -= off
                for k in range(depth):
                    if ids[i, side, k] >= 0:
                        logs[i, side, k] -= off
                        logs[ids[i, side, k], side ^ 1, back[i, side, k]] = logs[i, side, k]
    for i in range(count):
        for side in range(4):
            for k in range(depth):
                _move_up(ids[i, side], logs[i, side], k)
            for k in range(depth):
                share[i, side, k] = np.exp(logs[i, side, k])


@njit(cache=True, nogil=True)
def _seam_table(seams: Table, beliefs: Beliefs) -> Table:
    """(N + 2, 4, N + 2) log P of what is believed, FLOOR for all other pairs; borders stay as they are."""
    table = seams.copy()
    count, _, depth = beliefs.ids.shape
    table[:count, :, :count] = FLOOR
    for i in range(count):
        for side in range(4):
            for k in range(depth):
                if beliefs.ids[i, side, k] >= 0:
                    table[i, side, beliefs.ids[i, side, k]] = max(beliefs.logs[i, side, k], FLOOR)
    return table
