"""The edges of loose pieces in all pixels of a scan, which is made smaller for finding them: where exactly they are,
and how soft."""

from __future__ import annotations

import numpy as np

from ganzzle.arrays import Floats, Pixels
from ganzzle.reading.loose.ground import DARKEST, LEAST, Colours, Heights, Picture
from ganzzle.reading.loose.levels_at import levels_at
from ganzzle.reading.loose.outlines import around, beside, fitted_to, sides_of

BESIDE = 1.0  # px to both sides of an edge between which it changes
CLEAR = 3.0  # heights from which on a place shows how soft an edge is
STEP = 0.25  # px between two looks at that
WHOLE = 0.08  # share by which a piece differs from its inside at most, where no ground is mixed with it
SPARE = 1.0  # px more: no edge is quite straight, and pixels are mixed again where a piece is turned
USUAL, SOFTEST = 2.0, 0.02  # px that are left out where nothing shows it, and the share of a side that may be


def sharpened(picture: Pixels, ground: Colours, boxes: Floats, unit: float) -> Floats:
    """(N, 4, 2) the corners of pieces in a picture (H, W, 3) that were found where one px was `unit` px, on ground of
    some colours (N, 4, 3) at their corners.

    Beside a shadow the edge of a piece is where the shadow ends, elsewhere that would be too far inside. So each side
    is looked for in both ways, and the sharper edge is taken.
    """
    for each in (unit, 1.0):  # twice also where both are the same: the second look begins nearer to the edge
        levels = _levels(picture, around(boxes, each))
        ways = [_heights(levels, ground, shadows) for shadows in (False, True)]
        bare, shaded = (changes_across(picture, fitted_to(seen, boxes, each)) for seen in ways)
        boxes = fitted_to(np.where((bare >= shaded)[..., None, None], *ways), boxes, each)
    return boxes


def softness(picture: Pixels, ground: Colours, boxes: Floats) -> float:
    """How many px at the edges of pieces (N, 4, 2) in a picture (H, W, 3) are mixed with the ground (N, 4, 3)."""
    most = max(USUAL, SOFTEST * float(sides_of(boxes).min()))
    inward = np.arange(0, 2 * most, STEP)
    levels = _levels(picture, np.stack([beside(boxes, -by) for by in inward], -2))
    seen = _heights(levels, ground, shadows=False).reshape(-1, len(inward))
    clear = seen[seen[:, -1] > CLEAR]
    if len(clear) < len(boxes):
        return USUAL
    mixed = np.abs(np.median(clear / clear[:, -1:], axis=0) - 1) > WHOLE
    last = float(inward[mixed].max()) if mixed.any() else 0.0
    return min(last + SPARE, most)


def changes_across(picture: Pixels | Picture, boxes: Floats) -> Floats:
    """(N, 4) by how many levels a picture (H, W, 3) changes across the sides of pieces (N, 4, 2), on average."""
    inside, outside = (_levels(picture, beside(boxes, by)) for by in (-BESIDE, BESIDE))
    changes: Floats = np.abs(inside - outside).max(-1).mean(-1)
    return changes


def _levels(picture: Pixels | Picture, points: Floats) -> Colours:
    """(..., 3) the colours of a picture (H, W, 3) at points (..., 2)."""
    return levels_at(picture, points)


def _heights(levels: Colours, ground: Colours, shadows: bool) -> Heights:
    """(N, 4, T, S) how far levels (N, 4, T, S, 3) around N pieces stand out from ground of colours (N, 4, 3) at their
    corners; with `shadows` darker ground is ground, too."""
    below = ((ground + np.roll(ground, -1, axis=1)) / 2)[:, :, None, None]  # in the middle of each side
    if shadows:
        light = (levels * below).sum(-1) / (below * below).sum(-1)
        below = below * np.clip(light, DARKEST, 1)[..., None]
    heights: Heights = np.sqrt(((levels - below) ** 2).sum(-1)) / np.float32(LEAST)
    return heights
