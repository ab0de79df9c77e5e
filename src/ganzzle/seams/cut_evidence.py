"""What is seen of the sides of cut pieces, and looked at again when more is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints
from ganzzle.pile import CutPiece
from ganzzle.reading.cut_outlines import normals, smoothed
from ganzzle.seams.corners import Corners
from ganzzle.seams.cut_odds import BLOCKED, SPREAD, Fit, best_partners, costs_between, fit_again, fit_sides
from ganzzle.seams.cut_settings import outlines_of
from ganzzle.seams.cut_sides import (
    Sides,
    cut_into_sides,
    lab_of,
    side_of,
)

ODD_CORNERS = 0.25  # log-odds that a point of a quadruple's penalty is worth
ELSEWHERE = 0.5  # share of what a partner fits better elsewhere that is added to its cost
WORSE = 4.0  # spreads beyond no partner at all that a side costs, at most
LEVEL = 0.002  # share by which pages may differ in size without harm
CLEAR = 2.0  # log-odds by which other corners must be better


@dataclass(frozen=True, eq=False)
class CutEvidence:
    """Outlines, corners, sides and how these fit."""

    rings: tuple[Floats, ...]  # (n, 2) outlines
    labs: tuple[NDArray[np.float32], ...]  # (h, w, 3) colours
    corners: tuple[Corners, ...]
    chosen: Ints  # (N,) which quadruple of its corners each piece has
    scales: Floats  # (N,) by which pieces are enlarged, as pages show them in different sizes
    unit: float
    sides: Sides
    fit: Fit

    @property
    def flat(self) -> NDArray[np.bool_]:
        """(S,) whether a side is straight."""
        return self.sides.flat


def gather(pieces: Sequence[CutPiece]) -> CutEvidence:
    """The evidence of cut pieces, their outlines taken as their puzzle wants it: how dark shadows are, and how far off
    all edges are, is chosen so that the best partner of a side stands out most from the second best."""
    seen = outlines_of(pieces)
    rings, corners, unit = seen.rings, seen.corners, seen.unit
    labs = tuple(lab_of(piece.pixels, unit) for piece in pieces)
    moved = tuple(_offset(ring, seen.offset * unit) for ring in rings)
    chosen = np.zeros(len(rings), np.int64)
    sides = cut_into_sides(moved, _of_choice(corners, chosen), labs, unit)
    return CutEvidence(moved, labs, corners, chosen, np.ones(len(rings)), unit, sides, fit_sides(sides))


def _offset(ring: Floats, by: float) -> Floats:
    """An outline (n, 2) moved outwards by some px."""
    return ring + by * smoothed(normals(ring, 3), 2.0)


def _of_choice(corners: Sequence[Corners], chosen: Ints) -> list[Ints]:
    """The four corners (4,) of each piece."""
    return [each.at[k] for each, k in zip(corners, chosen.tolist(), strict=True)]


def look_again(evidence: CutEvidence, doubtful: Sequence[int]) -> CutEvidence:
    """The evidence with other corners of doubtful pieces where those fit better to what the other pieces show."""
    pieces = list(doubtful)
    if not pieces:
        return evidence
    runs, who, others = _possible_sides(evidence, pieces)
    cost = _cost_of_best(others, who, evidence)
    chosen = evidence.chosen.copy()
    first = 0
    for piece, (own, quads) in zip(pieces, runs, strict=True):
        corners = evidence.corners[piece]
        total = cost[first + quads].sum(1) + ODD_CORNERS * corners.penalty
        first += len(own)
        best = int(total.argmin())
        if total[best] < total[chosen[piece]] - CLEAR:
            chosen[piece] = best
    if (chosen == evidence.chosen).all():
        return evidence
    changed = np.flatnonzero(chosen != evidence.chosen)
    for piece in changed.tolist():
        evidence = with_corners(evidence, piece, int(chosen[piece]))
    return compared_again(evidence, changed)


def compared_again(evidence: CutEvidence, pieces: Sequence[int] | Ints) -> CutEvidence:
    """The evidence with the sides of some pieces (n,) compared anew, as their corners have changed."""
    sides = (4 * np.asarray(pieces, np.int64)[:, None] + np.arange(4)).ravel()
    return replace(evidence, fit=fit_again(evidence.fit, evidence.sides, sides)) if len(sides) else evidence


def _compared(evidence: CutEvidence) -> CutEvidence:
    """The evidence with its sides cut and compared anew."""
    four = _of_choice(evidence.corners, evidence.chosen)
    sides = cut_into_sides(evidence.rings, four, evidence.labs, evidence.unit)
    sides = replace(sides, curves=sides.curves * np.repeat(evidence.scales, 4)[:, None])
    return replace(evidence, sides=sides, fit=fit_sides(sides))


def level_pages(evidence: CutEvidence, page: Ints, pairs: Ints) -> CutEvidence:
    """The evidence with pieces of all pages (N,) as large as each other, by pairs (P, 2) of sides that fit."""
    curves = evidence.sides.curves
    size = np.log(np.linalg.norm(curves - curves.mean(1, keepdims=True), axis=1))
    first, second = page[pairs[:, 0] // 4], page[pairs[:, 1] // 4]
    apart = first != second
    off = size[pairs[apart, 1]] - size[pairs[apart, 0]]
    first, second = first[apart], second[apart]
    count = int(page.max()) + 1
    scale: Floats = np.zeros(count)
    weight = np.ones(len(off))
    for _ in range(5):
        matrix = np.eye(count)
        right = np.zeros(count)
        np.add.at(matrix, (first, first), weight)
        np.add.at(matrix, (second, second), weight)
        np.add.at(matrix, (first, second), -weight)
        np.add.at(matrix, (second, first), -weight)
        np.add.at(right, first, weight * off)
        np.add.at(right, second, -weight * off)
        scale = np.asarray(np.linalg.solve(matrix, right), np.float64)
        rest = np.abs(off - scale[first] + scale[second])
        weight = 1 / (1 + (rest / (2 * np.median(rest) + 1e-6)) ** 2) if len(rest) else weight
    if np.abs(scale).max() < LEVEL:
        return evidence
    return _compared(replace(evidence, scales=evidence.scales * np.exp(scale)[page]))


def _possible_sides(
    evidence: CutEvidence, pieces: Sequence[int]
) -> tuple[list[tuple[Ints, Ints]], Ints, Sides]:
    """All sides that some pieces may have: ends and quadruples of each piece, (m,) whose they are, and the sides."""
    runs = [_sides_between_corners(evidence.corners[piece]) for piece in pieces]
    who = np.repeat(pieces, [len(ends) for ends, _ in runs])
    ends = np.concatenate([ends for ends, _ in runs])
    found = [
        side_of(evidence.rings[p], int(i), int(j), evidence.labs[p], evidence.unit)
        for p, (i, j) in zip(who.tolist(), ends, strict=True)
    ]
    sides = Sides(
        np.array([one for one, _, _ in found]) * evidence.scales[who][:, None],
        np.array([one for _, one, _ in found], np.float32),
        np.array([one for _, _, one in found]),
        evidence.unit,
    )
    return runs, who, sides


def fit_holes(
    evidence: CutEvidence, pieces: Sequence[int], holes: Sequence[Sequence[int | None]]
) -> tuple[Floats, Ints, Ints]:
    """(n, h) what n pieces cost in h holes at their best corners and turns, and (n, h) these quadruples and turns.

    A hole is the four sides that face it from above, the right, below and the left: the number of a side, -1 at the rim
    of the frame, or None where nothing lies.
    """
    fit = evidence.fit
    none = fit.usual + SPREAD * fit.spread
    worst = none + WORSE * fit.spread
    runs, _, sides = _possible_sides(evidence, pieces)
    facing = sorted({side for hole in holes for side in hole if side is not None and side >= 0})
    cost = np.full((len(sides), len(facing) + 2), none)
    if facing:
        some = np.array(facing)
        near = evidence.sides.part(some)
        free = np.zeros((len(sides), len(some)), bool)
        cost[:, :-2] = np.minimum(costs_between(sides, near, free, len(some))[0], worst)
    cost[:, -2] = np.where(sides.flat, fit.usual, worst)  # at the rim
    column = {side: k for k, side in enumerate(facing)} | {-1: len(facing), None: len(facing) + 1}
    total = np.empty((len(pieces), len(holes)))
    quad, turn = np.empty(total.shape, np.int64), np.empty(total.shape, np.int64)
    first = 0
    for n, (piece, (own, quads)) in enumerate(zip(pieces, runs, strict=True)):
        odd = ODD_CORNERS * evidence.corners[piece].penalty
        for h, hole in enumerate(holes):
            wanted = np.array([column[side] for side in hole])
            tried = [
                cost[first + quads, wanted[(np.arange(4) + quarter) % 4]].sum(1) + odd for quarter in range(4)
            ]
            best = int(np.argmin(tried))
            turn[n, h], quad[n, h] = divmod(best, len(quads))
            total[n, h] = tried[turn[n, h]][quad[n, h]]
        first += len(own)
    return total, quad, turn


def with_corners(evidence: CutEvidence, piece: int, quad: int) -> CutEvidence:
    """The evidence with other corners of one piece; how its sides fit is not looked at again."""
    chosen = evidence.chosen.copy()
    chosen[piece] = quad
    own = cut_into_sides(
        [evidence.rings[piece]], [evidence.corners[piece].at[quad]], [evidence.labs[piece]], evidence.unit
    )
    sides = evidence.sides
    curves, colours, bump = sides.curves.copy(), sides.colours.copy(), sides.bump.copy()
    part = slice(4 * piece, 4 * piece + 4)
    curves[part], colours[part], bump[part] = own.curves * evidence.scales[piece], own.colours, own.bump
    return replace(evidence, chosen=chosen, sides=replace(sides, curves=curves, colours=colours, bump=bump))


def _sides_between_corners(corners: Corners) -> tuple[Ints, Ints]:
    """(m, 2) the ends of all different sides that a piece's quadruples of corners make, and (k, 4) which each has."""
    ends = np.stack([corners.at, np.roll(corners.at, -1, 1)], 2).reshape(-1, 2)
    different, index = np.unique(ends, axis=0, return_inverse=True)
    return different, index.reshape(-1, 4)


def _cost_of_best(others: Sides, who: Ints, evidence: CutEvidence) -> Floats:
    """(m,) the cost of the best partner of each of some sides of pieces (m,); partners that fit better elsewhere cost
    more."""
    fit, sides = evidence.fit, evidence.sides
    partner, cost = best_partners(others, sides, who[:, None] == np.arange(len(sides))[None] // 4)
    spare = fit.cost.copy()
    mates = spare.argmin(1)
    best = spare[np.arange(len(spare)), mates]
    spare[np.arange(len(spare)), mates] = BLOCKED
    second = spare.min(1)
    elsewhere = np.where(mates[partner] // 4 == who[:, None], second[partner], best[partner])
    cost = cost + ELSEWHERE * np.maximum(0, cost - elsewhere)
    none = fit.usual + SPREAD * fit.spread
    return np.asarray(np.where(others.flat, none, np.minimum(cost.min(1), none + WORSE * fit.spread)))
