"""The order of numbers: numba's own `argsort` takes the compiler four times as long."""

from __future__ import annotations

import numpy as np

from ganzzle.assembler.problem import Ints, Table
from ganzzle.compiling import njit

FEW = 15  # numbers that are sorted by insertion
DEEPEST = 64  # parts that wait at once; log2 of the numbers at most, as the smaller of two goes first


@njit(cache=True, nogil=True)
def falling(values: Table) -> Ints:
    """(N,) the order of N numbers, none of them NaN, from the largest to the smallest.

    Equal numbers come in the order of numba's `argsort(-values)`, whose quicksort this is: boards depend on it.
    """
    order = np.empty(len(values), np.int64)
    for k in range(len(values)):
        order[k] = k
    waiting = np.empty((DEEPEST, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, len(values) - 1
    parts = 1
    while parts > 0:
        parts -= 1
        low, high = waiting[parts, 0], waiting[parts, 1]
        while high - low >= FEW:
            middle = _part(values, order, low, high)
            if high - middle > middle - low:
                waiting[parts, 0], waiting[parts, 1] = middle + 1, high
                high = middle - 1
            else:
                waiting[parts, 0], waiting[parts, 1] = low, middle - 1
                low = middle + 1
            parts += 1
        for k in range(low + 1, high + 1):
            moved, at = order[k], k
            while at > low and values[moved] > values[order[at - 1]]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = moved
    return order


@njit(cache=True, nogil=True, inline="always")
def _part(values: Table, order: Ints, low: int, high: int) -> int:
    """Part order[low : high + 1] in what is larger than its pivot, the median of three, and what is smaller; the place
    of the pivot."""
    middle = (low + high) >> 1
    for k in range(3):  # low and middle, middle and high, low and middle
        one, other = (middle, high) if k == 1 else (low, middle)
        if values[order[other]] > values[order[one]]:
            order[one], order[other] = order[other], order[one]
    pivot = values[order[middle]]
    order[high], order[middle] = order[middle], order[high]
    up, down = low, high - 1
    while True:
        while up < high and values[order[up]] > pivot:
            up += 1
        while down >= low and pivot > values[order[down]]:
            down -= 1
        if up >= down:
            break
        order[up], order[down] = order[down], order[up]
        up += 1
        down -= 1
    order[up], order[high] = order[high], order[up]
    return up
