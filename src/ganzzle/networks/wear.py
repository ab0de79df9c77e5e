"""Worn rims: finding how wide they are without being told, and cropping them away."""

from __future__ import annotations

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from ganzzle.puzzle import Pixels

PIECE = 32  # px the network sees a piece at


def wear_width(pieces: Pixels) -> int:
    """How many px of every piece's rim carry no picture, at most a quarter of a side: (N, h, w, 3) uint8 -> px.

    The mean colour of a ring of pixels differs from piece to piece where there is picture. It hardly does in a rim that
    is black, of one colour, or pure noise. So the rim ends at the first ring whose means vary as those further in do.
    """
    count, height, width = pieces.shape[:3]
    deepest = min(height, width) // 4
    if count < 2 or deepest < 1:
        return 0
    x = pieces.astype(np.float32)
    variance = np.array([_ring_mean(x, depth).var(0).mean() for depth in range(deepest + 1)])
    inside = variance[deepest:].max()
    if inside < 1.0:  # all pieces look alike: nothing tells a rim from the picture
        return 0
    outside = variance[:deepest] < 0.15 * inside
    # A rim of one colour has nothing in it; a noisy one varies by chance alone, far less than the picture.
    return int(deepest if outside.all() else np.argmin(outside))


def _ring_mean(pieces: np.ndarray, depth: int) -> np.ndarray:
    """(N, h, w, 3) -> (N, 12) mean colour of each of the four sides of the ring `depth` px from the rim."""
    height, width = pieces.shape[1:3]
    across, along = slice(depth, width - depth), slice(depth, height - depth)
    sides = (
        pieces[:, depth, across].mean(1),
        pieces[:, height - 1 - depth, across].mean(1),
        pieces[:, along, depth].mean(1),
        pieces[:, along, width - 1 - depth].mean(1),
    )
    return np.concatenate(sides, 1)


def crop_wear(pieces: Tensor, wear: int) -> tuple[Tensor, Tensor]:
    """(B, N, 3, h, w) -> without `wear` px at every border: resampled to 32 px, and at its own resolution."""
    height, width = pieces.shape[-2:]
    sharp = pieces[..., wear : height - wear, wear : width - wear]
    if sharp.shape[-2:] == (PIECE, PIECE):
        return sharp, sharp
    small = F.interpolate(
        sharp.flatten(0, 1), (PIECE, PIECE), mode="bilinear", antialias=True, align_corners=False
    )
    return small.unflatten(0, pieces.shape[:2]), sharp
