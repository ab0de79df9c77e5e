"""The ground that loose pieces lie on: its colour at every pixel, and what stands out from it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats

RING = 0.01  # share of a side at the edge of the picture where there is ground
SAMPLES = 60_000  # px that the ground is fitted to
NEAR = 40.0  # levels from the ground's colour within which pixels are taken for ground at first
LEAST = 8.0  # levels from it that no piece needs to be seen
SPREADS = 4.0  # times the usual distance of the ground's own pixels that none of them reaches
FITS = 6
BLUR = 0.8  # px, against noise and what JPEG leaves around edges
AROUND = 0.6  # share of the edge of the picture that is ground
DARKEST = 0.4  # of the ground's light is left in a shadow

Heights = NDArray[np.float32]  # (H, W) how far pixels stand out; beyond 1 they are no ground
Colours = NDArray[np.float32]  # (..., 3) levels
Picture = Colours  # (H, W, 3)


def ground_of(picture: Picture) -> Picture:
    """The ground (H, W, 3) under everything in a picture: of one colour that changes slowly over the picture, as light
    does. A quadratic of the place, fitted to the pixels that it explains."""
    height, width = picture.shape[:2]
    every = max(1, int(np.sqrt(height * width / SAMPLES)))
    few = picture[::every, ::every]
    terms = _terms(*few.shape[:2])
    ground: Picture = np.broadcast_to(np.median(few[_edge(few)], axis=0), few.shape)
    fitted = np.zeros((terms.shape[2], 3), np.float32)
    fitted[0] = ground[0, 0]
    near = NEAR
    for _ in range(FITS):
        inside = np.abs(few - ground).max(2) < near
        if inside.sum() < 4 * len(fitted):
            break
        fitted = np.linalg.lstsq(terms[inside], few[inside], rcond=None)[0].astype(np.float32)
        ground = terms @ fitted
        near = max(LEAST, SPREADS * float(np.median(np.abs(few - ground).max(2)[inside])))
    return _quadratic(fitted, height, width)


def is_seen(picture: Picture, ground: Picture) -> bool:
    """Whether most of the edge of a picture (H, W, 3) shows its ground: only then something may lie on it."""
    edge = _edge(picture)
    return bool((np.abs(picture[edge] - ground[edge]).max(1) < NEAR).mean() > AROUND)


def blurred(picture: Picture) -> Picture:
    """A picture (H, W, 3) without most of its noise."""
    calm: Picture = cv2.GaussianBlur(picture, (7, 7), BLUR, borderType=cv2.BORDER_REFLECT)
    return calm


def standing_out(picture: Picture, ground: Picture, shadows: bool) -> Heights:
    """How far the pixels of a blurred picture (H, W, 3) stand out from its ground (H, W, 3); with `shadows` darker
    ground is ground, too.

    Grey pieces on a grey ground look like shadows themselves, so shadows are not always to be left out.
    """
    if shadows:
        light = (picture * ground).sum(2) / (ground * ground).sum(2)
        ground = ground * np.clip(light, DARKEST, 1)[..., None]
    off = np.sqrt(((picture - ground) ** 2).sum(2))
    usual = float(np.median(off[_edge(off)]))
    heights: Heights = (off / max(LEAST, SPREADS * usual)).astype(np.float32)
    return heights


def ground_at(ground: Picture, points: Floats) -> Colours:
    """(..., 3) the colours of a ground (H, W, 3) at points (..., 2), or at its ends where they lie beyond."""
    height, width = ground.shape[:2]
    x, y = np.moveaxis(np.rint(points).astype(np.int64), -1, 0)
    return ground[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]


def _edge(picture: np.ndarray) -> NDArray[np.bool_]:
    """(H, W) the pixels at the edge of a picture."""
    ring = max(1, int(RING * min(picture.shape[:2])))
    edge = np.ones(picture.shape[:2], bool)
    edge[ring:-ring, ring:-ring] = False
    return edge


def _terms(height: int, width: int) -> Picture:
    """(H, W, 6) the terms of a quadratic of the place, each coordinate between -1 and 1."""
    y, x = np.meshgrid(_places(height), _places(width), indexing="ij")
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2)


def _quadratic(fitted: Colours, height: int, width: int) -> Picture:
    """(H, W, 3) the colours of a quadratic (6, 3), line by line: all its terms at once would be much larger."""
    x, found = _places(width)[:, None], np.empty((height, width, 3), np.float32)
    one, by_x, by_y, by_xx, by_xy, by_yy = fitted
    for row, y in enumerate(_places(height)):
        found[row] = (one + by_y * y + by_yy * y * y) + x * (by_x + by_xy * y) + x * x * by_xx
    return np.clip(found, 1, 255, out=found)


def _places(length: int) -> NDArray[np.float32]:
    """(L,) the coordinates of so many lines."""
    return np.linspace(-1, 1, length, dtype=np.float32)
