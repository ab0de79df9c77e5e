"""How well the borders of strips fit each other in shape: both sides of a wavy cut bend alike."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ganzzle.arrays import Floats
from ganzzle.seams.strip import Border, Strip

SLOW = 100  # rows over which a bend is so slow that it may as well be the paper's
ENDS = 40  # rows at both ends of a strip that are left out
THIN = 4  # rows, of which one is looked at
WILD = 3.0  # times the usual bend that a difference is at most: borders may be torn, or hidden by print
LEAST_OFF = 0.3  # px that two sides of a cut differ by at least
WORTH = 60.0  # rows of a border that say as much as one independent look at it
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
    here = right[:, room : rows - room : THIN]
    most = WILD * float(np.median(np.abs(np.append(right, left))))
    off = np.stack(
        [_mean_square(here, left[:, room - int(k) : rows - room - int(k) : THIN], most) for k in shifts], 2
    )
    strangers = (here**2).mean(1)[:, None] + (left**2).mean(1)
    return _log_odds(off, strangers[..., None].astype(np.float64), (rows - 2 * room) / WORTH)


def _resized(line: Border, scale: float) -> Border:
    """A border (h,) of a strip that is resized."""
    if scale == 1:
        return line
    at = np.arange(int(len(line) * scale)) / scale
    return np.asarray(scale * np.interp(at, np.arange(len(line)), line), np.float32)


def _bends(lines: Sequence[Border], rows: int) -> Border:
    """(N, rows) how borders bend, without what is slow or wild."""
    whole = np.stack([line[:rows] for line in lines]).astype(np.float32)
    quick = whole - cv2.blur(whole, (2 * SLOW + 1, 1), borderType=cv2.BORDER_REFLECT)
    most = WILD * np.median(np.abs(quick), axis=1, keepdims=True) + LEAST_OFF
    return np.asarray(np.clip(quick, -most, most), np.float32)


def _mean_square(right: Border, left: Border, most: float) -> Floats:
    """(N, h), (N, h) -> (N, N) the mean square of the differences, none of which counts more than `most`."""
    return np.stack([(np.clip(one - left, -most, most) ** 2).mean(1) for one in right]).astype(np.float64)


def _log_odds(off: Floats, strangers: Floats, looks: float) -> Floats:
    """Log-odds (N, N, S) of mean square differences; (N, N, 1) are those that strangers would have.

    How much the sides of a cut differ is learned from the best partner of each strip.
    """
    others = np.where(np.eye(len(off), dtype=bool), np.inf, off.min(2))
    of_neighbours = max(LEAST_OFF**2, float(np.median(others.min(1)))) if len(off) > 1 else LEAST_OFF**2
    strangers = np.maximum(strangers, of_neighbours)
    odds = np.log(strangers / of_neighbours) / 2 - off / 2 * (1 / of_neighbours - 1 / strangers)
    return np.asarray(np.clip(looks * odds, -AGAINST, FOR))
