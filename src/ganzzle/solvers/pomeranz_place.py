"""The placer: from the pieces on the board outwards, best buddies first."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ganzzle.puzzle import Ints
from ganzzle.solvers.pomeranz_seams import Seams, compatibility

STEP_X = np.array([1, -1, 0, 0])  # of sides RIGHT, LEFT, DOWN, UP
STEP_Y = np.array([0, 0, 1, -1])


@njit(cache=True)
def place(board: Ints, seams: Seams, rows: int, cols: int, caution: float, fixed: bool) -> Ints:
    """Grow the pieces on the board while a candidate fits an open slot.

    `board` (2 * rows + 1, 2 * cols + 1): pieces, or -1; it is changed. The frame floats (a slot is open as long as all
    pieces still fit rows x cols), or is fixed at rows 1.. and columns 1.. of the board. The next slot is the one with
    most best buddies, less `caution` for every placed neighbour that is none, less a half where the pieces would come
    to span more rows or columns; then the one with most neighbours, then the highest mean compatibility. Returns the
    pieces in the order they were placed.
    """
    height, width = board.shape
    top, bottom, left, right = (1, rows, 1, cols) if fixed else (height, -1, width, -1)
    waiting = np.ones(seams.ids.shape[1], np.bool_)
    order = np.empty(len(waiting), np.int64)
    open_slots = np.empty((height * width, 2), np.int64)
    listed = np.zeros((height, width), np.bool_)
    fresh = np.zeros((height, width), np.bool_)
    choice = np.full((height, width), -1)
    merit = np.zeros((height, width, 3))  # placed neighbours, best buddies among them, mean compatibility
    count, placed = 0, 0
    for r in range(1, height - 1):
        for c in range(1, width - 1):
            if board[r, c] >= 0:
                waiting[board[r, c]] = False
                top, bottom, left, right = min(top, r), max(bottom, r), min(left, c), max(right, c)
                count = _open_around(board, r, c, listed, open_slots, count)
    while True:
        best, best_first = -1, 0.0
        n = 0
        while n < count:
            r, c = open_slots[n]
            if (
                board[r, c] >= 0
                or r <= bottom - rows
                or r >= top + rows
                or c <= right - cols
                or c >= left + cols
            ):
                count -= 1
                open_slots[n] = open_slots[count]
                continue
            n += 1
            if not fresh[r, c] or (choice[r, c] >= 0 and not waiting[choice[r, c]]):
                choice[r, c] = _best_at(board, r, c, seams, waiting, merit[r, c])
                fresh[r, c] = True
            if choice[r, c] < 0:
                continue
            neighbours, buddies, mean = merit[r, c]
            first = buddies - caution * (neighbours - buddies)
            if r < top or r > bottom or c < left or c > right:
                first -= 0.5
            if best >= 0:
                then = merit[open_slots[best, 0], open_slots[best, 1]]
                if (first, neighbours, mean) <= (best_first, then[0], then[2]):
                    continue
            best, best_first = n - 1, first
        if best < 0:
            return order[:placed]
        row, col = open_slots[best]
        board[row, col] = choice[row, col]
        waiting[board[row, col]] = False
        order[placed] = board[row, col]
        placed += 1
        top, bottom, left, right = min(top, row), max(bottom, row), min(left, col), max(right, col)
        for side in range(4):
            fresh[row + STEP_Y[side], col + STEP_X[side]] = False
        count = _open_around(board, row, col, listed, open_slots, count)


@njit(cache=True)
def _open_around(
    board: Ints, row: int, col: int, listed: NDArray[np.bool_], open_slots: Ints, count: int
) -> int:
    """List the open slots around a slot that are not listed yet; returns how many are listed now."""
    for side in range(4):
        r, c = row + STEP_Y[side], col + STEP_X[side]
        inside = 0 < r < board.shape[0] - 1 and 0 < c < board.shape[1] - 1
        if inside and board[r, c] < 0 and not listed[r, c]:
            open_slots[count, 0], open_slots[count, 1], listed[r, c] = r, c, True
            count += 1
    return count


@njit(cache=True)
def _best_at(
    board: Ints, row: int, col: int, seams: Seams, waiting: NDArray[np.bool_], merit: NDArray[np.float64]
) -> int:
    """The candidate with most best buddies around an open slot, then the highest mean compatibility; -1: none left.

    Writes its merit.
    """
    best = -1
    merit[0], merit[1], merit[2] = 0.0, -1.0, -1.0
    for side in range(4):
        merit[0] += board[row + STEP_Y[side], col + STEP_X[side]] >= 0
    for side in range(4):
        beside = board[row + STEP_Y[side], col + STEP_X[side]]
        if beside < 0:
            continue
        for k in range(seams.ids.shape[2]):
            piece = seams.ids[side ^ 1, beside, k]
            if not waiting[piece]:
                continue
            buddies, total = 0.0, seams.fit[side ^ 1, beside, k]
            for s in range(4):
                neighbour = board[row + STEP_Y[s], col + STEP_X[s]]
                if neighbour >= 0:
                    buddies += seams.buddy[s, piece] == neighbour
                    if s != side:
                        total += compatibility(seams, s ^ 1, neighbour, piece)
            mean = total / merit[0]
            if buddies > merit[1] or (buddies == merit[1] and mean > merit[2]):
                best, merit[1], merit[2] = piece, buddies, mean
    return best
