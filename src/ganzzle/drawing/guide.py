"""A guide for the hand: the scan of loose pieces, with row and column written on each, the right way up."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ganzzle.arrays import Floats, Pixels
from ganzzle.reading.loose.finding import Loose
from ganzzle.reading.loose.outlines import sides_of
from ganzzle.solution import Solution

TALL = 0.3  # share of a piece's side that a label is tall
SMALLEST = 10  # px of a label
WIDEST = 0.8  # share of a piece's side that it is wide at most
INK, PAPER = (255, 255, 255, 255), (20, 24, 32, 200)
LINE = (255, 64, 64)


def draw_guide(scan: Pixels, loose: Loose, solution: Solution) -> Pixels:
    """A scan (H, W, 3) whose pieces say where they go: "2,5" is row 2, column 5. A label is upright when its piece is,
    and a line marks the side that is up. Pieces that were left over are crossed out."""
    page = Image.fromarray(scan)
    for piece, slot, turn in zip(loose.belonging(solution), solution.placement, solution.turns, strict=True):
        row, col = divmod(int(slot), solution.grid.cols)
        _label(page, loose.corners[piece], int(turn), f"{row + 1},{col + 1}")
    pen = ImageDraw.Draw(page)
    for piece in () if solution.left_over is None else solution.left_over:
        a, b, c, d = (tuple(corner) for corner in loose.corners[piece].tolist())
        pen.line([a, c], LINE, 3)
        pen.line([b, d], LINE, 3)
    return np.asarray(page)


def _label(page: Image.Image, corners: Floats, turn: int, text: str) -> None:
    """Write a text on a piece (4, 2) that is upright after some quarter turns counter-clockwise."""
    # Turned once counter-clockwise, what was its right side is up.
    begin, end = corners[turn % 4], corners[(turn + 1) % 4]
    angle = np.degrees(np.arctan2(*(end - begin)[::-1]))
    side = float(sides_of(corners).min())
    font = ImageFont.load_default(max(SMALLEST, TALL * side))
    left, top, right, bottom = font.getbbox(text)
    pad = (bottom - top) / 3
    size = int(right - left + 2 * pad), int(bottom - top + 2 * pad)
    label = Image.new("RGBA", size, PAPER)
    ImageDraw.Draw(label).text((pad - left, pad - top), text, INK, font)
    if label.width > WIDEST * side:
        label.thumbnail((int(WIDEST * side), label.height))
    label = label.rotate(-angle, Image.Resampling.BICUBIC, expand=True)
    x, y = (corners.mean(0) - np.array(label.size) / 2).round().astype(int).tolist()
    page.paste(label, (x, y), label)
    inward = (corners.mean(0) - (begin + end) / 2) * 0.08
    line = [tuple((point + inward).tolist()) for point in (begin, end)]
    ImageDraw.Draw(page).line(line, LINE, max(2, round(side / 24)))
