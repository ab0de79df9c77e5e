"""Cut pieces one a picture, with backlit silhouettes beside them: `0001.jpg` and `0001-mask.png`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import cv2
import numpy as np

from ganzzle.arrays import Pixels
from ganzzle.pile import CutPiece
from ganzzle.reading.cut_masks import Mask, filled

ENDING = "-mask"  # of the name of a silhouette, after that of its piece
BRIGHT = 128  # level above which a px of a silhouette is piece
MARGIN = 6  # px that are kept around a silhouette


def paired(names: Sequence[str]) -> dict[int, int]:
    """Which picture is the silhouette of which, by their names."""
    stems = {PurePath(name).stem: k for k, name in enumerate(names)}
    return {k: stems[stem + ENDING] for stem, k in stems.items() if stem + ENDING in stems}


def from_silhouettes(
    pictures: Sequence[Pixels], names: Sequence[str], pairs: dict[int, int], seen: dict[int, Mask]
) -> list[CutPiece]:
    """Pieces with their outlines from silhouettes and their colours from pictures, in which they were seen roughly.

    Around them is nothing but black.
    """
    shapes = {k: _silhouette(pictures[mask]) for k, mask in pairs.items() if k in seen}
    ratio = float(np.median([np.sqrt(shape.sum() / seen[k].sum()) for k, shape in shapes.items()]))
    pieces = []
    for k, shape in sorted(shapes.items()):
        there, here = _middle(seen[k]), _middle(shape)
        move = np.array([[ratio, 0, here[0] - ratio * there[0]], [0, ratio, here[1] - ratio * there[1]]])
        size = shape.shape[1], shape.shape[0]
        pixels = cv2.warpAffine(pictures[k], move, size, borderMode=cv2.BORDER_REPLICATE)
        pixels[~shape] = 0
        corner = (float(-move[0, 2] / ratio), float(-move[1, 2] / ratio))
        pieces.append(CutPiece(pixels, shape, k, corner, names[k]))
    return pieces


def _silhouette(picture: Pixels) -> Mask:
    """(h, w) the largest bright part of a picture (H, W, 3), with a margin."""
    bright = filled((picture.max(2) > BRIGHT).astype(np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(bright, connectivity=4)
    if len(stats) < 2:
        return np.pad(bright.astype(bool), MARGIN)
    best = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    return np.pad(labels == best, MARGIN)


def _middle(mask: Mask) -> tuple[float, float]:
    """x and y of the middle of a mask (h, w)."""
    rows, cols = np.nonzero(mask)
    return float(cols.mean()), float(rows.mean())
