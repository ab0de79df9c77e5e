"""Pomeranz, Shemesh, Ben-Shahar, A Fully Automated Greedy Square Jigsaw Puzzle Solver, CVPR 2011."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ganzzle.puzzle import Floats, Grid, Ints, Pixels, Puzzle
from ganzzle.seams import DOWN, RIGHT, SIDES, SeamCost, find_cost
from ganzzle.seams.rim import without_rim
from ganzzle.solvers.base import Arrangement, Solver
from ganzzle.solvers.gallagher_fill import ENTRIES, beside_open, fill
from ganzzle.solvers.gallagher_seams import both_ways
from ganzzle.solvers.gallagher_tiny import least_cost_slots
from ganzzle.solvers.pomeranz_place import place
from ganzzle.solvers.pomeranz_seams import LARGEST_TABLE, Compatibilities, Seams
from ganzzle.solvers.pomeranz_segments import Links, buddy_links, segments, shifts

CAUTION = (0.0, 0.3, 1.0)  # tempers of the placer that are tried from every start
LINES = 3  # weakest lines of a layout that are tried as its edge
TINY = 4  # pieces up to which all arrangements are compared
FAR = 5  # when nothing else helps: lines this close to the edge as well


class Pomeranz(Solver):
    """A greedy placer around the largest trustworthy segment, again and again.

    From the publication: the prediction-based (Lp)^q dissimilarity in LAB, p = 3/10, q = 1/16; compatibility
    exp(-D / quartile), the quartile that of the piece and side; best buddies; the placer, which grows the placed region
    by the piece that is a best buddy of its neighbours, otherwise by the highest mean compatibility; the segmenter,
    whose segments hold neighbours that are best buddies; the shifter, which makes the largest segment the new start,
    anywhere in the frame; all that until the score stops rising.

    Departures, and why:

    * The first piece is not random but the one with most best buddies whose buddies have most.
    * The publication fills the slot with most placed neighbours first. That spills over the true edge of the picture
      long before the frame is full, so here slots with most best buddies come first, and those that make the region
      span one more row or column come later. How much a neighbour that is no best buddy counts against a slot
      (`caution`) has no value that is best for every picture: three are tried from every start.
    * Besides the largest segment, the largest ones by two stricter rules are starts too (pomeranz_segments.py).
    * A row or column stuck to the wrong edge is often held by a few chance best buddies, and the segmenter does not
      see it. So the shifter also cuts the layout at the lines with the fewest best buddies across, moves the larger
      part to the other edge and has the rest placed again (up to 4,000 pieces).
    * The score is the number of neighbours that are best buddies, as published, plus the sum of compatibilities:
      among identical pieces hardly any are best buddies, and the count alone cannot tell where they go.
    * A piece looks only at its 32 best partners a side until no such partner fits an open slot; the rest are placed
      by compatibilities with all. No full table is held above 4,000 pieces; quartiles are taken over 1,024 pieces.
    * Up to 4 pieces the arrangement of the least total cost is taken: a quartile of so few says nothing.
    * A rim that is black on all pieces (erosion) is cut off before seams are looked at.

    `cost` names another seam cost; an asymmetric one is added up both ways.
    """

    name = "pomeranz"

    def __init__(self, cost: str = "lpq") -> None:
        self.cost = both_ways(find_cost(cost))

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Place, segment, shift, until the score stops rising."""
        assert puzzle.grid is not None
        pieces = without_rim(puzzle.pieces)
        search = Search(pieces, self.cost, puzzle.grid)
        if len(puzzle) == puzzle.grid.slots <= TINY:
            layout = search.layout(np.argsort(least_cost_slots(pieces, self.cost, puzzle.grid)))
        else:
            layout = search.run()
        slot = np.empty(len(puzzle), np.int64)
        filled = np.flatnonzero(layout.at.ravel() >= 0)
        slot[layout.at.ravel()[filled]] = filled
        return Arrangement(placement=slot, confidence=search.confidence(layout), order=layout.order)


@dataclass(frozen=True, eq=False)
class Layout:
    """All pieces in the frame."""

    at: Ints  # (rows, cols) pieces, -1 where a slot stays empty
    order: Ints  # (N,) pieces as they were placed
    links: Links  # which neighbours are best buddies
    score: float


