"""Puzzles of a few pieces, none missing: every arrangement is looked at."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ganzzle.puzzle import Grid, Ints, Pixels
from ganzzle.seams import DOWN, RIGHT, SeamCost, seam_table

TINY = 8  # pieces up to which all 40,320 arrangements are compared


def least_cost_slots(pieces: Pixels, cost: SeamCost, grid: Grid) -> Ints:
    """(N,) the slot of each piece in the arrangement of the least total cost.

    With so few pieces the second best partner of a side, or a quartile of all, says nothing: the costs themselves do.
    """
    table = seam_table(pieces, cost).astype(np.float64)
    at = np.array(list(permutations(range(len(pieces)))))  # (P, slots) the piece on every slot
    total = np.zeros(len(at))
    for side, pairs in zip((RIGHT, DOWN), grid.adjacencies(), strict=True):
        for a, b in pairs:
            total += table[side, at[:, a], at[:, b]]
    return np.argsort(at[total.argmin()])
