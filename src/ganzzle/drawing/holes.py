"""Filling the holes of missing pieces from the mental image, blended into the pieces around them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.damage.wear import wear_width
from ganzzle.pieces import cut
from ganzzle.puzzle import Grid, Ints, Pixels
from ganzzle.reading.pictures import resize_picture

RING = 2  # px of the neighbouring pieces whose colours the filling is drawn towards


def fill_holes(picture: Pixels, mental_image: Pixels, grid: Grid, placement: Ints, gap: int = 0) -> Pixels:
    """(H, W, 3) with the empty slots painted, and the outer `gap` px of all others; pieces keep every other pixel.

    The mental image's colours are a little off, so the step between it and the pieces at a hole's rim is spread
    smoothly over the hole and taken away.
    """
    height, width = picture.shape[0] // grid.rows, picture.shape[1] // grid.cols
    empty = np.ones(grid.slots, bool)
    empty[placement] = False
    if not gap and not empty.any():
        return picture
    hole = np.kron(empty.reshape(grid.rows, grid.cols), np.ones((height, width), bool))
    imagined = resize_picture(mental_image, *picture.shape[:2]).astype(np.float32)
    wear = gap or wear_width(cut(picture, grid)[placement])  # a worn rim says nothing about colours
    content = np.zeros((height, width), bool)
    content[wear : height - wear, wear : width - wear] = True
    content = np.tile(content, (grid.rows, grid.cols)) & ~hole
    if gap:
        hole = ~content
    near = cv2.distanceTransform((~hole).astype(np.uint8), cv2.DIST_L1, 3) <= wear + RING
    ring = (near & content).astype(np.float32)
    spread = max(height, width) / 4
    weight = _spread(ring, spread) + 1e-6
    step = (picture.astype(np.float32) - imagined) * ring[..., None]
    correction = _spread(step, spread) / weight[..., None]
    painted = np.clip(np.rint(imagined + correction), 0, 255).astype(np.uint8)
    return np.where(hole[..., None], painted, picture)


def _spread(levels: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """Levels (H, W) or (H, W, C) blurred by a Gaussian."""
    side = 2 * round(4 * sigma) + 1
    blurred: NDArray[np.float32] = cv2.GaussianBlur(
        levels, (side, side), sigma, borderType=cv2.BORDER_REFLECT
    )
    return blurred
