"""What the placer of Pomeranz et al. reads: best partners, their compatibility, and best buddies of every piece."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.puzzle import Ints, Pixels
from ganzzle.seams import DOWN, OPPOSITE, RIGHT, SIDES, SeamCost, seam_candidates, seam_table
from ganzzle.seams.costs import Compare
from ganzzle.seams.tables import best_buddies, in_threads, row_blocks, seen_from, table_candidates

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]

PARTNERS = 32  # candidates a side
SAMPLE = 1024  # pieces a quartile is taken over: the first ones, whose order is seeded chance
LARGEST_TABLE = 4000  # pieces; a full table of so many takes 256 MB
TINY = np.float32(1e-6)


class Seams(NamedTuple):
    """Numba reads the fields by name."""

    ids: I32  # (4, N, k) best partners at every side, the best first
    fit: F32  # (4, N, k) their compatibility
    buddy: I32  # (4, N) best buddy at a side, or -1
    table: F32  # (4, N, N) compatibility of piece j at a side of piece i; (4, 0, 0) in a large puzzle


class Compatibilities:
    """Compatibility of any pieces: a full table of a small puzzle, the best partners and pixels of a large one."""

    def __init__(self, pieces: Pixels, cost: SeamCost) -> None:
        self.pieces, self.cost = pieces, cost
        table = np.empty((4, 0, 0), np.float32)
        if len(pieces) <= LARGEST_TABLE:
            table = seam_table(pieces, cost)
            ids, costs = table_candidates(table, PARTNERS)
            quartile = _quartile(table[:, :, :SAMPLE])
            for side in SIDES:
                table[side] = _mutual(table[side], quartile[side][:, None], quartile[OPPOSITE[side]])
        else:
            ids, costs = seam_candidates(pieces, cost, PARTNERS)
            quartile = _sampled_quartiles(pieces, cost)
        fit = np.empty_like(costs)
        for side in SIDES:
            fit[side] = _mutual(costs[side], quartile[side][:, None], quartile[OPPOSITE[side]][ids[side]])
        self.seams = Seams(ids, fit, best_buddies(ids), table)
        self.quartile = quartile  # (4, N) 25 % quantile of the costs at a side

    def between(self, some: Ints, others: Ints) -> F32:
        """(4, A, B) compatibility of piece others[b] at each side of piece some[a], from the pixels."""
        out = np.empty((4, len(some), len(others)), np.float32)
        both = np.concatenate([some, others])
        for side in SIDES:
            compare = self.cost.function(seen_from(self.pieces[both], side))
            mine, theirs = self.quartile[side, some][:, None], self.quartile[OPPOSITE[side], others]

            def fill(
                rows: slice,
                out: F32 = out[side],
                compare: Compare = compare,
                mine: F32 = mine,
                theirs: F32 = theirs,
            ) -> None:
                out[rows] = _mutual(compare(rows, slice(len(some), None)), mine[rows], theirs)

            in_threads(fill, row_blocks(len(some), len(others)))
        return out


@njit(cache=True, nogil=True)
def compatibility(seams: Seams, side: int, a: int, b: int) -> float:
    """Compatibility of b at a side of a; a pair on neither list counts as the last of a's list, which is no worse."""
    if seams.table.shape[1] > 0:
        return float(seams.table[side, a, b])
    for k in range(seams.ids.shape[2]):
        if seams.ids[side, a, k] == b:
            return float(seams.fit[side, a, k])
    for k in range(seams.ids.shape[2]):
        if seams.ids[side ^ 1, b, k] == a:
            return float(seams.fit[side ^ 1, b, k])
    return float(seams.fit[side, a, -1])


@njit(cache=True, nogil=True)
def total_compatibility(seams: Seams, at: Ints) -> float:
    """The sum over all neighbours of a layout (rows, cols; -1 is empty)."""
    total = 0.0
    for r in range(at.shape[0]):
        for c in range(at.shape[1]):
            if at[r, c] < 0:
                continue
            if c + 1 < at.shape[1] and at[r, c + 1] >= 0:
                total += compatibility(seams, RIGHT, at[r, c], at[r, c + 1])
            if r + 1 < at.shape[0] and at[r + 1, c] >= 0:
                total += compatibility(seams, DOWN, at[r, c], at[r + 1, c])
    return total


def _mutual(costs: F32, mine: F32, theirs: F32) -> F32:
    """Mean of C(i, j, r) and C(j, i, opposite r), where C = exp(-D / quartile)."""
    return (np.exp(-costs / mine) + np.exp(-costs / theirs)) / 2


def _quartile(costs: F32) -> F32:
    """(..., M) -> (...): the 25 % quantile of the costs with M pieces, itself, at inf, perhaps among them."""
    at = max((costs.shape[-1] - 2) // 4, 0)
    quantile = np.partition(costs, at, axis=-1)[..., at]
    return np.where(np.isfinite(quantile), np.maximum(quantile, TINY), np.float32(1))


def _sampled_quartiles(pieces: Pixels, cost: SeamCost) -> F32:
    """(4, N) quartiles of a large puzzle."""
    out = np.empty((4, len(pieces)), np.float32)
    sample = slice(0, SAMPLE)
    for side in SIDES:
        compare = cost.function(seen_from(pieces, side))

        def measure(rows: slice, side: int = side, compare: Compare = compare) -> None:
            block = compare(rows, sample)
            itself = np.arange(rows.start, min(rows.stop, SAMPLE))
            block[itself - rows.start, itself] = np.inf
            out[side, rows] = _quartile(block)

        in_threads(measure, row_blocks(len(pieces), SAMPLE))
    return out
