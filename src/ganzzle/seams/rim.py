"""Eroded pieces: a rim that is black on every piece holds no picture, so no seam should look at it."""

from __future__ import annotations

from ganzzle.puzzle import Pixels


def without_rim(pieces: Pixels) -> Pixels:
    """(N, h, w, 3) -> the same without the rim that is black on all pieces; if it leaves 4 px a side."""
    height, width = pieces.shape[1:3]
    rim = 0
    while 2 * rim + 4 <= min(height, width) and not _ring(pieces, rim):
        rim += 1
    return pieces[:, rim : height - rim, rim : width - rim] if 2 * rim + 4 <= min(height, width) else pieces


def _ring(pieces: Pixels, depth: int) -> bool:
    """Whether any pixel `depth` px from the border is not black."""
    inner = pieces[:, depth : pieces.shape[1] - depth, depth : pieces.shape[2] - depth]
    return bool(inner[:, [0, -1]].any() or inner[:, :, [0, -1]].any())
