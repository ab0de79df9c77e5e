"""Worn pieces as the network is shown them: without their rims, and of one size."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

PIECE = 32  # px the network sees a piece at
SMALLEST = 8  # px a piece needs for distances at its own resolution


def crop_wear(pieces: Tensor, wear: int) -> tuple[Tensor, Tensor]:
    """(B, N, 3, h, w) -> without `wear` px at every border: resampled to 32 px, and at its own resolution.

    If too few px are left for distances at their own, both are resampled.
    """
    height, width = pieces.shape[-2:]
    sharp = pieces[..., wear : height - wear, wear : width - wear]
    if sharp.shape[-2:] == (PIECE, PIECE):
        return sharp, sharp
    small = F.interpolate(
        sharp.flatten(0, 1), (PIECE, PIECE), mode="bilinear", antialias=True, align_corners=False
    )
    small = small.unflatten(0, pieces.shape[:2])
    return small, small if min(sharp.shape[-2:]) < SMALLEST else sharp
