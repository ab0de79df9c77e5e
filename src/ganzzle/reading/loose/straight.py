"""Cutting loose pieces out of a picture: straightened, evenly lit, all of one size."""

from __future__ import annotations

import numpy as np
from PIL import Image

from ganzzle.arrays import Floats, Pixels
from ganzzle.reading.loose.ground import Picture, ground_at
from ganzzle.reading.loose.outlines import UNIT, Corners, sides_of

SQUARE = 0.04  # share by which the sides of a square piece differ
LARGEST = 160  # px of a side that is kept of a piece: more than any solver needs
DARK = 40  # levels below which a ground does not tell how the light falls
LIT = 0.01  # share by which light must differ over the picture to be evened


def gains_at(points: Floats, ground: Picture) -> Floats:
    """(..., 2) x and y in a picture with a ground (H, W, 3) -> (...) what levels there are multiplied by to look as if
    the ground were of one brightness everywhere."""
    light = ground.mean(2)
    if light.min() < DARK or np.abs(light.mean() / light - 1).max() < LIT:
        return np.ones(points.shape[:-1])
    gains: Floats = (light.mean() / ground_at(ground, points).mean(-1)).astype(float)
    return gains


def is_square(corners: Floats) -> bool:
    """Whether most of some pieces (N, 4, 2) are squares."""
    sides = sides_of(corners)
    return bool(np.median(sides.max(1) / sides.min(1)) < 1 + SQUARE)


def cut_size(corners: Floats, trim: float) -> tuple[int, int]:
    """Width and height that most of some pieces (N, 4, 2) have without `trim` px at their edges."""
    width, height = np.median(sides_of(corners), axis=0)
    if is_square(corners):
        width = height = np.median(sides_of(corners))
    return round(width - 2 * trim), round(height - 2 * trim)


def cut_out(picture: Pixels, corners: Floats, gains: Floats, trim: float) -> tuple[Pixels, int]:
    """(N, h, w, 3) the pieces within corners (N, 4, 2) of a picture (H, W, 3), evenly lit by gains (N, 4) there and
    without the `trim` px at their edges that are mixed with the ground, and how many px of a piece these are. The
    pieces get the size that most of them have, or less if that is more than a solver needs."""
    width, height = cut_size(corners, trim)
    smaller = min(1.0, LARGEST / max(width, height))
    size = round(width * smaller), round(height * smaller)
    image = Image.fromarray(picture)
    pieces = [straightened(image, *each, size, trim) for each in zip(corners, gains, strict=True)]
    return np.stack(pieces), max(1, round(trim * smaller))


def straightened(
    image: Image.Image, corners: Corners, gains: Floats, size: tuple[int, int], trim: float
) -> Pixels:
    """(h, w, 3) what lies within some corners, `trim` px off the edges, evenly lit by gains (4,) there, as a piece of a
    size (width, height)."""
    sides = sides_of(corners)
    inner = mapped(homography(UNIT, corners), np.abs(UNIT - trim / sides))
    # Taken at its own size first; making it smaller is another step, which averages.
    own = np.maximum(size, np.rint(sides - 2 * trim).astype(int)).tolist()
    # Pillow counts from the corner of a pixel.
    source = homography(UNIT * own, inner + 0.5).ravel()[:8].tolist()
    piece = image.transform(own, Image.Transform.PERSPECTIVE, source, Image.Resampling.BICUBIC)
    pixels = np.asarray(piece.resize(size, Image.Resampling.BICUBIC) if tuple(own) != size else piece)
    return pixels if (gains == 1).all() else _lit(pixels, gains)


def _lit(piece: Pixels, gains: Floats) -> Pixels:
    """A piece (h, w, 3) multiplied by the gains (4,) at its corners, clockwise, and by what lies between them."""
    down, across = ((np.arange(length) + 0.5)[:, None] / length for length in piece.shape[:2])
    upper_left, upper_right, lower_right, lower_left = gains
    left, right = (
        above + down * (below - above)
        for above, below in ((upper_left, lower_left), (upper_right, lower_right))
    )
    gain = left + (right - left) * across.T  # (h, w)
    return np.clip(piece * gain[..., None] + 0.5, 0, 255).astype(np.uint8)


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
