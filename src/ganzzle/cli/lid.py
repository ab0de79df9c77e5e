"""The picture on the box, as commands are given it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ganzzle.errors import PictureError, PuzzleError

if TYPE_CHECKING:
    from ganzzle.arrays import Pixels

SMALLEST = 24  # px of a lid's shorter side


def read_lid(path: str, puzzles: int = 1) -> Pixels:
    """The picture (H, W, 3) of a lid."""
    from ganzzle.reading.pictures import read_picture

    if puzzles > 1:
        raise PuzzleError("a reference is of one puzzle; solve the mixed pile without it")
    if not Path(path).is_file():
        raise PictureError(f"{path} is no file; give a picture of the lid")
    picture = read_picture(Path(path))
    if min(picture.shape[:2]) < SMALLEST:
        height, width = picture.shape[:2]
        raise PictureError(f"{path}: a lid of {width}x{height} px shows too little; give a larger picture")
    return picture
