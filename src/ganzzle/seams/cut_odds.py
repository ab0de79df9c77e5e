"""Log-odds that two sides of cut pieces belong together, from how well they fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Ints
from ganzzle.seams.cut_fit import Costs, aligned_gaps, colour_gaps, pair_colour_gaps, shape_gaps
from ganzzle.seams.cut_sides import Sides

ALIGNED = 25  # partners of each side that are aligned point by point
LOOKED_AT, FINAL = 25, 4  # partners of a side whose corners are in doubt: compared in colour, and aligned
SHAPE, ROUGH, COLOUR = 7.0, 2.0, 7.0  # what a factor e in a gap's size is worth, in log-odds
FINEST, FINEST_ROUGH = 0.002, 0.004  # of a piece: gaps are not measured any better
FAINTEST = 1.0  # of Lab: nor are colours
BLOCKED = 1e3  # a cost beyond any other
SPREAD = 2.5  # robust standard deviations beyond which the cost of a pair is no usual one
MOST, LEAST = 8.0, -6.0  # log-odds that a seam is worth

Odds = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Fit:
    """How well all pairs of sides fit."""

    cost: Costs  # (S, S) the less the better, in log-odds
    gap: Costs  # (S, S) of their shapes, in shares of a piece
    odds: Odds  # (S, S)
    usual: float  # the cost of pairs that belong together,
    spread: float  # and how much it differs

    @property
    def no_partner(self) -> float:
        """The cost above which two sides fit worse than no partner at all."""
        return self.usual + SPREAD * self.spread


def fit_sides(sides: Sides) -> Fit:
    """How well all pairs of sides fit."""
    piece = np.arange(len(sides)) // 4
    cost, gap = costs_between(sides, sides, piece[:, None] == piece[None], ALIGNED)
    cost, gap = np.minimum(cost, cost.T), np.minimum(gap, gap.T)
    usual, spread = usual_cost(cost)
    return Fit(cost, gap, log_odds(cost, usual + SPREAD * spread), usual, spread)


def fit_again(fit: Fit, sides: Sides, changed: Ints) -> Fit:
    """How well all pairs of sides fit after some of them (n,) have changed."""
    piece = np.arange(len(sides)) // 4
    some, others = costs_between(sides.part(changed), sides, piece[changed, None] == piece[None], ALIGNED)
    cost, gap = fit.cost.copy(), fit.gap.copy()
    for whole, part in ((cost, some), (gap, others)):
        part[:, changed] = np.minimum(part[:, changed], part[:, changed].T)
        whole[changed] = part
        whole[:, changed] = part.T
    usual, spread = usual_cost(cost)
    return Fit(cost, gap, log_odds(cost, usual + SPREAD * spread), usual, spread)


def costs_between(one: Sides, other: Sides, apart: NDArray[np.bool_], aligned: int) -> tuple[Costs, Costs]:
    """(A, B) costs of all pairs of two sets of sides but those kept apart, and (A, B) gaps of their shapes."""
    rough, larger = shape_gaps(one.curves, other.curves, one.unit)
    rough = np.sqrt(rough**2 + larger**2)
    blocked = apart | one.flat[:, None] | other.flat[None]
    colour = colour_gaps(one.colours, other.colours)
    cheap = (SHAPE + ROUGH) * np.log(rough + FINEST_ROUGH) + COLOUR * np.log(colour + FAINTEST)
    cheap[blocked] = BLOCKED
    chosen = np.zeros(rough.shape, bool)
    some = min(aligned, rough.shape[1] - 1)
    for order in (cheap, np.where(blocked, BLOCKED, rough)):
        np.put_along_axis(chosen, np.argpartition(order, some, axis=1)[:, :some], True, axis=1)
    a, b = np.nonzero(chosen & ~blocked)
    gap = rough + 0.02
    gap[a, b] = aligned_gaps(one.curves[a], other.curves[b], one.unit)[0]
    cost = SHAPE * np.log(gap + FINEST) + ROUGH * np.log(rough + FINEST_ROUGH)
    cost += COLOUR * np.log(colour + FAINTEST)
    cost[blocked] = BLOCKED
    return cost, gap


def best_partners(one: Sides, other: Sides, apart: NDArray[np.bool_]) -> tuple[Ints, Costs]:
    """(A, FINAL) the best partners of each of some sides among others but those kept apart, and what they cost."""
    rough, larger = shape_gaps(one.curves, other.curves, one.unit)
    rough = np.sqrt(rough**2 + larger**2)
    rough[apart | one.flat[:, None] | other.flat[None]] = BLOCKED
    some = min(LOOKED_AT, rough.shape[1])
    near = np.argpartition(rough, some - 1, axis=1)[:, :some]
    gap = np.take_along_axis(rough, near, 1)
    own = np.repeat(np.arange(len(near)), some)
    colour = pair_colour_gaps(one, other, own, near.ravel()).reshape(near.shape)
    cheap = (SHAPE + ROUGH) * np.log(gap + FINEST_ROUGH) + COLOUR * np.log(colour + FAINTEST)
    last = np.argpartition(cheap, min(FINAL, some) - 1, axis=1)[:, :FINAL]
    near, gap, colour = (np.take_along_axis(each, last, 1) for each in (near, gap, colour))
    own = np.repeat(np.arange(len(near)), near.shape[1])
    fine = aligned_gaps(one.curves[own], other.curves[near.ravel()], one.unit)[0].reshape(near.shape)
    cost = (
        SHAPE * np.log(fine + FINEST)
        + ROUGH * np.log(gap + FINEST_ROUGH)
        + COLOUR * np.log(colour + FAINTEST)
    )
    return near, np.where(gap > 1, BLOCKED, cost)


def usual_cost(cost: Costs) -> tuple[float, float]:
    """The usual cost of sides that belong together, and how much it differs, from costs (S, S) of all pairs."""
    best, partner = cost.min(1), cost.argmin(1)
    mutual = (partner[partner] == np.arange(len(cost))) & (best < BLOCKED / 2)
    usual = best[mutual] if mutual.any() else best
    middle = float(np.median(usual))
    return middle, 1.4826 * float(np.median(np.abs(usual - middle))) + 0.5


def log_odds(cost: Costs, none: float) -> Odds:
    """(S, S) log-odds that two sides belong together and not to any other nor to none, which is a cost as well."""
    low = np.minimum(cost.min(1), none)[:, None]
    chance = np.exp(np.maximum(low - cost, -60))
    total = chance.sum(1, keepdims=True) + np.exp(low - none)
    one_way = np.log(chance) - np.log(np.maximum(total - chance, 1e-9))
    odds = (one_way + one_way.T) / 2
    return np.asarray(np.clip(odds, LEAST, MOST), np.float32)
