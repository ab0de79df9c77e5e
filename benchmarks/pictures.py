"""Pictures drawn by code: what is timed needs no data."""

from __future__ import annotations

import numpy as np

from ganzzle.puzzle import Pixels


def draw_picture(height: int, width: int, seed: int = 0) -> Pixels:
    """A smooth random (height, width, 3) picture with a little grain."""
    rng = np.random.default_rng(seed)
    y, x = (np.arange(height)[:, None, None] / 280, np.arange(width)[None, :, None] / 280)
    waves = np.zeros((height, width, 3), np.float32)
    for _ in range(8):
        fx, fy = rng.uniform(-3, 3, 2)
        waves += np.cos(2 * np.pi * (fx * x + fy * y) + rng.uniform(0, 6.3, 3)).astype(np.float32)
    waves += rng.normal(0, 0.05, waves.shape).astype(np.float32)
    return np.clip(128 + 25 * waves, 0, 255).astype(np.uint8)
