"""Sample pictures: a portrait that matplotlib carries, and a landscape drawn by code, which is always there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ganzzle.errors import PictureError
from ganzzle.pictures import read_picture, resize_picture
from ganzzle.puzzle import Pixels

SIZE = 480  # px a side; a multiple of 8, 10 and 12
Floats32 = NDArray[np.float32]


def sample_names() -> list[str]:
    """The samples there are on this machine, the best one first."""
    return [
        name for name, there in (("portrait", _portrait_file() is not None), ("landscape", True)) if there
    ]


@cache
def sample_picture(name: str | None = None) -> Pixels:
    """A square (480, 480, 3) sample picture by name; the first of `sample_names` without one."""
    name = name or sample_names()[0]
    drawn: dict[str, Callable[[], Pixels]] = {"portrait": _portrait, "landscape": draw_landscape}
    if name not in sample_names():
        raise PictureError(f"there is no sample picture '{name}'; there are: {', '.join(sample_names())}")
    picture = drawn[name]()
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


def draw_landscape(size: int = SIZE, seed: int = 7) -> Pixels:
    """A lake at dusk before mountains, (size, size, 3): gradients, texture, and no two pieces alike."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size
    shore = int(0.62 * size)
    picture = _sky(x, y, rng)
    haze = np.array([0.93, 0.70, 0.62], np.float32)
    for depth, (top, rough) in enumerate(((0.40, 0.16), (0.47, 0.13), (0.55, 0.09))):
        ridge = top + rough * (_noise_line(size, rng) - 0.5) * 2
        rock = np.array([0.16, 0.17, 0.27], np.float32) + 0.16 * (_noise(size, rng, 5)[..., None] - 0.5)
        near = 0.35 + 0.3 * depth
        _paint(picture, y > ridge[None, :], near * rock + (1 - near) * haze)
    picture[shore:] = _water(picture[:shore], size - shore, rng)
    grain = 0.012 * rng.standard_normal(picture.shape, dtype=np.float32)
    return np.clip(np.rint(255 * (picture + grain)), 0, 255).astype(np.uint8)


def _sky(x: Floats32, y: Floats32, rng: np.random.Generator) -> Floats32:
    """(S, S, 3) from deep blue to orange, with a sun and clouds."""
    high, low = np.array([0.16, 0.24, 0.50], np.float32), np.array([0.98, 0.66, 0.42], np.float32)
    share = np.clip(y / 0.55, 0, 1)[..., None] ** 1.4
    sky = (1 - share) * high + share * low
    distance = np.hypot(x - 0.68, y - 0.33)
    sky += 0.55 * np.exp(-((distance / 0.16) ** 2))[..., None] * np.array([1.0, 0.75, 0.4], np.float32)
    _paint(sky, distance < 0.045, np.array([1.0, 0.95, 0.8], np.float32))
    clouds = np.clip(_noise(len(x), rng, 3) * 2.4 - 1.2, 0, 1)[..., None] * (1 - share) * 0.6
    return sky * (1 - clouds) + clouds * np.array([0.98, 0.80, 0.78], np.float32)


def _water(above: Floats32, rows: int, rng: np.random.Generator) -> Floats32:
    """(rows, S, 3) the mirror image of what is above, darker and rippled."""
    size = above.shape[1]
    row = np.arange(rows)[:, None]
    ripple = (_noise(size, rng, 4)[:rows] - 0.5) * (4 + row * 0.25)
    source = np.clip(len(above) - 1 - row * 1.4 + ripple * 1.5, 0, len(above) - 1).astype(np.int64)
    column = np.clip(np.arange(size)[None, :] + ripple, 0, size - 1).astype(np.int64)
    glitter = 0.10 * (_noise(size, rng, 6)[:rows, :, None] - 0.5)
    return above[source, column] * np.array([0.62, 0.68, 0.80], np.float32) + glitter


def _paint(picture: Floats32, where: NDArray[np.bool_], colour: Floats32) -> None:
    picture[where] = np.broadcast_to(colour, picture.shape)[where]


def _noise(size: int, rng: np.random.Generator, first: int) -> Floats32:
    """(size, size) fractal noise in 0..1: octaves of 2**first cells a side and finer ones."""
    total = np.zeros((size, size), np.float32)
    for octave in range(first, 8):
        cells = 2**octave
        coarse = rng.random((cells + 1, cells + 1), dtype=np.float32)
        total += _stretch(_stretch(coarse, size).T, size).T / 2 ** (octave - first)
    return (total - total.min()) / (np.ptp(total) + 1e-9)


def _noise_line(size: int, rng: np.random.Generator) -> Floats32:
    """(size,) a ridge line in 0..1."""
    total = sum(
        _stretch(rng.random((2**k + 1, 1), dtype=np.float32), size)[:, 0] / 1.8**k for k in range(2, 8)
    )
    line = np.asarray(total, np.float32)
    return (line - line.min()) / (np.ptp(line) + 1e-9)


def _stretch(values: Floats32, size: int) -> Floats32:
    """(n, m) -> (size, m), smoothly interpolated along the first axis."""
    at = np.linspace(0, len(values) - 1, size, dtype=np.float32)
    low = np.minimum(at.astype(np.int64), len(values) - 2)
    share = (at - low)[:, None]
    share = share * share * (3 - 2 * share)
    return values[low] * (1 - share) + values[low + 1] * share
