"""What the drawn sample pictures are made with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Pixels

SIZE = 480  # px a side; a multiple of 8, 10 and 12
Floats32 = NDArray[np.float32]


def colour(code: int) -> Floats32:
    """(3,) red, green and blue in 0..1 of 0xRRGGBB."""
    return np.array([code >> 16 & 255, code >> 8 & 255, code & 255], np.float32) / np.float32(255)


def paint(picture: Floats32, where: NDArray[np.bool_], shade: Floats32) -> None:
    """Paint the picture (H, W, 3), where (H, W) says so, in one colour (3,) or like another picture (H, W, 3)."""
    picture[where] = np.broadcast_to(shade, picture.shape)[where]


def to_pixels(picture: Floats32, rng: np.random.Generator) -> Pixels:
    """The picture (H, W, 3) in levels of 0..255, with the grain of a photograph."""
    grain = 0.012 * rng.standard_normal(picture.shape, dtype=np.float32)
    return np.clip(np.rint(255 * (picture + grain)), 0, 255).astype(np.uint8)


def noise(size: int, rng: np.random.Generator, first: int) -> Floats32:
    """(size, size) fractal noise in 0..1: octaves of 2**first cells a side and finer ones."""
    total = np.zeros((size, size), np.float32)
    for octave in range(first, 8):
        cells = 2**octave
        coarse = rng.random((cells + 1, cells + 1), dtype=np.float32)
        total += stretch(stretch(coarse, size).T, size).T / 2 ** (octave - first)
    return (total - total.min()) / (np.ptp(total) + 1e-9)


def noise_line(size: int, rng: np.random.Generator, finest: int = 8) -> Floats32:
    """(size,) a ridge line in 0..1: octaves from 4 to below 2**finest bends."""
    total = sum(
        stretch(rng.random((2**k + 1, 1), dtype=np.float32), size)[:, 0] / 1.8**k for k in range(2, finest)
    )
    line = np.asarray(total, np.float32)
    return (line - line.min()) / (np.ptp(line) + 1e-9)


def stretch(values: Floats32, size: int) -> Floats32:
    """(n, m) -> (size, m), smoothly interpolated along the first axis."""
    at = np.linspace(0, len(values) - 1, size, dtype=np.float32)
    low = np.minimum(at.astype(np.int64), len(values) - 2)
    share = (at - low)[:, None]
    share = share * share * (3 - 2 * share)
    return values[low] * (1 - share) + values[low + 1] * share
