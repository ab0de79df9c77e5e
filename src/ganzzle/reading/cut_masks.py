"""What is piece and what is ground, by how far pixels are from the ground's colour."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.reading.page_ground import Field

Mask = NDArray[np.bool_]

LEAST = 6.0  # levels off the ground that a piece is, at least
NOISY = 3.5  # times the ground's noise that a piece is off it, at least
DULL = 15  # per cent of a piece's inside that may be nearer to the ground than the level its edge is set by
BRIGHT = 120.0  # levels off the ground beyond which a piece is only as bright,
NEARBY = 70.0  # and where that of its neighbourhood is looked at
SHARE = 0.5  # of what the inside is off the ground that a piece is off it at its edge
ROUND = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))  # hairs and dust are thinner
CRACK = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9))  # the mouth of a crack is narrower


def piece_mask(far: Field, level: float) -> Mask:
    """(h, w) what is piece, by its distance from the ground: more than a level, and half of what it is inside."""
    rough = filled((far > level).astype(np.uint8))
    sure = cv2.erode(rough, np.ones((9, 9), np.uint8))
    inside = cv2.GaussianBlur(np.minimum(far, NEARBY) * sure, (0, 0), 4)
    inside /= np.maximum(cv2.GaussianBlur(sure.astype(np.float32), (0, 0), 4), 1e-3)
    levels = np.maximum(level, SHARE * inside)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rough, connectivity=4)
    for k in range(1, count):
        x, y, wide, high = stats[k, :4].tolist()
        part = slice(y, y + high), slice(x, x + wide)
        own = labels[part] == k
        deep = far[part][own & (sure[part] > 0)]
        if len(deep) > 20:
            usual = 0.5 * min(float(np.percentile(deep, DULL)), BRIGHT)
            levels[part][own] = np.maximum(levels[part][own], usual)
    mask = (far > levels) & (rough > 0)
    tidy = filled(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)))
    return without_cracks(cv2.morphologyEx(tidy, cv2.MORPH_OPEN, ROUND)).astype(bool)


def without_cracks(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A mask (h, w) without narrow cracks that open into holes, as glints of the ground's colour make."""
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, CRACK)
    holes = filled(closed) & (1 - closed)
    if not holes.any():
        return mask
    labels = cv2.connectedComponents((filled(closed) & (1 - mask)).astype(np.uint8), connectivity=4)[1]
    cracked = np.isin(labels, np.unique(labels[holes > 0]))
    return np.asarray(mask | cracked.astype(np.uint8), np.uint8)


def filled(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A mask (h, w) without the holes in its parts."""
    rings, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    out = np.zeros_like(mask)
    cv2.drawContours(out, rings, -1, 1, cv2.FILLED)
    return out
