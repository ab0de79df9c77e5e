"""The outline of a loose piece: four sides, fitted to where it ends, more finely than by whole pixels."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from ganzzle.arrays import Floats
from ganzzle.reading.loose.ground import Heights
from ganzzle.reading.loose.levels_at import levels_at

ALONG = np.linspace(0.06, 0.94, 32)  # places along a side where it is looked at; corners may be worn
REACH, STEP = 3.0, 0.25  # px to both sides of it, and between two looks
STEPS = np.arange(-REACH, REACH + STEP, STEP)
FEWEST = 8  # places along a side that must show its edge
OUTLIER = 0.75  # px off the line: such a place shows something else
FITS = 4

Corners = Floats  # (4, 2) x and y of the corners, clockwise, the upper left one first
UNIT = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])  # the corners of a square


class Part(NamedTuple):
    """Something that stands out from the ground."""

    hull: Floats  # (P, 2) x and y of the corners of the smallest convex shape around it
    edge: int  # how many of its pixels lie at its edge

    def with_other(self, other: Part) -> Part:
        """Both together."""
        return Part(hull_of(np.concatenate([self.hull, other.hull])), self.edge + other.edge)


def part_of(mask: np.ndarray, top: int, left: int) -> Part:
    """The pixels (h, w) that are marked in a part of a picture that begins at `top`, `left`."""
    cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    inner = cv2.erode(mask.astype(np.uint8), cross, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    ys, xs = np.nonzero(mask & (inner == 0))
    # The corners of the pixels, not their middles, are where a piece ends.
    points = (np.stack([xs + left, ys + top], 1)[:, None] + UNIT - 0.5).reshape(-1, 2)
    return Part(hull_of(points), len(ys))


def hull_of(points: Floats) -> Floats:
    """Those of some points (P, 2), which have an area, that are corners of the smallest convex shape around them."""
    return cv2.convexHull(points.astype(np.float32))[:, 0].astype(np.float64)


def box_around(hull: Floats) -> Corners:
    """The corners of the smallest rectangle around a convex shape with corners (P, 2)."""
    sides = np.roll(hull, -1, axis=0) - hull
    angles = np.unique(np.arctan2(sides[:, 1], sides[:, 0]) % (np.pi / 2))
    cos, sin = np.cos(angles), np.sin(angles)
    axes = np.stack([cos, sin, -sin, cos], 1).reshape(-1, 2, 2)  # (A, 2, 2)
    places = hull @ axes.transpose(0, 2, 1)  # (A, P, 2) along and across each angle
    low, high = places.min(1), places.max(1)
    best = int((high - low).prod(1).argmin())
    return from_upper_left((low[best] + UNIT * (high - low)[best]) @ axes[best])


def axes_at(angle: float) -> Floats:
    """(2, 2) the unit vectors along an angle and across it."""
    return np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])


def from_upper_left(corners: Corners) -> Corners:
    """Clockwise corners in any order, that one first which is the upper left one of a piece that is turned by less than
    45 degrees."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.roll(corners, -int(np.argmax(sides[:, 0])), axis=0)


def lying_alike(corners: Floats) -> Floats:
    """(N, 4, 2) the corners of pieces, those that lie on another side than most begun at another corner: were they not
    square, they would be mistaken for pieces of another shape."""
    wide = sides_of(corners)[:, 0] > sides_of(corners)[:, 1]
    down = corners[:, 1, 1] > corners[:, 0, 1]  # so that none is turned by more than a right angle
    turned = np.where(down[:, None, None], np.roll(corners, 1, axis=1), np.roll(corners, -1, axis=1))
    return np.where((wide == (wide.mean() >= 0.5))[:, None, None], corners, turned)


def sides_of(corners: Floats) -> Floats:
    """(..., 4, 2) corners -> (..., 2) width and height, the means of opposite sides."""
    along = np.roll(corners, -1, axis=-2) - corners
    lengths = np.hypot(along[..., 0], along[..., 1])
    return np.stack([lengths[..., ::2].mean(-1), lengths[..., 1::2].mean(-1)], -1)


def beside(corners: Floats, by: float) -> Floats:
    """(..., 4, T, 2) points along the four sides of boxes (..., 4, 2), moved outward by some px."""
    along = np.roll(corners, -1, axis=-2) - corners
    points: Floats = (corners + by * _outward(corners))[..., None, :] + ALONG[:, None] * along[..., None, :]
    return points


def _outward(corners: Floats) -> Floats:
    """(..., 4, 2) for each side of boxes (..., 4, 2) the direction away from the piece, of length 1."""
    along = np.roll(corners, -1, axis=-2) - corners
    lengths = np.maximum(np.hypot(along[..., 0], along[..., 1]), 1e-6)
    outward: Floats = np.stack([along[..., 1], -along[..., 0]], -1) / lengths[..., None]
    return outward


