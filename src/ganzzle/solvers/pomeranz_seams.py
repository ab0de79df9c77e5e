"""What the placer of Pomeranz et al. reads: best partners, their compatibility, and best buddies of every piece."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ganzzle.puzzle import Ints, Pixels
from ganzzle.seams import OPPOSITE, SIDES, SeamCost, seam_candidates
from ganzzle.seams.costs import Compare
from ganzzle.seams.tables import in_threads, row_blocks, seen_from

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]

PARTNERS = 32  # candidates a side
SAMPLE = 1024  # pieces a quartile is taken over
TINY = np.float32(1e-6)


class Seams(NamedTuple):
    """Numba reads the fields by name."""

    ids: I32  # (4, N, k) best partners at every side, the best first
    fit: F32  # (4, N, k) their compatibility
    buddy: I32  # (4, N) best buddy at a side, or -1
    quartile: F32  # (4, N) 25 % quantile of the costs at a side


def find_seams(pieces: Pixels, cost: SeamCost) -> Seams:
    """Look at all pairs of pieces."""
    ids, costs = seam_candidates(pieces, cost, PARTNERS)
    quartile = _quartiles(pieces, cost)
    fit = np.empty_like(costs)
    for side in SIDES:
        fit[side] = _mutual(costs[side], quartile[side][:, None], quartile[OPPOSITE[side]][ids[side]])
    return Seams(ids, fit, _best_buddies(ids), quartile)


def compatibilities(pieces: Pixels, cost: SeamCost, seams: Seams, some: Ints, others: Ints) -> F32:
    """(4, A, B) compatibility of piece others[b] at each side of piece some[a], straight from the pixels."""
    table = np.empty((4, len(some), len(others)), np.float32)
    both = np.concatenate([some, others])
    for side in SIDES:
        compare = cost.function(seen_from(pieces[both], side))
        costs = compare(slice(0, len(some)), slice(len(some), None))
        mine, theirs = seams.quartile[side, some][:, None], seams.quartile[OPPOSITE[side], others]
        table[side] = _mutual(costs, mine, theirs)
    return table


@njit(cache=True)
def compatibility(seams: Seams, side: int, a: int, b: int) -> float:
    """Compatibility of b at a side of a; a pair on neither list counts as the last of a's list, which is no worse."""
    for k in range(seams.ids.shape[2]):
        if seams.ids[side, a, k] == b:
            return float(seams.fit[side, a, k])
    for k in range(seams.ids.shape[2]):
        if seams.ids[side ^ 1, b, k] == a:
            return float(seams.fit[side ^ 1, b, k])
    return float(seams.fit[side, a, -1])


def _mutual(costs: F32, mine: F32, theirs: F32) -> F32:
    """Mean of C(i, j, r) and C(j, i, opposite r), where C = exp(-D / quartile)."""
    return (np.exp(-costs / mine) + np.exp(-costs / theirs)) / 2


def _quartiles(pieces: Pixels, cost: SeamCost) -> F32:
    """(4, N) over a sample of the pieces: the first ones, whose order is random by the contract of solvers."""
    count = len(pieces)
    out = np.ones((4, count), np.float32)
    if count < 2:
        return out
    sample = slice(0, min(count, SAMPLE))
    for side in SIDES:
        compare = cost.function(seen_from(pieces, side))

        def measure(rows: slice, side: int = side, compare: Compare = compare) -> None:
            block = compare(rows, sample)
            itself = np.arange(rows.start, min(rows.stop, sample.stop))
            block[itself - rows.start, itself] = np.inf
            at = (sample.stop - 2) // 4
            out[side, rows] = np.partition(block, at, axis=1)[:, at]

        in_threads(measure, row_blocks(count, sample.stop))
    return np.maximum(out, TINY)


def _best_buddies(ids: I32) -> I32:
    """(4, N) the piece that is best for this one and for which this one is best, or -1."""
    buddy = np.full(ids.shape[:2], -1, np.int32)
    if ids.shape[2]:
        for side in SIDES:
            best, back = ids[side, :, 0], ids[OPPOSITE[side], :, 0]
            mutual = back[best] == np.arange(len(best))
            buddy[side, mutual] = best[mutual]
    return buddy
