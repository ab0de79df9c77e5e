"""The pieces that a picture shows on a plain ground, however pale they are, or the one that fills it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Pixels
from ganzzle.pile import CutPiece
from ganzzle.reading.cut_pages import find_cut_pieces

LONGEST = 900  # px of the picture's longer side at which the piece is told from the ground
BORDER = 0.03  # share of the picture at its border that is ground
EVEN = 12.0  # deviation of a ground in Lab, at most, apart from slow changes of light
CLEAR, SHARE = (
    6.0,
    0.4,
)  # levels in Lab, and share of the usual ones, that a piece is off the ground, at least
EDGE = 25.0  # slope of the lightness that is a line of the print
GAP = 0.012  # share of the picture's side across which lines of the print belong together
PAGE = 400  # px of a picture that shows several pieces, at least
LEAST, MOST = 0.004, 0.9  # share of the picture that a piece has
ALIKE = 0.35  # of the largest piece's area, that others have at least


def standing_out(picture: Pixels) -> list[CutPiece]:
    """What stands out of the plain ground of a picture (H, W, 3) and is about as large as the largest of it;
    nothing where a tile fills it."""
    scale = min(1.0, LONGEST / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if min(small.shape[:2]) < 24:
        return []
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.2).astype(np.float32) / 255, cv2.COLOR_RGB2Lab)
    height, width = small.shape[:2]
    rim = max(2, round(BORDER * min(height, width)))
    y, x = np.mgrid[:height, :width].astype(np.float32)
    x, y = x / width - 0.5, y / height - 0.5
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], -1)
    border = np.ones((height, width), bool)
    border[rim:-rim, rim:-rim] = False
    ground = np.linalg.lstsq(terms[border], lab[border], rcond=None)[0]
    away = lab - terms @ ground
    if np.median(np.linalg.norm(away[border], axis=-1)) > EVEN:
        return []
    away[..., 0] = np.where(away[..., 0] < 0, away[..., 0] * 0.6, away[..., 0])  # a shadow is no piece
    off = np.linalg.norm(away, axis=-1)
    level, _ = cv2.threshold(np.clip(off * 3, 0, 255).astype(np.uint8), 0, 255, cv2.THRESH_OTSU)
    edges = cv2.magnitude(*(cv2.Sobel(lab[..., 0], cv2.CV_32F, *axis) for axis in ((1, 0), (0, 1))))
    stands_out = ((off > max(CLEAR, level / 3 * SHARE)) | (edges > EDGE)).astype(np.uint8)
    reach = max(3, round(GAP * max(height, width))) | 1
    stands_out = cv2.morphologyEx(stands_out, cv2.MORPH_CLOSE, _disc(reach))
    outlines, _ = cv2.findContours(stands_out, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    cv2.drawContours(stands_out, outlines, -1, 1, -1)
    stands_out = cv2.morphologyEx(stands_out, cv2.MORPH_OPEN, _disc(reach))
    outlines, _ = cv2.findContours(stands_out, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    areas = [cv2.contourArea(one) / (height * width) for one in outlines]
    largest = max((area for area in areas if area < MOST), default=0.0)
    found = []
    for outline, area in zip(outlines, areas, strict=True):
        if max(LEAST, ALIKE * largest) <= area < MOST:
            mask = cv2.drawContours(np.zeros((height, width), np.uint8), [outline], -1, 1, -1)
            found.append(_lifted(picture, mask))
    return sorted(found, key=lambda piece: piece.corner[::-1])


def _lifted(picture: Pixels, mask: NDArray[np.uint8]) -> CutPiece:
    """The part of a picture (H, W, 3) that a mask of a smaller size shows."""
    whole = cv2.resize(mask, picture.shape[1::-1], interpolation=cv2.INTER_NEAREST).astype(bool)
    rows, cols = np.flatnonzero(whole.any(1)), np.flatnonzero(whole.any(0))
    part = slice(rows[0], rows[-1] + 1), slice(cols[0], cols[-1] + 1)
    return CutPiece(picture[part], whole[part], 0, (float(cols[0]), float(rows[0])))


def _disc(size: int) -> NDArray[np.uint8]:
    """A disc of some width in px."""
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)).astype(np.uint8)


def pieces_shown(picture: Pixels, name: str) -> tuple[tuple[CutPiece, ...], bool]:
    """The pieces that a picture (H, W, 3) shows: many on a page, or one on a plain ground; or else it is a tile itself,
    which is the second answer."""
    several = find_cut_pieces([picture]).pieces if max(picture.shape[:2]) > PAGE else ()
    alone = standing_out(picture)
    if len(several) <= max(1, len(alone)):
        several = tuple(alone)
    if len(several) > 1:
        return tuple(replace(piece, name=f"{name} no. {k + 1}") for k, piece in enumerate(several)), False
    if several:
        return (replace(several[0], name=name),), False
    return (CutPiece(picture, np.ones(picture.shape[:2], bool), name=name),), True
