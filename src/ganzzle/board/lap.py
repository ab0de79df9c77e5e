"""Linear assignment for the inner loops: shortest augmenting paths after a cheap reduction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit


@njit(cache=True, nogil=True)
def assign(score: NDArray[np.float32]) -> NDArray[np.int64]:
    """(m, m) scores -> (m,) the column of each row that makes the total score largest."""
    size = len(score)
    row_price = np.empty(size, np.float64)
    col_price = np.empty(size, np.float64)
    row_of = np.empty(size, np.int64)
    col_of = np.empty(size, np.int64)
    _reduce(score, row_price, col_price, row_of, col_of)
    gap = np.empty(size, np.float64)
    previous = np.empty(size, np.int64)
    done = np.empty(size, np.bool_)
    for start in range(size):
        if col_of[start] >= 0:
            continue
        for j in range(size):
            gap[j] = np.inf
            done[j] = False
        row, last = start, -1
        while True:  # Dijkstra over the columns, from the free row to the nearest free column
            nearest, best = -1, np.inf
            level = 0.0 if last < 0 else gap[last]
            for j in range(size):
                if done[j]:
                    continue
                length = level + row_price[row] - score[row, j] - col_price[j]
                if length < gap[j]:
                    gap[j] = length
                    previous[j] = row
                if gap[j] < best:
                    best = gap[j]
                    nearest = j
            done[nearest] = True
            last = nearest
            if row_of[nearest] < 0:
                break
            row = row_of[nearest]
        reach = gap[last]
        row_price[start] -= reach
        for j in range(size):
            if done[j] and j != last:
                col_price[j] += gap[j] - reach
                row_price[row_of[j]] -= reach - gap[j]
        while True:  # flip the path
            row = previous[last]
            row_of[last] = row
            swap = col_of[row]
            col_of[row] = last
            if row == start:
                break
            last = swap
    return col_of


@njit(cache=True, nogil=True, inline="always")
def _reduce(
    score: NDArray[np.float32],
    row_price: NDArray[np.float64],
    col_price: NDArray[np.float64],
    row_of: NDArray[np.int64],
    col_of: NDArray[np.int64],
) -> None:
    """Feasible prices (row_price[i] - col_price[j] >= score[i, j]) and a greedy matching of tight pairs."""
    size = len(score)
    for i in range(size):
        row_of[i] = col_of[i] = -1
        most = score[i, 0]
        for j in range(1, size):
            most = max(most, score[i, j])
        row_price[i] = most
    for j in range(size):
        slack = np.inf
        for i in range(size):
            slack = min(slack, row_price[i] - score[i, j])
        col_price[j] = slack
    for i in range(size):
        for j in range(size):
            if row_of[j] < 0 and row_price[i] - score[i, j] - col_price[j] <= 0:
                row_of[j] = i
                col_of[i] = j
                break
