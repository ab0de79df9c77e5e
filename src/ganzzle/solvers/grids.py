"""Which of several solutions of one pile, each with another grid, has the true grid?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Ints, Solution, turn_pieces

Edges = NDArray[np.float32]
SAMPLE = 600  # edges that each edge is compared with, at most: enough to know how good a wrong one can be


def seam_gain(solution: Solution) -> float:
    """How much better the seams are than the next best: the sum of 1 - cost / second best cost, each at least -1.

    A true seam adds up to 1 and a wrong one takes away, so the true grid, which has the most true seams, wins whether
    the picture is smoother along its rows or along its columns.
    """
    pieces = turn_pieces(solution.puzzle.pieces, solution.turns).astype(np.float32)
    at = np.full(solution.grid.slots, -1)
    at[solution.placement] = np.arange(len(pieces))
    total = 0.0
    for axis, slots in zip((2, 1), solution.grid.adjacencies(), strict=True):
        pairs = at[slots]
        pairs = pairs[(pairs >= 0).all(1)]
        if len(pairs):
            last, first = np.take(pieces, -1, axis), np.take(pieces, 0, axis)
            total += _gain(last.reshape(len(pieces), -1), first.reshape(len(pieces), -1), pairs)
    return total


def _gain(last: Edges, first: Edges, pairs: Ints) -> float:
    """(N, k) last and first edges, (E, 2) neighbours -> the sum over the neighbours."""
    a, b = pairs.T
    cost = np.abs(last[a] - first[b]).mean(1)
    typical = (_second_best(last, first)[a] + _second_best(first, last)[b]) / 2
    return float(
        np.maximum(-1, 1 - (cost + 0.5) / (typical + 0.5)).sum()
    )  # half a grey level is no difference


def _second_best(edges: Edges, others: Edges) -> NDArray[np.float32]:
    """(N, k), (N, k) -> (N,) the second smallest mean difference of each edge to those of the other pieces."""
    sample = np.unique(np.linspace(0, len(others) - 1, min(len(others), SAMPLE)).astype(np.int64))
    found = np.empty(len(edges), np.float32)
    for i, edge in enumerate(edges):
        costs = np.abs(others[sample[sample != i]] - edge).mean(1)
        found[i] = np.partition(costs, 1)[1] if len(costs) > 1 else costs[0]
    return found
