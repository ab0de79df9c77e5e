"""Several puzzles mixed in one pile: the pieces are told apart by their seams, and each puzzle is solved by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.errors import SolverError
from ganzzle.puzzle import Grid, GridLike, Ints, Puzzle, Solution
from ganzzle.solvers.base import Solver, canonical_order

if TYPE_CHECKING:
    from ganzzle.assembler.problem import Problem

SURE, SURE_OF_GRID = 0.98, 0.95  # mean confidence at which no other way, and no other grid, is tried
SURER = 0.05  # by how much puzzles must be surer that have grids of their own
SLENDER = 3  # how much longer than wide a puzzle of unknown grid may be


def checked_grid(puzzle: Puzzle, count: int, grid: GridLike | None) -> Grid | None:
    """The grid of each of `count` puzzles, if it is known, after a look at whether the pile can be that."""
    if count < 1:
        raise SolverError(f"a pile holds at least 1 puzzle, not {count}")
    each = None if grid is None else Grid.of(grid)
    if each is not None and len(puzzle) > count * each.slots:
        raise SolverError(f"{len(puzzle)} pieces do not fit {count} puzzles of {each}; give a larger grid")
    return each


def grids_of_each(puzzle: Puzzle, count: int) -> list[Grid]:
    """The grids that `count` puzzles of one grid may have if none of their pieces are missing."""
    if len(puzzle) % count:
        return []
    grids = Grid.that_fit(len(puzzle) // count)
    return [grid for grid in grids if max(grid.rows, grid.cols) <= SLENDER * min(grid.rows, grid.cols)]


def solve_separated(
    solver: Solver,
    problem_of: Callable[[Puzzle], Problem],
    puzzle: Puzzle,
    count: int,
    seed: int,
    grid: GridLike | None,
) -> list[Solution]:
    """Tell `count` puzzles apart and solve each; see `Solver.solve_mixed`.

    First by the seams that `problem_of` gives for all pieces of a pile, which has a grid with a slot for each; as long
    as the solutions are not sure, other grids are tried where it is unknown, and at last what `paikin-tal` tells apart.
    """
    each = checked_grid(puzzle, count, grid)
    order = canonical_order(puzzle.pieces, seed)
    sheet = Grid.that_fit(len(puzzle))[0] if each is None else Grid(count * each.rows, each.cols)
    problem = problem_of(Puzzle(puzzle.pieces[order], sheet))
    best: list[Solution] = []
    for found, members in _ways(problem, puzzle, order, count, each, seed):
        members = [some for some in members if len(some)]
        if len(members) < len(best):  # two pictures are taken for one
            continue
        trial = [_solve_part(solver, puzzle, some, found, seed) for some in members]
        # Pieces of two pictures may well stick together in grids of their own.
        if len(trial) > len(best) or _sure(trial) > _sure(best) + (SURER if found is None else 0):
            best = trial
        if len(best) == count and _sure(best) >= (SURE_OF_GRID if each is None else SURE):
            break
    return best


def _ways(
    problem: Problem, puzzle: Puzzle, order: Ints, count: int, each: Grid | None, seed: int
) -> Iterator[tuple[Grid | None, list[Ints]]]:
    """The grid of each puzzle, where they share one, and the pieces of each; the likeliest way first."""
    from ganzzle.assembler.separating import separate
    from ganzzle.solvers.paikin_tal import PaikinTal

    grids = grids_of_each(puzzle, count) if each is None else [each]
    for grid, numbers in separate(problem, count, grids, free=each is None):
        yield grid, [np.sort(order[numbers == number]) for number in range(count)]
    apart = PaikinTal().solve_mixed(puzzle, count, seed, each)
    shared = {solution.grid for solution in apart}
    yield shared.pop() if len(shared) == 1 else None, [one.details["pieces"] for one in apart]


def solve_again(solver: Solver, solutions: list[Solution], seed: int) -> list[Solution]:
    """The puzzles of a pile that another solver told apart, each solved anew."""
    return [
        replace(solver.solve(replace(one.puzzle, grid=one.grid), seed), details=one.details)
        for one in solutions
    ]


def _solve_part(solver: Solver, puzzle: Puzzle, members: Ints, grid: Grid | None, seed: int) -> Solution:
    part = replace(puzzle.reorder(members), grid=grid)
    solution = solver.solve(part, seed)
    return replace(solution, details={**solution.details, "pieces": members})


def _sure(solutions: list[Solution]) -> float:
    """The mean confidence of all pieces."""
    return float(np.concatenate([one.confidence for one in solutions]).mean())
