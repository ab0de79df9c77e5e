"""Turning the whole board around itself: a right picture cut at the wrong row or column is put right in one move."""

from __future__ import annotations

import numpy as np

from ganzzle.board.candidates import seam
from ganzzle.board.problem import DOWN, RIGHT, Board, Problem, Table
from ganzzle.board.search import LEAST_GAIN
from ganzzle.compiling import njit


@njit(cache=True, nogil=True)
def turn_around(problem: Problem, board: Board) -> bool:
    """Shift all rows and columns cyclically in the best way; True if that gained energy."""
    rows, cols = problem.rows, problem.cols
    laid, turned = np.empty((rows, cols), np.int64), np.empty((cols, rows), np.int64)
    for r in range(rows):
        for c in range(cols):
            laid[r, c] = turned[c, r] = board[(r + 1) * (cols + 2) + c + 1]
    cuts = np.zeros((2, max(rows, cols)), np.float32)
    for axis in range(2):  # sides that are constants would compile it twice
        _cut_scores(problem, turned if axis == 0 else laid, RIGHT + axis * (DOWN - RIGHT), cuts[axis])
    by_col, by_row = cuts
    best = -np.inf
    down, across = 0, 0
    for r in range(rows):
        for c in range(cols):
            total = by_row[r] + by_col[c]
            if total > best:  # slot scores are never above 0
                total = _with_slots(problem, laid, r, c, total, best)
                if r == 0 and c == 0:
                    best = total + LEAST_GAIN
                elif total > best:
                    best, down, across = total, r, c
    if down == 0 and across == 0:
        return False
    for r in range(rows):
        for c in range(cols):
            board[(r + 1) * (cols + 2) + c + 1] = laid[(r + down) % rows, (c + across) % cols]
    return True


@njit(cache=True, nogil=True, inline="always")
def _cut_scores(problem: Problem, laid: Board, after: int, cut: Table) -> None:
    """Add to `cut` what the seams between lines score if line k comes first and the order wraps around."""
    lines, length = laid.shape
    seams = problem.seams
    empty = problem.pieces
    closed = np.zeros(lines, np.float32)  # the seams between line k - 1 and line k
    for k in range(lines):
        for m in range(length):
            piece, earlier = laid[k, m], laid[k - 1, m]
            closed[k] += seam(seams, earlier, after, piece)
            cut[k] += seam(seams, piece, after ^ 1, empty) + seam(seams, earlier, after, empty)
    total = np.float32(0)
    for k in range(lines):
        total += closed[k]
    for k in range(lines):
        cut[k] = total - closed[k] + cut[k]


@njit(cache=True, nogil=True, inline="always")
def _with_slots(problem: Problem, laid: Board, down: int, across: int, total: float, least: float) -> float:
    """The total with what the piece-slot matrix scores the board shifted by (down, across), or less than `least`."""
    if problem.unary.shape[1] == 1:
        return total
    rows, cols = laid.shape
    for r in range(rows):
        if total < least:
            break  # no slot scores above 0
        for c in range(cols):
            total += problem.unary[laid[(r + down) % rows, (c + across) % cols], (r + 1) * (cols + 2) + c + 1]
    return total
