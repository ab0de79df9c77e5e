"""Where many pictures come from: folders, tar shards, and globs of these."""

from __future__ import annotations

import glob
import os
import tarfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO

from ganzzle.errors import PictureError
from ganzzle.files import PathName, open_file
from ganzzle.puzzle import Pixels
from ganzzle.reading.pictures import decode_picture, is_picture, read_picture

Wanted = Callable[[str], bool]  # by a picture's file name


def iterate_pictures(
    source: PathName, limit: int | None = None, wanted: Wanted = lambda name: True
) -> Iterator[tuple[str, Pixels]]:
    """Yield (name, picture) from a picture, a folder, a tar shard, or a glob of these; one is in memory at a time.

    A folder stands for all pictures and shards in it and below it. Pictures whose name is not `wanted` are passed over
    without being decoded; after `limit` pictures nothing more is read.
    """
    found = (one for path in source_files(source) for one in _pictures_of(path, wanted))
    count = 0
    for one in islice(found, limit):
        count += 1
        yield one
    if count == 0 and limit != 0:
        raise PictureError(f"{source} holds no pictures, or none that is asked for")


def count_pictures(source: PathName, wanted: Wanted = lambda name: True) -> int:
    """How many pictures `iterate_pictures` would yield, without decoding any."""
    total = 0
    for path in source_files(source):
        if is_shard(path):
            total += sum(wanted(Path(member.name).name) for _, member in shard_members(path))
        else:
            total += wanted(path.name)
    return total


def source_files(source: PathName, root: PathName = "") -> list[Path]:
    """The picture files and shards a source stands for, in a fixed order; a relative source starts at `root`.

    What is there by that very name is taken as it is; only other names are read as a glob.
    """
    if not str(source) and not str(root):
        raise PictureError("the name of the source is empty; give a folder, a shard, a picture or a glob")
    root, pattern = Path(root), str(source)
    whole = root / pattern
    if os.path.exists(whole):  # unlike Path.exists, also for names the system does not allow
        return _files_below(whole)
    if not any(sign in pattern for sign in "*?["):
        raise PictureError(f"{whole} does not exist")
    matches = sorted(root / match for match in glob.glob(pattern, root_dir=root, recursive=True))
    files = [file for match in matches if match.is_dir() or _is_source(match) for file in _files_below(match)]
    if not files:
        raise PictureError(f"nothing matches {whole}: no picture, shard or folder")
    return list(dict.fromkeys(files))  # a folder and what it holds may both match


def shard_members(path: Path) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield the pictures of a tar shard as (the open shard, member), none of them decoded.

    A shard that is damaged or cut short raises a PictureError, at the latest when all its members were given.
    """
    try:
        with open_file(path) as file, _open_shard(file, path) as shard:
            length = os.fstat(file.fileno()).st_size
            for member in shard:
                if shard.offset > length:
                    raise tarfile.ReadError(f"it ends within {member.name}")
                if member.isfile() and is_picture(member.name):
                    yield shard, member
            _check_end(file, shard.offset)
    except PictureError:
        raise
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise PictureError(f"{path} is damaged or cut short ({error}); make or copy it again") from None
    except OSError as error:
        raise PictureError(f"{path} cannot be read: {error.strerror or error}") from None


def is_shard(path: Path) -> bool:
    """Whether a file is a tar shard, by its ending."""
    return path.suffix == ".tar"


def _pictures_of(path: Path, wanted: Wanted) -> Iterator[tuple[str, Pixels]]:
    if not is_shard(path):
        if wanted(path.name):
            yield path.name, read_picture(path)
        return
    for shard, member in shard_members(path):
        name = Path(member.name).name
        if wanted(name):
            file = shard.extractfile(member)
            assert file is not None
            yield name, decode_picture(file.read(), f"{path}:{member.name}")


def _files_below(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(p for p in path.rglob("*") if _is_source(p) and p.is_file())


def _is_source(path: Path) -> bool:
    return is_picture(path.name) or is_shard(path)


def _open_shard(file: IO[bytes], path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(fileobj=file, mode="r:")
    except (tarfile.TarError, EOFError):
        raise PictureError(f"{path} is not a plain tar file, or it is cut short") from None


def _check_end(file: IO[bytes], offset: int) -> None:
    """Demand that a tar file goes on with zeros, as at its end: tarfile stops as quietly at a damaged header."""
    file.seek(offset)
    block = file.read(tarfile.BLOCKSIZE)
    if len(block) < tarfile.BLOCKSIZE:
        raise tarfile.ReadError(f"its end is missing at byte {offset}")
    while block:
        if block.count(0) < len(block):
            raise tarfile.ReadError(f"what follows byte {offset} cannot be read")
        block = file.read(1 << 20)


@lru_cache(maxsize=64)
def source_digest(source: str) -> str:
    """A digest of the files a source stands for: their names, sizes and times."""
    digest = blake2b(digest_size=8)
    for file in source_files(source):
        found = file.stat()
        digest.update(f"{file} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()