class Search:
    """The placer / segmenter / shifter loop over one puzzle."""

    def __init__(self, pieces: Pixels, cost: SeamCost, grid: Grid) -> None:
        self.count, self.grid = len(pieces), grid
        self.compatibilities = Compatibilities(pieces, cost)
        self.seams = self.compatibilities.seams

    def run(self) -> Layout:
        """From the best seed piece, while the score rises."""
        start = np.full((self.grid.rows, self.grid.cols), -1)
        start[0, 0] = _seed_piece(self.seams)
        best = self._best_of([(start, False)])
        far = 0
        while True:
            starts = [(segment, False) for segment in segments(best.at, best.links)]
            if self.count <= LARGEST_TABLE:
                starts += [(moved, True) for moved in shifts(best.at, best.links, LINES, far)]
            layout = self._best_of(starts) if starts else best
            if layout.score > best.score:
                best, far = layout, 0
            elif far == 0 and self.count <= LARGEST_TABLE:
                far = FAR
            else:
                return best

    def layout(self, at: Ints, order: Ints | None = None) -> Layout:
        """A layout of pieces on slots; without an order they were placed slot by slot."""
        at = at.reshape(self.grid.rows, self.grid.cols).copy()
        links = buddy_links(at, self.seams)
        return Layout(at, at.ravel() if order is None else order, links, self._score(at, links))

    def _best_of(self, starts: list[tuple[Ints, bool]]) -> Layout:
        layouts = [self._grow(start, fixed, caution) for start, fixed in starts for caution in CAUTION]
        return max(layouts, key=lambda layout: layout.score)

    def _grow(self, start: Ints, fixed: bool, caution: float) -> Layout:
        """Place all pieces around a start (rows, cols; -1 is open), which keeps its place only if `fixed`."""
        rows, cols = start.shape
        y, x = np.nonzero(start >= 0)
        board = np.full((2 * rows + 1, 2 * cols + 1), -1)
        top, left = (1, 1) if fixed else (rows - y.max(), cols - x.max())
        board[y + top, x + left] = start[y, x]
        order = [start[y, x], place(board, self.seams, rows, cols, caution, fixed)]
        while sum(map(len, order)) < self.count:
            order.append(self._place_rest(board, fixed))
        if not fixed:
            r, c = np.nonzero(board >= 0)
            top, left = r.min(), c.min()
        return self.layout(board[top : top + rows, left : left + cols], np.concatenate(order))

    def _place_rest(self, board: Ints, fixed: bool) -> Ints:
        """Pieces that are no candidate of any open slot, or as many of them as memory allows.

        Slots with most neighbours first, there the piece of the highest compatibility with them.
        """
        waiting = np.setdiff1d(np.arange(self.count), board)
        border = beside_open(board)
        waiting = waiting[: max(1, ENTRIES // (4 * (len(waiting) + len(border))))]
        known = np.concatenate([waiting, border])
        # The kernel speaks of columns of the table instead of pieces; those far from open slots need none.
        local = np.full(self.count + 1, len(known))
        local[known] = np.arange(len(known))
        local[-1] = -1
        inner = local[board]
        order = fill(
            inner, -self.compatibilities.between(waiting, known), 1, self.grid.rows, self.grid.cols, fixed
        )
        new = (board < 0) & (inner >= 0)
        board[new] = known[inner[new]]
        return waiting[order]

    def _score(self, at: Ints, links: Links) -> float:
        """Best buddies among the neighbours, plus the compatibilities of all neighbours."""
        total = float(links[0].sum() + links[1].sum())
        for side, a, b in ((RIGHT, at[:, :-1], at[:, 1:]), (DOWN, at[:-1], at[1:])):
            both = (a >= 0) & (b >= 0)
            here, there = a[both], b[both]
            seen = self.seams.ids[side, here] == there[:, None]
            fit = self.seams.fit[side, here]
            if fit.size:
                total += fit[np.arange(len(here)), np.where(seen.any(1), seen.argmax(1), -1)].sum()
        return float(total)

    def confidence(self, layout: Layout) -> Floats:
        """(N,) share of a piece's neighbours that are its best buddies."""
        at, (right, down) = layout.at, layout.links
        buddies, neighbours = np.zeros(self.count), np.zeros(self.count)
        for a, b, link in ((at[:, :-1], at[:, 1:], right), (at[:-1], at[1:], down)):
            both = (a >= 0) & (b >= 0)
            for end in (a[both], b[both]):
                np.add.at(buddies, end, link[both])
                np.add.at(neighbours, end, 1)
        return np.where(neighbours > 0, buddies / np.maximum(neighbours, 1), float(self.count == 1))


def _seed_piece(seams: Seams) -> int:
    """The piece with most best buddies, whose buddies have most, and then the best compatibility with them."""
    has = seams.buddy >= 0
    own = has.sum(0)
    around, fit = np.zeros(len(own), np.int64), np.zeros(len(own))
    for side in SIDES:
        around += np.where(has[side], own[seams.buddy[side]], 0)
        fit += np.where(has[side], seams.fit[side, :, :1].sum(1), 0)
    return int(np.lexsort((-fit, -around, -own))[0])
