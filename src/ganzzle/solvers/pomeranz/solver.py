"""Pomeranz, Shemesh, Ben-Shahar, A Fully Automated Greedy Square Jigsaw Puzzle Solver, CVPR 2011."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Floats, Grid, Ints, Pixels, Puzzle
from ganzzle.seams import SeamCost, find_cost
from ganzzle.seams.rim import without_rim
from ganzzle.seams.tables import in_threads
from ganzzle.solvers.base import Arrangement, Solver, check_number
from ganzzle.solvers.gallagher.fill import fill_some
from ganzzle.solvers.gallagher.seams import both_ways
from ganzzle.solvers.gallagher.tiny import TINY, least_cost_slots
from ganzzle.solvers.pomeranz.place import place
from ganzzle.solvers.pomeranz.seams import LARGEST_TABLE, Compatibilities, total_compatibility
from ganzzle.solvers.pomeranz.segments import Links, buddy_links, largest_segment, shifts

PLAIN_STARTS, STARTS, FEWEST_STARTS = 10, 40, 2  # random first pieces
PLACED_FROM_STARTS = 20_000  # pieces: large puzzles have fewer starts
KEPT = 4  # layouts whose lines are shifted
LINES = 3  # weakest lines of a layout that are tried as its edge
PROMISING = 4  # shifted layouts that are looked into
FAR = 5  # when nothing else helps: lines this close to the edge as well


class Pomeranz(Solver):
    """A greedy placer around the largest trustworthy segment, again and again.

    From the publication: the prediction-based (Lp)^q dissimilarity in LAB, p = 3/10, q = 1/16; compatibility
    exp(-D / quartile), the quartile that of the piece and side, its mean over both pieces' views; best buddies. The
    placer takes the open slot with most placed neighbours, there the piece that is a best buddy of most of them, then
    the one of the highest mean compatibility; the frame floats until the pieces span it. The segmenter grows segments
    from random slots, in which a piece is a best buddy of *all* its neighbours. The shifter makes the largest segment
    the new start of the placer, anywhere in the frame, as long as that raises the best-buddies score, the number of
    neighbours that are best buddies. All this from several random first pieces; the best score wins. `plain=True` is
    that and no more, from 10 first pieces.

    What the default adds, and why (`python -m benchmarks.pomeranz` measures both forms):

    * Every other of its 40 starts places by the number of best buddies first and the number of neighbours second.
      "Most neighbours first" fills every notch at once, also with a piece that fits badly, and spills over the true
      edge of the picture; which of the two does better depends on the picture.
    * A row or column stuck to the wrong edge is often held by a few chance best buddies, and the segmenter does not
      see it. So the four best layouts are also cut at the lines with the fewest best buddies across: the larger part
      moves to the other edge, the rest is placed again or moves to the opposite edge, and so on around the largest
      segment; what raises the score is kept (up to 4,000 pieces).
    * The score is the number of best buddies plus the sum of compatibilities. Where no pieces are alike that makes no
      difference; among identical ones hardly any are best buddies, and the number alone cannot tell where they go.
      Where pieces are missing it is the number alone: the sum would close the gaps.

    Both forms:

    * No piece gains from the order in which it arrives. The program that its authors gave out takes the first of
      equals in the true order of the pieces, which helps with identical ones; here equals are told apart by chance.
    * Over 4,000 pieces no full table is held: a piece looks only at its 32 best partners a side until no such partner
      fits an open slot, the rest are placed by compatibilities with all; quartiles are taken over 1,024 pieces.
    * There are fewer starts in puzzles of over 500 pieces (`plain`: 2,000), at least two.
    * Up to 8 pieces the arrangement of the least total cost is taken: a quartile of so few says nothing.
    * A rim that is black on all pieces (erosion) is cut off before seams are looked at.

    `cost` names another seam cost; an asymmetric one is added up both ways. `starts` sets the number of first pieces.
    """

    name = "pomeranz"

    def __init__(self, cost: str = "lpq", plain: bool = False, starts: int | None = None) -> None:
        if starts is not None:
            check_number("starts", starts, 1)
        self.cost = both_ways(find_cost(cost))
        self.plain = plain
        self.starts = starts

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Place, segment, shift, until the score stops rising."""
        assert puzzle.grid is not None
        pieces = without_rim(puzzle.pieces)
        search = Search(pieces, self.cost, puzzle.grid, self.plain)
        if len(puzzle) == puzzle.grid.slots <= TINY:
            layout = search.layout(np.argsort(least_cost_slots(pieces, self.cost, puzzle.grid)))
        else:
            layout = search.run(self._starts(len(puzzle)), seed)
        slot = np.empty(len(puzzle), np.int64)
        filled = np.flatnonzero(layout.at.ravel() >= 0)
        slot[layout.at.ravel()[filled]] = filled
        return Arrangement(
            placement=slot,
            confidence=search.confidence(layout),
            order=layout.order,
        )

    def _starts(self, pieces: int) -> int:
        if self.starts is not None:
            return self.starts
        most = PLAIN_STARTS if self.plain else STARTS
        return min(most, max(FEWEST_STARTS, PLACED_FROM_STARTS // pieces))


@dataclass(frozen=True, eq=False)
class Layout:
    """All pieces in the frame."""

    at: Ints  # (rows, cols) pieces, -1 where a slot stays empty
    order: Ints  # (N,) pieces as they were placed
    links: Links  # which neighbours are best buddies
    score: float


class Search:
    """The placer / segmenter / shifter loop over one puzzle."""

    def __init__(self, pieces: Pixels, cost: SeamCost, grid: Grid, plain: bool = False) -> None:
        self.count, self.grid, self.plain = len(pieces), grid, plain
        self.compatibilities = Compatibilities(pieces, cost)
        self.seams = self.compatibilities.seams

    def run(self, starts: int, seed: int) -> Layout:
        """The layout of the highest score; threads share the starts, whose chance is their own."""
        first = np.random.default_rng(seed).permutation(self.count)[:starts]
        layouts: list[Layout | None] = [None] * len(first)

        def start(k: int) -> None:
            at = np.full((self.grid.rows, self.grid.cols), -1)
            at[0, 0] = first[k]
            rule = not self.plain and k % 2 == 1
            layouts[k] = self._rise(self._grow(at, rule, fixed=False), np.random.default_rng([seed, k]), rule)

        in_threads(start, range(len(first)))
        best = sorted((one for one in layouts if one is not None), key=lambda one: -one.score)
        if self.plain or self.count > LARGEST_TABLE:
            return best[0]
        kept = _different(best, KEPT)
        mended: list[Layout | None] = [None] * len(kept)

        def mend(k: int) -> None:
            mended[k] = self._mend(kept[k], np.random.default_rng([seed, k]))

        in_threads(mend, range(len(kept)))
        return max((one for one in mended if one is not None), key=lambda one: one.score)

    def layout(self, at: Ints, order: Ints | None = None) -> Layout:
        """A layout of pieces on slots; without an order they were placed slot by slot."""
        at = at.reshape(self.grid.rows, self.grid.cols).copy()
        links = buddy_links(at, self.seams)
        score = float(links[0].sum() + links[1].sum())
        if not self.plain and self.count == self.grid.slots:
            score += total_compatibility(self.seams, at)
        return Layout(at, at.ravel() if order is None else order, links, score)

    def _rise(self, best: Layout, rng: np.random.Generator, buddies_first: bool) -> Layout:
        """Place around the largest segment of the last layout while the score rises: the publication's loop."""
        while True:
            segment = largest_segment(best.at, self.seams, rng)
            layout = self._grow(segment, buddies_first, fixed=False)
            if layout.score <= best.score:
                return best
            best = layout

    def _mend(self, best: Layout, rng: np.random.Generator) -> Layout:
        """Shift lines while the score rises; the most promising shifts go through the publication's loop."""
        far = 0
        while True:
            layouts = []
            for part, rolled in shifts(best.at, best.links, LINES, far):
                for rule in (False, True):
                    layouts += [
                        (self._grow(part, rule, fixed=True), rule),
                        (self.layout(rolled, best.order), rule),
                    ]
            layouts = sorted(layouts, key=lambda one: -one[0].score)[:PROMISING]
            layout = max(
                (self._rise(one, rng, rule) for one, rule in [(best, False), (best, True), *layouts]),
                key=lambda one: one.score,
            )
            if layout.score > best.score:
                best, far = layout, 0
            elif far == 0:
                far = FAR
            else:
                return best

    def _grow(self, start: Ints, buddies_first: bool, fixed: bool) -> Layout:
        """Place all pieces around a start (rows, cols; -1 is open), which keeps its place only if `fixed`."""
        rows, cols = start.shape
        y, x = np.nonzero(start >= 0)
        board = np.full((2 * rows + 1, 2 * cols + 1), -1)
        top, left = (1, 1) if fixed else (rows - y.max(), cols - x.max())
        board[y + top, x + left] = start[y, x]
        order = [start[y, x], place(board, self.seams, rows, cols, buddies_first, fixed)]
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

        def costs(some: Ints, others: Ints) -> NDArray[np.float32]:
            return -self.compatibilities.between(some, others)

        waiting = np.setdiff1d(np.arange(self.count), board)
        return fill_some(board, waiting, costs, 1, self.grid.rows, self.grid.cols, fixed)

    def confidence(self, layout: Layout) -> Floats:
        """(N,) share of a piece's neighbours that are its best buddies; 0 without any, but 1 if there is one slot."""
        at, (right, down) = layout.at, layout.links
        buddies, neighbours = np.zeros(self.count), np.zeros(self.count)
        for a, b, link in ((at[:, :-1], at[:, 1:], right), (at[:-1], at[1:], down)):
            both = (a >= 0) & (b >= 0)
            for end in (a[both], b[both]):
                np.add.at(buddies, end, link[both])
                np.add.at(neighbours, end, 1)
        return np.where(neighbours > 0, buddies / np.maximum(neighbours, 1), float(self.grid.slots == 1))


def _different(layouts: list[Layout], most: int) -> list[Layout]:
    """The first layouts, no two of them the same."""
    kept: list[Layout] = []
    for layout in layouts:
        if len(kept) < most and not any(np.array_equal(layout.at, other.at) for other in kept):
            kept.append(layout)
    return kept
