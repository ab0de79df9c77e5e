"""Strips and cut pieces laid into one picture by their poses, without gaps, doubled rims or fringes of the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Pixels

if TYPE_CHECKING:
    from ganzzle.solution import LaidSolution

EDGE = 1.5  # px at a piece's border that are mixed with the ground or bevelled, and drawn only where nothing else is
GAP = 0.03  # part of the mean side of a piece that a gap between two may be wide, to be filled from both

Depth = NDArray[np.float32]  # (H, W) how far inside its piece each px of the picture is, in px of the picture


def laid_picture(solution: LaidSolution) -> Pixels:
    """The picture (H, W, 3) of laid pieces: each px is of the piece it lies deepest in; what lies nowhere is black."""
    height, width = solution.size
    picture = np.zeros((height, width, 3), np.uint8)
    deepest = np.zeros((height, width), np.float32)
    for piece, pose in zip(solution.puzzle.pieces, solution.poses, strict=True):
        _lay(piece.pixels, piece.mask, pose, picture, deepest)
    side = float(np.sqrt(height * width / max(1, solution.grid.slots)))
    return _without_gaps(picture, deepest, max(2.0, GAP * side))


def _lay(pixels: Pixels, mask: NDArray[np.bool_], pose: Floats, picture: Pixels, deepest: Depth) -> None:
    """Draw one piece where it lies deeper in itself than any piece drawn before in theirs."""
    inside = np.pad(mask.astype(np.uint8), 1)  # the edge of the array is an edge of the piece
    depth = cv2.distanceTransform(inside, cv2.DIST_L2, 5)[1:-1, 1:-1]
    scale = float(np.sqrt(abs(np.linalg.det(pose[:, :2]))))
    left, top, right, bottom = _reach(mask, pose, picture.shape[:2])
    if right <= left or bottom <= top:
        return
    shifted = pose - np.array([[0, 0, left], [0, 0, top]])
    size = right - left, bottom - top
    colours = cv2.warpAffine(pixels, shifted, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    depths = scale * cv2.warpAffine(depth, shifted, size, flags=cv2.INTER_LINEAR)
    # What is mixed with the ground counts as lying hardly inside.
    depths = np.where(depths > EDGE, depths, 0.01 * depths)
    part = slice(top, bottom), slice(left, right)
    deeper = depths > deepest[part]
    picture[part][deeper] = colours[deeper]
    deepest[part][deeper] = depths[deeper]


def _reach(mask: NDArray[np.bool_], pose: Floats, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the part of a picture that a piece reaches."""
    height, width = mask.shape
    corners = np.array([[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]])
    at = corners @ pose[:, :2].T + pose[:, 2]
    left, top = np.maximum(0, np.floor(at.min(0)).astype(int))
    right, bottom = np.minimum(shape[1::-1], np.ceil(at.max(0)).astype(int) + 1)
    return int(left), int(top), int(right), int(bottom)


def _without_gaps(picture: Pixels, deepest: Depth, widest: float) -> Pixels:
    """The picture with gaps up to `widest` px, and the edges of pieces, filled by what lies nearest inside a piece."""
    there, sound = deepest > 0, deepest > EDGE
    if not sound.any():
        return picture
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * int(widest) + 1,) * 2)
    closed = cv2.morphologyEx(
        np.pad(there.astype(np.uint8), int(widest)), cv2.MORPH_CLOSE, kernel, borderValue=0
    )[int(widest) : -int(widest), int(widest) : -int(widest)].astype(bool)
    fill = (closed | there) & ~sound
    _, labels = cv2.distanceTransformWithLabels(
        (~sound).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    of_label = np.zeros((int(labels.max()) + 1, 3), np.uint8)
    of_label[labels[sound]] = picture[sound]
    result = picture.copy()
    result[fill] = of_label[labels[fill]]
    return result
