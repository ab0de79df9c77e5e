"""What Gallagher's solver knows of the seams: the best partners of every piece, relative to the second best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Floats, Grid, Ints, Pixels
from ganzzle.seams import DOWN, OPPOSITE, RIGHT, SIDES, SeamCost, seam_candidates, turned_candidates
from ganzzle.seams.costs import Compare
from ganzzle.seams.tables import TO_THE_RIGHT, in_threads, pseudo_pieces, row_blocks, seen_from, turn

PARTNERS = 10  # candidates a side that may become an edge of the tree
TINY = 1e-6  # keeps the ratio of two perfect fits at 1
CAP = 2.0  # a seam twice as bad as the runner-up says no more than one ten times as bad


@dataclass(frozen=True, eq=False)
class Layout:
    """Every piece on its slot."""

    slot: Ints  # (N,)
    turn: Ints  # (N,) quarter turns
    order: Ints  # (N,) pieces as they were placed


@dataclass(frozen=True, eq=False)
class Edges:
    """Seams between states: `second` lies at `side` (RIGHT or DOWN) of `first`."""

    first: Ints  # (E,)
    second: Ints  # (E,)
    side: Ints  # (E,)
    ratio: Floats  # (E,) cost relative to the runner-up, lower is better

    def __getitem__(self, some: NDArray[Any]) -> Edges:
        return Edges(self.first[some], self.second[some], self.side[some], self.ratio[some])


class Seams:
    """The best partners of every state at every side. A state is a piece in one of its turns (tree.py)."""

    def __init__(self, pieces: Pixels, cost: SeamCost, choices: int) -> None:
        self.pieces, self.choices, self.cost = len(pieces), choices, cost
        self._compares: dict[int, Compare] = {}
        self.states = pseudo_pieces(pieces, range(0, 4, 4 // choices))
        if choices == 4:
            ids, costs = turned_candidates(pieces, cost, PARTNERS)
        else:  # a strip may fit itself turned by half: ask for one more and leave that out
            ids, costs = seam_candidates(self.states, cost, PARTNERS + choices - 1)
        costs = costs.astype(np.float64)
        costs[ids // choices == np.arange(len(self.states))[:, None] // choices] = np.inf
        rank = np.argsort(costs, axis=2, kind="stable")
        self.ids = np.take_along_axis(ids, rank, 2)
        self.costs = np.take_along_axis(costs, rank, 2)
        alone = np.full(ids.shape[:2], np.inf)
        self.runner_up: Floats = np.asarray(self.costs[:, :, 1] if ids.shape[2] > 1 else alone, np.float64)
        self.edges = self._ranked()

    def _ratio(self, side: int, a: Ints, b: Ints, cost: Floats) -> Floats:
        """Cost of b at a side of a, relative to the second smallest cost at that side of either."""
        least = np.minimum(self.runner_up[side, a], self.runner_up[OPPOSITE[side], b])
        return (cost + TINY) / (np.where(np.isfinite(least), least, cost) + TINY)

    def _ranked(self) -> Edges:
        """The seams of all candidates, each once, the most confident first."""
        parts = []
        count, k = self.ids.shape[1:]
        for side in (RIGHT,) if self.choices == 4 else (RIGHT, DOWN):
            for view in (side, OPPOSITE[side]):
                a, b = np.repeat(np.arange(count), k), self.ids[view].ravel().astype(np.int64)
                first, second = (a, b) if view == side else (b, a)
                cost = self.costs[view].ravel()
                parts.append((first, second, np.full(len(a), side), cost))
        first, second, sides, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
        there = np.isfinite(cost)
        if self.choices > 1:  # turned by half, the same seam joins second to first: keep one of the two
            there &= first < second
        first, second, sides, cost = first[there], second[there], sides[there], cost[there]
        once = np.unique((sides * count + first) * count + second, return_index=True)[1]
        first, second, sides, cost = first[once], second[once], sides[once], cost[once]
        ratio = np.where(sides == RIGHT, self._ratio(RIGHT, first, second, cost), 0.0)
        ratio = np.where(sides == DOWN, self._ratio(DOWN, first, second, cost), ratio)
        return Edges(first, second, sides, ratio)[np.argsort(ratio, kind="stable")]

    def costs_between(self, some: Ints, others: Ints) -> NDArray[np.float32]:
        """(4, A, B): the cost of state others[b] at each side of state some[a]."""
        table = np.empty((4, len(some), len(others)), np.float32)

        def fill(job: tuple[int, slice]) -> None:
            side, rows = job
            if self.choices == 4:  # every side is the right one after a turn
                q = TO_THE_RIGHT[side]
                table[side, rows] = self._compare(RIGHT)(turn(some[rows], q), turn(others, q))
            else:
                table[side, rows] = self._compare(side)(some[rows], others)

        for side in (RIGHT,) if self.choices == 4 else SIDES:
            self._compare(side)  # before the threads ask for it
        in_threads(fill, [(side, rows) for side in SIDES for rows in row_blocks(len(some), len(others))])
        return table

    def _compare(self, side: int) -> Compare:
        """The cost at one side, of any states; it has looked at them once."""
        if side not in self._compares:
            self._compares[side] = self.cost.function(seen_from(self.states, side))
        return self._compares[side]

    def of_layout(self, layout: Layout, grid: Grid) -> Edges:
        """The seams of a layout; one that is not among the candidates has ratio inf."""
        state = np.full(grid.slots, -1)
        state[layout.slot] = np.arange(self.pieces) * self.choices + layout.turn * self.choices // 4
        parts = []
        for side, pairs in zip((RIGHT, DOWN), grid.adjacencies(), strict=True):
            a, b = state[pairs[:, 0]], state[pairs[:, 1]]
            a, b = a[(a >= 0) & (b >= 0)], b[(a >= 0) & (b >= 0)]
            cost = np.full(len(a), np.inf)
            for here, there, view in ((a, b, side), (b, a, OPPOSITE[side])):
                seen = self.ids[view, here] == there[:, None]
                if seen.shape[1]:
                    cost = np.where(seen.any(1), self.costs[view, here, seen.argmax(1)], cost)
            known = np.isfinite(cost)
            ratio = np.where(known, self._ratio(side, a, b, np.where(known, cost, 0.0)), np.inf)
            parts.append((a, b, np.full(len(a), side), ratio))
        first, second, sides, ratio = (np.concatenate(part) for part in zip(*parts, strict=True))
        return Edges(first, second, sides, ratio)

    def evidence(self, layout: Layout, grid: Grid) -> float:
        """How much the seams of a layout speak for it: the sum of CAP - ratio, none below 0."""
        return float((CAP - np.minimum(self.of_layout(layout, grid).ratio, CAP)).sum())

    def confidence(self, layout: Layout, grid: Grid) -> Floats:
        """(N,) mean over a piece's seams of 1 / (1 + ratio^2): 1 beyond doubt, 1/2 as good as the runner-up; 0 without
        any, unless there is one slot alone."""
        seams = self.of_layout(layout, grid)
        trust = 1 / (1 + np.minimum(seams.ratio, 1e6) ** 2)
        ends = np.concatenate([seams.first, seams.second]) // self.choices
        total = np.bincount(ends, np.tile(trust, 2), self.pieces)
        count = np.bincount(ends, minlength=self.pieces)
        return np.where(count > 0, total / np.maximum(count, 1), float(grid.slots == 1))


def both_ways(cost: SeamCost) -> SeamCost:
    """The cost as both pieces see it, added up; a symmetric one is that already."""
    if cost.symmetric:
        return cost

    def function(pieces: Pixels) -> Any:
        ahead, back = cost.function(pieces), cost.function(pieces[:, :, ::-1])
        return lambda left, right: ahead(left, right) + back(right, left).T

    return SeamCost(f"{cost.name}, both ways", function, symmetric=True)
