"""From components to a full board: anchor the large ones, then fill the open cells with the loose pieces."""

from __future__ import annotations

import numpy as np
from numba import njit

from ganzzle.assembler.components import Components
from ganzzle.assembler.problem import Board, Ints, Problem, empty_board, fit


@njit(cache=True, nogil=True)
def place_components(problem: Problem, parts: Components) -> Board:
    """(P,) a full board: components from large to small, each where it scores best, then the loose pieces."""
    count = len(parts.label)
    open_cell = count + 1
    board = empty_board(problem, open_cell)
    loose = np.empty(count, np.int64)
    found = 0
    names = np.nonzero(parts.size > 0)[0]
    order = names[np.argsort(-parts.size[names], kind="mergesort")]
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
    fill(problem, board, loose[:found])
    return board


@njit(cache=True, nogil=True, inline="always")
def _cell_in(parts: Components, name: int, piece: int, cols: int) -> int:
    """Cell of the piece when the component's box starts at cell 0."""
    return (parts.row[piece] - parts.box[name, 0]) * (cols + 2) + parts.col[piece] - parts.box[name, 2]


@njit(cache=True, nogil=True)
def _best_offset(problem: Problem, board: Board, parts: Components, name: int) -> int:
    """The cell for the upper left corner of the component's box; -1 if it fits nowhere."""
    rows, cols = problem.rows, problem.cols
    open_cell = len(problem.seams) - 1
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
                if board[cell] != open_cell:
                    break
                score += fit(problem, board, piece, cell)
                piece = parts.following[piece]
            if piece < 0 and score > value:
                best, value = offset, score
    return best


@njit(cache=True, nogil=True)
def fill(problem: Problem, board: Board, loose: Ints) -> None:
    """Give the loose pieces cells, the surest (cell, piece) pair first; cells that stay open become empty."""
    count = len(problem.seams) - 2
    width = problem.cols + 2
    open_cell = count + 1
    loose = loose.copy()
    left = len(loose)
    best = np.full(len(board), -1, np.int64)  # the best loose piece for each open cell
    score = np.full(len(board), -np.inf, np.float64)
    for cell in problem.cells:
        if board[cell] == open_cell and left > 0:
            best[cell], score[cell] = _best_piece(problem, board, loose[:left], cell)
    while left > 0:
        chosen, value = -1, -np.inf
        for cell in problem.cells:
            if board[cell] == open_cell and score[cell] > value:
                chosen, value = cell, score[cell]
        piece = best[chosen]
        board[chosen] = piece
        for k in range(left):
            if loose[k] == piece:
                loose[k] = loose[left - 1]
                break
        left -= 1
        if left == 0:
            break
        for cell in problem.cells:
            if board[cell] == open_cell and best[cell] == piece:
                best[cell], score[cell] = _best_piece(problem, board, loose[:left], cell)
        for cell in (chosen + 1, chosen - 1, chosen + width, chosen - width):
            if board[cell] == open_cell:
                best[cell], score[cell] = _best_piece(problem, board, loose[:left], cell)
    for cell in problem.cells:
        if board[cell] == open_cell:
            board[cell] = count


@njit(cache=True, nogil=True)
def _best_piece(problem: Problem, board: Board, loose: Ints, cell: int) -> tuple[int, float]:
    best, value = -1, -np.inf
    for piece in loose:
        score = fit(problem, board, piece, cell)
        if score > value:
            best, value = piece, score
    return best, value
