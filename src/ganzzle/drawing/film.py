"""The pieces being placed one after the other, as an animated GIF."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from PIL import Image

from ganzzle.drawing.laid import lay_out
from ganzzle.errors import PictureError
from ganzzle.files import write_whole
from ganzzle.puzzle import Ints, Pixels
from ganzzle.reading.pictures import resize_picture
from ganzzle.solution import LaidSolution, Solution

FRAMES = 120  # at most; large puzzles place several pieces a frame
LONGEST = 640  # px of the longer side
LASTS = 6000  # ms for all pieces to be placed
SLOWEST = 200  # ms a frame, for small puzzles
REST = 2000  # ms the whole picture is shown


def write_trace(path: str | PathLike[str], solution: Solution | LaidSolution, force: bool = False) -> Path:
    """Write an animated GIF of the pieces being placed; the last frame is the whole picture.

    They come in the solver's order; where it places all of them at once, the surest come first.
    """
    path = Path(path)
    check_trace_ending(path)
    order = solution.order
    if order is None:
        order = np.argsort(-solution.confidence, kind="stable")
    frames = [Image.fromarray(frame) for frame in trace_frames(solution, order)]
    # One palette for all frames, that of the whole picture: colours do not flicker, and unchanged pixels cost nothing.
    palette = frames[-1].quantize(255)
    colours = palette.getpalette() or []
    palette.putpalette([*colours[: 3 * 255], 0, 0, 0])  # empty slots are black, which no piece may be
    indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    each = min(SLOWEST, LASTS // len(frames))
    options = {"duration": [each] * (len(frames) - 1) + [REST], "loop": 0}
    write_whole(
        path,
        lambda file: indexed[0].save(file, format="GIF", save_all=True, append_images=indexed[1:], **options),
        force,
    )
    return path


def check_trace_ending(path: str | PathLike[str]) -> None:
    """Refuse an output name that is no GIF's."""
    if Path(path).suffix.lower() != ".gif":
        raise PictureError(f"{path}: a trace is an animated GIF; give a name that ends in .gif")


def trace_frames(solution: Solution | LaidSolution, order: Ints) -> list[Pixels]:
    """(H, W, 3) each: from a few pieces placed to all of them."""
    if isinstance(solution, LaidSolution):
        return _laid_frames(solution, order)
    whole = solution.picture()
    height, width = whole.shape[:2]
    scale = min(1.0, LONGEST / max(height, width))
    size = max(1, round(height * scale)), max(1, round(width * scale))
    # The picture is made smaller once and not for every frame: a frame shows the part of it that is placed by then.
    small = resize_picture(whole, *size)
    placed = np.full(solution.grid.slots, len(order))
    placed[solution.placement[order]] = np.arange(len(order))
    piece_height, piece_width = solution.puzzle.bare_pieces.shape[1:3]
    rows = _slot_of_pixels(size[0], height, piece_height)
    cols = _slot_of_pixels(size[1], width, piece_width)
    when = placed[rows[:, None] * solution.grid.cols + cols][..., None]
    return [np.where(when < step, small, np.uint8(0)) for step in _steps(len(order))]


def _steps(pieces: int) -> Ints:
    """(F,) how many of so many pieces are placed in each frame."""
    return np.unique(np.linspace(1, pieces, min(pieces, FRAMES)).round().astype(int))


def _laid_frames(solution: LaidSolution, order: Ints) -> list[Pixels]:
    """`trace_frames` of strips or cut pieces."""
    board = lay_out(solution, min(1.0, LONGEST / max(solution.size)))
    placed = np.full(len(order) + 1, len(order))  # the last is where nothing lies
    placed[order] = np.arange(len(order))
    when = placed[board.owner][..., None]
    return [np.where(when < step, board.picture, np.uint8(0)) for step in _steps(len(order))]


def _slot_of_pixels(pixels: int, length: int, piece: int) -> Ints:
    """(L,) the row (or column) of slots that each of so many pixels shows, of a picture and pieces of some length."""
    slots: Ints = ((np.arange(pixels) + 0.5) * length / pixels // piece).astype(np.int64)
    return slots