def fitted(heights: Heights, boxes: Floats) -> Floats:
    """The corners (..., 4, 2) of the four lines along which the pieces within boxes end, by the heights of the picture
    (H, W)."""
    return fitted_to(levels_at(heights, around(boxes)), boxes)


def around(boxes: Floats, unit: float = 1.0) -> Floats:
    """(..., 4, T, S, 2) points along the sides of boxes (..., 4, 2) and across them, from inside to outside, where a
    step is as long as if a px were `unit` px."""
    return np.stack([beside(boxes, by * unit) for by in STEPS], -2)


def fitted_to(seen: Heights, boxes: Floats, unit: float = 1.0) -> Floats:
    """The corners (..., 4, 2) of the four lines along which the pieces within boxes end, by the heights (..., 4, T, S)
    that are seen around them.

    Where the piece looks like the ground nothing is seen of its edge, and a side of which too little is seen stays as
    it was.
    """
    at_begin, at_end = _lines_through(*_ends(seen))
    begins, ends = boxes, np.roll(boxes, -1, axis=-2)
    outward = unit * _outward(boxes)
    begins, ends = begins + at_begin[..., None] * outward, ends + at_end[..., None] * outward
    return _crossings(np.roll(begins, 1, axis=-2), np.roll(ends, 1, axis=-2), begins, ends)


def _ends(seen: Heights) -> tuple[Floats, np.ndarray]:
    """(..., T) how many steps beyond a side the piece ends at each place along it, which is halfway between the piece
    and the ground, by the heights (..., T, S) there; and whether that is shown."""
    inside = seen[..., : int(1 / STEP)].max(-1)
    beyond = seen < inside[..., None] / 2
    shown = (inside > 1) & beyond[..., -1]
    last = len(STEPS) - 1 - np.argmax(~beyond[..., ::-1], axis=-1)  # the last look at the piece
    last = np.clip(last, 0, len(STEPS) - 2)
    high, low = (np.take_along_axis(seen, k[..., None], -1)[..., 0] for k in (last, last + 1))
    share = np.clip((high - inside / 2) / np.maximum(high - low, 1e-6), 0, 1)
    return STEPS[last] + STEP * share, shown


def _lines_through(y: Floats, shown: np.ndarray) -> tuple[Floats, Floats]:
    """The straight lines through most of those places (..., T) along sides that are shown: their values (...) where the
    sides begin and end; 0 where too few are shown."""
    middle = _medians(y, shown)
    at_begin = at_end = np.where(shown.sum(-1) >= FEWEST, middle, 0.0)
    near = shown & (np.abs(y - middle[..., None]) < 2 * OUTLIER)
    for _ in range(FITS):
        enough = near.sum(-1) >= FEWEST
        begin, end = _least_squares(y, near)
        at_begin, at_end = np.where(enough, begin, at_begin), np.where(enough, end, at_end)
        line = at_begin[..., None] + (at_end - at_begin)[..., None] * ALONG
        near = np.where(enough[..., None], shown & (np.abs(y - line) < OUTLIER), near)
    return at_begin, at_end


def _medians(y: Floats, shown: np.ndarray) -> Floats:
    """(...) the lower medians of those values (..., T) that are shown; infinite where there are none."""
    ordered = np.sort(np.where(shown, y, np.inf), axis=-1)
    middle = np.maximum(shown.sum(-1, keepdims=True) - 1, 0) // 2
    return np.take_along_axis(ordered, middle, -1)[..., 0]


def _least_squares(y: Floats, used: np.ndarray) -> tuple[Floats, Floats]:
    """The straight lines that fit those values (..., T) best that are used: what they are (...) at 0 and at 1."""
    count = np.maximum(used.sum(-1), 1)
    x_mean, y_mean = (used * ALONG).sum(-1) / count, (used * y).sum(-1) / count
    off = used * (ALONG - x_mean[..., None])
    slope = (off * (y - y_mean[..., None])).sum(-1) / np.maximum((off**2).sum(-1), 1e-9)
    return y_mean - slope * x_mean, y_mean + slope * (1 - x_mean)


def _crossings(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Where lines through two points (..., 2) cross those through two others; where they run alike, the third."""
    one, other, gap = b - a, d - c, c - a
    cross = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    alike = np.abs(cross) < 1e-9
    share = (gap[..., 0] * other[..., 1] - gap[..., 1] * other[..., 0]) / np.where(alike, 1.0, cross)
    return np.where(alike[..., None], c, a + one * share[..., None])
