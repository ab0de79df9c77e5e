"""The placer of Pomeranz et al.: grows the pieces on the board outwards, best buddies first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.puzzle import Ints
from ganzzle.seams import STEP_X, STEP_Y
from ganzzle.solvers.pomeranz.seams import Seams, compatibility

Around = tuple[int, int, int, int]  # what lies at the sides of a slot, -1: nothing


@njit(cache=True, nogil=True)
def place(board: Ints, seams: Seams, rows: int, cols: int, buddies_first: bool, fixed: bool) -> Ints:
    """Grow the pieces on the board until all lie, or no candidate fits any open slot.

    `board` (2 * rows + 1, 2 * cols + 1): pieces, or -1; it is changed. The frame floats (a slot is open as long as all
    pieces still fit rows x cols), or is fixed at rows 1.. and columns 1.. of the board. The next slot is the one with
    most placed neighbours, there the piece with most best buddies among them, then of the highest mean compatibility;
    with `buddies_first` the number of best buddies goes before the number of neighbours. Returns the pieces in the
    order they were placed.
    """
    height, width = board.shape
    top, bottom, left, right = (1, rows, 1, cols) if fixed else (height, -1, width, -1)
    waiting = np.ones(seams.ids.shape[1], np.bool_)
    order = np.empty(len(waiting), np.int64)
    open_slots = np.empty((height * width, 2), np.int64)
    neighbours = np.zeros((height, width), np.int64)
    fresh = np.zeros((height, width), np.bool_)
    choice = np.full((height, width), -1)
    # Of the choice: best buddies among the neighbours, mean compatibility.
    merit = np.zeros((height, width, 2))
    count, placed = 0, 0
    for r in range(1, height - 1):
        for c in range(1, width - 1):
            if board[r, c] >= 0:
                waiting[board[r, c]] = False
                top, bottom, left, right = min(top, r), max(bottom, r), min(left, c), max(right, c)
                count = _open_around(board, r, c, neighbours, open_slots, count)
    while True:
        best, first, second, third = -1, 0.0, 0.0, 0.0
        n = 0
        while n < count:
            r, c = open_slots[n]
            reached = bottom - rows < r < top + rows and right - cols < c < left + cols
            if board[r, c] >= 0 or not reached:
                count -= 1
                open_slots[n] = open_slots[count]
                continue
            n += 1
            if not buddies_first and neighbours[r, c] < first:
                continue
            if not fresh[r, c] or (choice[r, c] >= 0 and not waiting[choice[r, c]]):
                choice[r, c], merit[r, c, 0], merit[r, c, 1] = _best_at(board, r, c, seams, waiting)
                fresh[r, c] = True
            if choice[r, c] < 0:
                continue
            a, b = float(neighbours[r, c]), merit[r, c, 0]
            if buddies_first:
                a, b = b, a
            if best < 0 or (a, b, merit[r, c, 1]) > (first, second, third):
                best, first, second, third = n - 1, a, b, merit[r, c, 1]
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
        count = _open_around(board, row, col, neighbours, open_slots, count)


@njit(cache=True, nogil=True)
def _open_around(board: Ints, row: int, col: int, neighbours: Ints, open_slots: Ints, count: int) -> int:
    """Count a placed piece as a neighbour of the slots around it, list the open ones that are not listed yet.

    Returns how many are listed now.
    """
    for side in range(4):
        r, c = row + STEP_Y[side], col + STEP_X[side]
        inside = 0 < r < board.shape[0] - 1 and 0 < c < board.shape[1] - 1
        if inside and board[r, c] < 0 and neighbours[r, c] == 0:
            open_slots[count, 0], open_slots[count, 1] = r, c
            count += 1
        neighbours[r, c] += 1
    return count


@njit(cache=True, nogil=True)
def _best_at(
    board: Ints, row: int, col: int, seams: Seams, waiting: NDArray[np.bool_]
) -> tuple[int, float, float]:
    """The candidate for an open slot with its best buddies and mean compatibility there; -1: none is left."""
    around = (board[row, col + 1], board[row, col - 1], board[row + 1, col], board[row - 1, col])
    best, most, highest = -1, 0.0, -1.0
    for side in range(4):  # a best buddy of a neighbour goes before every other piece
        if around[side] >= 0:
            piece = seams.buddy[side ^ 1, around[side]]
            if piece >= 0 and waiting[piece]:
                buddies, mean = _merit(seams, around, piece)
                if (buddies, mean) > (most, highest):
                    best, most, highest = piece, buddies, mean
    if best >= 0:
        return best, most, highest
    if seams.table.shape[1] > 0:
        total, count = np.zeros(len(waiting), np.float32), 0.0
        for side in range(4):
            if around[side] >= 0:
                total += seams.table[side ^ 1, around[side]]
                count += 1.0
        for piece in range(len(waiting)):
            if total[piece] > highest and waiting[piece]:
                best, highest = piece, total[piece]
        return best, 0.0, highest / count
    for side in range(4):
        if around[side] >= 0:
            for k in range(seams.ids.shape[2]):
                piece = seams.ids[side ^ 1, around[side], k]
                if waiting[piece]:
                    mean = _merit(seams, around, piece)[1]
                    if mean > highest:
                        best, highest = piece, mean
    return best, 0.0, highest


@njit(cache=True, nogil=True)
def _merit(seams: Seams, around: Around, piece: int) -> tuple[float, float]:
    """How many of the neighbours are best buddies of a piece, and its mean compatibility with them."""
    buddies, total, count = 0.0, 0.0, 0.0
    for side in range(4):
        if around[side] >= 0:
            buddies += seams.buddy[side, piece] == around[side]
            total += compatibility(seams, side ^ 1, around[side], piece)
            count += 1.0
    return buddies, total / count
