"""Gallagher's filling: open slots with the most placed neighbours first, the piece of the least total cost there.

The frame floats until the pieces span it: an open slot may be filled as long as all pieces still fit rows x cols.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ganzzle.puzzle import Ints

STEP_X = np.array([1, -1, 0, 0])  # of sides RIGHT, LEFT, DOWN, UP
STEP_Y = np.array([0, 0, 1, -1])


@njit(cache=True)
def _best_at(board, row, col, table, waiting, count, choices):  # type: ignore[no-untyped-def]
    """The waiting state of the least total cost at an open slot: (index into waiting, turn choice, cost)."""
    best, best_k, least = -1, 0, np.inf
    for w in range(count):
        for k in range(choices):
            state = waiting[w] * choices + k
            total = 0.0
            for side in range(4):
                beside = board[row + STEP_Y[side], col + STEP_X[side]]
                if beside >= 0:
                    total += table[side, state, beside]
            if total < least or best < 0:
                best, best_k, least = w, k, total
    return best, best_k, least


@njit(cache=True)
def fill_frame(board, table, waiting, choices, rows, cols):  # type: ignore[no-untyped-def]
    """Place every waiting piece on the board, in place; returns the order in which they were placed.

    `board` (2 * rows + 1, 2 * cols + 1): states or -1, with a free rim; `table` (4, S, S) [side, a, b] = cost of b at
    that side of a; `waiting` (W,): pieces not placed yet.
    """
    height, width = board.shape
    top, bottom, left, right = height, -1, width, -1
    for r in range(height):
        for c in range(width):
            if board[r, c] >= 0:
                top, bottom, left, right = min(top, r), max(bottom, r), min(left, c), max(right, c)
    neighbours = np.zeros((height, width), np.int64)
    for r in range(1, height - 1):
        for c in range(1, width - 1):
            if board[r, c] < 0:
                for side in range(4):
                    neighbours[r, c] += board[r + STEP_Y[side], c + STEP_X[side]] >= 0
    fresh = np.zeros((height, width), np.bool_)
    choice = np.zeros((height, width), np.int64)  # best waiting state of a fresh open slot
    cost = np.zeros((height, width))
    waiting = waiting.copy()
    count = len(waiting)
    order = np.empty(count, np.int64)
    for step in range(len(order)):
        most, least, row, col = 0, np.inf, -1, -1
        for r in range(max(1, bottom - rows + 1), min(height - 1, top + rows)):
            for c in range(max(1, right - cols + 1), min(width - 1, left + cols)):
                if board[r, c] >= 0 or neighbours[r, c] < max(most, 1):
                    continue
                if not fresh[r, c]:
                    w, k, cost[r, c] = _best_at(board, r, c, table, waiting, count, choices)
                    choice[r, c] = waiting[w] * choices + k
                    fresh[r, c] = True
                if neighbours[r, c] > most or cost[r, c] < least or row < 0:
                    most, least, row, col = neighbours[r, c], cost[r, c], r, c
        state = choice[row, col]
        piece = state // choices
        board[row, col] = state
        order[step] = piece
        for w in range(count):
            if waiting[w] == piece:
                waiting[w : count - 1] = waiting[w + 1 : count].copy()
                break
        count -= 1
        top, bottom, left, right = min(top, row), max(bottom, row), min(left, col), max(right, col)
        for side in range(4):
            r, c = row + STEP_Y[side], col + STEP_X[side]
            neighbours[r, c] += 1
            fresh[r, c] = False
        for r in range(max(1, bottom - rows + 1), min(height - 1, top + rows)):
            for c in range(max(1, right - cols + 1), min(width - 1, left + cols)):
                if fresh[r, c] and choice[r, c] // choices == piece:
                    fresh[r, c] = False
    return order
