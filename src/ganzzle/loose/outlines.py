"""The outline of a loose piece: four sides, fitted to where it ends, more finely than by whole pixels."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import binary_erosion, map_coordinates
from scipy.spatial import ConvexHull, QhullError

from ganzzle.arrays import Floats
from ganzzle.loose.ground import Heights, Picture

ALONG = np.linspace(0.06, 0.94, 32)  # places along a side where it is looked at; corners may be worn
REACH, STEP = 3.0, 0.25  # px to both sides of it, and between two looks
FEWEST = 8  # places along a side that must show its edge
OUTLIER = 0.75  # px off the line: such a place shows something else
FITS = 4

Corners = Floats  # (4, 2) x and y of the corners, clockwise, the upper left one first
UNIT = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])  # the corners of a square


def edge_points(mask: np.ndarray, top: int, left: int) -> Floats:
    """(P, 2) x and y around the pixels (h, w) that are marked in a part of a picture that begins at `top`, `left`."""
    ys, xs = np.nonzero(mask & ~binary_erosion(mask))
    # The corners of the pixels, not their middles, are where a piece ends.
    points: Floats = (np.stack([xs + left, ys + top], 1)[:, None] + UNIT - 0.5).reshape(-1, 2)
    return points


def box_around(points: Floats) -> Corners | None:
    """The corners of the smallest rectangle around points (P, 2); None if they have no area."""
    try:
        hull = points[ConvexHull(points).vertices]
    except QhullError:
        return None
    sides = np.roll(hull, -1, axis=0) - hull
    angles = np.unique(np.arctan2(sides[:, 1], sides[:, 0]) % (np.pi / 2))
    axes = np.array([axes_at(angle) for angle in angles])  # (A, 2, 2)
    places = hull @ axes.transpose(0, 2, 1)  # (A, P, 2) along and across each angle
    best = int(np.ptp(places, axis=1).prod(1).argmin())
    low, high = places[best].min(0), places[best].max(0)
    return from_upper_left((low + UNIT * (high - low)) @ axes[best])


def axes_at(angle: float) -> Floats:
    """(2, 2) the unit vectors along an angle and across it."""
    return np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])


def from_upper_left(corners: Corners) -> Corners:
    """Clockwise corners in any order, that one first which is the upper left one of a piece that is turned by less than
    45 degrees."""
    sides = np.roll(corners, -1, axis=0) - corners
    return np.roll(corners, -int(np.argmax(sides[:, 0])), axis=0)


def sides_of(corners: Floats) -> Floats:
    """(..., 4, 2) corners -> (..., 2) width and height, the means of opposite sides."""
    along = np.roll(corners, -1, axis=-2) - corners
    lengths = np.hypot(along[..., 0], along[..., 1])
    return np.stack([lengths[..., ::2].mean(-1), lengths[..., 1::2].mean(-1)], -1)


def beside(corners: Floats, by: float) -> Floats:
    """(..., 4, T, 2) points along the four sides of boxes (..., 4, 2), moved outward by some px."""
    along = np.roll(corners, -1, axis=-2) - corners
    outward = (
        np.stack([along[..., 1], -along[..., 0]], -1) / np.hypot(along[..., 0], along[..., 1])[..., None]
    )
    points: Floats = (corners + by * outward)[..., None, :] + ALONG[:, None] * along[..., None, :]
    return points


def fitted(heights: Heights, box: Corners) -> Corners:
    """The corners of the four lines along which the piece within a box really ends, by the heights of the picture.

    Halfway between the piece and the ground is its edge. Where the piece looks like the ground nothing is seen of that,
    and a side of which too little is seen stays as it was.
    """
    steps = np.arange(-REACH, REACH + STEP, STEP)
    at = np.stack([beside(box, by) for by in steps], 2)  # (4, T, S, 2)
    seen = map_coordinates(heights, [at[..., 1], at[..., 0]], order=1, mode="nearest")
    lines = [_line(box[k], box[(k + 1) % 4], seen[k], steps) for k in range(4)]
    return np.array([_crossing(*lines[k - 1], *lines[k]) for k in range(4)])


def _line(begin: Floats, end: Floats, seen: Heights, steps: Floats) -> tuple[Floats, Floats]:
    """Two points on the line where a piece ends that is supposed to end from `begin` to `end`; `seen` (T, S) are the
    heights along it, from inside to outside."""
    inside = seen[:, : int(1 / STEP)].max(1)
    beyond = seen < inside[:, None] / 2
    shown = (inside > 1) & beyond[:, -1]
    if shown.sum() < FEWEST:
        return begin, end
    last = seen.shape[1] - 1 - np.argmax(~beyond[:, ::-1], axis=1)  # the last look at the piece
    last = np.clip(last, 0, len(steps) - 2)
    rows = np.arange(len(seen))
    high, low = seen[rows, last], seen[rows, last + 1]
    share = np.clip((high - inside / 2) / np.maximum(high - low, 1e-6), 0, 1)
    at_begin, at_end = _line_through(ALONG[shown], (steps[last] + STEP * share)[shown])
    along = end - begin
    outward = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-6)
    return begin + at_begin * outward, end + at_end * outward


def _line_through(x: Floats, y: Floats) -> tuple[float, float]:
    """The straight line through most of the points (P,): its values at 0 and at 1."""
    at_0 = at_1 = float(np.median(y))
    near = np.abs(y - at_0) < 2 * OUTLIER
    for _ in range(FITS):
        if near.sum() < FEWEST:
            break
        middle, level = x[near].mean(), y[near].mean()
        slope = ((x[near] - middle) * (y[near] - level)).sum() / ((x[near] - middle) ** 2).sum()
        at_0, at_1 = float(level - slope * middle), float(level + slope * (1 - middle))
        near = np.abs(y - at_0 - slope * x) < OUTLIER
    return at_0, at_1


def _crossing(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Where the line through two points (2,) crosses that through two others; where they run alike, the third."""
    one, other, gap = b - a, d - c, c - a
    cross = one[0] * other[1] - one[1] * other[0]
    if abs(cross) < 1e-9:
        return c
    return a + one * (gap[0] * other[1] - gap[1] * other[0]) / cross


def sharpness(picture: Picture, corners: Floats) -> float:
    """By how many levels a picture (H, W, 3) changes across the sides of N pieces (N, 4, 2), on average."""
    change = np.zeros(1)
    for channel in np.moveaxis(picture, 2, 0):
        inside, outside = (
            map_coordinates(channel, [at[..., 1], at[..., 0]], order=1, mode="nearest")
            for at in (beside(corners, -1), beside(corners, 1))
        )
        change = np.maximum(change, np.abs(inside - outside))
    return float(change.mean())
