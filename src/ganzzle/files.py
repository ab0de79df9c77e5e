"""Writing files whole or not at all."""

from __future__ import annotations

import io
import os
import secrets
import stat
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import IO

from ganzzle.errors import PictureError

PathName = str | PathLike[str]
OUTPUTS = "/dev/stdout", "/dev/stderr"
MOST_TEXT = (
    64 << 20
)  # bytes of a text that is read whole; a puzzle.json of 100,000 pieces has a fifth of that


def open_file(path: PathName) -> IO[bytes]:
    """Open a regular file for reading. A pipe or a device, which may never end, is refused before anything is read."""
    if os.path.exists(path):
        _check_regular(path, os.stat(path).st_mode)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _check_regular(path, os.fstat(descriptor).st_mode)  # it may be another one by now
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_text(path: PathName, encoding: str = "utf-8", most: int = MOST_TEXT) -> str:
    """The text of a regular file of a size that such a text may have."""
    with open_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise PictureError(f"{path} is larger than the {most >> 10:,} KiB that are read of such a text")
    return data.decode(encoding)


def _check_regular(path: PathName, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise PictureError(f"{path} is a folder; give a file")
    if not stat.S_ISREG(mode):
        raise PictureError(f"{path} is a pipe or a device, not a file; copy what comes out of it into a file")


def check_free(path: PathName, force: bool = False) -> None:
    """Refuse an output path that is taken, so that a command can do so before its long work."""
    path = Path(path)
    if "\0" in str(path):
        raise PictureError(f"{str(path)!r} is no name that a file can have")
    if path.is_dir():
        raise PictureError(f"{path} is a folder; give a file name")
    if _is_device(path):
        return
    if path.exists() and not force:
        raise PictureError(f"{path} exists already; use --force to overwrite it, or choose another name")
    check_can_be_made(path)


def check_can_be_made(path: PathName) -> None:
    """Refuse an output path that lies in no folder one can write to."""
    path = Path(path)
    above = next(parent for parent in path.absolute().parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise PictureError(f"{path} cannot be written: {above} is no folder one can write to")


def write_whole(path: PathName, write: Callable[[IO[bytes]], object], force: bool = False) -> None:
    """Call `write` on a temporary file beside `path`, then rename it: readers see all of it or nothing.

    A link goes on pointing where it does, and what is no file, such as /dev/null or a pipe, is written to as it is.
    """
    path = Path(path)
    try:
        if _is_device(path):
            _write_through(path, write)
            return
        check_free(path, force)
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = beside(target)
        temporary.touch(exist_ok=False)  # with the rights that files usually get, unlike those of tempfile
    except PictureError:
        raise
    except (OSError, ValueError) as error:
        raise PictureError(f"{path} cannot be written: {reason(error)}") from None
    try:
        with open(temporary, "wb") as file:
            write(file)
        os.replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise PictureError(f"{path} cannot be written: {reason(error)}") from None
        raise


def beside(path: Path) -> Path:
    """A hidden name in the same folder that nobody else uses."""
    return path.with_name(f".{path.name[:50]}.{secrets.token_hex(4)}")


def reason(error: OSError | ValueError) -> str:
    """Why a path could not be used, in the system's words; a ValueError says that it can be no path."""
    return getattr(error, "strerror", None) or str(error)


def same_place(one: PathName, other: PathName) -> bool:
    """Whether two paths, which need not be there yet, lead to one place."""
    return os.path.realpath(one) == os.path.realpath(other) or is_one_of(one, [other])


def is_one_of(path: PathName, files: Iterable[PathName]) -> bool:
    """Whether a path leads to one of some files that are there, by whatever name, link or case."""
    try:
        mine = os.stat(path)
    except (OSError, ValueError):
        return False  # what is not there yet is none of them
    for file in files:
        try:
            if os.path.samestat(mine, os.stat(file)):
                return True
        except (OSError, ValueError):
            continue
    return False


def _is_device(path: Path) -> bool:
    """Whether a path is there and neither a file nor a folder: a device or a pipe, which must never be replaced. An
    output of this process is one, too, even if it goes to a file."""
    name = os.path.abspath(path)
    if name in OUTPUTS or os.path.dirname(name) == "/dev/fd":
        return path.exists()
    return path.exists() and not path.is_file() and not path.is_dir()


def _write_through(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write to a device or a pipe, all at once: some formats go back and forth in what they write."""
    whole = io.BytesIO()
    write(whole)
    with open(path, "ab" if path.is_file() else "wb") as file:
        file.write(whole.getbuffer())
