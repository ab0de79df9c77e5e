"""From components to a full board: anchor the large ones, then fill the open cells with the loose pieces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.components import Components
from ganzzle.board.problem import Board, Ints, Problem, Table, empty_board, fit
from ganzzle.compiling import njit


def place_components(problem: Problem, parts: Components) -> Board:
    """(P,) a full board: components from large to small, each where it scores best, then the loose pieces."""
    open_cell = len(parts.label) + 1
    board: Board = empty_board(problem, open_cell)
    names = np.flatnonzero(parts.size)
    loose = _anchor(problem, board, parts, names[np.argsort(-parts.size[names], kind="stable")])
    open_cells = problem.cells[board[problem.cells] == open_cell]
    fill(problem, board, open_cells, loose, np.empty((0, 0), np.float32))
    return board


@njit(cache=True, nogil=True)
def _anchor(problem: Problem, board: Board, parts: Components, order: Ints) -> Ints:
    """Lay components on the board in a given order, each where it scores best; the pieces that are left over."""
    loose = np.empty(len(parts.label), np.int64)
    found = 0
    for k in range(len(order)):
        name = order[k]
        offset = -1
        if parts.size[name] > 1 or (k == 0 and problem.unary.shape[1] == 1):
            offset = _best_offset(problem, board, parts, name)
        piece = name
        while piece >= 0:
            if offset >= 0:
                board[offset + _cell_in(parts, name, piece, problem.cols)] = piece
            else:
                loose[found] = piece
                found += 1
            piece = parts.following[piece]
    return loose[:found]


@njit(cache=True, nogil=True, inline="always")
def _cell_in(parts: Components, name: int, piece: int, cols: int) -> int:
    """Cell of the piece when the component's box starts at cell 0."""
    return (parts.row[piece] - parts.box[name, 0]) * (cols + 2) + parts.col[piece] - parts.box[name, 2]


@njit(cache=True, nogil=True, inline="always")
def _best_offset(problem: Problem, board: Board, parts: Components, name: int) -> int:
    """The cell for the upper left corner of the component's box; -1 if it fits nowhere."""
    rows, cols = problem.rows, problem.cols
    open_cell = problem.pieces + 1
    tall = parts.box[name, 1] - parts.box[name, 0]
    wide = parts.box[name, 3] - parts.box[name, 2]
    best, value = -1, -np.inf
    for r in range(rows - tall):
        for c in range(cols - wide):
            offset = (r + 1) * (cols + 2) + c + 1
            score = 0.0
            piece = name
            while piece >= 0:
                cell = offset + _cell_in(parts, name, piece, cols)
                if board[cell] != open_cell or score <= value:
                    break  # no potential is above 0
                score += fit(problem, board, piece, cell)
                piece = parts.following[piece]
            if piece < 0 and score > value:
                best, value = offset, score
    return best


@njit(cache=True, nogil=True)
def fill(problem: Problem, board: Board, cells: Ints, loose: Ints, noise: Table) -> None:
    """Give the loose pieces cells out of the open ones listed, the surest (cell, piece) pair first; cells that stay
    open become empty. `noise` (len(cells), len(loose)), if it is not empty, is added to what a pair scores."""
    count = problem.pieces
    width = problem.cols + 2
    best = np.full(len(cells), -1, np.int64)  # for each cell the best loose piece, by its place in `loose`
    score = np.full(len(cells), -np.inf, np.float64)
    free = np.ones(len(loose), np.bool_)
    for k in range(len(cells)):
        best[k], score[k] = _best_piece(problem, board, cells[k], loose, free, noise, k)
    left = len(loose)
    while left > 0:
        # A mere 0 has a type of its own, for which `_best_piece` would be compiled again.
        chosen = int(np.int64(0))
        for k in range(1, len(cells)):
            if score[k] > score[chosen]:
                chosen = k
        if not free[best[chosen]]:
            # What is left scores no more than what is gone, so only the best cell has to look for another piece now.
            new = _best_piece(problem, board, cells[chosen], loose, free, noise, chosen)
            best[chosen], score[chosen] = new
            continue
        centre = cells[chosen]
        board[centre] = loose[best[chosen]]
        free[best[chosen]] = False
        left -= 1
        score[chosen] = -np.inf
        for k in range(len(cells)):
            away = abs(cells[k] - centre)
            if score[k] > -np.inf and (away == 1 or away == width):
                best[k], score[k] = _best_piece(problem, board, cells[k], loose, free, noise, k)
    for cell in cells:
        if board[cell] == count + 1:
            board[cell] = count


@njit(cache=True, nogil=True)
def _best_piece(
    problem: Problem,
    board: Board,
    cell: int,
    loose: Ints,
    free: NDArray[np.bool_],
    noise: Table,
    k: int,
) -> tuple[int, float]:
    best, value = -1, -np.inf
    for m in range(len(loose)):
        if not free[m]:
            continue
        score = fit(problem, board, loose[m], cell)
        if len(noise) > 0:
            score += noise[k, m]
        if score > value:
            best, value = m, score
    return best, value
