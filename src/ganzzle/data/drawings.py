"""Pictures turned into drawings: a few flat tones, lines on white paper, or both.

Photographs and paintings have texture everywhere. Comics, diagrams and sketches have not, and a network that was
taught without them does not know what goes on across a gap there.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ganzzle.cli.data_options import DataOptions

MOST_TONES = 6
INK = (2.0, 8.0)  # how dark a line gets for each level by which the tones beside it differ
LINES, TONES = 0.4, 0.4  # shares of the drawings with lines alone, with tones alone; the others have both
COLOURED = 0.6  # share of those with tones


def draw_drawings(options: DataOptions, count: int, rng: np.random.Generator) -> np.ndarray:
    """(3, B) float32: how many tones (0: white paper), how dark the lines are, and 1 where the tones have colours.

    Pictures that stay as they are have neither tones nor lines.
    """
    uniform = rng.random((5, count))
    drawn = uniform[0] < options.drawn
    tones = np.where(uniform[1] < LINES, 0, 2 + np.floor(uniform[2] * (MOST_TONES - 1)))
    ink = np.where(uniform[1] > 1 - TONES, 0, INK[0] + (INK[1] - INK[0]) * uniform[3])
    return np.stack([drawn * tones, drawn * ink, drawn * (uniform[4] < COLOURED)]).astype(np.float32)


def as_drawings(picture: Tensor, drawings: Tensor) -> Tensor:
    """Pictures (B, 3, H, W) of values 0..255 as `draw_drawings` said, (3, B); whole values."""
    tones, ink, coloured = drawings[:, :, None, None, None]
    smooth = _blurred(_blurred(picture))
    grey = smooth.mean(1, keepdim=True)
    down, across = torch.gradient(grey, dim=(2, 3))
    flat = torch.where(coloured > 0, smooth, grey)
    flat = (flat * tones / 256).floor() * 255 / (tones - 1)
    flat = torch.where(tones > 0, flat, 255)
    return (flat - ink * torch.hypot(down, across)).round().clamp(0, 255)


def _blurred(picture: Tensor) -> Tensor:
    """The mean of 3 x 3 px, (B, 3, H, W) -> the same."""
    return F.avg_pool2d(F.pad(picture, (1, 1, 1, 1), mode="replicate"), 3, stride=1)
