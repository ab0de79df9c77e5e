"""Straightening strips along their borders, and telling their ink from their paper."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Pixels
from ganzzle.pile import CutPiece
from ganzzle.seams.strip import Border, Strip

SMOOTH = 41  # rows over which a fringed border is smoothed
FRINGE = 2.0  # px within the smoothed border of a fringed strip that are torn or mixed with the ground
MIDDLE = 0.5  # share of a strip's width, in its middle, that makes up for what its width changes
PAPER = 0.8  # share of a strip's px that are darker than its paper, at most


def straighten(piece: CutPiece) -> Strip:
    """The strip that a piece shows, upright; its rows follow its borders, so that both are straight afterwards."""
    rows = np.flatnonzero(piece.mask.any(1))
    pixels, mask = piece.pixels[rows[0] : rows[-1] + 1], piece.mask[rows[0] : rows[-1] + 1]
    if mask.all():
        flat = np.zeros(len(mask), np.float32)
        return Strip(pixels, ink_of(pixels), flat, flat)
    left, right = borders_of(mask)
    height, width = len(mask), max(1, round(float(np.median(right - left))))
    y, u = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)
    middle = np.clip((u / max(1, width - 1) - 0.5) / MIDDLE + 0.5, 0, 1)
    slope = np.float32(np.polyfit(y[:, 0], (left + right) / 2, 1)[0])
    up = y - slope * (u - (width - 1) / 2)  # a strip that lies askew is turned upright
    at = np.clip(up, 0, height - 1).astype(np.int64)
    x = left[at] + u + (right[at] - left[at] - (width - 1)) * middle
    straight = cv2.remap(_filled(pixels, mask), x, up, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Strip(straight, ink_of(straight), _off_line(left), _off_line(right), True)


def borders_of(mask: NDArray[np.bool_]) -> tuple[Border, Border]:
    """(h,) the column of a strip's left and of its right border in each row, smoothed, without its fringe."""
    some = mask.any(1)
    every = np.arange(len(mask))
    borders = []
    for side, inward in ((mask.argmax(1), FRINGE), (mask.shape[1] - 1 - mask[:, ::-1].argmax(1), -FRINGE)):
        line = np.interp(every, every[some], side[some])
        span = min(SMOOTH, len(line) // 2 * 2 - 1)
        half = span // 2
        padded = np.pad(line, half, mode="edge")
        calm = np.median(np.lib.stride_tricks.sliding_window_view(padded, span), axis=1)
        borders.append(cv2.GaussianBlur(calm.astype(np.float32)[:, None], (1, 0), half / 4)[:, 0] + inward)
    left, right = borders
    return left, np.maximum(left, right)


def _off_line(border: Border) -> Border:
    """(h,) how far a border is off its own straight line."""
    y = np.arange(len(border))
    off: Border = (border - np.polyval(np.polyfit(y, border, 1), y)).astype(np.float32)
    return off


def _filled(pixels: Pixels, mask: NDArray[np.bool_]) -> Pixels:
    """A strip (h, w, 3) whose torn edge and ground show what lies next to them in the same row of its inside."""
    inside = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=1).astype(bool)
    inside[~inside.any(1)] = True
    x = np.arange(mask.shape[1])
    first, last = inside.argmax(1)[:, None], (len(x) - 1 - inside[:, ::-1].argmax(1))[:, None]
    filled: Pixels = np.take_along_axis(pixels, np.clip(x, first, last)[..., None], axis=1)
    return filled


def ink_of(pixels: Pixels) -> NDArray[np.uint8]:
    """(h, w) how dark the pixels (h, w, 3) of a strip are against its paper: 0 is paper, 255 black."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    paper = max(1.0, float(np.quantile(grey, PAPER)))
    ink: NDArray[np.uint8] = np.clip(255 - 255 / paper * grey.astype(np.float32), 0, 255).astype(np.uint8)
    return ink
