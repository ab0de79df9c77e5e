"""The four corners of a cut piece: candidates around its outline, and the quadruples that look most like a piece."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ganzzle.arrays import Floats, Ints

SHORT, LONG = 0.07, 0.16  # arms of a corner, as shares of the square root of a piece's area
APART = 0.07  # of it that candidates lie apart, at least
MOST = 22  # candidates a piece
KEPT = 150  # quadruples a piece
SHARP = 18.0  # degrees that a candidate turns, at least
RIGHT_ANGLE = 90.0
CLIP = 4.0  # the most that one penalty counts
NEVER = 1e3
LEAST_SIDE, MOST_SIDE = 0.45, 1.7  # lengths of a side in square roots of the piece's area

# What is usual, and how far off it a corner or a side is by one standard deviation.
SHORT_TURN = (76.0, 14.0)  # degrees between short arms
LONG_TURN = (84.0, 14.0)
EASY = 15.0  # degrees off that which count nothing
OBTUSE = 3.0  # the most that one turn counts
ARM_OFF_CHORD = 16.0  # degrees between an arm and the chord to the next corner
CHORD_ANGLE = 14.0  # degrees by which the angle between two chords is off a right one
UNEVEN = 0.16  # logarithm of the ratio of opposite sides
AREA = 0.22  # logarithm of the ratio of the quadrangle's area to the piece's
FLAT = 0.06  # of its length that a flat side is off its chord
BUMP = (0.27, 0.06)  # of its length that a tab or a blank stands off the chord
NECK = (
    0.07,
    0.025,
)  # of its length that the outline of a tab runs back, as its neck is narrower than its head
CROSSED = 0.1  # of its length that a side with a tab runs to the other side of its chord


@dataclass(frozen=True, eq=False)
class Corners:
    """The likeliest quadruples of corners of one piece."""

    at: Ints  # (k, 4) indices into the outline, the likeliest first
    penalty: Floats  # (k,) how far off a usual piece each is


def find_corners(ring: Floats) -> Corners:
    """The likeliest quadruples of corners of an outline (n, 2), clockwise as seen."""
    count = len(ring)
    shape = ring[:, 0] + 1j * ring[:, 1]
    unit = max(1.0, float(_area(shape))) ** 0.5
    step = float(np.abs(np.diff(shape)).mean())
    short, long = (max(2, round(share * unit / step)) for share in (SHORT, LONG))
    turn_short, turn_long = _turn(shape, short), _turn(shape, long)
    some = _candidates(turn_short + turn_long, max(2, round(APART * unit / step)))
    if len(some) < 4:
        some = np.linspace(0, count, 4, endpoint=False).astype(np.int64)
    own = np.zeros(len(some))
    for turn, (usual, spread) in ((turn_short[some], SHORT_TURN), (turn_long[some], LONG_TURN)):
        own += np.minimum((np.maximum(0, np.abs(turn - usual) - EASY) / spread) ** 2, OBTUSE)
    sides, chords = _sides(shape, some, long, unit)
    quads = np.array(list(combinations(range(len(some)), 4)))
    after = np.roll(quads, -1, 1)
    penalty = own[quads].sum(1) + sides[quads, after].sum(1)
    chord = chords[quads, after]
    length = np.abs(chord)
    bend = np.degrees(np.angle(np.roll(chord, -1, 1) / chord))
    penalty += np.minimum(((bend - RIGHT_ANGLE) / CHORD_ANGLE) ** 2, CLIP).sum(1)
    ratio = np.log(length[:, :2] / length[:, 2:]) / UNEVEN
    penalty += np.minimum(ratio**2, CLIP).sum(1)
    corners = shape[some][quads]
    area = _area(corners, 1) / unit**2
    penalty += np.minimum((np.log(np.maximum(area, 1e-3)) / AREA) ** 2, 2 * CLIP)
    best = np.argsort(penalty, kind="stable")[:KEPT]
    return Corners(some[quads[best]], penalty[best])


def _area(shape: Floats, axis: int = 0) -> Floats:
    """The area of a polygon of complex points, positive where it runs clockwise as seen."""
    after = np.roll(shape, -1, axis)
    return (np.conj(shape) * after).imag.sum(axis) / 2


def _turn(shape: Floats, reach: int) -> Floats:
    """(n,) degrees by which a ring turns at each point between arms of some points; convex turns are positive."""
    before, after = shape - np.roll(shape, reach), np.roll(shape, -reach) - shape
    return np.degrees(np.angle(after * np.conj(before)))


def _candidates(turn: Floats, apart: int) -> Ints:
    """The points of a ring that turn more than all near them, the sharpest of those, in the order of the ring."""
    highest = np.max([np.roll(turn, k) for k in range(-apart, apart + 1)], axis=0)
    found = np.flatnonzero((turn >= highest) & (turn > 2 * SHARP))
    return np.sort(found[np.argsort(-turn[found], kind="stable")[:MOST]])


def _sides(shape: Floats, some: Ints, arm: int, unit: float) -> tuple[Floats, Floats]:
    """(c, c) how unlike a side the outline is between two candidates, and (c, c) the chord from one to the other."""
    count, number = len(some), len(shape)
    points = shape[some]
    chords = points[None] - points[:, None]
    length = np.maximum(np.abs(chords), 1e-6)
    leave = shape[(some + arm) % number] - points
    arrive = points - shape[(some - arm) % number]
    off_start = np.degrees(np.angle(leave[:, None] / np.where(chords == 0, 1, chords)))
    off_end = np.degrees(np.angle(arrive[None] / np.where(chords == 0, 1, chords)))
    penalty = np.minimum((off_start / ARM_OFF_CHORD) ** 2, CLIP)
    penalty += np.minimum((off_end / ARM_OFF_CHORD) ** 2, CLIP)
    size = length / unit
    penalty += np.where((size < LEAST_SIDE) | (size > MOST_SIDE), NEVER, 0)
    for i in range(count):
        for j in range(count):
            if penalty[i, j] >= NEVER:
                continue
            run = np.arange(some[i], some[j] + (number if some[j] <= some[i] else 0)) % number
            off = ((shape[run] - points[i]) * np.conj(chords[i, j])).imag / length[i, j] ** 2
            high, low = float(off.max()), float(-off.min())
            flat = (max(high, low) / FLAT) ** 2
            tall, other = max(high, low), min(high, low)
            bump = ((tall - BUMP[0]) / BUMP[1]) ** 2 + (max(0.0, other - 0.03) / CROSSED) ** 2
            ahead = np.diff(((shape[run] - points[i]) * np.conj(chords[i, j])).real / length[i, j] ** 2)
            back = -float(np.minimum(ahead, 0).sum())
            bump += (max(0.0, NECK[0] - back) / NECK[1]) ** 2
            penalty[i, j] += min(flat, bump, 3 * CLIP)
    return penalty, chords
