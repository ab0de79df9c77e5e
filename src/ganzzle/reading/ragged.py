"""Tiles with a ragged last row or column: a picture cut into tiles of one size leaves smaller ones at its end.

How many there are of each size tells the grid, and their size tells where they can lie.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Grid, Ints, Pixels


def shorter(sizes: Ints) -> NDArray[np.bool_]:
    """(N, 2) heights and widths -> (N, 2) which are smaller than the largest: those of the last row and column."""
    short: NDArray[np.bool_] = sizes < sizes.max(0)
    return short


def ragged_grid(sizes: Ints) -> Grid | None:
    """The grid of tiles (N, 2) high and wide, whose last row or column (or both) is smaller by one size; None where
    sizes, or how many there are of each, are not those of such a picture."""
    short = shorter(sizes)
    if not short.any() or any(len(np.unique(sizes[short[:, k], k])) > 1 for k in (0, 1)):
        return None
    low, narrow = short.T
    # Those of full width stand in the last row beside those that are narrow, too; the same the other way round.
    if low.any():
        cols = int(low.sum())
        rows = len(sizes) // cols
    else:
        rows = int(narrow.sum())
        cols = len(sizes) // rows
    corner, full = int((low & narrow).sum()), int((~low & ~narrow).sum())
    grid = Grid(max(rows, 1), max(cols, 1))
    inner = (grid.rows - low.any()) * (grid.cols - narrow.any())
    fits = grid.slots == len(sizes) and full == inner > 0 and corner == int(low.any() and narrow.any())
    return grid if fits and narrow.sum() in (0, grid.rows) else None


def padded(pieces: Sequence[Pixels]) -> Pixels:
    """Tiles (h, w, 3) as (N, H, W, 3): the smaller ones go on as they end, below and at the right."""
    height, width = np.array([piece.shape[:2] for piece in pieces]).max(0)
    return np.stack([
        np.pad(piece, ((0, height - piece.shape[0]), (0, width - piece.shape[1]), (0, 0)), mode="edge")
        for piece in pieces
    ])  # fmt: skip


def trimmed(picture: Pixels, sizes: Ints | None) -> Pixels:
    """A picture of padded tiles without what they were padded with; `sizes` None: of others, as it is."""
    if sizes is None:
        return picture
    height, width = sizes.max(0) - sizes.min(0)
    return picture[: picture.shape[0] - height, : picture.shape[1] - width]
