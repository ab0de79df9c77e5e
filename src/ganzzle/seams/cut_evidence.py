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
from ganzzle.seams.cut_odds import BLOCKED, Fit, costs_between, fit_sides
from ganzzle.seams.cut_sides import Sides, cut_into_sides, lab_of, usual_unit

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
AGAIN = 8  # partners that sides are aligned with when corners are looked at again
ODD_CORNERS = 0.25  # log-odds that a point of a quadruple's penalty is worth
FLAT_COST = 1.0  # spreads above the usual cost that a flat side counts as
CLEAR = 2.0  # log-odds by which other corners must be better


@dataclass(frozen=True, eq=False)
class CutEvidence:
    """Outlines, corners, sides and how these fit."""

    rings: tuple[Floats, ...]  # (n, 2) outlines
    labs: tuple[NDArray[np.float32], ...]  # (h, w, 3) colours
    corners: tuple[Corners, ...]
    chosen: Ints  # (N,) which quadruple of corners each piece has
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
    fit, sides = evidence.fit, evidence.sides
    trials = [(p, k) for p in doubtful for k in range(len(evidence.corners[p].at)) if k != evidence.chosen[p]]
    if not trials:
        return evidence
    who = np.array([p for p, _ in trials])
    others = cut_into_sides(
        [evidence.rings[p] for p in who],
        [evidence.corners[p].at[k] for p, k in trials],
        [evidence.labs[p] for p in who],
        evidence.unit,
    )
    apart = np.repeat(who, 4)[:, None] == np.arange(len(sides))[None] // 4
    cost, _ = costs_between(others, sides, apart, AGAIN)
    flat_cost = fit.usual + FLAT_COST * fit.spread

    def worth(best: Floats, flat: NDArray[np.bool_]) -> Floats:
        """(n,) minus the costs of four sides each (4 n,)."""
        capped = np.minimum(np.where(flat, flat_cost, best), fit.usual + 6 * fit.spread)
        return -capped.reshape(-1, 4).sum(1)

    new, old = worth(cost.min(1), others.flat), worth(fit.cost.min(1), sides.flat)
    chosen = evidence.chosen.copy()
    gain = dict.fromkeys(who.tolist(), CLEAR)
    for value, (p, k) in zip(new.tolist(), trials, strict=True):
        penalty = evidence.corners[p].penalty
        better = value - old[p] - ODD_CORNERS * float(penalty[k] - penalty[evidence.chosen[p]])
        if better > gain[p]:
            gain[p], chosen[p] = better, k
    if (chosen == evidence.chosen).all():
        return evidence
    sides = cut_into_sides(evidence.rings, _of_choice(evidence.corners, chosen), evidence.labs, evidence.unit)
    return replace(evidence, chosen=chosen, sides=sides, fit=fit_sides(sides))
