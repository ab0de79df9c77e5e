"""What is seen of the sides of cut pieces, and looked at again when more is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints
from ganzzle.pile import CutPiece
from ganzzle.reading.cut_outlines import normals, outline_of, smoothed
from ganzzle.seams.corners import Corners, find_corners
from ganzzle.seams.cut_fit import aligned_gaps, shape_gaps
from ganzzle.seams.cut_odds import BLOCKED, SPREAD, Fit, best_partners, fit_sides
from ganzzle.seams.cut_sides import Sides, cut_into_sides, lab_of, side_of, usual_unit

OFFSETS = (
    -0.02,
    -0.015,
    -0.01,
    -0.005,
    0.0,
    0.005,
    0.01,
    0.015,
    0.02,
)  # of a piece that all outlines may be off
PROBED = 160  # sides by which that is found,
PARTNERS = 10  # and the partners of each that are aligned
ODD_CORNERS = 0.25  # log-odds that a point of a quadruple's penalty is worth
ELSEWHERE = 0.5  # share of what a partner fits better elsewhere that is added to its cost
WORSE = 4.0  # spreads beyond no partner at all that a side costs, at most
CLEAR = 2.0  # log-odds by which other corners must be better


@dataclass(frozen=True, eq=False)
class CutEvidence:
    """Outlines, corners, sides and how these fit."""

    rings: tuple[Floats, ...]  # (n, 2) outlines
    labs: tuple[NDArray[np.float32], ...]  # (h, w, 3) colours
    corners: tuple[Corners, ...]
    chosen: Ints  # (N,) which quadruple of its corners each piece has
    unit: float
    sides: Sides
    fit: Fit

    @property
    def flat(self) -> NDArray[np.bool_]:
        """(S,) whether a side is straight."""
        return self.sides.flat


def gather(pieces: Sequence[CutPiece]) -> CutEvidence:
    """The evidence of cut pieces."""
    rings = [outline_of(piece) for piece in pieces]
    unit = usual_unit(rings)
    corners = tuple(find_corners(ring) for ring in rings)
    labs = tuple(lab_of(piece.pixels, unit) for piece in pieces)
    offset = _best_offset(rings, corners, unit)
    moved = tuple(_offset(ring, offset * unit) for ring in rings)
    chosen = np.zeros(len(rings), np.int64)
    sides = cut_into_sides(moved, _of_choice(corners, chosen), labs, unit)
    return CutEvidence(moved, labs, corners, chosen, unit, sides, fit_sides(sides))


def _offset(ring: Floats, by: float) -> Floats:
    """An outline (n, 2) moved outwards by some px."""
    return ring + by * smoothed(normals(ring, 3), 2.0)


def _of_choice(corners: Sequence[Corners], chosen: Ints) -> list[Ints]:
    """The four corners (4,) of each piece."""
    return [each.at[k] for each, k in zip(corners, chosen.tolist(), strict=True)]


def _best_offset(rings: Sequence[Floats], corners: Sequence[Corners], unit: float) -> float:
    """By which share of a piece all outlines are to be moved outwards so that sides fit best."""
    blank = [np.zeros((2, 2, 3), np.float32)] * len(rings)
    first = np.zeros(len(rings), np.int64)
    gaps = []
    for offset in OFFSETS:
        moved = [_offset(ring, offset * unit) for ring in rings]
        sides = cut_into_sides(moved, _of_choice(corners, first), blank, unit)
        some = np.flatnonzero(~sides.flat)
        some = some[:: max(1, len(some) // PROBED)]
        rough, larger = shape_gaps(sides.curves[some], sides.curves, unit)
        rough = np.sqrt(rough**2 + larger**2)
        rough[(some[:, None] // 4 == np.arange(len(sides)) // 4) | sides.flat[None]] = BLOCKED
        count = min(PARTNERS, len(sides) - 1)
        near = np.argpartition(rough, count, axis=1)[:, :count]
        aligned = aligned_gaps(sides.curves[np.repeat(some, count)], sides.curves[near.ravel()], unit)[0]
        gaps.append(float(np.median(aligned.reshape(near.shape).min(1))))
    return OFFSETS[int(np.argmin(gaps))]


def look_again(evidence: CutEvidence, doubtful: Sequence[int]) -> CutEvidence:
    """The evidence with other corners of doubtful pieces where those fit better to what the other pieces show."""
    pieces = list(doubtful)
    runs = [_sides_between_corners(evidence.corners[piece]) for piece in pieces]
    if not runs:
        return evidence
    who = np.repeat(pieces, [len(ends) for ends, _ in runs])
    ends = np.concatenate([ends for ends, _ in runs])
    found = [
        side_of(evidence.rings[p], int(i), int(j), evidence.labs[p], evidence.unit)
        for p, (i, j) in zip(who.tolist(), ends, strict=True)
    ]
    others = Sides(
        np.array([one for one, _, _ in found]),
        np.array([one for _, one, _ in found], np.float32),
        np.array([one for _, _, one in found]),
        evidence.unit,
    )
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
    sides = cut_into_sides(evidence.rings, _of_choice(evidence.corners, chosen), evidence.labs, evidence.unit)
    return replace(evidence, chosen=chosen, sides=sides, fit=fit_sides(sides))


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
