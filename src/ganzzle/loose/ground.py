"""The ground that loose pieces lie on: its colour at every pixel, and what stands out from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

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
Picture = NDArray[np.float32]  # (H, W, 3) levels


def ground_of(picture: Picture) -> Picture:
    """The ground (H, W, 3) under everything in a picture: of one colour that changes slowly over the picture, as light
    does. A quadratic of the place, fitted to the pixels that it explains."""
    height, width = picture.shape[:2]
    every = max(1, int(np.sqrt(height * width / SAMPLES)))
    few = picture[::every, ::every]
    terms = _terms(*few.shape[:2])
    ground: Floats = np.broadcast_to(np.median(few[_edge(few)], axis=0), few.shape)
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
    return np.clip(_terms(height, width) @ fitted, 1, 255)


def is_seen(picture: Picture, ground: Picture) -> bool:
    """Whether most of the edge of a picture (H, W, 3) shows its ground: only then something may lie on it."""
    edge = _edge(picture)
    return bool((np.abs(picture[edge] - ground[edge]).max(1) < NEAR).mean() > AROUND)


def standing_out(picture: Picture, ground: Picture, shadows: bool) -> Heights:
    """How far the pixels of a picture (H, W, 3) stand out from its ground; with `shadows` darker ground is ground, too.

    Grey pieces on a grey ground look like shadows themselves, so shadows are not always to be left out.
    """
    picture = gaussian_filter(picture, (BLUR, BLUR, 0))
    if shadows:
        light = (picture * ground).sum(2) / (ground * ground).sum(2)
        ground = ground * np.clip(light, DARKEST, 1)[..., None]
    off = np.sqrt(((picture - ground) ** 2).sum(2))
    usual = float(np.median(off[_edge(off)]))
    heights: Heights = (off / max(LEAST, SPREADS * usual)).astype(np.float32)
    return heights


def _edge(picture: np.ndarray) -> NDArray[np.bool_]:
    """(H, W) the pixels at the edge of a picture."""
    ring = max(1, int(RING * min(picture.shape[:2])))
    edge = np.ones(picture.shape[:2], bool)
    edge[ring:-ring, ring:-ring] = False
    return edge


def _terms(height: int, width: int) -> Picture:
    """(H, W, 6) the terms of a quadratic of the place, each coordinate between -1 and 1."""
    y, x = np.meshgrid(
        np.linspace(-1, 1, height, dtype=np.float32),
        np.linspace(-1, 1, width, dtype=np.float32),
        indexing="ij",
    )
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2)
