"""One move of many pieces: a segment is shifted, and what it displaces fills the hole it leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.problem import Board, Ints, Problem, energy_of, fit
from ganzzle.compiling import njit


@njit(cache=True, nogil=True)
def try_shift(
    problem: Problem,
    board: Board,
    trial: Board,
    mark: NDArray[np.bool_],
    segment: Ints,
    down: int,
    across: int,
    least: float,
) -> tuple[float, Ints]:
    """Shift a segment if that gains more energy than `least`; the gain (0 if it stays) and the cells that changed.

    What it displaces fills the hole it leaves, or, where pieces are missing, whatever hole suits it best.
    `trial` equals `board` and `mark` is clear, before and after.
    """
    step = down * (problem.cols + 2) + across
    left, taken = _left_and_taken(segment, step, mark)
    size, count = len(segment), len(left)
    # All that change: what is left, the new place, holes that are filled.
    cells = np.empty(size + 2 * count, np.int64)
    for k in range(count):
        cells[k] = left[k]
    for k in range(size):
        cells[count + k] = segment[k] + step
        trial[segment[k] + step] = board[segment[k]]
    # In reading order, a block that is pushed aside keeps its own order in the hole.
    _sort(left)
    _sort(taken)
    for k in range(count):
        trial[left[k]] = board[taken[k]]
    used = count + size
    for cell in cells[:used]:
        mark[cell] = True
    if problem.pieces < len(problem.cells):
        used += _seek_holes(problem, trial, cells[:count], mark, cells[used:])
    return _take_or_leave(problem, board, trial, mark, cells[:used], least)


@njit(cache=True, nogil=True, inline="always")
def _left_and_taken(segment: Ints, step: int, mark: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """The cells that a segment leaves when it is shifted, and as many that it takes from others; `mark` stays clear."""
    left, taken = np.empty(len(segment), np.int64), np.empty(len(segment), np.int64)
    count = 0
    for cell in segment:
        mark[cell] = True
    for cell in segment:
        if not mark[cell + step]:
            taken[count] = cell + step
            count += 1
    for cell in segment:
        mark[cell] = False
    count = 0
    for cell in segment:
        mark[cell + step] = True
    for cell in segment:
        if not mark[cell]:
            left[count] = cell
            count += 1
    for cell in segment:
        mark[cell + step] = False
    return left[:count], taken[:count]


@njit(cache=True, nogil=True, inline="always")
def _take_or_leave(
    problem: Problem, board: Board, trial: Board, mark: NDArray[np.bool_], cells: Ints, least: float
) -> tuple[float, Ints]:
    """Make the board like the trial, which differs on the marked cells, if that gains more than `least`; otherwise the
    trial like the board. The gain and the cells that changed; no mark is left."""
    gain = energy_of(problem, trial, cells, mark) - energy_of(problem, board, cells, mark)
    taken = gain > least
    for cell in cells:
        mark[cell] = False
        if taken:
            board[cell] = trial[cell]
        else:
            trial[cell] = board[cell]
    return (gain, cells) if taken else (0.0, cells[:0])


@njit(cache=True, nogil=True)
def _sort(cells: Ints) -> None:
    """Sort in place, by Shell's method: numpy's takes the compiler a second."""
    gap = 1
    while gap < len(cells):
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, len(cells)):
            cell, m = cells[k], k
            while m >= gap and cells[m - gap] > cell:
                cells[m] = cells[m - gap]
                m -= gap
            cells[m] = cell
        gap //= 3


@njit(cache=True, nogil=True, inline="always")
def _seek_holes(problem: Problem, board: Board, cells: Ints, mark: NDArray[np.bool_], used: Ints) -> int:
    """Move each piece that lies on one of the cells to the hole where it gains the most; newly used cells are marked
    and written to `used`; their number."""
    count = problem.pieces
    found = 0
    for cell in cells:
        piece = board[cell]
        if piece >= count:
            continue
        board[cell] = count
        target, most = cell, -np.inf
        for hole in problem.cells:
            if board[hole] == count:
                gain = fit(problem, board, piece, hole) - fit(problem, board, count, hole)
                if gain > most:
                    target, most = hole, gain
        board[target] = piece
        if not mark[target]:
            mark[target] = True
            used[found] = target
            found += 1
    return found
