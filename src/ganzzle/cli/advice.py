"""What `ganzzle solve` says where it is not sure: another way to ask, tried out before it is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.corruption import twin_groups
from ganzzle.puzzle import Grid, Ints

if TYPE_CHECKING:
    from ganzzle.cli.reading import Task
    from ganzzle.puzzle import Solution
    from ganzzle.solvers import Solver

UNSURE = 0.9  # mean confidence below which a found grid may well be wrong
UNSURE_OF_GIVEN = 0.8  # that of a grid that was given
SURE, SURER = 0.9, 0.1  # what another way must reach, and by how much it must be surer
MOST = 300  # pieces of which other ways are tried: more take long
EACH_WAY, WAYS = 0.1, 3  # share of the pieces that lie each of so many ways if they were turned by chance
MANY_COLOURS = 64  # in a piece that two places of a picture hardly share
EACH_HALF = 0.25  # the same of pieces that are not square: they lie two ways


def advice(solver: Solver, task: Task, solution: Solution, seed: int) -> list[str]:
    """A line or two, or none where the solver is sure or does not know whether it is."""
    sure = float(solution.confidence.mean())
    if not solver.calibrated or sure >= (UNSURE if task.grid is None else UNSURE_OF_GIVEN):
        return []
    for option, other in _other_ways(solver, task, seed) if len(task.puzzle) <= MOST else ():
        surer = float(other.confidence.mean())
        if surer >= max(SURE, sure + SURER):
            return [*copies(task), f"with {option} it is {min(99, round(100 * surer))} % sure: try that"]
    if task.grid is None:
        grid = "give the grid if you know it, with --missing if pieces are gone"
    else:
        grid = (
            f"is it {task.grid.rows} rows of {task.grid.cols} pieces? Without --grid the grid is looked for"
        )
    turned = "; give --rotated if pieces are turned" if _may_turn(solver) else ""
    return [*copies(task), f"if that looks wrong: {grid}{turned}"]


def copies(task: Task) -> list[str]:
    """A line where a file seems to be there twice. Flat pieces, as of a sky, may well look the same."""
    groups = twin_groups(task.puzzle.pieces)
    first, count = np.unique(groups, return_index=True, return_counts=True)[1:]
    for k in first[count > 1]:
        if len(np.unique(task.puzzle.pieces[k].reshape(-1, 3), axis=0)) >= MANY_COLOURS:
            one, other = (task.names[i] for i in np.flatnonzero(groups == groups[k])[:2])
            return [f"{one} and {other} look exactly the same: take one away if it is a copy"]
    return []


def _other_ways(solver: Solver, task: Task, seed: int) -> Iterator[tuple[str, Solution]]:
    """Options that people forget or mistake, and what comes of them."""
    from ganzzle.solvers import load_again

    if task.grid is not None and task.grid.rows != task.grid.cols:
        grid = Grid(task.grid.cols, task.grid.rows)
        yield f"--grid {grid}", solver.solve(replace(task.puzzle, grid=grid), seed)
    if _may_turn(solver) and solver.asked is not None:
        turning = load_again({**solver.asked, "rotated": True})
        found = turning.solve(task.puzzle, seed)
        height, width = task.puzzle.piece_size
        if turned_by_chance(found.turns, square=height == width):
            yield "--rotated", found


def turned_by_chance(turns: Ints, square: bool) -> bool:
    """Whether (N,) quarter turns look like chance.

    In a wrong grid, too, some pieces look better turned: but whole parts of the picture the same way.
    """
    each, ways = (EACH_WAY, WAYS) if square else (EACH_HALF, 2)
    return int(np.count_nonzero(np.bincount(turns, minlength=4) >= each * len(turns))) >= ways


def _may_turn(solver: Solver) -> bool:
    """Whether it can turn pieces and was not asked to."""
    return solver.takes_turned_pieces() and not solver.rotated
