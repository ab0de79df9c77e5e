"""What `ganzzle solve` says where it is not sure: another way to ask, tried out before it is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.errors import PuzzleError, SolverError
from ganzzle.metrics import score
from ganzzle.puzzle import Grid, Ints, Truth
from ganzzle.solvers.base import fit_of

if TYPE_CHECKING:
    from ganzzle.cli.reading import Task
    from ganzzle.puzzle import Puzzle
    from ganzzle.solution import Solution
    from ganzzle.solvers import Solver

UNSURE = 0.9  # fit below which a found grid may well be wrong
UNSURE_OF_GIVEN = 0.8  # the same for a grid that was given
SURE, SURER = 0.9, 0.1  # the fit that another way must reach, and by how much it must be better
MOST, MOST_SLOW = 300, 120  # pieces up to which other ways, and slow ones, are tried
# Pieces were turned by chance if at least this share of them lies each of this many ways.
EACH_WAY, WAYS = 0.1, 3
EACH_HALF = 0.25  # the same share for pieces that are not square, which lie two ways
PUZZLES = (2, 3)  # the fewest and the most that are tried where a pile leaves doubts
TANGLED = 0.1  # share of seams that do not fit from which on the pile may be several puzzles
UNTANGLED = 0.5  # part of that share that may be left in puzzles of which it is made
KEPT = 0.2  # share of neighbours that must lie as in the scrambled picture before its lines are believed
CLEARER = 0.03  # a larger number of puzzles is taken only if this share of seams more fits


def advice(solver: Solver, task: Task, solution: Solution, seed: int) -> list[str]:
    """A line or two; or none, but for copies, where the solver is sure or does not know whether it is."""
    if seen := _grid_in_lines(solver, task, solution, seed):
        return [f"the pieces lie in {_rows_of(seen)}"]
    if _is_scrambled(task) and _kept(solution) == 1:
        return ["no piece was moved: the picture is as it was"]
    if not solver.calibrated or task.puzzle.sizes is not None:
        return copies(task)
    sure = fit_of(solution)
    unsure = sure < (UNSURE if task.grid is None else UNSURE_OF_GIVEN)
    if obvious := _obvious_grid(solver, task):
        return [f"the pieces fit together in {_rows_of(obvious)}"]
    if count := _puzzles_seen(solver, task, solution, unsure, seed):
        return [f"this looks like {count} puzzles in one pile: try {_as_puzzles(task, count)}"]
    if not unsure:
        return copies(task)  # one may fill the place of a lost piece, which looks well enough
    for option, surer in _other_ways(solver, task, seed) if len(task.puzzle) <= MOST else ():
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
    """A line where a file seems to be there twice."""
    from ganzzle.solving.piles import copies_in

    for k in copies_in(task.puzzle.pieces)[:1]:
        same = (task.puzzle.pieces == task.puzzle.pieces[k]).all((1, 2, 3))
        one, other = (task.names[i] for i in np.flatnonzero(same)[:2])
        return [f"{one} and {other} look exactly the same: take one away if it is a copy"]
    return []


def _grid_in_lines(solver: Solver, task: Task, solution: Solution, seed: int) -> Grid | None:
    """Another grid than the one that was given, if the pieces in a picture lie in its rows and columns.

    Cut in a wrong grid, a scrambled picture gives pieces that hold parts of several, and these go on in each other best
    as they lie: no solver has a doubt then, but hardly any piece is moved. Loose pieces may lie in rows by chance.
    """
    other = _seen_in_lines(task)
    if other is None or task.grid is None or other.grid is None or _is_finer(task.grid, other.grid):
        return None
    try:
        found = solver.solve(other, seed)
    except SolverError:  # it takes no puzzles of that grid
        return None
    if _is_scrambled(task):
        better = _kept(found) + KEPT < _kept(solution)
    else:
        better = solver.calibrated and fit_of(found) > fit_of(solution)
    return other.grid if better else None


def _seen_in_lines(task: Task) -> Puzzle | None:
    """The puzzle that a picture shows by its own lines, where these are not those of the grid that was given."""
    from ganzzle.puzzle import Puzzle
    from ganzzle.reading.lattice import find_gutters, find_lattice

    if task.grid is None or task.scan is None:
        return None
    try:
        lattice = find_lattice(task.scan) if task.loose is None else find_gutters(task.scan)
    except PuzzleError:  # no pieces stand out
        return None
    if lattice is None or lattice.grid == task.grid:
        return None
    return Puzzle(lattice.cut(task.scan), lattice.grid)


def _is_finer(grid: Grid, other: Grid) -> bool:
    """Whether a grid only divides the pieces of the other one: the picture comes out right then, too."""
    return grid.rows % other.rows == 0 and grid.cols % other.cols == 0


def _is_scrambled(task: Task) -> bool:
    """Whether the pieces were cut out of a scrambled picture."""
    return task.scan is not None and task.loose is None


def _kept(solution: Solution) -> float:
    """The share of pieces of a scrambled picture, cut row by row, that have the neighbours they had there."""
    count = len(solution.puzzle)
    as_it_was = Truth(np.arange(count), np.zeros(count, np.int64), grid=solution.grid)
    return score(replace(solution, puzzle=replace(solution.puzzle, truth=as_it_was))).neighbour


def _rows_of(grid: Grid) -> str:
    """A grid in words, and how to ask for it."""
    return f"{grid.rows} rows of {grid.cols}: try --grid {grid}"


def _obvious_grid(solver: Solver, task: Task) -> Grid | None:
    """Another grid than the one that was given, if there is no doubt about it. Long parts of a picture that lie side by
    side in a wrong grid may leave no piece in doubt either."""
    if task.grid is None or solver.rotated:
        return None
    from ganzzle.solvers.hybrid.obvious import obvious_board

    board = obvious_board(replace(task.puzzle, grid=task.grid))
    return None if board is None or board.grid == task.grid else board.grid


def _puzzles_seen(solver: Solver, task: Task, solution: Solution, unsure: bool, seed: int) -> int:
    """The number of puzzles in a pile that was given as one puzzle, or 0 if it seems to be one. Either their pictures
    lie side by side on the board, or its seams fit so badly that another number is worth a try."""
    from ganzzle.solving.several import puzzles_side_by_side, tangled

    if not _may_be_mixed(solver, task) or solution.levelled:
        return 0
    count = puzzles_side_by_side(solution)
    if len(task.puzzle) > MOST:
        return count if count > 1 else 0
    if count > 1:
        return _puzzles_of(solver, task, count, seed)[0]
    share = tangled([solution])
    if unsure or share < TANGLED:
        return 0
    # Seams of pieces that were compressed one by one do not fit either, in one puzzle or in several.
    return _puzzles_of(solver, task, count, seed, UNTANGLED * share)[0]


def _puzzles_of(
    solver: Solver, task: Task, seen: int, seed: int, most_tangled: float = 1.0
) -> tuple[int, float]:
    """The number of puzzles that a pile is surely solved as, and how sure that is; 0 if there is none. `seen` is how
    many of them lay side by side on the board; at most the share `most_tangled` of all seams may not fit.

    Pictures that are taken for fewer than they are leave seams that do not fit. One picture whose grid is mistaken is
    put together well in halves, but these go on in each other.
    """
    from ganzzle.solving.several import are_apart, tangled

    tried = []
    most = min(max(seen, PUZZLES[1]), len(task.puzzle))
    for count in range(max(seen, PUZZLES[0]), most + 1):
        parts = solver.solve_mixed(replace(task.puzzle, grid=None), count, seed)
        sure = fit_of(*parts)
        bad = tangled(parts)
        if len(parts) == count and sure >= SURE and bad <= most_tangled and are_apart(parts):
            tried.append((count, sure, bad))
    least = min((bad for *_, bad in tried), default=0.0)
    return next(((count, sure) for count, sure, bad in tried if bad <= least + CLEARER), (0, 0.0))


def _other_ways(solver: Solver, task: Task, seed: int) -> Iterator[tuple[str, float]]:
    """Options that people forget or mistake, and how sure it is with each of them."""
    from ganzzle.solvers import load_again

    if _is_scrambled(task):  # other rows and columns are other pieces
        if other := _seen_in_lines(task):
            yield f"--grid {other.grid}", fit_of(solver.solve(other, seed))
    elif task.grid is not None and task.grid.rows != task.grid.cols:
        grid = Grid(task.grid.cols, task.grid.rows)
        yield f"--grid {grid}", fit_of(solver.solve(replace(task.puzzle, grid=grid), seed))
    if len(task.puzzle) > MOST_SLOW:
        return
    if _may_be_mixed(solver, task) and _is_clean(task.puzzle):
        count, sure = _puzzles_of(solver, task, 1, seed)
        yield _as_puzzles(task, count), sure
    if _may_turn(solver) and solver.asked is not None:
        turning = load_again({**solver.asked, "rotated": True})
        found = turning.solve(task.puzzle, seed)
        height, width = task.puzzle.piece_size
        if turned_by_chance(found.turns, square=height == width):
            yield "--rotated", fit_of(found)


def _as_puzzles(task: Task, count: int) -> str:
    """How to ask for `count` puzzles: a grid would be that of each."""
    return f"--puzzles {count}" + ("" if task.grid is None else " without --grid")


def _may_be_mixed(solver: Solver, task: Task) -> bool:
    """Whether several puzzles could be asked for: they lie in a folder, and are not turned."""
    return task.folder is not None and solver.takes_mixed_piles() and not solver.rotated


def _is_clean(puzzle: Puzzle) -> bool:
    """Whether pieces are neither worn nor noisy, as far as it can be seen."""
    from ganzzle.solvers.hybrid.rules import CLEAN, Wear

    return Wear.of(puzzle) == CLEAN


def turned_by_chance(turns: Ints, square: bool) -> bool:
    """Whether (N,) quarter turns look like chance.

    In a wrong grid, too, some pieces look better turned: but whole parts of the picture the same way.
    """
    each, ways = (EACH_WAY, WAYS) if square else (EACH_HALF, 2)
    return int(np.count_nonzero(np.bincount(turns, minlength=4) >= each * len(turns))) >= ways


def _may_turn(solver: Solver) -> bool:
    """Whether it can turn pieces and was not asked to."""
    return solver.takes_turned_pieces() and not solver.rotated
