"""Several puzzles mixed in one pile: the pieces are told apart by their seams, and each puzzle is solved by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.errors import SolverError
from ganzzle.puzzle import Grid, GridLike, Ints, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import Solver, canonical_order, fit_of, is_number

if TYPE_CHECKING:
    from ganzzle.board.problem import Problem
    from ganzzle.board.separating import Way

SURE, SURE_OF_GRID = 0.98, 0.95  # fit at which no other way, and no other grid, is tried
SURE_ALONE = 0.991  # the same for a solver without a network: below it, a network often does better
SURER = 0.05  # by how much puzzles with different grids must fit better than puzzles of one grid
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
    quick: Solver | None = None,
) -> list[Solution]:
    """Tell `count` puzzles apart and solve each; see `Solver.solve_mixed`.

    First by the seams that `problem_of` gives for all pieces of a pile, which has a grid with a slot for each; as long
    as these do not tell clearly and the solutions are not sure, other grids are tried where it is unknown, and at last
    what `paikin-tal` tells apart. If there is a `quick` solver, it tries all of that, and what it is sure of is kept.
    """
    each = checked_grid(puzzle, count, grid)
    order = canonical_order(puzzle.pieces, seed)
    sheet = Grid.that_fit(len(puzzle))[0] if each is None else Grid(count * each.rows, each.cols)
    problem = problem_of(Puzzle(puzzle.pieces[order], sheet))
    trying = quick or solver
    enough = (SURE_OF_GRID if each is None else SURE) if trying.calibrated else SURE_ALONE
    known: dict[tuple[bytes, Grid | None], Solution] = {}
    best: list[Solution] = []
    best_torn = False
    for belongs, grids, clear, torn in _ways(problem, puzzle, order, count, each, seed):
        parts = [np.flatnonzero(belongs == number) for number in range(count)]
        some = [(members, one) for members, one in zip(parts, grids, strict=True) if len(members)]
        if len(some) < len(best):  # two pictures are taken for one
            continue
        for members, one in some:
            if (members.tobytes(), one) not in known:
                known[members.tobytes(), one] = _solve_part(trying, puzzle, members, one, seed)
        trial = [known[members.tobytes(), one] for members, one in some]
        # Pieces of two pictures may well stick together in grids of their own.
        own = len(set(grids)) > 1 or None in grids
        surer = SURER if own and not best_torn else 0
        if clear or len(trial) > len(best) or fit_of(*trial) > fit_of(*best) + surer:
            best, best_torn = trial, torn
        if len(best) == count and (clear or fit_of(*best) >= enough):
            break
    return best if quick is None else [_finished(solver, one, seed) for one in best]


def _ways(
    problem: Problem, puzzle: Puzzle, order: Ints, count: int, each: Grid | None, seed: int
) -> Iterator[Way]:
    """Ways to tell the puzzles apart, pieces in the order of arrival; the likeliest first."""
    from ganzzle.board.separating import Way, separate
    from ganzzle.solvers.paikin_tal import PaikinTal

    grids = grids_of_each(puzzle, count) if each is None else [each]
    back = np.argsort(order)
    for way in separate(problem, count, grids, free=each is None):
        yield way._replace(belongs=way.belongs[back])
    apart = PaikinTal().solve_mixed(puzzle, count, seed, each)
    belongs = np.zeros(len(puzzle), np.int64)
    for number, one in enumerate(apart):
        belongs[one.members] = number
    shared = {one.grid for one in apart}
    yield Way(belongs, [shared.pop() if len(shared) == 1 else None] * count, clear=False, torn=False)


def _finished(solver: Solver, part: Solution, seed: int) -> Solution:
    """A part of the pile as it was solved quickly, or where that left doubts, solved anew."""
    if fit_of(part) >= SURE_ALONE:
        return replace(part, solver=solver.name)
    return _as_part(solver.solve(part.puzzle, seed), part.members)


def solve_again(solver: Solver, pile: Puzzle, solutions: list[Solution], seed: int) -> list[Solution]:
    """The puzzles of a pile that another solver told apart, each solved anew."""
    return [_solve_part(solver, pile, one.members, one.grid, seed) for one in solutions]


def _solve_part(solver: Solver, puzzle: Puzzle, members: Ints, grid: Grid | None, seed: int) -> Solution:
    part = replace(puzzle.reorder(members), grid=grid)
    return _as_part(solver.solve(part, seed), members)


def _as_part(solution: Solution, members: Ints) -> Solution:
    """A solution that knows which pieces of the pile it is of."""
    return replace(solution, pieces=members)
