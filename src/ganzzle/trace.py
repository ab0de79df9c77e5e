"""The pieces being placed one after the other, as an animated GIF."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from PIL import Image

from ganzzle.errors import PictureError
from ganzzle.files import write_whole
from ganzzle.pictures import resize_picture
from ganzzle.pieces import assemble
from ganzzle.puzzle import Ints, Pixels, Solution
from ganzzle.ragged import trimmed

FRAMES = 120  # at most; large puzzles place several pieces a frame
LONGEST = 640  # px of the longer side
LASTS = 6000  # ms for all pieces to be placed
SLOWEST = 200  # ms a frame, for small puzzles
REST = 2000  # ms the whole picture is shown


def write_trace(path: str | PathLike[str], solution: Solution, force: bool = False) -> Path:
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
    palette = frames[-1].quantize(256)
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


def trace_frames(solution: Solution, order: Ints) -> list[Pixels]:
    """(H, W, 3) each: from a few pieces placed to all of them."""
    count = len(order)
    steps = np.unique(np.linspace(1, count, min(count, FRAMES)).round().astype(int))
    height, width = solution.picture().shape[:2]
    scale = min(1.0, LONGEST / max(height, width))
    size = max(1, round(height * scale)), max(1, round(width * scale))
    frames = []
    for step in steps:
        placed = order[:step]
        picture = assemble(
            solution.puzzle.bare_pieces[placed],
            solution.grid,
            solution.placement[placed],
            solution.turns[placed],
        )
        frames.append(resize_picture(trimmed(picture, solution.puzzle.sizes), *size))
    return frames
