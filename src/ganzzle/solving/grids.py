"""The unknown grid: which ones are worth trying, and which of several solutions of one pile has the true one?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ganzzle.pieces import turn_pieces
from ganzzle.puzzle import Grid, Ints, Pixels
from ganzzle.solution import Solution

Edges = NDArray[np.float32]
FEW = 4  # grids that are all worth trying
WHOLE = 0.9  # share of the pieces from which on a part is nearly the whole picture, and tells its grid
# A grid is tried if it holds this share of what the best one holds: for such parts, and for others.
WORTH = (0.85, 0.5)
SAMPLE = 600  # edges that each edge is compared with, at most: enough to know how good a wrong one can be


def likely_grids(pieces: Pixels) -> list[Grid]:
    """Grids with as many slots as there are pieces (N, h, w, 3), the likely ones only, the likeliest first.

    The seams alone put a part of the picture together, without any frame; the true grid holds most of that part.
    """
    grids = Grid.that_fit(len(pieces))
    return grids if len(grids) <= FEW else grids_that_hold(*_grown(pieces), grids)


def grids_that_hold(x: Ints, y: Ints, grids: Sequence[Grid]) -> list[Grid]:
    """Those of the grids that hold much of a part with pieces at (n,), (n,) across and down, the most first."""
    held = np.array([most_held(x, y, grid) for grid in grids])
    order = np.argsort(-held, kind="stable")  # of those that hold as many, the most square one comes first
    least = WORTH[int(held.max() < WHOLE * grids[0].slots)] * held.max()
    return [grids[k] for k in order if held[k] >= least]


def most_held(x: Ints, y: Ints, grid: Grid) -> int:
    """How many of the places (n,), (n,) across and down lie inside a grid that is laid where it holds most."""
    taken = np.zeros((np.ptp(y) + 1, np.ptp(x) + 1), np.int64)
    taken[y - y.min(), x - x.min()] = 1
    total = np.pad(taken, ((1, 0), (1, 0))).cumsum(0).cumsum(1)  # above and left of each corner
    rows, cols = min(grid.rows, taken.shape[0]), min(grid.cols, taken.shape[1])
    inside = total[rows:, cols:] - total[:-rows, cols:] - total[rows:, :-cols] + total[:-rows, :-cols]
    return int(inside.max())


def _grown(pieces: Pixels) -> tuple[Ints, Ints]:
    """Places (n,) across and down of the pieces of the largest tree that Gallagher's seams grow without a frame."""
    from ganzzle.seams import find_cost
    from ganzzle.seams.rim import without_rim
    from ganzzle.solvers.gallagher.seams import Seams, both_ways
    from ganzzle.solvers.gallagher.tree import grow, largest_component, new_forest

    edges = Seams(without_rim(pieces), both_ways(find_cost("mgc")), 1).edges
    forest = new_forest(len(pieces))
    grow(forest, edges.first, edges.second, edges.side, 1, 0, 0)
    largest = largest_component(forest)
    return forest.x[largest], forest.y[largest]


def seam_gain(solution: Solution) -> float:
    """How much better the seams are than the next best: the sum of 1 - cost / second best cost, each at least -1.

    A true seam adds up to 1 and a wrong one takes away, so the true grid, which has the most true seams, wins whether
    the picture is smoother along its rows or along its columns.
    """
    order = np.argsort(solution.placement)  # slot by slot, so that nothing depends on how the pieces arrived
    pieces = turn_pieces(solution.puzzle.bare_pieces, solution.turns)[order].astype(np.float32)
    at = np.full(solution.grid.slots, -1)
    at[solution.placement[order]] = np.arange(len(pieces))
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
    # Half a grey level is no difference.
    return float(np.maximum(-1, 1 - (cost + 0.5) / (typical + 0.5)).sum())


def _second_best(edges: Edges, others: Edges) -> NDArray[np.float32]:
    """(N, k), (N, k) -> (N,) the second smallest mean difference of each edge to those of the other pieces."""
    sample = np.unique(np.linspace(0, len(others) - 1, min(len(others), SAMPLE)).astype(np.int64))
    found = np.empty(len(edges), np.float32)
    for i, edge in enumerate(edges):
        costs = np.abs(others[sample[sample != i]] - edge).mean(1)
        found[i] = np.partition(costs, 1)[1] if len(costs) > 1 else costs[0]
    return found
