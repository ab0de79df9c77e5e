"""The network's seams and the classical ones together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers.hybrid.rules import LEAST

Table = NDArray[np.float32]


def mixed(puzzles: Sequence[Puzzle], tables: list[Table], grid: Grid, weight: float) -> list[Table]:
    """The network's seams and borders, (b, n, n), (b, n, n) and (b, n, 4), plus the classical ones times a weight;
    without any weight the network's as they are."""
    if weight == 0:
        return tables
    return [a + weight * b for a, b in zip(tables, classical_tables(puzzles, grid), strict=True)]


def classical_tables(puzzles: Sequence[Puzzle], grid: Grid) -> list[Table]:
    """Log-potentials of b puzzles by their pixels alone: right (b, n, n), down (b, n, n), border (b, n, 4)."""
    from ganzzle.board.by_pixels import piece_potentials

    each = zip(*(piece_potentials(puzzle.pieces, grid) for puzzle in puzzles), strict=True)
    return [np.clip(np.stack(tables), np.float32(LEAST), np.float32(0)) for tables in each]
