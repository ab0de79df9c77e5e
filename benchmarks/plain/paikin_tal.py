"""The placer of `paikin-tal` in plain numpy; pieces are not turned, and there is one puzzle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.solvers.paikin_tal.seams import I32, SLACK, Seams

STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))  # rows and columns to the right, left, down, up
WIDTH = 3  # candidates of a neighbour that are tried
BUDDY = np.float32(10)

Slot = tuple[int, int]


class Placer:
    """As `ganzzle.solvers.paikin_tal.grow.grow` with the rule "buddies first", of a puzzle with a full table.

    `cell` (H, W): pieces, or -1, with a margin for the frame of rows x cols to float in.
    """

    def __init__(self, seams: Seams, cell: I32, rows: int, cols: int) -> None:
        self.seams, self.cell, self.rows, self.cols = seams, cell, rows, cols
        self.place_of: dict[int, Slot] = {
            int(cell[y, x]): (int(y), int(x)) for y, x in np.argwhere(cell >= 0)
        }
        self.waiting = ~np.isin(np.arange(seams.table.shape[1]), cell)

    def grow(self) -> list[int]:
        """Place all pieces that can be; returns them in order."""
        order: list[int] = []
        slots = [slot for place in self.place_of.values() for slot in self._beside(place)]
        choice: dict[Slot, tuple[int, np.float32]] = {}
        while self.waiting.any():
            slots = [s for s in dict.fromkeys(slots) if self.cell[s] < 0 and self._reached(s)]
            for slot in slots:
                if slot not in choice or not self.waiting[choice[slot][0]]:
                    choice[slot] = self._best_for(slot)
            if not slots:
                break
            slot = max(slots, key=lambda s: choice[s][1])
            piece = choice[slot][0]
            self.cell[slot] = piece
            self.place_of[piece] = slot
            self.waiting[piece] = False
            order.append(piece)
            for beside in self._beside(slot):
                choice.pop(beside, None)  # it has a new neighbour
                slots.append(beside)
        return order

    def _beside(self, slot: Slot) -> list[Slot]:
        return [(slot[0] + y, slot[1] + x) for y, x in STEPS]

    def _reached(self, slot: Slot) -> bool:
        """Whether a frame around all pieces can reach the slot."""
        y, x = np.array([*self.place_of.values(), slot]).T
        return bool(np.ptp(y) < self.rows and np.ptp(x) < self.cols)

    def _best_for(self, slot: Slot) -> tuple[int, np.float32]:
        """The best of the first candidates of all neighbours, and how well it fits."""
        around = [(side, int(self.cell[beside])) for side, beside in enumerate(self._beside(slot))]
        around = [(side, piece) for side, piece in around if piece >= 0]
        candidates: list[int] = []
        for side, piece in around:
            ranked = self.seams.ids[side ^ 1, piece]
            first = ranked[self.waiting[ranked]][:WIDTH].tolist()
            if not first and not candidates:
                first = [self._renewed(side ^ 1, piece)[0]]
            candidates += first
        fits = [self._fit(candidate, around) for candidate in candidates]
        best = int(np.argmax(fits))
        return candidates[best], fits[best]

    def _fit(self, candidate: int, around: list[tuple[int, int]]) -> np.float32:
        """Mean mutual compatibility with the neighbours, renewed among what is left; buddies raise it."""
        total, buddies = np.float32(0), 0
        for side, piece in around:
            best_there, second_there = self._renewed(side ^ 1, piece)
            best_here, second_here = self._renewed(side, candidate)
            there = _compatibility(self.seams.table[side ^ 1, piece, candidate], second_there)
            here = _compatibility(self.seams.table[side, candidate, piece], second_here)
            total += (there + here) * np.float32(0.5)
            buddies += best_there == candidate and best_here == piece
        return total / np.float32(len(around)) + BUDDY * np.float32(buddies)

    def _renewed(self, side: int, piece: int) -> tuple[int, np.float32]:
        """The best piece still to be had at a side of a piece, and the cost of the second best."""
        costs = np.where(self._available(side, piece), self.seams.table[side, piece], np.inf)
        best, second = np.argsort(costs, kind="stable")[:2]
        return int(best), costs[second] if np.isfinite(costs[second]) else self.seams.typical

    def _available(self, side: int, piece: int) -> NDArray[np.bool_]:
        """(N,) the pieces that wait; to one that waits itself also those that lie beside an open slot."""
        available = self.waiting.copy()
        if self.waiting[piece]:
            for other, place in self.place_of.items():
                available[other] = self.cell[self._beside(place)[side ^ 1]] < 0
        return available


def _compatibility(cost: np.float32, second: np.float32) -> np.float32:
    return max(np.float32(1) - (cost + SLACK) / (second + SLACK), np.float32(-1))
