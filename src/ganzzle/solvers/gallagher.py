"""Gallagher, Jigsaw Puzzles with Pieces of Unknown Orientation, CVPR 2012."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Floats, Grid, Ints, Pixels, Puzzle
from ganzzle.seams import DOWN, OPPOSITE, RIGHT, SIDES, SeamCost, find_cost, seam_candidates, seam_table
from ganzzle.solvers.base import Arrangement, Solver
from ganzzle.solvers.gallagher_fill import fill_frame
from ganzzle.solvers.gallagher_tree import grow_tree

PARTNERS = 10  # candidates a side that may become an edge of the tree
TINY = 1e-6  # keeps the ratio of two perfect fits at 1
CAP = 2.0  # a seam twice as bad as the runner-up says nothing more


class Gallagher(Solver):
    """docstring"""

    name = "gallagher"

    def __init__(self, cost: str = "mgc", rotated: bool = False) -> None:
        self.cost = both_ways(find_cost(cost))
        self.rotated = rotated

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Grow the tree, trim, fill; the tree is grown with and without the frame and the better layout is kept."""
        assert puzzle.grid is not None
        height, width = puzzle.piece_size
        choices = (4 if height == width else 2) if self.rotated else 1
        seams = Seams(puzzle.pieces, self.cost, choices)
        layouts = [_lay_out(seams, puzzle.grid, framed) for framed in (True, False)]
        layout = max(layouts, key=lambda one: seams.evidence(one, puzzle.grid))
        return Arrangement(
            placement=layout.slot,
            turns=layout.turn if self.rotated else None,
            confidence=seams.confidence(layout, puzzle.grid),
            order=layout.order,
        )


@dataclass(frozen=True, eq=False)
class Layout:
    """Every piece on its slot."""

    slot: Ints  # (N,)
    turn: Ints  # (N,) quarter turns
    order: Ints  # (N,) pieces as they were placed


def both_ways(cost: SeamCost) -> SeamCost:
    """The cost as both pieces see it, added up; a symmetric one is that already."""
    if cost.symmetric:
        return cost

    def function(pieces: Pixels) -> Any:
        ahead, back = cost.function(pieces), cost.function(pieces[:, :, ::-1])
        return lambda left, right: ahead(left, right) + back(right, left).T

    return SeamCost(f"{cost.name}, both ways", function, symmetric=True)


