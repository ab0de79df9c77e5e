"""How well the borders of strips fit each other in shape: both sides of a wavy cut bend alike."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ganzzle.arrays import Floats
from ganzzle.seams.strip import Border, Strip

SLOW = 100.0  # rows over which a bend is so slow that it may as well be the paper's
ENDS = 40  # rows at both ends of a strip that are left out
WILD = 3.0  # times its usual bend by which a border is off where it is torn
LEAST_OFF = 0.3  # px that two sides of a cut differ by at least
WORTH = 30.0  # rows of a border that say as much as one independent look at it
FOR, AGAINST = 16.0, 6.0  # log-odds that shape alone gives at most: one torn place must not part neighbours


def line_fits(strips: Sequence[Strip], shifts: Floats, scale: float = 1.0) -> Floats:
    """(N, N, S) log-odds by their shape that a strip has another on its right that is moved down by `shifts` (S,) px,
    which are those of strips resized by `scale`; zeros where the strips are plain rectangles."""
    count = len(strips)
    if not all(strip.fringed for strip in strips):
        return np.zeros((count, count, len(shifts)))
    rows = int(min(len(strip.ink) for strip in strips) * scale)
    right, left = (_bends([_resized(line, scale) for line in lines], rows) for lines in
                   ([strip.right for strip in strips], [strip.left for strip in strips]))  # fmt: skip
    room = ENDS + int(np.abs(shifts).max())
    if rows < 4 * room:
        return np.zeros((count, count, len(shifts)))
    here = right[:, room : rows - room]
    off = np.stack([_mean_square(here, left[:, room - int(k) : rows - room - int(k)]) for k in shifts], 2)
    strangers = (here**2).mean(1)[:, None] + (left**2).mean(1)
    return _log_odds(off, strangers[..., None], here.shape[1] / WORTH)


def _resized(line: Border, scale: float) -> Border:
    """A border (h,) of a strip that is resized."""
    if scale == 1:
        return line
    at = np.arange(int(len(line) * scale)) / scale
    return np.asarray(scale * np.interp(at, np.arange(len(line)), line), np.float32)


def _bends(lines: Sequence[Border], rows: int) -> Floats:
    """(N, rows) how borders bend, without what is slow or wild."""
    whole = np.stack([line[:rows] for line in lines]).astype(np.float32)
    quick = whole - cv2.blur(whole, (2 * int(SLOW) + 1, 1), borderType=cv2.BORDER_REFLECT)
    most = WILD * np.median(np.abs(quick), axis=1, keepdims=True) + LEAST_OFF
    return np.clip(quick, -most, most).astype(np.float64)


def _mean_square(right: Floats, left: Floats) -> Floats:
    """(N, h), (M, h) -> (N, M) the mean square of the differences."""
    off = (right**2).sum(1)[:, None] + (left**2).sum(1) - 2 * right @ left.T
    return np.asarray(np.maximum(off, 0) / right.shape[1])


def _log_odds(off: Floats, strangers: Floats, looks: float) -> Floats:
    """Log-odds (N, N, S) of mean square differences, of which those of strangers are known.

    How much the sides of a cut differ is learned from the best partner of each strip.
    """
    least = off.min(2) + np.where(np.eye(len(off), dtype=bool), np.inf, 0)
    of_neighbours = max(LEAST_OFF**2, float(np.median(least.min(1)))) if len(off) > 1 else LEAST_OFF**2
    strangers = np.maximum(strangers, of_neighbours)
    odds = np.log(strangers / of_neighbours) / 2 - off / 2 * (1 / of_neighbours - 1 / strangers)
    return np.asarray(np.clip(looks * odds, -AGAINST, FOR))
