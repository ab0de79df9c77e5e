"""Encoded pictures from folders and tar shards, decoded once by many threads."""

from __future__ import annotations

import glob
import os
import tarfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from ganzzle.data.options import DataError
from ganzzle.errors import PictureError
from ganzzle.pictures import ENDINGS, decode_picture
from ganzzle.puzzle import Pixels

Converted = TypeVar("Converted")


@dataclass(frozen=True)
class Encoded:
    """A picture that has not been decoded yet."""

    name: str  # its file name
    where: str  # what errors call it
    file: Path  # the file it lies in
    read: Callable[[], bytes]


def data_root(root: str = "") -> Path:
    """Where relative sources start: the given folder, $GANZZLE_DATA, or ../shared/data."""
    return Path(root or os.environ.get("GANZZLE_DATA", "../shared/data")).expanduser()


def encoded_pictures(source: str, root: Path) -> list[Encoded]:
    """All pictures of a folder (with its subfolders), a shard, or a glob of these, sorted by path."""
    pattern = str(Path(source) if os.path.isabs(source) else root / source)
    paths = [Path(p) for p in sorted(glob.glob(pattern))]
    if not paths:
        raise DataError(
            f"there is nothing at {pattern}; check the path, or GANZZLE_DATA where it is relative"
        )
    return [one for path in paths for one in _pictures_at(path)]


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


def _pictures_at(path: Path) -> Iterator[Encoded]:
    if path.is_dir():
        for file in sorted(p for p in path.rglob("*") if _is_picture(p.name) and p.is_file()):
            yield Encoded(file.name, str(file), file, file.read_bytes)
    elif path.suffix == ".tar":
        yield from _pictures_in_shard(path)
    elif _is_picture(path.name):
        yield Encoded(path.name, str(path), path, path.read_bytes)
    else:
        raise DataError(f"{path} is neither a folder, nor a .tar shard, nor a picture")


def _pictures_in_shard(path: Path) -> Iterator[Encoded]:
    try:
        with tarfile.open(path, "r:") as shard:
            members = [(m.name, m.offset_data, m.size) for m in shard if m.isfile() and _is_picture(m.name)]
    except (tarfile.TarError, EOFError, OSError) as error:
        raise DataError(f"shard {path} is damaged or cut short ({error}); make or copy it again") from None
    length = path.stat().st_size
    for name, start, size in members:
        if start + size > length:
            raise DataError(f"shard {path} is cut short at {name}; make or copy it again")
        yield Encoded(Path(name).name, f"{path}:{name}", path, partial(_read_range, path, start, size))


def _read_range(path: Path, start: int, size: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(size)


def _is_picture(name: str) -> bool:
    return name.lower().endswith(ENDINGS) and not name.startswith(".")


def native_canvas(picture: Pixels, size: int) -> tuple[Pixels, tuple[int, int]]:
    """A picture's own pixels on a size x size canvas (centre kept where it is larger), and its height and width."""
    height, width = (min(side, size) for side in picture.shape[:2])
    top, left = (picture.shape[0] - height) // 2, (picture.shape[1] - width) // 2
    canvas = np.zeros((size, size, 3), np.uint8)
    canvas[:height, :width] = picture[top : top + height, left : left + width]
    return canvas, (height, width)