class Seams:
    """The best partners of every state at every side, and their costs relative to the second best."""

    def __init__(self, pieces: Pixels, cost: SeamCost, choices: int) -> None:
        self.choices = choices
        self.pieces, self.cost = len(pieces), cost
        turned = [np.rot90(pieces, k * 4 // choices, axes=(1, 2)) for k in range(choices)]
        self.states = np.stack(turned, 1).reshape(-1, *pieces.shape[1:]) if choices > 1 else pieces
        # A piece may be its own partner in another turn: ask for more and leave those out.
        ids, costs = seam_candidates(self.states, cost, PARTNERS + choices - 1)
        costs = costs.astype(np.float64)
        costs[ids // choices == np.arange(len(self.states))[None, :, None] // choices] = np.inf
        rank = np.argsort(costs, axis=2, kind="stable")
        self.ids = np.take_along_axis(ids, rank, 2)
        self.costs = np.take_along_axis(costs, rank, 2)
        runner_up = self.costs[:, :, 1] if self.costs.shape[2] > 1 else np.full(ids.shape[:2], np.inf)
        self.runner_up = runner_up

    def ratio(self, side: int, a: Ints, b: Ints, cost: Floats) -> Floats:
        """Cost of b at a side of a, relative to the second smallest cost at that side of either."""
        least = np.minimum(self.runner_up[side, a], self.runner_up[OPPOSITE[side], b])
        return (cost + TINY) / (np.where(np.isfinite(least), least, cost) + TINY)

    def ranked(self) -> tuple[Ints, Ints, Ints]:
        """All edges (first, second, side), the most confident first; side is RIGHT or DOWN."""
        parts = []
        for side in (RIGHT,) if self.choices == 4 else (RIGHT, DOWN):
            for seen_from in (side, OPPOSITE[side]):
                count, k = self.ids.shape[1:]
                a, b = np.repeat(np.arange(count), k), self.ids[seen_from].ravel().astype(np.int64)
                cost = self.costs[seen_from].ravel()
                there = np.isfinite(cost)
                a, b, cost = a[there], b[there], cost[there]
                first, second = (a, b) if seen_from == side else (b, a)
                parts.append((first, second, np.full(len(a), side), self.ratio(side, first, second, cost)))
        first, second, sides, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
        best_first = np.argsort(weight, kind="stable")
        return first[best_first], second[best_first], sides[best_first]

    def table(self, some: Ints) -> NDArray[np.float32]:
        """(4, S, S) costs between the states of some pieces (M,), S = M * choices."""
        states = (some[:, None] * self.choices + np.arange(self.choices)).ravel()
        return seam_table(self.states[states], self.cost)

    def _seams(self, layout: Layout, grid: Grid) -> tuple[Ints, Ints, Floats]:
        """(E,) pieces a and b that lie side by side, and how their seam compares with the runner-up."""
        state = np.full(grid.slots, -1)
        state[layout.slot] = np.arange(self.pieces) * self.choices + layout.turn * self.choices // 4
        firsts, seconds, ratios = [], [], []
        for side, pairs in zip((RIGHT, DOWN), grid.adjacencies(), strict=True):
            a, b = state[pairs[:, 0]], state[pairs[:, 1]]
            a, b = a[(a >= 0) & (b >= 0)], b[(a >= 0) & (b >= 0)]
            cost = np.full(len(a), np.inf)
            for here, there, view in ((a, b, side), (b, a, OPPOSITE[side])):
                seen = self.ids[view, here] == there[:, None]
                cost = np.where(seen.any(1), self.costs[view, here, seen.argmax(1)], cost)
            firsts.append(a // self.choices)
            seconds.append(b // self.choices)
            ratios.append(self.ratio(side, a, b, cost))
        return np.concatenate(firsts), np.concatenate(seconds), np.concatenate(ratios)

    def evidence(self, layout: Layout, grid: Grid) -> float:
        """How much the seams of a layout speak for it."""
        return float((CAP - np.minimum(self._seams(layout, grid)[2], CAP)).sum())

    def confidence(self, layout: Layout, grid: Grid) -> Floats:
        """(N,) mean over the piece's seams of 1 / (1 + ratio^2): 1 beyond doubt, 1/2 as good as the runner-up."""
        a, b, ratio = self._seams(layout, grid)
        trust = 1 / (1 + np.minimum(ratio, 1e6) ** 2)
        total = np.bincount(a, trust, self.pieces) + np.bincount(b, trust, self.pieces)
        count = np.bincount(a, minlength=self.pieces) + np.bincount(b, minlength=self.pieces)
        return np.where(count > 0, total / np.maximum(count, 1), float(self.pieces == 1))


def _lay_out(seams: Seams, grid: Grid, framed: bool) -> Layout:
    choices, count = seams.choices, seams.pieces
    root, x, y, turn, joined = grow_tree(*seams.ranked(), count, choices, grid.rows if framed else 0, grid.cols)
    largest = np.flatnonzero(root == np.bincount(root).argmax())
    placed, x, y, turn = _trim(largest, x[largest], y[largest], turn[largest], grid, choices)
    board = np.full((2 * grid.rows + 1, 2 * grid.cols + 1), -1)
    board[y + grid.rows - y.max(), x + grid.cols - x.max()] = placed * choices + turn * choices // 4
    waiting = np.setdiff1d(np.arange(count), placed)
    order = placed[np.argsort(joined[placed], kind="stable")]
    if len(waiting):
        order = np.concatenate([order, _fill(seams, board, placed, waiting, grid)])
    row, col = np.nonzero(board >= 0)
    state = board[row, col]
    slot, turns = np.empty(count, np.int64), np.empty(count, np.int64)
    slot[state // choices] = (row - row.min()) * grid.cols + col - col.min()
    turns[state // choices] = state % choices * 4 // choices
    return Layout(slot, turns, order)


def _fill(seams: Seams, board: Ints, placed: Ints, waiting: Ints, grid: Grid) -> Ints:
    some = np.arange(seams.pieces)
    return fill_frame(board, seams.table(some), waiting, seams.choices, grid.rows, grid.cols)


def _trim(placed: Ints, x: Ints, y: Ints, turn: Ints, grid: Grid, choices: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Turn the component as the frame needs it, and keep the pieces inside the frame that holds most of them.

    Among whole turns that hold equally many the one that leaves most pieces as they arrived is taken.
    """
    best: tuple[tuple[int, int], Ints, Ints, Ints, Ints] | None = None
    for quarters in range(0, 4, 4 // choices):
        xs, ys = x - x.min(), y - y.min()
        turns = (turn + quarters) % 4
        for _ in range(quarters):
            xs, ys = ys, xs.max() - xs
        top, left = _best_window(xs, ys, grid)
        inside = (xs >= left) & (xs < left + grid.cols) & (ys >= top) & (ys < top + grid.rows)
        merit = (int(inside.sum()), int((turns[inside] == 0).sum()))
        if best is None or merit > best[0]:
            best = merit, placed[inside], xs[inside], ys[inside], turns[inside]
    assert best is not None
    _, placed, x, y, turn = best
    return placed, x - x.min(), y - y.min(), turn


def _best_window(x: Ints, y: Ints, grid: Grid) -> tuple[int, int]:
    """Top and left of the frame that holds most of the positions."""
    height, width = max(int(y.max()) + 1, grid.rows), max(int(x.max()) + 1, grid.cols)
    sums = np.zeros((height + 1, width + 1), np.int64)
    sums[y + 1, x + 1] = 1
    sums = sums.cumsum(0).cumsum(1)
    rows, cols = grid.rows, grid.cols
    held = sums[rows:, cols:] - sums[:-rows, cols:] - sums[rows:, :-cols] + sums[:-rows, :-cols]
    top, left = np.unravel_index(held.argmax(), held.shape)
    return int(top), int(left)
