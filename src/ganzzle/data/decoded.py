"""Pictures decoded to one array; with $GANZZLE_CACHE they are kept there, for the next run or the one beside this."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ganzzle.data.reading import Encoded, decode_all, native_canvas
from ganzzle.puzzle import Pixels
from ganzzle.reading.pictures import resize_picture

FORM = 2  # of what is kept: another number makes everybody decode again


@dataclass(frozen=True, eq=False)
class Decoded:
    """M pictures on square canvases of S px."""

    pictures: Pixels  # (M, S, S, 3), possibly mapped from a file
    sizes: np.ndarray  # (M, 2) float32: height and width in use
    readable: np.ndarray  # (M,) bool


def decode(encoded: list[Encoded], size: int, native: np.ndarray) -> Decoded:
    """Decode to size x size px: squashed, or with their own pixels where `native` (M,) bool says so."""
    folder = os.environ.get("GANZZLE_CACHE", "")
    if not folder:
        return _decode(encoded, size, native, np.empty((len(encoded), size, size, 3), np.uint8))
    import fcntl  # not on Windows

    base = Path(folder).expanduser() / _key(encoded, size, native)
    base.parent.mkdir(parents=True, exist_ok=True)
    pictures, rest = base.with_suffix(".npy"), base.with_suffix(".npz")
    with open(base.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process decodes, the others wait for it
        if not rest.exists():
            _write(pictures, rest, encoded, size, native)
    with np.load(rest) as stored:
        return Decoded(np.load(pictures, mmap_mode="r"), stored["sizes"], stored["readable"])


def _write(pictures: Path, rest: Path, encoded: list[Encoded], size: int, native: np.ndarray) -> None:
    """The second file appears last and at once: where it is, both are whole."""
    shape = (len(encoded), size, size, 3)
    kept = np.lib.format.open_memmap(pictures, mode="w+", dtype=np.uint8, shape=shape)
    made = _decode(encoded, size, native, kept)
    kept.flush()
    part = rest.with_suffix(".part.npz")
    np.savez(part, sizes=made.sizes, readable=made.readable)
    os.replace(part, rest)


def _decode(encoded: list[Encoded], size: int, native: np.ndarray, kept: Pixels) -> Decoded:
    sizes = np.full((len(encoded), 2), size, np.float32)
    readable = np.ones(len(encoded), bool)

    def convert(picture: Pixels, index: int) -> Pixels:
        return picture if native[index] else resize_picture(picture, size, size)

    for index, picture in decode_all(encoded, convert):
        if picture is None:
            readable[index] = False
        elif native[index]:
            kept[index], sizes[index] = native_canvas(picture, size)
        else:
            kept[index] = picture
    return Decoded(kept, sizes, readable)


def _key(encoded: list[Encoded], size: int, native: np.ndarray) -> str:
    """Names the pictures, the files they lie in and what is done to them."""
    digest = hashlib.sha256(f"{FORM} {size}".encode())
    digest.update(native.tobytes())
    files = set()
    for item in encoded:
        digest.update(item.where.encode() + b"\n")
        files.add(item.file)
    for file in sorted(files):
        found = file.stat()
        digest.update(f"{file} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.hexdigest()[:24]
