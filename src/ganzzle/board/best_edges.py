"""Seams worth trying: the best neighbours of every side, and what speaks for each of them beyond its own score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.candidates import Seams, seam
from ganzzle.board.problem import DOWN, FLOOR, RIGHT, UP, Ints, Problem, Table
from ganzzle.compiling import njit

NO_LOOP = -6.0  # what three seams must score together to count as a loop
LOOP_WEIGHT = 0.5
SLOT_DOUBT = -6.0  # the most that the piece-slot matrix may say against a seam


class Edges(NamedTuple):
    """`second` lies right of `first`, or below it where `below` is set."""

    first: Ints
    second: Ints
    below: NDArray[np.bool_]
    score: Table
    support: Table  # what the surroundings say for (or against) the seam


@njit(cache=True, nogil=True)
def best_neighbours(seams: Table, depth: int) -> Ints:
    """(N, 4, depth) for every side of every piece the neighbours with the highest scores, best first; -1: none."""
    count = len(seams) - 2
    best = np.full((count, 4, depth), -1, np.int64)
    value = np.empty(depth, np.float32)
    for i in range(count):
        for side in range(4):
            found = 0
            row = seams[i, side]
            worst = FLOOR
            for j in range(count):
                if row[j] <= worst or j == i:
                    continue
                k = found if found < depth else depth - 1
                while k > 0 and value[k - 1] < row[j]:
                    value[k] = value[k - 1]
                    best[i, side, k] = best[i, side, k - 1]
                    k -= 1
                value[k] = row[j]
                best[i, side, k] = j
                if found < depth:
                    found += 1
                if found == depth:
                    worst = value[depth - 1]
    return best


@njit(cache=True, nogil=True)
def make_edges(problem: Problem, neighbours: Ints) -> Edges:
    """The seams that either of their pieces has among its best."""
    seams = problem.seams
    count, _, depth = neighbours.shape
    limit = 4 * count * depth
    first, second = np.empty(limit, np.int64), np.empty(limit, np.int64)
    below = np.empty(limit, np.bool_)
    score, support = np.empty(limit, np.float32), np.empty(limit, np.float32)
    found = 0
    for i in range(count):
        for side in range(4):
            for k in range(depth):
                j = neighbours[i, side, k]
                if j < 0:
                    break
                a, b = (i, j) if side in (RIGHT, DOWN) else (j, i)
                if a == j and _is_listed(neighbours, a, side ^ 1, b):
                    continue  # already there from the other piece's list
                first[found], second[found] = a, b
                below[found] = side in (DOWN, UP)
                score[found] = seam(seams, i, side, j)
                support[found] = LOOP_WEIGHT * _loop_support(seams, neighbours, a, b, below[found])
                support[found] += _slot_support(problem, a, b, below[found])
                found += 1
    return Edges(first[:found], second[:found], below[:found], score[:found], support[:found])


@njit(cache=True, nogil=True, inline="always")
def _is_listed(neighbours: Ints, piece: int, side: int, other: int) -> bool:
    """Whether a piece has another one among the best of a side."""
    listed = False
    for k in range(neighbours.shape[2]):
        listed |= neighbours[piece, side, k] == other
    return listed


@njit(cache=True, nogil=True, inline="always")
def _loop_support(seams: Seams, neighbours: Ints, i: int, j: int, below: bool) -> float:
    """How well the seam closes into loops of four pieces, on either side of it; 0 where there is none."""
    along = DOWN if below else RIGHT
    total = 0.0
    for k in range(2):
        side = k if below else k + 2
        top = NO_LOOP
        for u in neighbours[i, side]:
            if u < 0 or seam(seams, i, side, u) <= top:
                break
            if u == j:
                continue
            for v in neighbours[j, side]:
                if v < 0:
                    break
                if v != i and v != u:
                    top = max(
                        top, seam(seams, i, side, u) + seam(seams, j, side, v) + seam(seams, u, along, v)
                    )
        total += top - NO_LOOP
    return total


@njit(cache=True, nogil=True, inline="always")
def _slot_support(problem: Problem, i: int, j: int, below: bool) -> float:
    """What the piece-slot matrix loses (at most SLOT_DOUBT) if both pieces must lie in neighbouring slots."""
    unary, rows, cols = problem.unary, problem.rows, problem.cols
    if unary.shape[1] == 1:
        return 0.0
    step = cols + 2 if below else 1
    last_row, last_col = (rows - 1, cols) if below else (rows, cols - 1)
    alone, other = np.float32(-np.inf), np.float32(-np.inf)
    for cell in problem.cells:
        alone = max(alone, unary[i, cell])
        other = max(other, unary[j, cell])
    together = np.float32(-np.inf)
    for row in range(1, last_row + 1):
        for col in range(1, last_col + 1):
            cell = row * (cols + 2) + col
            together = max(together, unary[i, cell] + unary[j, cell + step])
    return max(float(together - alone - other), SLOT_DOUBT)
