"""How well a layout fits: in total, piece by piece, and in which segments."""

from __future__ import annotations

import numpy as np

from ganzzle.compiling import njit
from ganzzle.seams import STEP_X, STEP_Y
from ganzzle.solvers.paikin_tal.board import Board
from ganzzle.solvers.paikin_tal.seams import F32, I32, Seams, mutual


@njit(cache=True, nogil=True)
def all_mutual(seams: Seams, r: int, a: I32, b: I32) -> F32:
    """(n,) mutual compatibilities of faces a[n] and b[n], b at side r of a."""
    values = np.empty(len(a), np.float32)
    for n in range(len(a)):
        values[n] = mutual(seams, r, a[n], b[n])
    return values


@njit(cache=True, nogil=True)
def total_fit(seams: Seams, board: Board) -> float:
    """The sum of the mutual compatibilities of all neighbours: what a repair must raise."""
    total = np.float64(0)
    for piece in range(len(board.face)):
        if board.face[piece] >= 0:
            for r in (0, 2):
                b = board.cell[board.row[piece] + STEP_Y[r], board.col[piece] + STEP_X[r]]
                if b >= 0:
                    total += mutual(seams, r, board.face[piece], b)
    return total


@njit(cache=True, nogil=True)
def piece_fit(seams: Seams, board: Board) -> F32:
    """(N,) mean mutual compatibility of every piece with its neighbours; 0 without any."""
    fit = np.zeros(len(board.face), np.float32)
    for piece in range(len(board.face)):
        neighbours = 0
        if board.face[piece] >= 0:
            for r in range(4):
                b = board.cell[board.row[piece] + STEP_Y[r], board.col[piece] + STEP_X[r]]
                if b >= 0:
                    fit[piece] += mutual(seams, r, board.face[piece], b)
                    neighbours += 1
        if neighbours > 0:
            fit[piece] /= np.float32(neighbours)
    return fit


@njit(cache=True, nogil=True)
def segments(seams: Seams, board: Board, threshold: float) -> I32:
    """(N,) number of the segment of every piece: parts held together by buddies above a threshold."""
    label = np.full(len(board.face), -1, np.int32)
    stack = np.empty(len(board.face), np.int32)
    count = 0
    for start in range(len(board.face)):
        if label[start] >= 0 or board.face[start] < 0:
            continue
        label[start] = count
        stack[0], waiting = start, 1
        while waiting > 0:
            waiting -= 1
            piece = stack[waiting]
            for r in range(4):
                b = board.cell[board.row[piece] + STEP_Y[r], board.col[piece] + STEP_X[r]]
                if b < 0 or label[seams.owner[b]] >= 0 or seams.buddy[r, board.face[piece]] != b:
                    continue
                if mutual(seams, r, board.face[piece], b) > threshold:
                    label[seams.owner[b]] = count
                    stack[waiting] = seams.owner[b]
                    waiting += 1
        count += 1
    return label
