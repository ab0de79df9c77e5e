"""A pile of unknown grid that may have lost a few pieces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, Puzzle, Solution
from ganzzle.solvers.base import Solver, grids_for_turned

LOST = 3  # pieces that may be missing unannounced
LONGEST = 2.2  # sides of the picture: how much longer one may be than the other, in a grid nobody has named
UNSURE = 0.9  # mean confidence below which larger grids are tried
SURER = 0.05  # by so much one of them must be surer, and sure enough
HOPELESS = 0.3  # mean confidence of turned pieces below which no grid was found
MOST, MOST_TURNED = 900, 300  # pieces of which it is done: more take long


def solve_pile(solver: Solver, puzzle: Puzzle, seed: int = 0) -> Solution:
    """The solution of a pile; where its grid is to be found, also of one that has lost up to three pieces.

    That takes a solver which knows how sure it is. Square pieces that fill no grid but a single line are refused unless
    they turn out to be such a pile.
    """
    if puzzle.grid is not None:
        return solver.solve(puzzle, seed)
    if not solver.calibrated:
        found = None if _is_one_line(puzzle) else solver.solve(puzzle, seed)
    elif getattr(solver, "rotated", False):
        found = _solve_turned(solver, puzzle, seed)
    else:
        found = _solve_upright(solver, puzzle, seed)
    if found is None:
        count = len(puzzle)
        raise PuzzleError(
            f"{puzzle.name or 'the pile'} holds {count} pieces, which fit no grid but a single row; "
            f"say the grid 1x{count} if that is meant, or the grid with all its pieces if some are gone"
        )
    return found


def _solve_upright(solver: Solver, puzzle: Puzzle, seed: int) -> Solution | None:
    """Where no grid that the pieces fill fits well, one with more slots is taken if it fits much better."""
    found = None if _is_one_line(puzzle) else solver.solve(puzzle, seed)
    sure = 0.0 if found is None else float(found.confidence.mean())
    if sure < UNSURE and len(puzzle) <= MOST:
        for grid in grids_with_lost_pieces(puzzle):
            other = solver.solve(replace(puzzle, grid=grid), seed)
            if other.confidence.mean() >= max(UNSURE, sure + SURER):
                found, sure = replace(other, puzzle=puzzle), float(other.confidence.mean())
    return found


def _solve_turned(solver: Solver, puzzle: Puzzle, seed: int) -> Solution | None:
    """Turned pieces lie well together in many a wrong grid, of which the seams know more than the confidence does. So
    grids with more slots are always among those that are compared."""
    one_line = _is_one_line(puzzle)
    grids = [] if one_line else grids_for_turned(puzzle)
    if len(puzzle) <= MOST_TURNED:
        grids += grids_with_lost_pieces(puzzle, turned=True)
    found = solver.solve_in(puzzle, grids, seed) if grids else None
    return None if found is not None and one_line and found.confidence.mean() < HOPELESS else found


def grids_with_lost_pieces(puzzle: Puzzle, turned: bool = False) -> list[Grid]:
    """Grids of no extreme shape with one to LOST slots more than there are pieces, the fewest lost first."""
    return [grid for lost in range(1, LOST + 1) for grid in _grids_without(puzzle, lost, turned)]


def _grids_without(puzzle: Puzzle, lost: int, turned: bool) -> Iterator[Grid]:
    height, width = puzzle.piece_size
    for grid in grids_for_turned(puzzle, lost) if turned else Grid.that_fit(len(puzzle) + lost):
        if abs(math.log(grid.rows * height / (grid.cols * width))) <= math.log(LONGEST):
            yield grid


def _is_one_line(puzzle: Puzzle) -> bool:
    """Whether square pieces are so many that they fill no grid but a single row."""
    square = puzzle.piece_size[0] == puzzle.piece_size[1]
    return square and len(puzzle) > 3 and len(Grid.that_fit(len(puzzle))) == 2
