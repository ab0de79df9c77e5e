"""Finding the grid of a scrambled picture: pieces that do not belong together leave lines, which form a lattice.

A line is not judged by how clearly it stands out alone: the 8 px blocks of JPEG do that everywhere in a smooth picture.
It is judged by how large a step should be where a piece ends, which is the difference of lines that lie far apart.
A block edge is a small part of that, whatever the picture.

Worn pieces have no such steps: their rims meet. But they have rims, all of one colour.
"""

from __future__ import annotations

import numpy as np

from ganzzle.errors import PuzzleError
from ganzzle.puzzle import MAX_SLOTS, Floats, Grid, Ints, Pixels

SMALLEST_PIECE = 6  # px; smaller ones are not believed,
FINEST = 3  # px; but looked at, or a multiple would be taken for them
SAMPLES = 1024  # px looked at along a line
FAR_APART = 32  # lines compared with each other
WINDOW = 5  # steps a step is compared with; around a line of 8 px blocks or pieces it holds no other line
# What speaks for a lattice adds up as logarithms of how much likelier the picture is with it than without it.
CLEAREST = 20.0  # no line is more certain than that
UNSEEN = -3.0  # nor speaks more against a lattice: two pieces may happen to lie as they were
FULL_STEP = 1.2  # of the step that is expected; a larger one says no more
SPLIT = -2.0  # for each axis that is cut
SQUARE = 2.0  # for square pieces
OBLONG = -2.0  # for each doubling of one side against the other, up to
LONGEST = 4  # doublings
# How far lines of worn pieces are from the colour of the rim, relative to all lines:
RIM, BEHIND = 0.3, 0.5  # those in the rim at most, those behind it at least
MOST = 0.7  # share of the rims of which the latter holds: some pieces are of that colour themselves


def find_grid(picture: Pixels) -> Grid:
    """The grid of a scrambled (H, W, 3) picture, by the rims of its pieces or by the steps along its lattice lines.

    Raises if none stands out.
    """
    height, width = picture.shape[:2]
    rows_of_px, cols_of_px = _sampled(picture, 0), _sampled(picture, 1)
    worn = _worn_size(rows_of_px), _worn_size(cols_of_px)
    if all(worn) and 1 < (height // worn[0]) * (width // worn[1]) <= MAX_SLOTS:
        return Grid(height // worn[0], width // worn[1])
    (heights, down), (widths, across) = _evidence(rows_of_px), _evidence(cols_of_px)
    doublings = np.abs(np.log2(heights[:, None] / widths))
    score = down[:, None] + across + OBLONG * np.minimum(doublings, LONGEST) + SQUARE * (doublings == 0)
    score[-1, -1] = 0  # the whole picture
    row, col = np.unravel_index(score.argmax(), score.shape)
    rows, cols = height // int(heights[row]), width // int(widths[col])
    if not 1 < rows * cols <= MAX_SLOTS or min(heights[row], widths[col]) < SMALLEST_PIECE:
        raise PuzzleError(
            f"no lattice of pieces stands out in this {width}x{height} px picture; say how it is cut with --grid RxC"
        )
    return Grid(rows, cols)


def _worn_size(pixels: np.ndarray) -> int:
    """The least size of pieces along an axis with the lines (L, M, 3) that all begin and end with a rim of the colour
    the picture begins with, and are of another right behind it; 0 if there is none."""
    off = pixels - np.median(pixels[0], axis=0).astype(pixels.dtype)
    off = np.abs(off, out=off).mean((1, 2))  # (L,)
    off /= np.median(off) + 1
    for size in range(SMALLEST_PIECE, len(off) + 1):
        if len(off) % size == 0:
            pieces = off.reshape(-1, size)
            rim = pieces.max(0) < RIM
            first, last = int(rim.argmin()), int(rim[::-1].argmin())
            if min(first, last) > 0 and 2 * (max(first, last) + 1) < size:
                behind = pieces[:, [first + 1, -last - 2]]
                if np.mean(behind > BEHIND) > MOST:
                    return size
    return 0


def _evidence(pixels: np.ndarray) -> tuple[Ints, Floats]:
    """Lines (L, M, 3) along an axis -> (S,) piece sizes that divide it, the whole axis last, and (S,) how much speaks
    for each.

    Lines of a finer lattice than the true one fall inside pieces and take away; a coarser one misses lines.
    The undivided axis has no lines and scores 0.
    """
    length = len(pixels)
    sizes = [size for size in range(FINEST, length // 2 + 1) if length % size == 0]
    if not sizes:
        return np.array([length]), np.zeros(1)
    lines = _lines(pixels)
    scores = [float(lines[size - 1 :: size].sum()) + SPLIT for size in sizes]
    return np.array([*sizes, length]), np.array([*scores, 0.0])


def _lines(pixels: np.ndarray) -> Floats:
    """Lines (L, M, 3) -> (L - 1,) for each: how much its step to the next one speaks for pieces that end there.

    It is the likelihood ratio of two bells of one width, one around no step above the surroundings, the other around
    the step between unrelated rows; both ends are cut off.
    """
    steps = np.log1p(np.abs(np.diff(pixels, axis=0)).mean((1, 2)))
    padded = np.pad(steps, WINDOW // 2, mode="edge")
    around = np.median(np.lib.stride_tricks.sliding_window_view(padded, WINDOW), axis=1)
    above = steps - around
    spread = 1.4826 * np.median(np.abs(above)) + 0.05
    expected = np.maximum(np.log1p(_unrelated(pixels)) - around, 1e-3)
    share = np.minimum(above / expected, FULL_STEP)
    certain = np.minimum((expected / spread) ** 2, CLEAREST)
    lines: Floats = np.maximum(certain * (share - 0.5), UNSEEN)
    return lines


def _sampled(picture: Pixels, axis: int) -> np.ndarray:
    """(L, at most SAMPLES, 3) the rows (or columns) of a picture as int16, thinned evenly where they are long."""
    across = picture.shape[1 - axis]
    kept = np.linspace(0, across - 1, min(across, SAMPLES)).astype(np.int64)
    return np.moveaxis(picture.take(kept, axis=1 - axis), axis, 0).astype(np.int16)


def _unrelated(pixels: np.ndarray) -> float:
    """The mean step between any two of a few lines (L, M, 3) from all over the picture."""
    few = pixels[np.linspace(0, len(pixels) - 1, min(len(pixels), FAR_APART)).astype(np.int64)]
    return float(np.abs(few[:, None] - few).mean())
