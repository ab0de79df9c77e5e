"""Pieces that are seen in part: where they look like the ground, the size of the others tells how they go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ganzzle.arrays import Floats
from ganzzle.reading.loose.ground import Heights
from ganzzle.reading.loose.outlines import (
    UNIT,
    Corners,
    Part,
    axes_at,
    beside,
    box_around,
    fitted,
    from_upper_left,
    sides_of,
)

ANGLES = np.radians(np.arange(0, 90, 2.0))  # that are tried
PLACES = 9  # along each side, for a piece of which less is seen
TALLER = 1.04  # times its size that the seen part of a piece may have
BESIDE = 1.5  # px to both sides of an outline where it is looked at
SEEN = 0.3  # share of its outline that must be seen
SHOWN = 0.5  # px of a part's edge for each px of an outline that it shows, at least: some run askew


def grouped(parts: Sequence[Part], size: tuple[float, float]) -> list[Part]:
    """Parts of pieces -> those that fit into one piece of a size, together."""
    left = sorted(parts, key=lambda part: part.edge, reverse=True)
    groups = []
    while left:
        group = left.pop(0)
        for k in _near(group, left, size)[::-1]:
            if _fits(both := group.with_other(left[k]), size):
                group = both
                del left[k]
        groups.append(group)
    return groups


def _near(part: Part, others: Sequence[Part], size: tuple[float, float]) -> list[int]:
    """Which of the others lie near enough to a part for a piece of a size to hold both."""
    if not others:
        return []
    low, high = (np.array([end(each.hull, axis=0) for each in others]) for end in (np.min, np.max))
    across = np.maximum(high, part.hull.max(0)) - np.minimum(low, part.hull.min(0))
    return np.flatnonzero(across.max(1) <= TALLER * np.hypot(*size)).tolist()


def _fits(part: Part, size: tuple[float, float]) -> bool:
    """Whether a part lies within one piece."""
    return bool((np.sort(sides_of(box_around(part.hull))) <= TALLER * np.sort(size)).all())


def completed(
    part: Part, size: tuple[float, float], heights: Heights, taken: Floats, apart: float
) -> Corners | None:
    """The corners of a piece of a size (width, height) of which some part is seen, where its outline is seen best, its
    middle some px `apart` from those (N, 2) that are taken; None if too little of it is seen."""
    if part.edge < SHOWN * SEEN * 2 * sum(size):
        return None
    boxes = np.concatenate([_boxes(part.hull, each) for each in sorted({size, size[::-1]})])
    away = np.hypot(*(boxes.mean(1)[:, None] - taken).transpose(2, 0, 1)).min(1)
    boxes = boxes[away > apart]
    if len(boxes) == 0:
        return None
    seen = _outline_seen(boxes, heights)
    best = int(seen.argmax())
    return fitted(heights, from_upper_left(boxes[best])) if seen[best] >= SEEN else None


def _boxes(points: Floats, size: tuple[float, float]) -> Floats:
    """(B, 4, 2) the corners of boxes of a size that hold points (P, 2), at all angles and places."""
    boxes = [np.zeros((0, 4, 2))]
    for angle in ANGLES:
        axes = axes_at(angle)
        places = points @ axes.T
        low, slack = places.min(0), size - np.ptp(places, axis=0)
        if (slack < (1 - TALLER) * np.array(size)).any():
            continue
        starts = (
            np.linspace(begin - max(free, 0), begin, PLACES if free > 1 else 1)
            for begin, free in zip(low, slack, strict=True)
        )
        corner = np.stack(np.meshgrid(*starts), -1).reshape(-1, 1, 2)
        boxes.append((corner + UNIT * size) @ axes)
    return np.concatenate(boxes)


def _outline_seen(boxes: Floats, heights: Heights) -> Floats:
    """(B,) the share of the outline of boxes (B, 4, 2) along which a piece ends, less that across which it goes on."""
    inside, outside = (_at(heights, beside(boxes, by)) > 1 for by in (-BESIDE, BESIDE))
    share: Floats = (inside & ~outside).mean((1, 2)) - outside.mean((1, 2))
    return share


def _at(heights: Heights, points: Floats) -> Heights:
    """The heights at points (..., 2); beyond the picture there is ground."""
    x, y = np.moveaxis(np.rint(points).astype(np.int64), -1, 0)
    height, width = heights.shape
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    found = heights[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return np.where(inside, found, np.float32(0))
