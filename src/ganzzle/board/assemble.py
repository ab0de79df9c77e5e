"""The assembler as others call it: log-potentials in, a placement out."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.best_edges import best_neighbours, make_edges
from ganzzle.board.candidates import Candidates
from ganzzle.board.components import Components, single_pieces
from ganzzle.board.easy import Easy, easy_boards
from ganzzle.board.effort import DEPTH, Effort, finished, search, slot_board
from ganzzle.board.loops import with_loops
from ganzzle.board.margins import ALL_PLACES, report
from ganzzle.board.merging import merge
from ganzzle.board.problem import (
    Board,
    Ints,
    Problem,
    Table,
    empty_board,
    energy,
    make_large_problem,
    make_problem,
)
from ganzzle.cores import cores
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid

Tables: TypeAlias = Sequence[NDArray[np.floating]] | NDArray[np.floating]  # one of each of B puzzles

CHUNK = 16  # puzzles that one worker takes at a time
NO_NEIGHBOURS = np.empty((0, 4, DEPTH), np.int64)  # where no search will ask for them


@dataclass(frozen=True, eq=False)
class Assembly:
    """A placement and how sure it is."""

    placement: Ints  # (N,) slot of each piece
    energy: float  # the sum of all potentials; 0 is the best there can be
    margin: Table  # (N,) energy lost by the best other place of each piece
    order: Ints  # (N,) pieces in an order to lay them in


def assemble_pieces(
    right: NDArray[np.floating],
    down: NDArray[np.floating],
    grid: Grid,
    slots: NDArray[np.floating] | None = None,
    border: NDArray[np.floating] | None = None,
    *,
    twins: Ints | None = None,
    start: Ints | None = None,
    seed: int = 0,
    rounds: int = 100,
    patience: int = 16,
    seconds: float | None = None,
) -> Assembly:
    """The placement of N pieces in S >= N slots with the most energy that the search finds.

    All potentials are logarithms of probabilities, at most 0 and cut at -12. `right[i, j]` (N, N) scores j at the right
    of i, `down[i, j]` j below i, `slots` (N, S) a piece in a slot, `border` (N, 4) that nothing lies at a side (right,
    left, down, up) of a piece: the picture's border or a missing piece. `twins` (N,) has equal numbers, 0..N-1, for
    pieces that look the same: the place of a twin is no other place. `start` is a placement to begin with too; the
    answer is never worse than it. The search takes its best board apart at most `rounds` times, of more than 200 slots
    twice as often, stops after `patience` rounds in vain, and begins no round after `seconds`; without `seconds` the
    answer depends on the seed alone.
    """
    problem = _checked_problem(right, down, grid, slots, border, twins)
    starts = _other_starts(problem, start)
    best = finished(problem, starts)
    if best is not None and len(right) <= ALL_PLACES:
        placement, margin, order = report(problem, best, NO_NEIGHBOURS)
        return Assembly(placement, energy(problem, best), margin, order)
    assert not isinstance(problem.seams, Candidates)  # here they are full tables
    neighbours = best_neighbours(problem.seams, DEPTH)
    return _search(problem, neighbours, starts, seed, _effort(rounds, patience, seconds))


def assemble_candidates(
    candidates: Candidates,
    grid: Grid,
    *,
    twins: Ints | None = None,
    seed: int = 0,
    rounds: int = 10,
    patience: int = 4,
    seconds: float | None = None,
) -> Assembly:
    """`assemble_pieces` for puzzles too large for full tables: only the best neighbours of every side are known."""
    if not 1 <= len(candidates.ids) <= grid.slots:
        raise PuzzleError(f"{len(candidates.ids)} pieces do not fit a {grid} grid; give a larger grid")
    neighbours = np.ascontiguousarray(candidates.ids[:, :, :DEPTH])
    effort = _effort(rounds, patience, seconds)
    return _search(make_large_problem(candidates, grid, twins), neighbours, [], seed, effort)


def _search(problem: Problem, neighbours: Ints, starts: list[Board], seed: int, effort: Effort) -> Assembly:
    """The best board that growing, climbing and regrowing find, and what it tells about its pieces."""
    board, reached = search(problem, neighbours, starts, np.random.default_rng(seed), effort)
    placement, margin, order = report(problem, board, neighbours)
    return Assembly(placement, reached, margin, order)


def _effort(rounds: int, patience: int, seconds: float | None) -> Effort:
    return Effort(rounds, patience, math.inf if seconds is None else time.monotonic() + seconds)


def assemble_batch(
    right: Tables,
    down: Tables,
    grid: Grid,
    slots: Tables | None = None,
    border: Tables | None = None,
    *,
    twins: Sequence[Ints] | None = None,
    start: Sequence[Ints] | Ints | None = None,
    seed: int = 0,
    threads: int | None = None,
    rounds: int = 100,
    patience: int = 16,
) -> list[Assembly]:
    """`assemble_pieces` for B puzzles of one grid, as (B, ...) arrays or lists, the same on any number of threads."""

    def some(part: slice) -> list[Assembly]:
        easy = None
        # One puzzle alone does without the compiled pass, which takes a while to compile.
        if part.stop - part.start > 1 and slots is not None and border is not None and start is None:
            same = None if twins is None else twins[part]
            easy = _easy_ones(grid, [right[part], down[part], slots[part], border[part]], same)
        return [
            Assembly(easy.placement[n], float(easy.energy[n]), easy.margin[n], easy.order[n])
            if easy is not None and easy.done[n]
            else one(k)
            for n, k in enumerate(range(part.start, part.stop))
        ]

    def one(k: int) -> Assembly:
        return assemble_pieces(
            right[k],
            down[k],
            grid,
            None if slots is None else slots[k],
            None if border is None else border[k],
            twins=None if twins is None else twins[k],
            start=None if start is None else start[k],
            seed=seed,
            rounds=rounds,
            patience=patience,
        )

    workers = min(threads or cores(), len(right))
    if workers < 2:
        return some(slice(0, len(right)))
    with ThreadPoolExecutor(workers) as pool:
        return [each for done in pool.map(some, shares(len(right), workers)) for each in done]


def shares(count: int, workers: int) -> list[slice]:
    """Consecutive shares of `count` puzzles, two for each worker, or more where they would be over CHUNK."""
    size = max(1, min(CHUNK, -(-count // (2 * max(1, workers)))))
    return [slice(k, min(k + size, count)) for k in range(0, count, size)]


def _easy_ones(grid: Grid, given: Sequence[Tables], twins: Sequence[Ints] | None) -> Easy | None:
    """What needs no search of puzzles `given` by right, down, slots and border; None where they have not as many pieces
    each, are very large, or where something is wrong, which `assemble_pieces` then says."""
    batch, count = len(given[0]), len(given[0][0])
    shapes = (count, count), (count, count), (count, grid.slots), (count, 4)
    fits = 1 <= count <= min(grid.slots, ALL_PLACES)
    fits &= all(_have_shape(table, batch, shape) for table, shape in zip(given, shapes, strict=True))
    if not fits or not (twins is None or _have_shape(twins, batch, (count,))):
        return None
    right, down, slots, border = (np.asarray(table) for table in given)
    if any(np.isnan(table.min()) for table in (right, down, slots, border)):
        return None
    return easy_boards(right, down, grid, slots, border, twins)


def _have_shape(arrays: Sequence[NDArray[Any]] | NDArray[Any], count: int, shape: tuple[int, ...]) -> bool:
    return len(arrays) == count and all(np.shape(one) == shape for one in arrays)


def largest_part(
    right: NDArray[np.floating], down: NDArray[np.floating], border: NDArray[np.floating]
) -> tuple[Ints, Ints]:
    """Places (n,), (n,) across and down of the pieces of the largest part that the seams (N, N), (N, N), and borders
    (N, 4), put together without any frame."""
    parts = free_parts(right, down, border)
    largest = parts.label == parts.size.argmax()
    return parts.col[largest], parts.row[largest]


def free_parts(
    right: NDArray[np.floating], down: NDArray[np.floating], border: NDArray[np.floating]
) -> Components:
    """All that the seams (N, N), (N, N), and borders (N, 4), put together without any frame."""
    count = len(right)
    problem = _checked_problem(right, down, Grid(1, count), None, border)._replace(rows=count, cols=count)
    guide, best = with_loops(problem, DEPTH)
    edges, parts = make_edges(guide, best), single_pieces(count)
    merge(guide, edges, parts, np.zeros(len(edges.first), np.float32))
    return parts


def placement_energy(
    placement: Ints,
    right: NDArray[np.floating],
    down: NDArray[np.floating],
    grid: Grid,
    slots: NDArray[np.floating] | None = None,
    border: NDArray[np.floating] | None = None,
) -> float:
    """The energy of a given placement under the same potentials."""
    problem = _checked_problem(right, down, grid, slots, border)
    return energy(problem, _board_of(problem, placement))


def assembly_of(
    placement: Ints,
    right: NDArray[np.floating],
    down: NDArray[np.floating],
    grid: Grid,
    slots: NDArray[np.floating] | None = None,
    border: NDArray[np.floating] | None = None,
    twins: Ints | None = None,
) -> Assembly:
    """A given placement as `assemble_pieces` would return it, had it been found."""
    problem = _checked_problem(right, down, grid, slots, border, twins)
    board = _board_of(problem, placement)
    assert not isinstance(problem.seams, Candidates)  # here they are full tables
    neighbours = best_neighbours(problem.seams, DEPTH) if len(right) > ALL_PLACES else NO_NEIGHBOURS
    placement, margin, order = report(problem, board, neighbours)
    return Assembly(placement, energy(problem, board), margin, order)


def _checked_problem(
    right: NDArray[np.floating],
    down: NDArray[np.floating],
    grid: Grid,
    slots: NDArray[np.floating] | None,
    border: NDArray[np.floating] | None,
    twins: Ints | None = None,
) -> Problem:
    count = len(right)
    if not 1 <= count <= grid.slots:
        raise PuzzleError(
            f"{count} pieces do not fit a {grid} grid of {grid.slots} slots; give a larger grid"
        )
    shapes = [(right, "right", (count, count)), (down, "down", (count, count))]
    shapes += [] if slots is None else [(slots, "slots", (count, grid.slots))]
    shapes += [] if border is None else [(border, "border", (count, 4))]
    for array, name, shape in shapes:
        if array.shape != shape:
            raise PuzzleError(f"{name} potentials must have the shape {shape}, not {array.shape}")
        if np.isnan(array.min()):
            raise PuzzleError(f"{name} potentials must be numbers, and some are not (NaN)")
    if twins is not None and (np.shape(twins) != (count,) or not 0 <= np.min(twins) <= np.max(twins) < count):
        raise PuzzleError(f"twins must be {count} numbers from 0 to {count - 1}, one a piece")
    return make_problem(right, down, grid, slots, border, twins)


def _other_starts(problem: Problem, start: Ints | None) -> list[Board]:
    """Boards to begin with beside the grown one: the best by slots alone, and the caller's."""
    boards = [slot_board(problem)] if problem.unary.shape[1] > 1 else []
    if start is not None:
        boards.append(_board_of(problem, start))
    return boards


def _board_of(problem: Problem, placement: Ints) -> Board:
    count = problem.pieces
    placement = np.asarray(placement, np.int64)
    slots = len(problem.cells)
    if placement.shape != (count,) or len(np.unique(placement)) != count:
        raise PuzzleError(f"a placement names a different slot for each of the {count} pieces")
    if placement.min() < 0 or placement.max() >= slots:
        raise PuzzleError(f"a placement names slots from 0 to {slots - 1}")
    board = empty_board(problem, count)
    board[problem.cells[placement]] = np.arange(count)
    return board
