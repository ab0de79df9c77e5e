"""Gallagher's last two steps: trimming a component to the frame, and filling what is open.

The frame floats until the pieces span it: an open slot may be filled as long as all pieces still fit rows x cols.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.puzzle import Grid, Ints
from ganzzle.seams import STEP_X, STEP_Y
from ganzzle.solvers.gallagher.seams import Layout, Seams

# The costs (4, A, B) of states others[b] at each side of states some[a].
Costs = Callable[[Ints, Ints], NDArray[np.float32]]

ENTRIES = 1 << 27  # costs held at a time while filling: 512 MiB


def finish(seams: Seams, grid: Grid, placed: Ints, x: Ints, y: Ints, turn: Ints) -> Layout:
    """Trim a component (M,) of pieces in the order they were placed to the frame, fill the rest."""
    choices = seams.choices
    placed, x, y, turn = _trim(placed, x, y, turn, grid, choices)
    board = np.full((2 * grid.rows + 1, 2 * grid.cols + 1), -1)
    board[y + grid.rows - y.max(), x + grid.cols - x.max()] = placed * choices + turn * choices // 4
    waiting = np.setdiff1d(np.arange(seams.pieces), placed)
    order = [placed]
    while len(waiting):
        filled = fill_some(board, waiting, seams.costs_between, choices, grid.rows, grid.cols, fixed=False)
        order.append(filled)
        waiting = np.setdiff1d(waiting, filled)
    row, col = np.nonzero(board >= 0)
    state = board[row, col]
    slot, turns = np.empty(seams.pieces, np.int64), np.empty(seams.pieces, np.int64)
    slot[state // choices] = (row - row.min()) * grid.cols + col - col.min()
    turns[state // choices] = state % choices * 4 // choices
    return Layout(slot, turns, np.concatenate(order))


def fill_some(
    board: Ints, waiting: Ints, costs: Costs, choices: int, rows: int, cols: int, fixed: bool
) -> Ints:
    """Fill open slots of a board (2 * rows + 1, 2 * cols + 1) of states, or -1, with the waiting pieces, or with as
    many of them as memory allows; changes the board. The pieces in the order they were placed; see `fill`."""
    border = _beside_open(board)
    width = len(border) + len(waiting) * choices
    waiting = waiting[: max(1, ENTRIES // (4 * width * choices))]
    states = (waiting[:, None] * choices + np.arange(choices)).ravel()
    known = np.concatenate([states, border])
    # The kernel speaks of rows and columns of this table instead of states; those far from open slots need none.
    local = np.full(max(board.max(), states.max()) + 2, len(known))
    local[known] = np.arange(len(known))
    local[-1] = -1
    inner = local[board]
    order = fill(inner, costs(states, known), choices, rows, cols, fixed)
    new = (board < 0) & (inner >= 0)
    board[new] = known[inner[new]]
    return waiting[order]


def _beside_open(board: Ints) -> Ints:
    """What lies on the board beside an open slot."""
    padded = np.pad(board, 1, constant_values=-1)
    beside = np.zeros(board.shape, bool)
    for side in range(4):
        beside |= np.roll(padded, (-STEP_Y[side], -STEP_X[side]), (0, 1))[1:-1, 1:-1] < 0
    return board[beside & (board >= 0)]


@njit(cache=True, nogil=True)
def fill(board: Ints, table: NDArray[np.float32], choices: int, rows: int, cols: int, fixed: bool) -> Ints:
    """Place all waiting pieces: open slots with the most placed neighbours first, the least total cost among those.

    `board` (2 * rows + 1, 2 * cols + 1) holds columns of the table, or -1, and is changed; `table` (4, W * choices, S)
    [side, a, b]: the cost of b at a side of the waiting state a. A fixed frame is rows 1.. and columns 1.. of the
    board. Returns (W,) the order in which pieces were placed.
    """
    height, width = board.shape
    top, bottom, left, right = (1, rows, 1, cols) if fixed else (height, -1, width, -1)
    for r in range(height):
        for c in range(width):
            if board[r, c] >= 0:
                top, bottom, left, right = min(top, r), max(bottom, r), min(left, c), max(right, c)
    neighbours = np.zeros((height, width), np.int64)
    for r in range(1, height - 1):
        for c in range(1, width - 1):
            for side in range(4):
                neighbours[r, c] += board[r + STEP_Y[side], c + STEP_X[side]] >= 0
    fresh = np.zeros((height, width), np.bool_)
    choice = np.zeros((height, width), np.int64)  # best waiting state of a fresh open slot
    cost = np.zeros((height, width))
    waiting = np.arange(table.shape[1] // choices)
    order = np.empty(len(waiting), np.int64)
    for step in range(len(order)):
        most, least, row, col = 1, np.inf, -1, -1
        # Rows and columns beyond these would make the pieces span more than the frame.
        for r in range(max(1, bottom - rows + 1), min(height - 1, top + rows)):
            for c in range(max(1, right - cols + 1), min(width - 1, left + cols)):
                if board[r, c] >= 0 or neighbours[r, c] < most:
                    continue
                if not fresh[r, c] or waiting[choice[r, c] // choices] < 0:
                    choice[r, c], cost[r, c] = _best_at(board, r, c, table, waiting, choices)
                    fresh[r, c] = True
                if neighbours[r, c] > most or cost[r, c] < least or row < 0:
                    most, least, row, col = neighbours[r, c], cost[r, c], r, c
        state = choice[row, col]
        board[row, col] = state
        order[step] = state // choices
        waiting[state // choices] = -1
        top, bottom, left, right = min(top, row), max(bottom, row), min(left, col), max(right, col)
        for side in range(4):
            r, c = row + STEP_Y[side], col + STEP_X[side]
            neighbours[r, c] += 1
            fresh[r, c] = False
    return order


@njit(cache=True, nogil=True)
def _best_at(
    board: Ints, row: int, col: int, table: NDArray[np.float32], waiting: Ints, choices: int
) -> tuple[int, float]:
    """The waiting state of the least total cost at an open slot, and that cost."""
    best, least = -1, np.inf
    for piece in waiting:
        if piece < 0:
            continue
        for state in range(piece * choices, (piece + 1) * choices):
            total = 0.0
            for side in range(4):
                beside = board[row + STEP_Y[side], col + STEP_X[side]]
                if beside >= 0:
                    total += table[side, state, beside]
            if total < least or best < 0:
                best, least = state, total
    return best, least


def _trim(
    placed: Ints, x: Ints, y: Ints, turn: Ints, grid: Grid, choices: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Turn the component as the frame needs it, and keep the pieces inside the frame that holds most of them.

    Among whole turns that hold equally many the one that leaves most pieces as they arrived is taken.
    """
    best: tuple[tuple[int, int], Any] | None = None
    for quarters in range(0, 4, 4 // choices):
        xs, ys = x - x.min(), y - y.min()
        turns = (turn + quarters) % 4
        for _ in range(quarters):
            xs, ys = ys, xs.max() - xs
        top, left = _best_window(xs, ys, grid)
        inside = (xs >= left) & (xs < left + grid.cols) & (ys >= top) & (ys < top + grid.rows)
        merit = (int(inside.sum()), int((turns[inside] == 0).sum()))
        if best is None or merit > best[0]:
            best = merit, (placed[inside], xs[inside], ys[inside], turns[inside])
    assert best is not None
    placed, x, y, turn = best[1]
    return placed, x - x.min(), y - y.min(), turn


def _best_window(x: Ints, y: Ints, grid: Grid) -> tuple[int, int]:
    """Top and left of the frame that holds most of the positions."""
    height, width = max(int(y.max()) + 1, grid.rows), max(int(x.max()) + 1, grid.cols)
    sums = np.zeros((height + 1, width + 1), np.int64)
    sums[y + 1, x + 1] = 1
    sums = sums.cumsum(0).cumsum(1)
    rows, cols = grid.rows, grid.cols
    held = sums[rows:, cols:] - sums[:-rows, cols:] - sums[rows:, :-cols] + sums[:-rows, :-cols]
    top, left = np.unravel_index(held.argmax(), held.shape)
    return int(top), int(left)
