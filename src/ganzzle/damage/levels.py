"""Pieces whose brightness or colour is off, as in scans one by one: how uneven their board is, and levelling them."""

from __future__ import annotations

import numpy as np

from ganzzle.puzzle import Floats, Grid, Ints, Pixels

# A board is uneven if colours change more than this many times as much at its seams as beside them.
UNEVEN = 1.3
SAME = 0.5  # levels of 255 added to every change: less cannot be seen
REWEIGHED = 10  # rounds of fitting, each giving less weight to the jumps that stand out
PRECISE, STEPS = 1e-9, 2000  # share of the error that may be left of a fit, and its steps at most
STAYING = 0.05  # how strongly a piece is held to its own colours, where one seam has the weight 1

Part = tuple[slice, slice, slice]


def inner_part(pieces: Pixels, rim: int) -> Part:
    """The part of pieces (N, h, w, 3) that is left inside a rim of `rim` px, to index them with."""
    height, width = pieces.shape[1:3]
    return slice(None), slice(rim, height - rim), slice(rim, width - rim)


def levelled(pieces: Pixels, placement: Ints, grid: Grid, rim: int = 0) -> Pixels:
    """The pieces (N, h, w, 3) of a board, each shifted in colour so that the seams jump least; a worn rim stays."""
    inside = inner_part(pieces, rim)
    even = pieces.copy()
    shifts = colour_shifts(pieces[inside], placement, grid)
    even[inside] = np.clip(pieces[inside] - shifts[:, None, None], 0, 255).round()
    return even


def unevenness(pieces: Pixels, placement: Ints, grid: Grid, gap: int = 1) -> float:
    """How many times as much colours change at the seams of a board as beside them, by the medians; 0 without seams.

    `gap`: how many px the last line of one of the pieces (N, h, w, 3) is from the first of the next.
    """
    _, jumps, beside = _seams(pieces, placement, grid, gap)
    if not len(jumps):
        return 0.0
    at_seams, near = (np.median(np.abs(change).mean(1)) + SAME for change in (jumps, beside))
    return float(at_seams / near)


def colour_shifts(pieces: Pixels, placement: Ints, grid: Grid) -> Floats:
    """(N, 3) the colours by which pieces are off their neighbours on a board: taken away, the jumps are smallest.

    Jumps that stand out, as where colours really change or a piece lies wrong, count less.
    """
    pairs, jumps, _ = _seams(pieces, placement, grid)
    count, seams = len(pieces), len(pairs)
    first, second = pairs.T
    weight = np.ones(seams)
    shifts: Floats = np.zeros((count, 3))
    for _ in range(REWEIGHED if seams else 0):
        shifts = _least_squares(first, second, weight, jumps, shifts)
        left = np.abs(jumps - (shifts[second] - shifts[first])).mean(1)
        weight = 1 / np.maximum(left / max(np.median(left), SAME), 1)
    return shifts


def _least_squares(first: Ints, second: Ints, weight: Floats, jumps: Floats, start: Floats) -> Floats:
    """(N, 3) the shifts whose differences, second less first, come nearest to the jumps (M, 3) of weighted seams while
    no shift is large: by conjugate gradients, from a start."""

    def spread(along: Floats) -> Floats:
        """(M, 3) values of seams, given to their pieces with opposite signs: (N, 3)."""
        to: Floats = np.zeros_like(start)
        np.add.at(to, second, along)
        np.subtract.at(to, first, along)
        return to

    def wanted(shifts: Floats) -> Floats:
        return spread(weight[:, None] * (shifts[second] - shifts[first])) + STAYING * shifts

    shifts = start.copy()
    left = spread(weight[:, None] * jumps) - wanted(shifts)
    way, size = left.copy(), (left**2).sum(0)
    least = PRECISE**2 * np.maximum(size, 1e-12)
    for _ in range(STEPS):
        if (size <= least).all():
            break
        ahead = wanted(way)
        step = size / np.maximum((way * ahead).sum(0), 1e-300)
        shifts += step * way
        left -= step * ahead
        size, before = (left**2).sum(0), size
        way = left + size / np.maximum(before, 1e-300) * way
    return shifts


def _seams(pieces: Pixels, placement: Ints, grid: Grid, gap: int = 1) -> tuple[Ints, Floats, Floats]:
    """(M, 2) the pieces at each seam of a board, (M, 3) the mean jump of the colours from the first to the second, and
    (M, 3) how much they change beside it over as many px, inside the piece where that is more."""
    at = np.full(grid.slots, -1)
    at[placement] = np.arange(len(pieces))
    found = []
    for slots, across in zip(grid.adjacencies(), (2, 1), strict=True):
        both = at[slots]
        both = both[(both >= 0).all(1)]
        deep = min(gap, pieces.shape[across] - 1)
        lines = np.take(pieces, (0, deep, -1 - deep, -1), across)
        lines = lines.mean(3 - across, dtype=np.float64)  # (N, 4, 3)
        first, second = lines[both.T]
        beside = np.maximum(np.abs(first[:, 3] - first[:, 2]), np.abs(second[:, 1] - second[:, 0]))
        found.append((both, second[:, 0] - first[:, 3], beside))
    pairs, jumps, beside = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return pairs, jumps, beside
