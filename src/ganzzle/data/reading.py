"""Encoded pictures from folders and tar shards, decoded once by many threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from ganzzle.cli.data_options import DataError
from ganzzle.errors import PictureError
from ganzzle.files import open_file
from ganzzle.puzzle import Pixels
from ganzzle.reading.pictures import decode_picture, is_picture
from ganzzle.reading.sources import is_shard, shard_members, source_files

Converted = TypeVar("Converted")


@dataclass(frozen=True)
class Encoded:
    """A picture that has not been decoded yet."""

    name: str  # its file name
    where: str  # what errors call it
    file: Path  # the file it lies in
    size: int  # bytes
    read: Callable[[], bytes]


def data_root(root: str = "") -> Path:
    """Where relative sources start: the given folder, $GANZZLE_DATA, or ../shared/data."""
    return Path(root or os.environ.get("GANZZLE_DATA", "../shared/data")).expanduser()


def encoded_pictures(
    source: str, root: Path, skip: Callable[[Path], bool] = lambda file: False
) -> list[Encoded]:
    """All pictures of a folder (with its subfolders and shards), a shard, or a glob of these, sorted by path.

    A relative source starts at `root`; files that `skip` says yes to are passed over.
    """
    try:
        files = source_files(source, root)
    except PictureError:
        below_root = root != Path() and not Path(source).is_absolute()
        hint = "set GANZZLE_DATA to the folder of your shards (ganzzle data prepare makes them)"
        raise DataError(
            f"there is nothing at {root / source}; {hint if below_root else 'check the path'}"
        ) from None
    taken = [file for file in files if not skip(file)]
    found = [one for file in taken for one in _pictures_in(file)]
    if not found:
        but = " but those that are passed over" if len(taken) < len(files) else ""
        raise DataError(f"there are no pictures at {root / source}{but}")
    return found


def decode_all(
    encoded: list[Encoded], convert: Callable[[Pixels, int], Converted], threads: int = 16
) -> Iterator[tuple[int, Converted | None]]:
    """Yield (index, what `convert` makes of picture and index) in order; None where a picture cannot be read."""

    def one(item: Encoded, index: int) -> Converted | None:
        try:
            return convert(decode_picture(item.read(), item.where), index)
        except (PictureError, OSError):
            return None

    with ThreadPoolExecutor(min(threads, os.cpu_count() or 1)) as pool:
        # In chunks, so that decoded pictures do not pile up before they are taken.
        for start in range(0, len(encoded), 512):
            chunk = encoded[start : start + 512]
            yield from enumerate(pool.map(one, chunk, range(start, start + len(chunk))), start)


def _pictures_in(path: Path) -> Iterator[Encoded]:
    if is_shard(path):
        yield from _pictures_in_shard(path)
    elif is_picture(path.name):
        yield Encoded(path.name, str(path), path, path.stat().st_size, partial(_read_file, path))
    else:
        raise DataError(f"{path} is neither a folder, nor a .tar shard, nor a picture")


def _pictures_in_shard(path: Path) -> Iterator[Encoded]:
    try:
        for _, member in shard_members(path):
            read = partial(_read_range, path, member.offset_data, member.size)
            yield Encoded(Path(member.name).name, f"{path}:{member.name}", path, member.size, read)
    except PictureError as error:
        raise DataError(f"shard {error}") from None


def _read_file(path: Path) -> bytes:
    with open_file(path) as file:
        return file.read()


def _read_range(path: Path, start: int, size: int) -> bytes:
    with open_file(path) as file:
        file.seek(start)
        return file.read(size)


def native_canvas(picture: Pixels, size: int) -> tuple[Pixels, tuple[int, int]]:
    """A picture's own pixels on a size x size canvas (the middle where it is larger), and its height and width.

    The blocks of its codec lie on the canvas as they lie in the file: at multiples of 8 px.
    """
    height, width = (min(side, size) for side in picture.shape[:2])
    top, left = (
        (whole - kept) // 16 * 8 for whole, kept in zip(picture.shape[:2], (height, width), strict=True)
    )
    canvas = np.zeros((size, size, 3), np.uint8)
    canvas[:height, :width] = picture[top : top + height, left : left + width]
    return canvas, (height, width)
