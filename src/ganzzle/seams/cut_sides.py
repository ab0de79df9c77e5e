"""The sides of cut pieces: curves between two corners, and the colours along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints, Pixels

Curve = NDArray[np.complex128]

POINTS = 64  # along a side
COLOURS = 40  # places along a side where its colours are looked at
DEPTHS = (0.035, 0.06)  # of the square root of a piece's area, how far inside its outline they are
BLUR = 0.015  # of it, over which a colour is a mean
ENDS = 0.06  # of a side at each end whose colours are left out
STRAIGHT = 0.06  # of its length that a flat side may stand off its chord


@dataclass(frozen=True, eq=False)
class Sides:
    """All sides of all pieces: four a piece, clockwise, numbered 4 * piece + side."""

    curves: Curve  # (S, POINTS) x + iy, clockwise, in the pieces' own px
    colours: NDArray[np.float32]  # (S, depths, COLOURS, 3) Lab
    bump: Floats  # (S,) how far each stands off its chord, in its lengths: a tab is positive
    unit: float  # px, the square root of a usual piece's area

    def __len__(self) -> int:
        return len(self.curves)

    @property
    def flat(self) -> NDArray[np.bool_]:
        """(S,) whether each is straight, as at the border of a puzzle."""
        return np.abs(self.bump) < STRAIGHT

    def part(self, some: Ints) -> Sides:
        """Some of them (n,)."""
        return Sides(self.curves[some], self.colours[some], self.bump[some], self.unit)


def usual_unit(rings: Sequence[Floats]) -> float:
    """The square root of a usual piece's area, of outlines (n, 2) each."""
    areas = [abs(cv2.contourArea(ring.astype(np.float32))) for ring in rings]
    return float(np.sqrt(np.median(areas)))


def lab_of(pixels: Pixels, unit: float) -> NDArray[np.float32]:
    """(h, w, 3) the colours of a piece in Lab, blurred."""
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    return np.asarray(cv2.GaussianBlur(lab, (0, 0), max(0.5, BLUR * unit)), np.float32)


def cut_into_sides(
    rings: Sequence[Floats], corners: Sequence[Ints], labs: Sequence[NDArray[np.float32]], unit: float
) -> Sides:
    """The sides of pieces, from their outlines (n, 2), four corners in each, and their colours in Lab."""
    curves, colours, bumps = [], [], []
    for ring, four, lab in zip(rings, corners, labs, strict=True):
        for k in range(4):
            curve, seen, bump = side_of(ring, int(four[k]), int(four[(k + 1) % 4]), lab, unit)
            curves.append(curve)
            colours.append(seen)
            bumps.append(bump)
    return Sides(np.array(curves), np.array(colours, np.float32), np.array(bumps), unit)


def curves_of(ring: Floats, four: Ints) -> Curve:
    """(4, POINTS) the four sides of an outline (n, 2) between its corners (4,)."""
    curves = []
    for k in range(4):
        line, along = _run(ring, int(four[k]), int(four[(k + 1) % 4]))
        curves.append(_at(line, along, np.linspace(0, along[-1], POINTS)))
    return np.array(curves)


def _run(ring: Floats, first: int, last: int) -> tuple[Curve, Floats]:
    """The points of an outline (n, 2) from one corner to the next, and how far along each is."""
    run = np.arange(first, last + (len(ring) if last <= first else 0) + 1) % len(ring)
    line = ring[run, 0] + 1j * ring[run, 1]
    return line, np.concatenate([[0], np.cumsum(np.abs(np.diff(line)))])


def side_of(
    ring: Floats, first: int, last: int, lab: NDArray[np.float32], unit: float
) -> tuple[Curve, NDArray[np.float32], float]:
    """One side, from one corner of an outline to the next: its curve, its colours (depths, COLOURS, 3), its bump."""
    line, along = _run(ring, first, last)
    curve = _at(line, along, np.linspace(0, along[-1], POINTS))
    places = np.linspace(ENDS, 1 - ENDS, COLOURS) * along[-1]
    reach = 0.02 * unit
    tangent = _at(line, along, places + reach) - _at(line, along, places - reach)
    inward = 1j * tangent / np.maximum(np.abs(tangent), 1e-9)
    middle = _at(line, along, places)
    points = np.array([middle + depth * unit * inward for depth in DEPTHS])
    seen = cv2.remap(
        lab,
        points.real.astype(np.float32),
        points.imag.astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return curve, seen, float(bumps_of(curve[None])[0])


def bumps_of(curves: Curve) -> Floats:
    """(S,) how far curves (S, POINTS) stand off their chords, in their lengths: a tab is positive."""
    chord = curves[:, -1:] - curves[:, :1]
    off = ((curves - curves[:, :1]) * np.conj(chord)).imag / np.maximum(np.abs(chord) ** 2, 1e-9)
    most = np.abs(off).argmax(1)
    return -off[np.arange(len(off)), most]  # clockwise with y down, the outside is to the left: negative


def _at(line: Curve, along: Floats, places: Floats) -> Curve:
    """The points of a line at some distances along it."""
    return np.interp(places, along, line.real) + 1j * np.interp(places, along, line.imag)
