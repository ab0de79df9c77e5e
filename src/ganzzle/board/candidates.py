"""Seam scores in two forms, read in the same way: a full table, or for large puzzles the best neighbours only.

`N` stands for *empty* (a hole, or what lies beyond the frame), `N + 1` for *open* (not decided yet).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

Table = NDArray[np.float32]

FLOOR = np.float32(-12)  # no seam and no slot is worse than this
OPEN_GUESS = np.float32(-3)  # what a seam with an undecided cell is expected to score


class Candidates(NamedTuple):
    """The best neighbours of every side of N pieces; every other pair of pieces scores FLOOR."""

    ids: NDArray[np.int64]  # (N, 4, K) best first
    scores: Table  # (N, 4, K)
    border: Table  # (N, 4) what a side scores with nothing beside it


Seams = Table | Candidates  # a table is (N + 2, 4, N + 2)


def seam(seams: Seams, i: int, side: int, j: int) -> float:
    """What j scores at a side of i. This form is for plain Python; compiled code gets one of the two below."""
    if isinstance(seams, tuple):
        return _listed(seams, i, side, j)
    return float(seams[i, side, j])


def _listed(seams: Candidates, i: int, side: int, j: int) -> float:
    count = len(seams.ids)
    if i >= count or j >= count:
        if i == count + 1 or j == count + 1:
            return float(OPEN_GUESS) if min(i, j) < count else 0.0
        if i < count:
            return float(seams.border[i, side])
        return float(seams.border[j, side ^ 1]) if j < count else 0.0
    for k in range(seams.ids.shape[2]):
        if seams.ids[i, side, k] == j:
            return float(seams.scores[i, side, k])
    for k in range(seams.ids.shape[2]):
        if seams.ids[j, side ^ 1, k] == i:
            return float(seams.scores[j, side ^ 1, k])
    return float(FLOOR)


@overload(seam, strict=False)
def _seam(seams: Any, i: Any, side: Any, j: Any) -> Any:
    if isinstance(seams, types.Array):
        return lambda seams, i, side, j: seams[i, side, j]
    return _listed
