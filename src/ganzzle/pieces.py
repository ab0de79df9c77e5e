"""From a picture to its pieces and back: fitting it to a grid, cutting, turning, assembling."""

from __future__ import annotations

import numpy as np

from ganzzle.arrays import Ints, Pixels
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid


def fit(picture: Pixels, grid: Grid, piece: int | None = None) -> Pixels:
    """Make a picture divisible by the grid: resize to `piece` px a slot, or crop the remainder evenly."""
    check_picture(picture)
    height, width = picture.shape[:2]
    if piece is not None:
        if not isinstance(piece, int | np.integer) or piece < 1:
            raise PuzzleError(f"a piece needs at least 1 px, and a whole number of them, not {piece!r}")
        from ganzzle.reading.pictures import MAX_PIXELS, resize_picture

        if piece * grid.rows * piece * grid.cols > MAX_PIXELS:
            raise PuzzleError(
                f"a {grid} grid of {piece} px pieces is too large; choose fewer or smaller pieces"
            )
        return resize_picture(picture, piece * grid.rows, piece * grid.cols)
    if height < grid.rows or width < grid.cols:
        raise PuzzleError(f"a {width}x{height} px picture is too small for a {grid} grid; use fewer pieces")
    top, left = (height % grid.rows) // 2, (width % grid.cols) // 2
    return picture[top : top + height - height % grid.rows, left : left + width - width % grid.cols]


def resize_to_fit(picture: Pixels, longest: int) -> Pixels:
    """A picture (H, W, 3) whose longer side is at most `longest` px."""
    from ganzzle.reading.pictures import resize_picture

    height, width = picture.shape[:2]
    shrink = min(1.0, longest / max(height, width))
    if shrink == 1:
        return picture
    return resize_picture(picture, max(1, round(height * shrink)), max(1, round(width * shrink)))


def crop_middle(picture: Pixels, grid: Grid, piece: int) -> Pixels:
    """The middle (rows*piece, cols*piece, 3) of a picture, in its own pixels."""
    height, width = picture.shape[:2]
    top, left = (height - piece * grid.rows) // 2, (width - piece * grid.cols) // 2
    if top < 0 or left < 0:
        raise PuzzleError(
            f"a {width}x{height} px picture is too small for a {grid} grid of {piece} px pieces"
        )
    return picture[top : top + piece * grid.rows, left : left + piece * grid.cols]


def cut(picture: Pixels, grid: Grid) -> Pixels:
    """(rows*h, cols*w, 3) -> (rows*cols, h, w, 3), in slot order."""
    check_picture(picture)
    height, width = picture.shape[0] // grid.rows, picture.shape[1] // grid.cols
    if picture.shape[:2] != (height * grid.rows, width * grid.cols) or 0 in (height, width):
        raise PuzzleError(
            f"a {picture.shape[1]}x{picture.shape[0]} px picture does not divide into {grid} pieces"
        )
    blocks = picture.reshape(grid.rows, height, grid.cols, width, 3).swapaxes(1, 2)
    return blocks.reshape(grid.slots, height, width, 3)


def turn_pieces(pieces: Pixels, turns: Ints) -> Pixels:
    """Turn piece i counter-clockwise by `turns[i]` quarter turns; pieces that are not square allow 0 and 2 only."""
    turns = np.asarray(turns) % 4
    if not turns.any():
        return pieces
    if pieces.shape[1] != pieces.shape[2] and (turns % 2).any():
        raise PuzzleError("pieces that are not square cannot be given a quarter turn")
    turned = pieces.copy()
    for k in np.unique(turns[turns > 0]):
        which = turns == k
        turned[which] = np.rot90(pieces[which], k, axes=(1, 2))
    return turned


def assemble(pieces: Pixels, grid: Grid, placement: Ints, turns: Ints | None = None) -> Pixels:
    """Lay every piece on its slot -> (rows*h, cols*w, 3); empty slots are black."""
    height, width = pieces.shape[1:3]
    if turns is not None:
        pieces = turn_pieces(pieces, turns)
    shape = (grid.slots, height, width, 3)
    slots = np.zeros(shape, np.uint8)
    slots[placement] = pieces
    blocks = slots.reshape(grid.rows, grid.cols, height, width, 3).swapaxes(1, 2)
    return blocks.reshape(grid.rows * height, grid.cols * width, 3)


def check_picture(picture: Pixels) -> None:
    """Refuse an array that is no picture."""
    if not isinstance(picture, np.ndarray):
        raise PuzzleError(f"a picture is an array, H x W x 3 uint8 (RGB), not {type(picture).__name__}")
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise PuzzleError(f"a picture is H x W x 3 uint8 (RGB), not {picture.shape} {picture.dtype}")
    if picture.size == 0:
        raise PuzzleError(f"a picture needs at least 1 px a side, not {picture.shape[1]}x{picture.shape[0]}")


def rim_of(size: tuple[int, int], gap: float) -> int:
    """The px that a gap, a share of a slot's shorter side, takes at each border of bare pieces of a size (h, w)."""
    return round(min(size) * gap / (1 - 2 * gap))


def with_rim(pieces: Pixels, rim: int) -> Pixels:
    """(N, h, w, 3) -> (N, h + 2 rim, w + 2 rim, 3) with black where the picture is lost."""
    return np.pad(pieces, ((0, 0), (rim, rim), (rim, rim), (0, 0)))
