"""How the outlines of one puzzle's pieces are best taken: how dark shadows are, and how far off all edges are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ganzzle.arrays import Floats
from ganzzle.pile import CutPiece
from ganzzle.reading.cut_outlines import normals, outline_of, smoothed
from ganzzle.seams.corners import Corners, find_corners
from ganzzle.seams.cut_fit import Curve, aligned_gaps, shape_gaps
from ganzzle.seams.cut_odds import BLOCKED
from ganzzle.seams.cut_sides import STRAIGHT, bumps_of, curves_of, usual_unit

SHADE = 0.7  # share of the ground's light that the deepest shadow leaves, which is tried first,
DEEPER, NONE = (0.45, 0.25), (0.85, 1.0)  # and those that are tried then
CLEARLY = 0.7  # clearness of the best partners with which no other is tried
COARSER = 0.01  # of a piece by which all outlines are moved to find how far they are off,
FINER = 0.005  # and a finer step of that
PROBED = 120  # sides by which both are found,
PARTNERS = 10  # and the partners of each that are aligned,
ROUGHLY = 3  # with so many turns


@dataclass(frozen=True, eq=False)
class Outlines:
    """Outlines and corners as they are seen where the deepest shadow leaves a share of the ground's light."""

    darkest: float
    rings: list[Floats]
    corners: tuple[Corners, ...]
    unit: float
    clear: float  # how clearly sides fit best,
    offset: float  # when all outlines are moved outwards by this share of a piece


def outlines_of(pieces: Sequence[CutPiece]) -> Outlines:
    """The outlines of cut pieces with the depth of shadows at which sides fit most clearly."""
    seen = _seen_with(pieces, SHADE)
    for shades in (DEEPER, NONE):
        if seen.clear > CLEARLY or (shades is NONE and seen.darkest != SHADE):
            break
        for darkest in shades:
            other = _seen_with(pieces, darkest)
            if other.clear <= seen.clear:
                break
            seen = other
    return seen


def _seen_with(pieces: Sequence[CutPiece], darkest: float) -> Outlines:
    """Outlines and corners with one depth of shadows, and how clearly they fit."""
    rings = [outline_of(piece, darkest) for piece in pieces]
    unit = usual_unit(rings)
    corners = tuple(find_corners(ring) for ring in rings)
    return Outlines(darkest, rings, corners, unit, *_best_offset(rings, corners, unit))


def _best_offset(rings: Sequence[Floats], corners: Sequence[Corners], unit: float) -> tuple[float, float]:
    """How clearly sides fit best when all outlines are moved outwards by a share of a piece, and that share."""
    outward = [unit * smoothed(normals(ring, 3), 2.0) for ring in rings]
    tried: dict[float, float] = {}

    def clear(offset: float) -> float:
        """How clearly sides fit at an offset."""
        if offset not in tried:
            moved = [ring + offset * out for ring, out in zip(rings, outward, strict=True)]
            curves = [curves_of(ring, each.at[0]) for ring, each in zip(moved, corners, strict=True)]
            tried[offset] = _clearness(np.concatenate(curves), unit)
        return tried[offset]

    best = max((0.0, -COARSER, COARSER), key=clear)
    if best and clear(2 * best) > clear(best):
        best *= 2
    for step in (-FINER, FINER):
        clear(round(best + step, 4))
    best = max(tried, key=lambda each: tried[each])
    return tried[best], best


def _clearness(curves: Curve, unit: float) -> float:
    """By how much, as a logarithm, the best partner of a side (S, POINTS) fits better than the second best."""
    bump = bumps_of(curves)
    flat = np.abs(bump) < STRAIGHT
    some = np.flatnonzero(~flat)
    some = some[:: max(1, len(some) // PROBED)]
    count = min(PARTNERS, len(curves) - 1)
    if len(some) < 2 or count < 2:
        return 0.0
    rough, larger = shape_gaps(curves[some], curves, unit)
    rough = np.sqrt(rough**2 + larger**2)
    rough[(some[:, None] // 4 == np.arange(len(curves)) // 4) | flat[None]] = BLOCKED
    near = np.argpartition(rough, count - 1, axis=1)[:, :count]
    gaps = aligned_gaps(curves[np.repeat(some, count)], curves[near.ravel()], unit, ROUGHLY)[0].reshape(
        near.shape
    )
    gaps.sort(axis=1)
    return float(np.clip(np.log((gaps[:, 1] + 1e-6) / (gaps[:, 0] + 1e-6)), 0, 1).mean())
