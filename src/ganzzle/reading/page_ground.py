"""The ground that loose pieces lie on: its colour over a page, and how far every pixel is from it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Pixels

Field = NDArray[np.float32]

BIN = 16  # levels of a channel that count as one when the most frequent colour is looked for
NEAR = 60.0  # levels off the most frequent colour within which a pixel may be ground at first
ROUNDS = 5  # of fitting the ground's colour, with the pixels that were near it
DARKEST = 0.45  # share of the ground's light that the deepest shadow leaves
SPREADS = 4.0  # robust standard deviations within which a pixel is ground
RIM = 0.06  # share of a picture's sides whose pixels count more often when the ground is looked for


@dataclass(frozen=True, eq=False)
class Ground:
    """A colour that changes slowly over a page, and how much pixels differ from it."""

    surface: Floats  # (6, 3) coefficients of 1, x, y, x^2, xy, y^2 with x and y in -1..1
    noise: float  # robust standard deviation, in levels
    share: float  # of the page that is ground

    def at(self, height: int, width: int) -> Field:
        """(height, width, 3) the colour of the ground over a page shown at some size."""
        y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
        x = np.linspace(-1, 1, width, dtype=np.float32)[None]
        one = np.ones((height, width), np.float32)
        terms = np.stack([one, one * x, one * y, one * x * x, x * y, one * y * y], -1)
        return np.asarray(np.clip(terms @ self.surface.astype(np.float32), 0, 255), np.float32)

    def distance(self, picture: Pixels, darkest: float = DARKEST) -> Field:
        """(H, W) levels that each pixel of a page (H, W, 3) is off the ground, lit or in shadow that leaves a share."""
        height, width = picture.shape[:2]
        rough = self.at(min(height, 64), min(width, 64))
        ground = cv2.resize(rough, (width, height), interpolation=cv2.INTER_LINEAR)
        return distance_to(picture.astype(np.float32), ground, darkest)


def distance_to(colours: Field, ground: Field, darkest: float = DARKEST) -> Field:
    """(...) how far colours (..., 3) are from the nearest shade of a ground (..., 3), in levels; the deepest shade
    leaves a share of its light."""
    ones = np.ones(3, np.float32)
    length = (ground * ground) @ ones
    along = (colours * ground) @ ones
    light = np.clip(along / np.maximum(length, 1), darkest, 1)
    squared = (colours * colours) @ ones + light * (light * length - 2 * along)
    return np.asarray(np.sqrt(np.maximum(squared, 0)), np.float32)


def find_ground(small: Pixels) -> Ground:
    """The ground of a page, from a small copy (h, w, 3)."""
    height, width = small.shape[:2]
    colours = small.reshape(-1, 3).astype(np.float64)
    down, across = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    x, y = across.ravel(), down.ravel()
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], 1)
    weight = np.where(np.maximum(np.abs(x), np.abs(y)) > 1 - 2 * RIM, 4.0, 1.0)
    mode = _most_frequent(colours, weight)
    near = np.linalg.norm(colours - mode, axis=1) < NEAR
    near &= np.abs(colours - mode).max(1) < NEAR / 1.5
    surface = np.zeros((6, 3))
    surface[0] = mode
    noise = NEAR / SPREADS
    for number in range(ROUNDS):
        kept = terms if number >= 2 else terms[:, : (1, 3)[number]]
        some = np.flatnonzero(near)
        some = some[:: max(1, len(some) // 20000)]
        surface = np.zeros((6, 3))
        surface[: kept.shape[1]] = np.linalg.lstsq(kept[some], colours[some], rcond=None)[0]
        off = np.linalg.norm(colours - terms @ surface, axis=1)
        noise = max(0.7, float(np.median(off[near])) / 1.2)
        near = off < max(SPREADS * noise, 6.0)
    return Ground(surface, noise, float(near.mean()))


def _most_frequent(colours: Floats, weight: Floats) -> Floats:
    """(3,) the mean of the fullest neighbourhood of colours (n, 3)."""
    bins = 256 // BIN
    codes = (colours // BIN).astype(np.int64) @ np.array([bins * bins, bins, 1])
    count = np.bincount(codes, weight, bins**3).reshape(bins, bins, bins)
    for axis in range(3):
        low, high = np.roll(count, 1, axis), np.roll(count, -1, axis)
        low[(slice(None),) * axis + (0,)] = 0
        high[(slice(None),) * axis + (-1,)] = 0
        count = count + 0.5 * (low + high)
    best = np.array(np.unravel_index(count.argmax(), count.shape))
    inside = (np.abs(colours - (best + 0.5) * BIN) <= 1.0 * BIN).all(1)
    return np.asarray(np.median(colours[inside], axis=0) if inside.any() else (best + 0.5) * BIN)
