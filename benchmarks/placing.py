"""The placing steps of the classical solvers against the same steps in plain numpy and Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.plain import gallagher as plain_gallagher
from benchmarks.plain import paikin_tal as plain_paikin
from benchmarks.plain import pomeranz as plain_pomeranz
from benchmarks.timing import Row, seconds
from ganzzle.puzzle import Grid, Pixels
from ganzzle.seams import find_cost
from ganzzle.solvers.gallagher import tree
from ganzzle.solvers.gallagher.seams import Seams as TreeSeams
from ganzzle.solvers.paikin_tal import grow
from ganzzle.solvers.paikin_tal.board import Frame
from ganzzle.solvers.paikin_tal.pile import Pile
from ganzzle.solvers.pomeranz import place
from ganzzle.solvers.pomeranz.seams import Compatibilities

PLAIN = "plain numpy, same answer"

# The order in which pieces, or seams, were taken; where pieces lie.
Answer = tuple[list[Any], NDArray[np.integer]]


class DifferentAnswerError(AssertionError):
    """The fast and the plain version must agree, or their times cannot be compared."""


def placing_rows(pieces: Pixels, grid: Grid) -> list[Row]:
    """One placement of all pieces (N, h, w, 3) by every solver: from one first piece, or along all seams of a tree."""
    return [paikin_row(pieces, grid), pomeranz_row(pieces, grid), gallagher_row(pieces, grid)]


def paikin_row(pieces: Pixels, grid: Grid) -> Row:
    """The placer of Paikin & Tal: best buddies first, compatibilities renewed among what is left."""
    pile = Pile(pieces, "l1-lab", rotated=False)
    frame = Frame(grid.rows, grid.cols, False, 1)

    def fast() -> Answer:
        board = pile.start(frame, 0)
        grow.grow(pile.seams, board, frame, grow.BUDDIES_FIRST, -2.0)
        return board.order[1:].tolist(), board.cell

    def plain() -> Answer:
        cell = pile.start(frame, 0).cell
        return plain_paikin.Placer(pile.seams, cell, grid.rows, grid.cols).grow(), cell

    return _row(f"paikin-tal: placing {len(pieces)} pieces", fast, plain)


def pomeranz_row(pieces: Pixels, grid: Grid) -> Row:
    """The placer of Pomeranz et al. as published: the slot with most neighbours first, there a best buddy."""
    seams = Compatibilities(pieces, find_cost("lpq")).seams

    def run(place: Callable[..., Iterable[int]]) -> Answer:
        board = np.full((2 * grid.rows + 1, 2 * grid.cols + 1), -1)
        board[grid.rows, grid.cols] = 0
        return list(place(board, seams, grid.rows, grid.cols, False, False)), board

    return _row(
        f"pomeranz: placing {len(pieces)} pieces",
        lambda: run(place.place),
        lambda: run(plain_pomeranz.place),
    )


def gallagher_row(pieces: Pixels, grid: Grid) -> Row:
    """Gallagher's tree over all candidate seams, components limited by the frame."""
    edges = TreeSeams(pieces, find_cost("mgc"), 1).edges
    seams = (edges.first, edges.second, edges.side)

    def fast() -> Answer:
        forest = tree.new_forest(len(pieces))
        used = tree.grow(forest, *seams, 1, grid.rows, grid.cols)
        root = tree.roots(forest)
        return used.tolist(), np.stack([forest[1] - forest[1][root], forest[2] - forest[2][root]])

    def plain() -> Answer:
        used, components = plain_gallagher.grow(len(pieces), *seams, 1, grid.rows, grid.cols)
        return used.tolist(), _from_roots(components, fast()[1])

    return _row(f"gallagher: tree of {len(pieces)} pieces", fast, plain)


def _from_roots(
    components: list[dict[int, tuple[int, int, int]]], like: NDArray[np.integer]
) -> NDArray[np.integer]:
    """(2, N) positions, each component moved to agree with `like` (2, N) at its first piece."""
    out = np.empty_like(like)
    for component in components:
        start = min(component)
        for piece, (x, y, _) in component.items():
            out[:, piece] = like[:, start] + (x - component[start][0], y - component[start][1])
    return out


def _row(step: str, fast: Callable[[], Answer], plain: Callable[[], Answer]) -> Row:
    """Time both, once they have given the same answer."""
    first = fast()
    start = time.perf_counter()
    second = plain()
    slow = time.perf_counter() - start
    if first[0] != second[0] or not np.array_equal(first[1], second[1]):
        raise DifferentAnswerError(step)
    return Row(step, seconds(fast), PLAIN, slow)
