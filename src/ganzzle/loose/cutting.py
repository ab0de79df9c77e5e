"""Cutting loose pieces out of a picture: straightened, evenly lit, all of one size."""

from __future__ import annotations

import numpy as np
from PIL import Image

from ganzzle.arrays import Floats, Pixels
from ganzzle.loose.ground import Picture
from ganzzle.loose.outlines import UNIT, Corners, sides_of

TRIM, TRIMMED = (
    1.5,
    0.005,
)  # px, and the share of its side, at its edges where a piece is mixed with the ground
SQUARE = 0.04  # share by which the sides of a square piece differ
LARGEST = 160  # px of a side that is kept of a piece: more than any solver needs
DARK = 40  # levels below which a ground does not tell how the light falls
LIT = 0.01  # share by which light must differ over the picture to be evened


def evenly_lit(picture: Pixels, ground: Picture) -> Pixels:
    """A picture (H, W, 3) as if its ground (h, w, 3), seen smaller, were of one brightness everywhere."""
    light = ground.mean(2)
    gain = light.mean() / light
    if light.min() < DARK or np.abs(gain - 1).max() < LIT:
        return picture
    height, width = picture.shape[:2]
    gains = Image.fromarray(gain.astype(np.float32)).resize((width, height), Image.Resampling.BILINEAR)
    return np.clip(picture * np.asarray(gains)[..., None] + 0.5, 0, 255).astype(np.uint8)


def cut_out(picture: Pixels, corners: Floats) -> tuple[Pixels, int]:
    """(N, h, w, 3) the pieces within corners (N, 4, 2) of a picture (H, W, 3), without the px at their edges that are
    mixed with the ground, and how many px these are. They get the size that most of them have."""
    width, height = np.median(sides_of(corners), axis=0)
    if abs(width / height - 1) < SQUARE:
        width = height = np.median(sides_of(corners))
    trim = TRIM + TRIMMED * min(width, height)
    inner = np.array([width, height]) - 2 * trim
    smaller = min(1.0, LARGEST / inner.max())
    size = round(inner[0] * smaller), round(inner[1] * smaller)
    image = Image.fromarray(picture)
    pieces = [_straightened(image, each, size, trim) for each in corners]
    return np.stack(pieces), max(1, round(trim * smaller))


def _straightened(image: Image.Image, corners: Corners, size: tuple[int, int], trim: float) -> Pixels:
    """What lies within some corners, `trim` px off the edges, as a piece of a size (width, height)."""
    sides = sides_of(corners)
    inner = mapped(homography(UNIT, corners), np.abs(UNIT - trim / sides))
    # Taken at its own size first; making it smaller is another step, which averages.
    own = np.maximum(size, np.rint(sides - 2 * trim).astype(int)).tolist()
    source = (
        homography(UNIT * own, inner + 0.5).ravel()[:8].tolist()
    )  # Pillow counts from the corner of a pixel
    piece = image.transform(own, Image.Transform.PERSPECTIVE, source, Image.Resampling.BICUBIC)
    return np.asarray(piece.resize(size, Image.Resampling.BICUBIC) if tuple(own) != size else piece)


def homography(source: Floats, target: Floats) -> Floats:
    """(3, 3) the change of perspective that takes four points (4, 2) to four others."""
    rows, values = [], []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows += [(x, y, 1, 0, 0, 0, -u * x, -u * y), (0, 0, 0, x, y, 1, -v * x, -v * y)]
        values += [u, v]
    return np.append(np.linalg.solve(np.array(rows, float), np.array(values, float)), 1.0).reshape(3, 3)


def mapped(mapping: Floats, points: Floats) -> Floats:
    """Points (P, 2) seen in another perspective (3, 3)."""
    u, v, w = mapping @ np.column_stack([points, np.ones(len(points))]).T
    return np.column_stack([u / w, v / w])
