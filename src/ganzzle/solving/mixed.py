"""What a pile of several puzzles must be, and the grids that they may share."""

from __future__ import annotations

from ganzzle.errors import SolverError
from ganzzle.puzzle import Grid, GridLike, Puzzle
from ganzzle.solvers.base import is_number

SLENDER = 3  # how many times longer than wide a puzzle of unknown grid may be


def checked_grid(puzzle: Puzzle, count: int, grid: GridLike | None) -> Grid | None:
    """The grid of each of `count` puzzles, if it is known, after a look at whether the pile can be that."""
    if not is_number(count, 1):
        raise SolverError(f"a pile holds at least 1 puzzle, not {count!r}")
    if count > len(puzzle):
        raise SolverError(f"{count} puzzles need {count} pieces or more, not {len(puzzle)}; ask for fewer")
    if puzzle.sizes is not None:
        raise SolverError("tiles with a smaller last row or column can only be of one puzzle")
    each = None if grid is None else Grid.of(grid)
    if each is not None and len(puzzle) > count * each.slots:
        raise SolverError(f"{len(puzzle)} pieces do not fit {count} puzzles of {each}; give a larger grid")
    return each


def grids_of_each(pieces: int, count: int) -> list[Grid]:
    """The grids that `count` puzzles of one grid may have if none of their pieces are missing."""
    if pieces % count:
        return []
    grids = Grid.that_fit(pieces // count)
    return [grid for grid in grids if max(grid.rows, grid.cols) <= SLENDER * min(grid.rows, grid.cols)]
