"""Sample pictures: a portrait that matplotlib carries, and two drawn by code, which are always there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ganzzle.arrays import Pixels
from ganzzle.errors import PictureError
from ganzzle.reading.pictures import read_picture, resize_picture
from ganzzle.samples.balloons import draw_balloons
from ganzzle.samples.brushes import SIZE
from ganzzle.samples.landscape import draw_landscape

__all__ = ["draw_balloons", "draw_landscape", "sample_names", "sample_picture"]


def sample_names() -> list[str]:
    """The samples there are on this machine, the best one first."""
    return [*(["portrait"] if _portrait_file() else []), "landscape", "balloons"]


@cache
def sample_picture(name: str | None = None) -> Pixels:
    """A square (480, 480, 3) sample picture by name; the first of `sample_names` without one."""
    name = name or sample_names()[0]
    made: dict[str, Callable[[], Pixels]] = {
        "portrait": _portrait,
        "landscape": draw_landscape,
        "balloons": draw_balloons,
    }
    if name not in sample_names():
        raise PictureError(f"there is no sample picture '{name}'; there are: {', '.join(sample_names())}")
    picture = made[name]()
    picture.setflags(write=False)  # it is cached
    return picture


def _portrait_file() -> Path | None:
    """Grace Hopper, an official portrait of the U.S. Navy, in the public domain."""
    matplotlib = find_spec("matplotlib")
    if matplotlib is None or matplotlib.origin is None:
        return None
    path = Path(matplotlib.origin).parent / "mpl-data" / "sample_data" / "grace_hopper.jpg"
    return path if path.is_file() else None


def _portrait() -> Pixels:
    path = _portrait_file()
    assert path is not None
    # An odd crop, so that the JPEG's 8 px blocks do not fall on the borders of the pieces and give them away.
    return resize_picture(read_picture(path)[21:524, 5:508], SIZE, SIZE)
