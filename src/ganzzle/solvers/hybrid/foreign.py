"""Pieces that do not belong: a pile with a few more pieces than its picture has.

The network is shown all pieces, as a puzzle with empty slots. What belongs together is put together by the seams; the
pieces that are left when the grid is full are of another picture if no seam ties them to it, and if the rest then fits
well. Otherwise nobody can say which pieces are too many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import canonical_order, fit_of
from ganzzle.solvers.hybrid.mixed_piles import seen_problem
from ganzzle.solvers.hybrid.rules import LARGEST, Wear

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

SURE = 0.8  # fit that the rest must reach: wrong pieces that are left over are tied to it, so that this need not tell
BEGUN = 0.4  # share of the slots that seams must fill that agree: else there is no picture to belong to


def solve_without_foreign(
    hybrid: Hybrid, puzzle: Puzzle, grids: Sequence[Grid], seed: int
) -> Solution | None:
    """The solution that fits best in one of some grids, each with fewer slots than there are pieces; None where it is
    not clear which pieces do not belong. `pieces` says which pieces of the pile it is of."""
    from ganzzle.board.separating import TIED, strangers

    if hybrid.rotated or not grids or len(puzzle) > LARGEST:
        return None
    order = canonical_order(puzzle.pieces, seed)
    pile = Puzzle(puzzle.pieces[order], _with_room(puzzle, grids[0]))
    problem = seen_problem(hybrid, pile, Wear.of(pile))
    best: Solution | None = None
    for grid, left in zip(grids, strangers(problem, grids), strict=True):
        if left.held < BEGUN or left.pull.max() > TIED:
            continue
        kept = np.setdiff1d(np.arange(len(puzzle)), order[left.pieces])
        found = hybrid.solve(replace(puzzle.reorder(kept), grid=grid), seed)
        if fit_of(found) > (SURE if best is None else fit_of(best)):
            best = replace(found, pieces=kept)
    return best


def _with_room(puzzle: Puzzle, grid: Grid) -> Grid:
    """A grid with a few more rows, which has empty slots when all pieces lie in it."""
    return Grid(math.floor(len(puzzle) / grid.cols) + 1, grid.cols)
