"""The tables every step of the assembler works on, and the energy it climbs.

Pieces are numbered 0..N-1. Two numbers more stand for what is not a piece: `N` is *empty* (a hole, or what lies
beyond the frame) and `N + 1` is *open* (a cell that is not decided yet). A seam with *empty* scores the border
potential of the piece, a seam with *open* a fixed guess, so one lookup serves every kind of neighbour.

The board is laid out with a frame of empty cells around it, (rows + 2) x (cols + 2), row by row; a *cell* is an index
into it, and its neighbours are at cell + 1, cell - 1, cell + width and cell - width.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.candidates import FLOOR, OPEN_GUESS, Candidates, Seams, Table, seam
from ganzzle.compiling import njit
from ganzzle.puzzle import Grid

Ints = NDArray[np.int64]
Board = Ints  # (P,) what lies on each cell

RIGHT, LEFT, DOWN, UP = 0, 1, 2, 3  # the order of sides, the same as in ganzzle.seams
BORDER_GUESS = np.float32(-2)  # the border potential of every side where none is given


class Problem(NamedTuple):
    """Log-potentials of one puzzle; N pieces, S slots, P = (rows + 2) * (cols + 2) cells."""

    seams: Seams  # what j scores at a side of i; read it with `seam`
    unary: Table  # (N + 2, P): piece in cell; (N + 2, 1) zeros without a piece-slot matrix
    ceiling: Table  # (N + 2,) the best total any placement could give the piece
    cells: Board  # (S,) the cell of each slot
    rows: int
    cols: int
    bound: float  # no board has more energy than this
    twin: Ints  # (N + 2,) equal numbers for pieces that look the same: swapping them changes nothing
    pieces: int  # N, and so the number of *empty*


def make_problem(
    right: Table,
    down: Table,
    grid: Grid,
    slots: Table | None = None,
    border: Table | None = None,
    twins: Ints | None = None,
) -> Problem:
    """Lay out (N, N) seams, (N, S) slots and (N, 4) borders for the kernels; values are clamped to FLOOR..0.

    `twins` (N,) has equal numbers, 0..N-1, for pieces that look the same; without it no two do.
    """
    count = len(right)
    if border is None:
        border = np.full((count, 4), BORDER_GUESS, np.float32)
    cells = frame_cells(grid)
    seams = seam_table(
        np.ascontiguousarray(right, np.float32),
        np.ascontiguousarray(down, np.float32),
        np.ascontiguousarray(border, np.float32),
    )
    if slots is None:
        unary = np.zeros((count + 2, 1), np.float32)
    else:
        unary = slot_table(np.ascontiguousarray(slots, np.float32), cells, (grid.rows + 2) * (grid.cols + 2))
    ceiling, bound = limits(seams, unary, cells)
    twin = twin_numbers(count, twins)
    return Problem(seams, unary, ceiling, cells, grid.rows, grid.cols, bound, twin, count)


def make_large_problem(candidates: Candidates, grid: Grid, twins: Ints | None = None) -> Problem:
    """The same from the best neighbours alone, where a full table would be too large."""
    count = len(candidates.ids)
    ceiling = np.zeros(count + 2, np.float32)
    best = _best_of_sides(candidates)
    ceiling[:count] = np.maximum(best, candidates.border).sum(1)
    bound = float(np.maximum(best / 2, candidates.border).sum(dtype=np.float64))
    unary = np.zeros((count + 2, 1), np.float32)
    twin = twin_numbers(count, twins)
    return Problem(candidates, unary, ceiling, frame_cells(grid), grid.rows, grid.cols, bound, twin, count)


def twin_numbers(count: int, twins: Ints | None) -> Ints:
    """(N,) groups of pieces that look the same, or none, -> (N + 2,) with numbers for *empty* and *open*."""
    groups = np.arange(count) if twins is None else np.asarray(twins, np.int64)
    return np.append(groups, [count, count + 1])


def _best_of_sides(candidates: Candidates) -> NDArray[np.float32]:
    """(N, 4) the most that any neighbour gives each side, on the piece's own list or on the neighbour's."""
    best = candidates.scores.max(2)
    for side in range(4):
        ids, scores = candidates.ids[:, side], candidates.scores[:, side]
        listed = ids >= 0
        np.maximum.at(best[:, side ^ 1], ids[listed], scores[listed])
    return best


@njit(cache=True, nogil=True)
def slot_table(slots: Table, cells: Board, board_size: int) -> Table:
    """(N, S) -> (N + 2, P), 0 for what is no piece and on the frame."""
    count = len(slots)
    unary = np.zeros((count + 2, board_size), np.float32)
    for i in range(count):
        for k in range(len(cells)):
            unary[i, cells[k]] = min(max(slots[i, k], FLOOR), np.float32(0))
    return unary


@njit(cache=True, nogil=True)
def limits(seams: Table, unary: Table, cells: Board) -> tuple[Table, float]:
    """(N + 2,) the best total any placement could give each piece, and what no board's energy exceeds.

    For the bound every piece gets the best of everything; it shares a seam with its neighbour, a border it has alone.
    """
    count = len(seams) - 2
    ceiling = np.zeros(count + 2, np.float32)
    bound = 0.0
    for i in range(count):
        slot = unary[i, 0]
        if unary.shape[1] > 1:
            slot = FLOOR
            for cell in cells:
                slot = max(slot, unary[i, cell])
        total = slot
        bound += slot
        for side in range(4):
            best = FLOOR
            for j in range(count):
                best = max(best, seams[i, side, j])
            border = seams[i, side, count]
            total += max(best, border)
            bound += max(best / 2, border)
        ceiling[i] = total
    return ceiling, bound


def frame_cells(grid: Grid) -> Board:
    """(S,) the cell of each slot on the framed board."""
    rows, cols = np.divmod(np.arange(grid.slots), grid.cols)
    return ((rows + 1) * (grid.cols + 2) + cols + 1).astype(np.int64)


@njit(cache=True, nogil=True)
def seam_table(right: Table, down: Table, border: Table) -> Table:
    """(N, N), (N, N), (N, 4) -> (N + 2, 4, N + 2), both directions of every seam side by side."""
    count = len(right)
    seams = np.zeros((count + 2, 4, count + 2), np.float32)
    block = 64  # transposed writes stay in the cache
    for i0 in range(0, count, block):
        for j0 in range(0, count, block):
            for i in range(i0, min(i0 + block, count)):
                for j in range(j0, min(j0 + block, count)):
                    across = min(max(right[i, j], FLOOR), np.float32(0))
                    below = min(max(down[i, j], FLOOR), np.float32(0))
                    seams[i, RIGHT, j] = across
                    seams[j, LEFT, i] = across
                    seams[i, DOWN, j] = below
                    seams[j, UP, i] = below
    for i in range(count):
        for side in range(4):
            edge = min(max(border[i, side], FLOOR), np.float32(0))
            seams[i, side, i] = FLOOR
            seams[i, side, count] = edge
            seams[count, side ^ 1, i] = edge
            seams[i, side, count + 1] = OPEN_GUESS
            seams[count + 1, side ^ 1, i] = OPEN_GUESS
    return seams


@njit(cache=True, nogil=True)
def empty_board(problem: Problem, content: int) -> Board:
    """(P,) a board whose cells all hold `content` and whose frame is empty."""
    board = np.full((problem.rows + 2) * (problem.cols + 2), problem.pieces, np.int64)
    for cell in problem.cells:
        board[cell] = content
    return board


@njit(cache=True, nogil=True)
def fit(problem: Problem, board: Board, piece: int, cell: int) -> float:
    """What the piece scores in the cell beside the neighbours that now lie on the board."""
    width = problem.cols + 2
    seams = problem.seams
    stride = 1 if problem.unary.shape[1] > 1 else 0
    return (
        problem.unary[piece, cell * stride]
        + seam(seams, piece, RIGHT, board[cell + 1])
        + seam(seams, piece, LEFT, board[cell - 1])
        + seam(seams, piece, DOWN, board[cell + width])
        + seam(seams, piece, UP, board[cell - width])
    )


@njit(cache=True, nogil=True)
def energy(problem: Problem, board: Board) -> float:
    """The total of slot, seam and border potentials; 0 is the best there can be."""
    width = problem.cols + 2
    seams = problem.seams
    stride = 1 if problem.unary.shape[1] > 1 else 0
    total = 0.0
    for k in range(len(problem.cells)):
        cell = problem.cells[k]
        piece = board[cell]
        total += problem.unary[piece, cell * stride]
        total += seam(seams, piece, RIGHT, board[cell + 1])
        total += seam(seams, piece, DOWN, board[cell + width])
        if k < problem.cols:
            total += seam(seams, piece, UP, board[cell - width])
        if k % problem.cols == 0:
            total += seam(seams, piece, LEFT, board[cell - 1])
    return total


@njit(cache=True, nogil=True)
def energy_of(problem: Problem, board: Board, cells: Ints, member: NDArray[np.bool_]) -> float:
    """The part of the energy that some cells take part in, every seam once; `member` marks these cells."""
    width = problem.cols + 2
    seams = problem.seams
    stride = 1 if problem.unary.shape[1] > 1 else 0
    total = 0.0
    for cell in cells:
        piece = board[cell]
        total += problem.unary[piece, cell * stride]
        total += seam(seams, piece, RIGHT, board[cell + 1]) + seam(seams, piece, DOWN, board[cell + width])
        if not member[cell - 1]:
            total += seam(seams, piece, LEFT, board[cell - 1])
        if not member[cell - width]:
            total += seam(seams, piece, UP, board[cell - width])
    return total
