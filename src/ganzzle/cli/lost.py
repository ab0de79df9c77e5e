"""`ganzzle solve` without a grid: a pile whose pieces fit together badly may have lost a few."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ganzzle.cli.reading import Task
from ganzzle.errors import PuzzleError

if TYPE_CHECKING:
    from ganzzle.puzzle import Grid, Puzzle, Solution
    from ganzzle.solvers import Solver

LOST = 3  # pieces that may be missing unannounced
LONGEST = 2.2  # sides of the picture: how much longer one may be than the other, in a grid nobody has named
UNSURE = 0.9  # mean confidence below which larger grids are tried
SURER = 0.05  # by so much one of them must be surer, and sure enough
MOST = 900  # pieces of which it is done: more take long


def solve_one(solver: Solver, task: Task, seed: int) -> Solution:
    """The solution of one puzzle. Where the grid is to be found, and the solver knows that none which the pieces fill
    fits well, grids with one to three slots more are tried, and taken if one of them fits much better."""
    puzzle, count = task.puzzle, len(task.puzzle)
    if puzzle.grid is not None or task.folder is None:
        return solver.solve(puzzle, seed)
    found = None if _is_one_line(puzzle) else solver.solve(puzzle, seed)
    sure = 0.0 if found is None else float(found.confidence.mean())
    if solver.calibrated and sure < UNSURE and count <= MOST:
        for grid in grids_with_lost_pieces(puzzle):
            other = solver.solve(replace(puzzle, grid=grid), seed)
            if other.confidence.mean() >= max(UNSURE, sure + SURER):
                found, sure = replace(other, puzzle=puzzle), float(other.confidence.mean())
    if found is None:
        raise PuzzleError(
            f"{puzzle.name} holds {count} pieces, which fit no grid but a single row; "
            f"give --grid 1x{count} if that is meant, or --grid RxC --missing if pieces are gone"
        )
    return found


def grids_with_lost_pieces(puzzle: Puzzle) -> list[Grid]:
    """Grids of no extreme shape with one to LOST slots more than there are pieces, the fewest lost first."""
    from ganzzle.puzzle import Grid

    height, width = puzzle.piece_size
    return [
        grid
        for lost in range(1, LOST + 1)
        for grid in Grid.that_fit(len(puzzle) + lost)
        if abs(math.log(grid.rows * height / (grid.cols * width))) <= math.log(LONGEST)
    ]


def _is_one_line(puzzle: Puzzle) -> bool:
    """Whether square pieces are so many that they fill no grid but a single row."""
    from ganzzle.puzzle import Grid

    square = puzzle.piece_size[0] == puzzle.piece_size[1]
    return square and len(puzzle) > 3 and len(Grid.that_fit(len(puzzle))) == 2
