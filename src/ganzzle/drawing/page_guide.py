"""A guide for the hand: the pages that pieces lie on, with row, column and an arrow up on every piece."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ganzzle.arrays import Floats, Pixels
from ganzzle.pile import CutPiece
from ganzzle.solution import Answer

TALL = 0.16  # share of a piece's side that a label is tall
SMALLEST = 11  # px of a label
ARROW = 0.3  # share of a piece's side that its arrow is long
INK, PAPER = (255, 255, 255, 255), (20, 24, 32, 215)
UP, OUT = (255, 72, 72), (255, 64, 64)


def page_guides(answer: Answer) -> list[Pixels]:
    """Every page (H, W, 3) of a pile of strips or cut pieces, with where its pieces go: "2,5" is row 2, column 5, and
    the arrow points up. Where a pile holds several puzzles a letter comes first; pieces left over are crossed out."""
    sheets = [Image.fromarray(page) for page in answer.pile.pages]
    several = len(answer.solutions) > 1
    pieces = answer.pile.cut_pieces
    for k, solution in enumerate(answer.laid):
        letter = chr(ord("A") + k % 26) if several else ""
        strips = answer.pile.kind == "strips"
        for number, slot, angle in zip(solution.members, solution.placement, solution.angles, strict=True):
            row, col = divmod(int(slot), solution.grid.cols)
            text = f"{letter}{col + 1}" if strips else f"{letter}{row + 1},{col + 1}"
            piece = pieces[int(number)]
            _label(sheets[piece.page], piece, float(angle), text)
    for number in answer.left_over:
        _cross_out(sheets[pieces[int(number)].page], pieces[int(number)])
    return [np.asarray(sheet) for sheet in sheets]


def _middle(piece: CutPiece) -> Floats:
    """(2,) x and y, on its page, of the px of a piece that lies deepest in it."""
    y, x = np.nonzero(piece.mask)
    return np.array([np.median(x) + piece.corner[0], np.median(y) + piece.corner[1]])


def _label(sheet: Image.Image, piece: CutPiece, angle: float, text: str) -> None:
    """Write a text and an arrow up on a piece, which is upright once it is turned by an angle counter-clockwise."""
    side = min(float(np.sqrt(piece.mask.sum())), 3.0 * piece.mask.sum() / max(1, max(piece.mask.shape)))
    size = max(SMALLEST, round(TALL * side))
    font = ImageFont.load_default(size)
    left, top, right, bottom = font.getbbox(text)
    pad, arrow = size // 3, round(ARROW * side)
    width, height = int(right - left) + 2 * pad, int(bottom - top) + 2 * pad
    label = Image.new("RGBA", (max(width, size), height + arrow), (0, 0, 0, 0))
    pen = ImageDraw.Draw(label)
    middle, line = label.width / 2, max(2, size // 7)
    pen.line([(middle, arrow), (middle, 2)], UP, line)
    pen.polygon([(middle, 0), (middle - arrow / 3, arrow / 2.2), (middle + arrow / 3, arrow / 2.2)], UP)
    pen.rounded_rectangle(
        [(label.width - width) / 2, arrow, (label.width + width) / 2 - 1, arrow + height - 1],
        size // 4,
        PAPER,
    )
    pen.text((middle - (right - left) / 2 - left, arrow + pad - top), text, INK, font)
    label = label.rotate(-angle, Image.Resampling.BICUBIC, expand=True)
    x, y = (_middle(piece) - np.array(label.size) / 2).round().astype(int).tolist()
    sheet.paste(label, (x, y), label)


def _cross_out(sheet: Image.Image, piece: CutPiece) -> None:
    """Cross out a piece that belongs to no puzzle."""
    y, x = np.nonzero(piece.mask)
    left, right = (float(side + piece.corner[0]) for side in (x.min(), x.max()))
    top, bottom = (float(side + piece.corner[1]) for side in (y.min(), y.max()))
    pen = ImageDraw.Draw(sheet)
    width = max(3, round(min(right - left, bottom - top) / 30))
    pen.line([(left, top), (right, bottom)], OUT, width)
    pen.line([(left, bottom), (right, top)], OUT, width)
