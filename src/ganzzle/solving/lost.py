"""A pile of unknown grid that may have lost a few pieces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import fit_of, grids_for_turned

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid import Hybrid

LOST = 3  # pieces that may be missing unannounced,
LOST_SHARE, LOST_MANY = 1 / 4, 100  # or this share of those that are left, of up to so many
LONGEST = 2.2  # sides of the picture: how much longer one may be than the other, in a grid nobody has named
UNSURE = 0.9  # fit below which larger grids are tried
BETTER = 0.05  # by so much one of them must fit better, and well enough
MUCH_BETTER = 0.2  # by so much it is taken even if it does not fit well itself
SURE = 0.97  # fit at which no more of them are tried
ENOUGH, HOPELESS = 6, 0.4  # nor are they after so many of which none fits as well as parts of a picture would
MOST, MOST_TURNED = 900, 300  # pieces of which it is done: more take long


def solve_with_holes(hybrid: Hybrid, puzzle: Puzzle, seed: int) -> Solution:
    """The solution of a pile of unknown grid that may have lost some pieces.

    Where no grid that the pieces fill fits well, one with more slots is taken if it fits much better. Turned pieces lie
    well together in many a wrong grid, of which the seams know more than the confidence does: for these, such grids are
    always among those that are compared.
    """
    if hybrid.rotated:
        return _solve_turned(hybrid, puzzle, seed)
    found = None if is_one_line(puzzle) else hybrid.solve_filled(puzzle, seed)
    fit = best = 0.0 if found is None else fit_of(found)
    if fit < UNSURE and len(puzzle) <= MOST:
        for tried, grid in enumerate(grids_with_lost_pieces(puzzle)):
            if fit >= SURE or (tried >= ENOUGH and best < HOPELESS):
                break
            other = hybrid.solve(replace(puzzle, grid=grid), seed)
            best = max(best, fit_of(other))
            if fit_of(other) >= max(UNSURE, fit + BETTER):
                found, fit = replace(other, puzzle=puzzle), fit_of(other)
    return found or hybrid.solve_filled(puzzle, seed)


def _solve_turned(hybrid: Hybrid, puzzle: Puzzle, seed: int) -> Solution:
    """The solution of turned pieces in the grid whose seams fit best; where that fits badly as a whole, as a long line
    of hard pieces does, in one of no extreme shape that fits well."""
    if len(puzzle) > MOST_TURNED:
        return hybrid.solve_in(puzzle, grids_for_turned(puzzle), seed)
    grids = grids_for_turned(puzzle) + grids_with_lost_pieces(puzzle, turned=True)
    found = hybrid.solve_in(puzzle, grids, seed)
    if fit_of(found) >= UNSURE:
        return found
    others = [hybrid.solve_in(puzzle, [grid], seed) for grid in grids_near(puzzle, 0, turned=True)]
    best = max([found, *others], key=fit_of)
    enough = min(max(UNSURE, fit_of(found) + BETTER), fit_of(found) + MUCH_BETTER)
    return best if fit_of(best) >= enough else found


def grids_with_lost_pieces(puzzle: Puzzle, turned: bool = False) -> list[Grid]:
    """Grids of no extreme shape with a few slots more than there are pieces, the fewest lost first."""
    count = len(puzzle)
    most = LOST if turned or count > LOST_MANY else max(LOST, int(LOST_SHARE * count))
    return [grid for lost in range(1, most + 1) for grid in grids_near(puzzle, lost, turned)]


def grids_near(puzzle: Puzzle, lost: int, turned: bool = False) -> Iterator[Grid]:
    """Grids of no extreme shape with so many slots more than there are pieces, or fewer if it is negative."""
    if len(puzzle) + lost < 1:
        return
    height, width = puzzle.piece_size
    for grid in grids_for_turned(puzzle, lost) if turned else Grid.that_fit(len(puzzle) + lost):
        if abs(math.log(grid.rows * height / (grid.cols * width))) <= math.log(LONGEST):
            yield grid


def is_one_line(puzzle: Puzzle) -> bool:
    """Whether square pieces are so many that they fill no grid but a single row."""
    square = puzzle.piece_size[0] == puzzle.piece_size[1]
    return square and len(puzzle) > 3 and len(Grid.that_fit(len(puzzle))) == 2
