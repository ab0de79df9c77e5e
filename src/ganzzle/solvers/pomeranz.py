"""Pomeranz, Shemesh, Ben-Shahar, A Fully Automated Greedy Square Jigsaw Puzzle Solver, CVPR 2011."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ganzzle.puzzle import Floats, Grid, Ints, Pixels, Puzzle
from ganzzle.seams import DOWN, OPPOSITE, RIGHT, SIDES, SeamCost, find_cost
from ganzzle.seams.rim import without_rim
from ganzzle.solvers.base import Arrangement, Solver
from ganzzle.solvers.gallagher_fill import fill
from ganzzle.solvers.gallagher_seams import both_ways
from ganzzle.solvers.pomeranz_place import place
from ganzzle.solvers.pomeranz_seams import Seams, compatibilities, find_seams
from ganzzle.solvers.pomeranz_segments import Links, buddy_links, segments, shifts

CAUTION = (0.0, 0.3, 1.0)  # tempers of the placer that are tried from every start
LINES = 3  # weakest lines of a layout that are tried as its edge
FAR = 5  # when nothing else helps: lines this close to the edge as well
LARGE = 3000  # pieces from which on only segments are tried


class Pomeranz(Solver):
    """docstring"""

    name = "pomeranz"

    def __init__(self, cost: str = "lpq") -> None:
        self.cost = both_ways(find_cost(cost))

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Place, segment, shift, until the score stops rising."""
        assert puzzle.grid is not None
        search = Search(without_rim(puzzle.pieces), self.cost, puzzle.grid)
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
        self.pieces, self.cost, self.grid = pieces, cost, grid
        self.seams: Seams = find_seams(pieces, cost)

    def run(self) -> Layout:
        """From the best seed piece, while the score rises."""
        start = np.full((self.grid.rows, self.grid.cols), -1)
        start[0, 0] = _seed_piece(self.seams)
        best = self._best_of([(start, False)])
        far = 0
        while True:
            starts = [(segment, False) for segment in segments(best.at, best.links)]
            if len(self.pieces) < LARGE:
                starts += [(moved, True) for moved in shifts(best.at, best.links, LINES, far)]
            if not starts:
                return best
            layout = self._best_of(starts)
            if layout.score > best.score:
                best, far = layout, 0
            elif far == 0 and len(self.pieces) < LARGE:
                far = FAR
            else:
                return best

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
        order.append(self._place_rest(board, fixed))
        if not fixed:
            r, c = np.nonzero(board >= 0)
            top, left = r.min(), c.min()
        at = board[top : top + rows, left : left + cols].copy()
        links = buddy_links(at, self.seams)
        return Layout(at, np.concatenate(order), links, self._score(at, links))

    def _place_rest(self, board: Ints, fixed: bool) -> Ints:
        """Pieces that are no candidate of any open slot: by exact compatibility, most neighbours first."""
        waiting = np.setdiff1d(np.arange(len(self.pieces)), board)
        if len(waiting) == 0:
            return waiting
        border = board[board >= 0]
        known = np.concatenate([waiting, border])
        local = np.full(len(self.pieces) + 1, -1)
        local[known] = np.arange(len(known))
        inner = local[board]
        table = compatibilities(self.pieces, self.cost, self.seams, waiting, known)
        order = fill(inner, -table, 1, self.grid.rows, self.grid.cols, fixed)
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
            total += float(np.where(seen.any(1), np.take_along_axis(fit, seen.argmax(1)[:, None], 1)[:, 0], fit[:, -1]).sum())
        return total

    def confidence(self, layout: Layout) -> Floats:
        """(N,) share of a piece's neighbours that are its best buddies."""
        return np.ones(len(self.pieces))


def _seed_piece(seams: Seams) -> int:
    """The piece with most best buddies, whose buddies have most, and then the best compatibility with them."""
    has = seams.buddy >= 0
    own = has.sum(0)
    around = sum(np.where(has[side], own[seams.buddy[side]], 0) for side in SIDES)
    fit = sum(np.where(has[side], seams.fit[side, :, 0], 0.0) for side in SIDES) if seams.fit.shape[2] else 0.0 * own
    return int(np.lexsort((-fit, -around, -own))[0])
