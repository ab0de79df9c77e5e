"""A lake at dusk before mountains."""

from __future__ import annotations

import numpy as np

from ganzzle.arrays import Pixels
from ganzzle.samples.brushes import SIZE, Floats32, noise, noise_line, paint, to_pixels


def draw_landscape(size: int = SIZE, seed: int = 7) -> Pixels:
    """A lake at dusk before mountains, (size, size, 3): gradients, texture, and no two pieces alike."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size
    shore = int(0.62 * size)
    picture = _sky(x, y, rng)
    haze = np.array([0.93, 0.70, 0.62], np.float32)
    for depth, (top, rough) in enumerate(((0.40, 0.16), (0.47, 0.13), (0.55, 0.09))):
        ridge = top + rough * (noise_line(size, rng) - 0.5) * 2
        rock = np.array([0.16, 0.17, 0.27], np.float32) + 0.16 * (noise(size, rng, 5)[..., None] - 0.5)
        near = 0.35 + 0.3 * depth
        paint(picture, y > ridge[None, :], near * rock + (1 - near) * haze)
    picture[shore:] = _water(picture[:shore], size - shore, rng)
    return to_pixels(picture, rng)


def _sky(x: Floats32, y: Floats32, rng: np.random.Generator) -> Floats32:
    """(S, S, 3) from deep blue to orange, with a sun and clouds."""
    high, low = np.array([0.16, 0.24, 0.50], np.float32), np.array([0.98, 0.66, 0.42], np.float32)
    share = np.clip(y / 0.55, 0, 1)[..., None] ** 1.4
    sky = (1 - share) * high + share * low
    distance = np.hypot(x - 0.68, y - 0.33)
    sky += 0.55 * np.exp(-((distance / 0.16) ** 2))[..., None] * np.array([1.0, 0.75, 0.4], np.float32)
    paint(sky, distance < 0.045, np.array([1.0, 0.95, 0.8], np.float32))
    clouds = np.clip(noise(len(x), rng, 3) * 2.4 - 1.2, 0, 1)[..., None] * (1 - share) * 0.6
    return sky * (1 - clouds) + clouds * np.array([0.98, 0.80, 0.78], np.float32)


def _water(above: Floats32, rows: int, rng: np.random.Generator) -> Floats32:
    """(rows, S, 3) the mirror image of what is above, darker and rippled."""
    size = above.shape[1]
    row = np.arange(rows)[:, None]
    ripple = (noise(size, rng, 4)[:rows] - 0.5) * (4 + row * 0.25)
    source = np.clip(len(above) - 1 - row * 1.4 + ripple * 1.5, 0, len(above) - 1).astype(np.int64)
    column = np.clip(np.arange(size)[None, :] + ripple, 0, size - 1).astype(np.int64)
    glitter = 0.10 * (noise(size, rng, 6)[:rows, :, None] - 0.5)
    return above[source, column] * np.array([0.62, 0.68, 0.80], np.float32) + glitter
