"""Boards that leave no doubt: the seams alone put every piece in its place, and hold all of them together.

Pieces are laid along seams that both sides prefer to any other, the surest first, without a frame. The board is certain
if it is a full rectangle and no part of it could be moved without breaking seams that are far surer than every seam
that was left out. Nothing is searched, so a doubtful pile costs no more than a certain one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from ganzzle.board.problem import DOWN, LEFT, RIGHT, UP, Table
from ganzzle.puzzle import Floats, Grid, Ints

# Rows and columns to the neighbour at a side.
STEPS = {RIGHT: (0, 1), LEFT: (0, -1), DOWN: (1, 0), UP: (-1, 0)}
MOST = 12.0  # log-odds beyond which a seam counts no more


@dataclass(frozen=True, eq=False)
class CertainBoard:
    """N pieces that fill a grid, and how firmly each is held."""

    grid: Grid
    placement: Ints  # (N,) slot of each piece
    held: Floats  # (N,) log-odds of the seams around each piece, added up
    order: Ints  # (N,) pieces in the order they were laid


def certain_board(right: Table, down: Table, least: float) -> CertainBoard | None:
    """The board that the log-potentials `right[i, j]` and `down[i, j]`, (N, N), of j beside and below i leave no doubt
    about; None if there is any.

    To move any part of it, one would have to break seams whose log-odds add up to at least `least` more than those of
    the best seam that contradicts it.
    """
    neighbour, odds = _preferred(right, down)
    rows, cols, order, against = _lay(neighbour, odds)
    if len(order) < len(right):
        return None
    rows, cols = rows - rows.min(), cols - cols.min()
    grid = Grid(int(rows.max()) + 1, int(cols.max()) + 1)
    if grid.slots != len(right):
        return None
    placement = rows * grid.cols + cols
    first, second, strength = _seams_of(placement, grid, right, down)
    if not _is_one_part(first, second, strength, least + against):
        return None
    ends, around = np.concatenate([first, second]), np.concatenate([strength, strength])
    held = np.bincount(ends, around, len(right)).astype(np.float64)
    return CertainBoard(grid, placement, held, order)


def _log_odds(potential: Table) -> Floats:
    """log(p / (1 - p)) of log-potentials log(p), between 0 and MOST: what is less likely than not counts as nothing."""
    log_p = np.minimum(potential.astype(np.float64), -1e-9)
    odds: Floats = np.clip(log_p - np.log(-np.expm1(log_p)), 0, MOST)
    return odds


def _preferred(right: Table, down: Table) -> tuple[Ints, Floats]:
    """(N, 4) the neighbour at each side of each piece where both are each other's best and likelier than not, else -1,
    and (N, 4) the log-odds of these seams."""
    count = len(right)
    neighbour, odds = np.full((count, 4), -1), np.zeros((count, 4))
    for table, side, opposite in ((right, RIGHT, LEFT), (down, DOWN, UP)):
        best = table.argmax(1)
        sure = _log_odds(table[np.arange(count), best])
        piece = np.flatnonzero((table.argmax(0)[best] == np.arange(count)) & (sure > 0))
        other = best[piece]
        neighbour[piece, side], neighbour[other, opposite] = other, piece
        odds[piece, side] = odds[other, opposite] = sure[piece]
    return neighbour, odds


def _lay(neighbour: Ints, odds: Floats) -> tuple[Ints, Ints, Ints, float]:
    """Lay pieces along the seams (N, 4), the surest first, from the piece that has the surest seams.

    -> (N,), (N,) rows and columns, the pieces in the order they were laid, and the log-odds of the surest seam that
    would have brought a piece to another place.
    """
    beside, sure = neighbour.tolist(), odds.tolist()
    place: dict[int, tuple[int, int]] = {}
    taken = set[tuple[int, int]]()
    against = 0.0
    waiting = [(0.0, int(odds.sum(1).argmax()), (0, 0))]
    while waiting:
        cost, piece, where = heappop(waiting)
        if piece in place or where in taken:
            if place.get(piece) != where:
                against = max(against, -cost)
            continue
        place[piece] = where
        taken.add(where)
        for side, (down, right) in STEPS.items():
            if beside[piece][side] >= 0:
                there = where[0] + down, where[1] + right
                heappush(waiting, (-sure[piece][side], beside[piece][side], there))
    rows, cols = np.zeros((2, len(neighbour)), np.int64)
    order = np.array(list(place))
    rows[order], cols[order] = np.array(list(place.values())).T
    return rows, cols, order, against


def _seams_of(placement: Ints, grid: Grid, right: Table, down: Table) -> tuple[Ints, Ints, Floats]:
    """The pieces (S,), (S,) at both sides of every seam of a full board, and the log-odds (S,) of the seams."""
    board = np.argsort(placement).reshape(grid.rows, grid.cols)
    beside, below = (board[:, :-1].ravel(), board[:, 1:].ravel()), (board[:-1].ravel(), board[1:].ravel())
    first, second = (np.concatenate(both) for both in zip(beside, below, strict=True))
    return first, second, _log_odds(np.concatenate([right[beside], down[below]]))


def _is_one_part(first: Ints, second: Ints, strength: Floats, least: float) -> bool:
    """Whether every cut through a board breaks seams (S,) whose strengths add up to at least `least`.

    What no weaker cut can part is put together, again and again, until one part is left.
    """
    part = np.arange(int(max(first.max(initial=0), second.max(initial=0))) + 1)
    while True:
        one, other = part[first], part[second]
        apart = one != other
        if not apart.any():
            return True
        joined = _inseparable(one[apart].tolist(), other[apart].tolist(), strength[apart].tolist(), least)
        if not joined:
            return False
        for a, b in joined:
            part[part == part[a]] = part[b]


def _inseparable(
    first: list[int], second: list[int], strength: list[float], least: float
) -> list[tuple[int, int]]:
    """Pairs of neighbouring parts that only cuts of `least` and more separate; the parts have seams of some strengths.

    Nagamochi and Ibaraki (1992): parts are visited, the one tied most firmly to those visited before always next. What
    a part is tied by so far, when a neighbour of it is visited, no cut between the two is weaker than.
    """
    beside = defaultdict[int, list[tuple[int, float]]](list)
    for a, b, strong in zip(first, second, strength, strict=True):
        beside[a].append((b, strong))
        beside[b].append((a, strong))
    tied = dict.fromkeys(beside, 0.0)
    found, visited = [], set[int]()
    waiting = [(0.0, first[0])]
    while waiting:
        _, visiting = heappop(waiting)
        if visiting in visited:
            continue
        visited.add(visiting)
        for other, strong in beside[visiting]:
            if other not in visited:
                tied[other] += strong
                heappush(waiting, (-tied[other], other))
                if tied[other] >= least:
                    found.append((visiting, other))
    return found
