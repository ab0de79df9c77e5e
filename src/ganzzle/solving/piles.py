"""A pile as people have it: of unknown grid, some pieces lost, some there twice, and some of another picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ganzzle.damage.corruption import twin_groups
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, GridLike, Ints, Pixels, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import Solver, fit_of, without_known_rim
from ganzzle.solving.grids import seam_gain
from ganzzle.solving.lost import MOST, SURE, UNSURE, grids_near, is_one_line
from ganzzle.solving.smaller_tiles import grid_of_tiles

MANY_COLOURS = 64  # in a piece that two places of a picture hardly share
# Pieces that may be too many: so many, or where the grid is known, this share of its slots, but no more than half.
FEW, SHARE = 3, 1 / 4
BETTER = 0.01  # by so much the rest of a pile must fit better than all of it


def solve_pile(solver: Solver, puzzle: Puzzle, seed: int = 0, grid: GridLike | None = None) -> Solution:
    """The solution of a pile of one puzzle, which may hold a few pieces too many: copies of others, or pieces that do
    not belong. `grid` is that of the puzzle, if it is known; it may have fewer slots than there are pieces.

    Where pieces are left over, `left_over` (K,) says which of the pile these are, and `pieces`
    (N,) which the solution is of. Where it is not clear which are too many, the pile is refused; so are square pieces
    of unknown grid that fill a single line alone, unless they turn out to be a pile that has lost some.
    """
    known = puzzle.grid if grid is None else Grid.of(grid)
    if puzzle.sizes is not None:
        grid_of_tiles(puzzle.sizes, known)  # before a puzzle can be refused for having no room
        return solver.solve(replace(puzzle, grid=known), seed)
    if known is None:
        best = _of_unknown_grid(solver, puzzle, seed)
        if puzzle.rim and solver.sees_wear and fit_of(best) < UNSURE:
            # What is left of the pieces may tell more if it is taken for all of them.
            best = max(best, _of_unknown_grid(solver, without_known_rim(puzzle), seed), key=fit_of)
        return best
    if len(puzzle) <= known.slots:
        return solver.solve(replace(puzzle, grid=known), seed)
    check_room(puzzle, known)
    copies = copies_in(puzzle.pieces)[: len(puzzle) - known.slots]
    rest = _without(puzzle, copies)
    if len(rest) == known.slots:
        return _left_over(puzzle, copies, solver.solve(replace(rest, grid=known), seed))
    found = solver.solve_without_foreign(rest, [known], seed)
    if found is None:
        raise _too_many(puzzle, known)
    return _left_over(puzzle, copies, found)


def check_room(puzzle: Puzzle, grid: Grid) -> None:
    """Refuse a pile that without its copies has far more pieces than the grid has slots."""
    most = grid.slots + min(max(FEW, int(SHARE * grid.slots)), grid.slots // 2)
    if len(puzzle) > most and len(puzzle) - len(copies_in(puzzle.pieces)) > most:
        raise _too_many(puzzle, grid)


def copies_in(pieces: Pixels) -> Ints:
    """Which pieces (N, h, w, 3) look exactly like an earlier one, though they have many colours: (K,) numbers. Flat
    pieces, as of a sky, may well look the same."""
    groups = twin_groups(pieces)
    first = np.unique(groups, return_index=True)[1]
    again = np.setdiff1d(np.arange(len(pieces)), first)
    detailed = [len(np.unique(pieces[k].reshape(-1, 3), axis=0)) >= MANY_COLOURS for k in again]
    return again[np.array(detailed, bool)]


def record_of_pile(solution: Solution) -> dict[str, Any]:
    """`Solution.to_json` over all pieces of the pile: those left over have the slot -1, and `left_over` lists them."""
    record, left = solution.to_json(), solution.left_over
    if left is None:
        return record | {"left_over": []}
    count = len(solution.puzzle) + len(left)
    for name, none in (("placement", -1), ("turns", 0), ("confidence", 0.0)):
        of_all = [none] * count
        for piece, value in zip(solution.members.tolist(), record[name], strict=True):
            of_all[piece] = value
        record[name] = of_all
    return record | {"left_over": left.tolist()}


def _of_unknown_grid(solver: Solver, puzzle: Puzzle, seed: int) -> Solution:
    """All pieces in the grid that fits best, or, where that leaves doubts, most of them if these fit better."""
    best = found = _all_of(solver, puzzle, seed)
    copies = copies_in(puzzle.pieces)
    if _leaves_doubts(solver, found, len(copies)):
        for other in _of_fewer(solver, _without(puzzle, copies), len(copies) > 0, seed):
            if _is_better(solver, other, best):
                best, found = other, _left_over(puzzle, copies, other)
    if found is None:
        raise _one_row(puzzle)
    return found


def refuse_hopeless(puzzle: Puzzle, known: Grid | None) -> None:
    """Refuse a pile in which nothing fits if it suits no grid but a line, or has too many pieces for the known one."""
    if known is not None and len(puzzle) > known.slots:
        raise _too_many(puzzle, known)
    if known is None and is_one_line(puzzle):
        raise _one_row(puzzle)


def _one_row(puzzle: Puzzle) -> PuzzleError:
    count = len(puzzle)
    return PuzzleError(
        f"{puzzle.name or 'the pile'} holds {count} pieces, which fit no grid but a single row; "
        f"say the grid 1x{count} if that is meant, or the grid with all its pieces if some are gone"
    )


def _all_of(solver: Solver, puzzle: Puzzle, seed: int) -> Solution | None:
    """The solution of a pile of unknown grid; None for square pieces that fill a single line alone."""
    found = solver.solve(puzzle, seed)
    return None if 1 in (found.grid.rows, found.grid.cols) and is_one_line(puzzle) else found


def _leaves_doubts(solver: Solver, found: Solution | None, copies: int = 0) -> bool:
    """Whether some pieces may not belong, `copies` of which look like others. A few that do not are often laid beside
    the picture: slots stay empty."""
    if found is None:
        return True
    if not _knows_fit(solver):
        return copies > 0
    return fit_of(found) < SURE or found.grid.slots > len(found.puzzle)


def _is_better(solver: Solver, fewer: Solution, found: Solution | None) -> bool:
    """Whether the solution of fewer pieces is to be believed rather than that of more."""
    if found is None:
        return not solver.calibrated or fit_of(fewer) >= UNSURE
    if _knows_fit(solver):
        return fit_of(fewer) >= max(UNSURE, fit_of(found) + BETTER)
    return seam_gain(fewer) / len(fewer.puzzle) > seam_gain(found) / len(found.puzzle)


def _knows_fit(solver: Solver) -> bool:
    """Whether a solver tells by the fit how many pieces belong; turned ones lie well together in wrong grids, too."""
    return solver.calibrated and not solver.rotated


def _of_fewer(solver: Solver, rest: Puzzle, tried: bool, seed: int) -> Iterator[Solution]:
    """Solutions of a pile of unknown grid without its copies, if these are to be `tried`, and without pieces that do
    not belong."""
    found = _all_of(solver, rest, seed) if tried else None
    if found is not None:
        yield found
    if _leaves_doubts(solver, found) and len(rest) <= MOST:
        grids = [grid for extra in range(1, FEW + 1) for grid in grids_near(rest, -extra)]
        other = solver.solve_without_foreign(rest, grids, seed)
        if other is not None:
            yield other


def _without(puzzle: Puzzle, left: Ints) -> Puzzle:
    """The pile, of unknown grid, without some pieces."""
    kept = np.setdiff1d(np.arange(len(puzzle)), left)
    return replace(puzzle.reorder(kept) if len(left) else puzzle, grid=None)


def _left_over(puzzle: Puzzle, copies: Ints, found: Solution) -> Solution:
    """A solution of a part of what is left without the copies, as one of a part of the pile."""
    rest = np.setdiff1d(np.arange(len(puzzle)), copies)
    kept = rest[found.members]
    left = np.setdiff1d(np.arange(len(puzzle)), kept)
    return replace(found, pieces=kept, left_over=left)


def _too_many(puzzle: Puzzle, grid: Grid) -> PuzzleError:
    return PuzzleError(
        f"{puzzle.name or 'the pile'} holds {len(puzzle)} pieces but a {grid} grid has {grid.slots} slots; "
        f"take away what does not belong, or give a larger grid"
    )
