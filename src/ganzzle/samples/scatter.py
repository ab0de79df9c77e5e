"""Scattering: a puzzle's pieces laid apart on a ground, at any angle, as a scan of them looks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PIL import Image

from ganzzle.arrays import Floats, Pixels, Seed
from ganzzle.puzzle import Puzzle

APART = 1.12  # middles of neighbours, in diagonals of a piece
UNSTEADY = 0.04  # share of that by which they are off
WIDE = 1.3  # pieces in a row for each in a column, about
# Sheets of paper to choose from: the one that looks least like the pieces is taken.
SHEETS = (206, 214, 205), (58, 110, 165), (244, 196, 48), (196, 64, 96), (40, 44, 48), (64, 140, 84)
OVER = 4  # times finer that edges are drawn, so that they mix with the ground as in a scan
RIM = 4  # px that a piece is drawn beyond its edges, where the mask cuts it off


class Scattered(NamedTuple):
    """A picture of N pieces that lie apart."""

    picture: Pixels  # (H, W, 3)
    middles: Floats  # (N, 2) x and y of each piece
    angles: Floats  # (N,) degrees, counter-clockwise, that it is turned by

    ground: tuple[int, int, int]  # the colour of what they lie on


def scattered(
    puzzle: Puzzle, seed: Seed = 0, most: float = 180.0, ground: tuple[int, int, int] | None = None
) -> Scattered:
    """The pieces of a puzzle laid apart on a sheet of paper, each turned by up to `most` degrees. Without a `ground`
    its colour is one that the pieces hardly have."""
    rng = np.random.default_rng(seed)
    count, height, width = puzzle.pieces.shape[:3]
    cell = int(np.ceil(APART * np.hypot(height, width)))
    cols = int(np.ceil((count * WIDE) ** 0.5))
    rows = -(-count // cols)
    ground = ground or _least_alike(puzzle.pieces)
    page = Image.new("RGB", (cols * cell, rows * cell), ground)
    k = np.arange(count)
    middles = (np.stack([k % cols, k // cols], 1) + 0.5 + rng.uniform(-UNSTEADY, UNSTEADY, (count, 2))) * cell
    angles = most * rng.uniform(-1, 1, (count,))
    for piece, middle, angle in zip(puzzle.pieces, middles, angles.tolist(), strict=True):
        _lay(page, piece, middle, angle)
    return Scattered(np.asarray(page), middles, angles, ground)


def _least_alike(pieces: Pixels) -> tuple[int, int, int]:
    """The sheet whose colour fewest pixels of the pieces (N, h, w, 3) are close to."""
    few = pieces[:, ::4, ::4].reshape(-1, 3).astype(np.int64)
    return max(SHEETS, key=lambda sheet: float(np.minimum(np.abs(few - sheet).max(1), 64).mean()))


def _lay(page: Image.Image, piece: Pixels, middle: Floats, angle: float) -> None:
    """Lay a piece (h, w, 3) on a page, its middle at (x, y), turned counter-clockwise by an angle in degrees."""
    height, width = piece.shape[:2]
    side = int(np.ceil(np.hypot(height, width))) + 4
    corner = np.floor(middle - side / 2).astype(int)
    x, y = middle - corner  # its middle, in the part of the page that it covers
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    # Where each pixel of that part comes from.
    left, top = width / 2 - cos * x + sin * y, height / 2 - sin * x - cos * y
    wide = np.pad(piece, ((RIM, RIM), (RIM, RIM), (0, 0)), mode="edge")
    seen = _square_of(Image.fromarray(wide), (cos, -sin, left + RIM, sin, cos, top + RIM), side)
    sheet = Image.new("L", (width, height), 255)
    fine = (cos / OVER, -sin / OVER, left, sin / OVER, cos / OVER, top)
    mask = _square_of(sheet, fine, side * OVER).resize((side, side), Image.Resampling.BOX)
    page.paste(seen, (int(corner[0]), int(corner[1])), mask)


def _square_of(image: Image.Image, source: tuple[float, ...], side: int) -> Image.Image:
    """A square of some px out of an image; `source` says where its pixels come from."""
    return image.transform((side, side), Image.Transform.AFFINE, source, Image.Resampling.BICUBIC)
