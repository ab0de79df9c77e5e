"""Finding the grid of a scrambled picture: pieces that do not belong together leave lines, which form a lattice."""

from __future__ import annotations

import numpy as np

from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Floats, Grid, Pixels

SMALLEST_PIECE = 4  # px
LINE = 4.0  # how far, in spreads, a step must stand out among the others to speak for a line
FAINTEST = 1.5  # the same on average over the lines of square pieces, where the other axis is clear
SQUARE_SHARE = 0.7  # square pieces are believed when they explain this share of what free sizes explain


def find_grid(picture: Pixels) -> Grid:
    """The grid of a scrambled (H, W, 3) picture, by the steps along its lattice lines; raises if none stands out."""
    height, width = picture.shape[:2]
    heights, widths = _line_scores(picture, 0), _line_scores(picture, 1)
    best_height, best_width = max(heights, key=heights.__getitem__), max(widths, key=widths.__getitem__)
    free = heights[best_height] + widths[best_width]
    squares = {
        size: heights[size] + widths[size]
        for size in heights.keys() & widths.keys()
        if min(heights[size] * size / height, widths[size] * size / width) > FAINTEST - LINE
    }
    if squares:
        size = max(squares, key=lambda s: (squares[s], s))
        if squares[size] >= SQUARE_SHARE * free:
            best_height = best_width = size
    if free <= 0 or (best_height, best_width) == (height, width):
        raise PuzzleError(
            f"no lattice of pieces stands out in this {width}x{height} px picture; say how it is cut with --grid RxC"
        )
    return Grid(height // best_height, width // best_width)


def _line_scores(picture: Pixels, axis: int) -> dict[int, float]:
    """For each piece size that divides this axis: the sum over its lines of how far the step there stands out.

    Lines of a finer lattice than the true one fall inside pieces and take away; a coarser one misses lines.
    The undivided axis has no lines and scores 0.
    """
    length = picture.shape[axis]
    if length < 2 * SMALLEST_PIECE:
        return {length: 0.0}
    prominence = _prominence(picture, axis) - LINE
    sizes = [size for size in range(SMALLEST_PIECE, length) if length % size == 0]
    scores = {size: float(prominence[size - 1 :: size].sum()) for size in sizes}
    return scores | {length: 0.0}


def _prominence(picture: Pixels, axis: int) -> Floats:
    """(L - 1,) the step from each row (or column) to the next, in spreads above its surroundings."""
    pixels = np.moveaxis(picture, axis, 0).astype(np.int16)
    steps = np.log1p(np.abs(np.diff(pixels, axis=0)).mean((1, 2)))
    padded = np.pad(steps, 2, mode="edge")
    around = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    above = steps - around
    spread = 1.4826 * np.median(np.abs(above)) + 0.02
    return np.clip(above / spread, -10, 20)
