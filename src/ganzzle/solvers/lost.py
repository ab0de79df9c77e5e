"""A pile of unknown grid that may have lost a few pieces."""

from __future__ import annotations

import math
from dataclasses import replace

from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, Puzzle, Solution
from ganzzle.solvers.base import Solver

LOST = 3  # pieces that may be missing unannounced
LONGEST = 2.2  # sides of the picture: how much longer one may be than the other, in a grid nobody has named
UNSURE = 0.9  # mean confidence below which larger grids are tried
SURER = 0.05  # by so much one of them must be surer, and sure enough
MOST = 900  # pieces of which it is done: more take long


def solve_pile(solver: Solver, puzzle: Puzzle, seed: int = 0) -> Solution:
    """The solution of a pile. Where its grid is to be found, and the solver knows that none which the pieces fill fits
    well, grids with one to three slots more are tried, and taken if one of them fits much better.

    Square pieces that fill no grid but a single line are refused unless such a grid is found.
    """
    if puzzle.grid is not None:
        return solver.solve(puzzle, seed)
    count = len(puzzle)
    found = None if _is_one_line(puzzle) else solver.solve(puzzle, seed)
    sure = 0.0 if found is None else float(found.confidence.mean())
    if solver.calibrated and sure < UNSURE and count <= MOST:
        for grid in grids_with_lost_pieces(puzzle):
            other = solver.solve(replace(puzzle, grid=grid), seed)
            if other.confidence.mean() >= max(UNSURE, sure + SURER):
                found, sure = replace(other, puzzle=puzzle), float(other.confidence.mean())
    if found is None:
        raise PuzzleError(
            f"{puzzle.name or 'the pile'} holds {count} pieces, which fit no grid but a single row; "
            f"say the grid 1x{count} if that is meant, or the grid with all its pieces if some are gone"
        )
    return found


def grids_with_lost_pieces(puzzle: Puzzle) -> list[Grid]:
    """Grids of no extreme shape with one to LOST slots more than there are pieces, the fewest lost first."""
    height, width = puzzle.piece_size
    return [
        grid
        for lost in range(1, LOST + 1)
        for grid in Grid.that_fit(len(puzzle) + lost)
        if abs(math.log(grid.rows * height / (grid.cols * width))) <= math.log(LONGEST)
    ]


def _is_one_line(puzzle: Puzzle) -> bool:
    """Whether square pieces are so many that they fill no grid but a single row."""
    square = puzzle.piece_size[0] == puzzle.piece_size[1]
    return square and len(puzzle) > 3 and len(Grid.that_fit(len(puzzle))) == 2
