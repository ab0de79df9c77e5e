"""Gallagher, Jigsaw Puzzles with Pieces of Unknown Orientation, CVPR 2012."""

from __future__ import annotations

from itertools import count

import numpy as np

from ganzzle.puzzle import Grid, Puzzle
from ganzzle.seams import SeamCost, find_cost
from ganzzle.seams.rim import without_rim
from ganzzle.solvers.base import Arrangement, Solver
from ganzzle.solvers.gallagher.fill import finish
from ganzzle.solvers.gallagher.seams import Edges, Layout, Seams, both_ways
from ganzzle.solvers.gallagher.tiny import TINY, least_cost_slots
from ganzzle.solvers.gallagher.tree import grow, joint_votes, largest_component, new_forest

SURE = 0.8  # ratio up to which the second kind of tree trusts a single seam
WEAK = (0.5, 1.0)  # ratios beyond which a layout is taken apart again
REPAIRS = 4  # at most


class Gallagher(Solver):
    """A constrained minimum spanning tree over the seams, trimmed to the frame, then filled.

    From the publication: the Mahalanobis gradient compatibility (MGC), both ways, in RGB; every cost divided by the
    second smallest one at that side of either piece; Kruskal's tree in which two components are joined only if no two
    pieces fall on one slot, turning whole components where pieces may be rotated (`rotated=True`, its Type 2); the
    frame laid where it holds most pieces, the others taken out; open slots filled, those with most placed neighbours
    first, with the piece (and turn) of the least total cost.

    Departures, and why:

    * Only the 10 best partners a side become edges of the tree (no N x N table is held). Later edges are hardly ever
      right, and filling does better with what they would have joined.
    * The frame floats while it is filled, as long as the tree does not span it yet.
    * The tree is grown four times and the layout whose seams speak for it most (`Seams.evidence`) is kept: with and
      without the frame as a limit while components are joined (the publication: without), and either as published or
      trusting single seams only up to a ratio of 0.8; beyond it, all seams that propose to join two components in the
      same way vote together. One misleading seam then no longer decides where a whole component goes.
    * The kept layout is taken apart at its weak seams and grown together again by such votes, as long as that adds
      evidence. The largest gains are for rotated pieces.
    * Up to 8 pieces the arrangement of the least total cost is taken: the second best of so few says nothing.
    * A rim that is black on all pieces (erosion) is cut off before seams are looked at.

    A rotated puzzle says nothing about which way is up: of the whole turns that fit the frame the one that leaves most
    pieces as they arrived is taken. `cost` is another seam cost, or its name; an asymmetric one is added up both ways.
    """

    name = "gallagher"

    def __init__(self, cost: str | SeamCost = "mgc", rotated: bool = False) -> None:
        self.cost = both_ways(find_cost(cost))
        self.rotated = rotated

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Grow trees, keep the best layout, mend it."""
        assert puzzle.grid is not None
        height, width = puzzle.piece_size
        choices = (4 if height == width else 2) if self.rotated else 1
        pieces, every = without_rim(puzzle.pieces), np.arange(len(puzzle))
        seams = Seams(pieces, self.cost, choices)
        if choices == 1 and len(puzzle) == puzzle.grid.slots <= TINY:
            layout = Layout(least_cost_slots(pieces, self.cost, puzzle.grid), 0 * every, every)
        else:
            layout = _mend(seams, puzzle.grid, _best_tree(seams, puzzle.grid))
        return Arrangement(
            placement=layout.slot,
            turns=layout.turn if self.rotated else None,
            confidence=seams.confidence(layout, puzzle.grid),
            order=layout.order,
        )


def _best_tree(seams: Seams, grid: Grid) -> Layout:
    sure = seams.edges[seams.edges.ratio < SURE]
    layouts = [_lay_out(seams, grid, seams.edges, framed, votes=False) for framed in (True, False)]
    layouts += [_lay_out(seams, grid, sure, framed, votes=True) for framed in (True, False)]
    return max(layouts, key=lambda layout: seams.evidence(layout, grid))


def _mend(seams: Seams, grid: Grid, layout: Layout) -> Layout:
    """Take the layout apart at its weak seams and grow it again, while that adds evidence."""
    evidence = seams.evidence(layout, grid)
    for _ in range(REPAIRS):
        held = seams.of_layout(layout, grid)
        held = held[np.argsort(held.ratio, kind="stable")]
        parts = [held[held.ratio < weak] for weak in WEAK]
        again = [
            _lay_out(seams, grid, part, framed, votes=True) for part in parts for framed in (True, False)
        ]
        best = max(again, key=lambda one: seams.evidence(one, grid))
        if seams.evidence(best, grid) <= evidence:
            break
        layout, evidence = best, seams.evidence(best, grid)
    return layout


def _lay_out(seams: Seams, grid: Grid, edges: Edges, framed: bool, votes: bool) -> Layout:
    """Grow a tree over the edges, best first, then (with votes) over what all seams propose; trim and fill."""
    forest = new_forest(seams.pieces)
    joined = np.full(seams.pieces, np.iinfo(np.int64).max)  # when a piece was first joined to another
    limit = (seams.choices, grid.rows if framed else 0, grid.cols)
    step = 0
    for turn in count():
        used = np.flatnonzero(grow(forest, edges.first, edges.second, edges.side, *limit))
        for ends in (edges.first[used], edges.second[used]):
            np.minimum.at(joined, ends // seams.choices, step + used)
        step += len(edges.first)
        if not votes or (len(used) == 0 and turn > 0):
            break
        edges = seams.edges[joint_votes(forest, seams.edges, seams.choices)]
    largest = largest_component(forest)
    largest = largest[np.argsort(joined[largest], kind="stable")]
    return finish(seams, grid, largest, forest.x[largest], forest.y[largest], forest.turn[largest])
