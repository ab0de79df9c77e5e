"""Tar shards of resized WebP pictures, made in steps that can be stopped and gone on with at any time."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ganzzle.cli.data_options import DataError
from ganzzle.data.reading import Encoded, decode_all
from ganzzle.data.splits import stem
from ganzzle.files import write_whole
from ganzzle.puzzle import Pixels
from ganzzle.reading.pictures import LONGEST, resize_picture


@dataclass(frozen=True)
class ShardOptions:
    """How pictures are stored."""

    size: int = 352  # px of a side, or of the short side where the aspect is kept
    keep_aspect: bool = False
    quality: int = 90
    per_shard: int = 2000  # pictures


@dataclass(frozen=True)
class Report:
    """What was stored, and what could not be."""

    shards: list[Path]
    pictures: int
    unreadable: list[str]
    reused: int  # shards that were there already


def prepare_shards(
    pictures: Sequence[Encoded],
    out: Path,
    name: str,
    options: ShardOptions,
    advance: Callable[[int], None] = lambda count: None,
) -> Report:
    """Write `out/name-000.tar` and so on. Shards that are complete are kept, so a stopped run can be repeated.

    Beside every shard lies a small JSON file with its options and what was unreadable; it is written last.
    """
    if not pictures:
        raise DataError("there are no pictures to prepare")
    starts = range(0, len(pictures), options.per_shard)
    paths = [out / f"{name}-{k:03d}.tar" for k in range(len(starts))]
    older = sorted(path.name for path in out.glob(f"{name}-*.tar") if path not in paths)
    if older:
        raise DataError(
            f"{out} holds shards of other pictures ({older[0]}); delete them, or choose another --out"
        )
    stored, reused = 0, 0
    unreadable: list[str] = []
    members = _member_names(pictures)
    for path, start in zip(paths, starts, strict=True):
        part = pictures[start : start + options.per_shard]
        record = _finished(path, part, options)
        if record is None:
            record = _write_shard(path, part, members[start : start + options.per_shard], options, advance)
        else:
            reused += 1
            advance(len(part))
        stored += record["pictures"]
        unreadable += record["unreadable"]
    return Report(paths, stored, unreadable, reused)


def made_in(out: Path) -> Callable[[Path], bool]:
    """A function that says whether a file is a split's shard in `out`.

    Where `out` lies within the source, these are no new pictures but copies of those already there.
    """
    folder = out.resolve()

    def is_made(file: Path) -> bool:
        return bool(re.fullmatch(r"(train|test)-\d+\.tar", file.name)) and file.parent.resolve() == folder

    return is_made


def _finished(path: Path, part: Sequence[Encoded], options: ShardOptions) -> dict[str, Any] | None:
    """The record of a shard that is there and was made from the same pictures with the same options."""
    side = path.with_suffix(".json")
    if not (path.is_file() and side.is_file()):
        return None
    try:
        record: dict[str, Any] = json.loads(side.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if record.get("made_from") != _made_from(part, options):
        raise DataError(
            f"{path} was made from other pictures or with other options; choose another --out, or delete the shards "
            f"and their .json files there"
        )
    return record


def _member_names(pictures: Sequence[Encoded]) -> list[str]:
    """A name in the shards for every picture, its own; where several have one (a.png, a.jpg), a-2 and so on."""
    used: set[str] = set()
    last: dict[str, int] = {}  # number of each name
    names = []
    for picture in pictures:
        own = name = stem(picture.name)
        while name in used:
            last[own] = last.get(own, 1) + 1
            name = f"{own}-{last[own]}"
        used.add(name)
        names.append(f"{name}.webp")
    return names


def _write_shard(
    path: Path,
    part: Sequence[Encoded],
    members: Sequence[str],
    options: ShardOptions,
    advance: Callable[[int], None],
) -> dict[str, Any]:
    unreadable: list[str] = []
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as shard:
        for index, data in decode_all(list(part), lambda picture, _: _encode(picture, options)):
            if data is None:
                unreadable.append(part[index].where)
            else:
                entry = tarfile.TarInfo(members[index])
                entry.size = len(data)
                shard.addfile(entry, io.BytesIO(data.tobytes()))
            advance(1)
    write_whole(path, lambda file: file.write(buffer.getvalue()), force=True)
    record = {
        "pictures": len(part) - len(unreadable),
        "unreadable": unreadable,
        "made_from": _made_from(part, options),
    }
    text = json.dumps(record, indent=1) + "\n"
    write_whole(path.with_suffix(".json"), lambda file: file.write(text.encode()), force=True)
    return record


def _encode(picture: Pixels, options: ShardOptions) -> Pixels:
    """The WebP file of a resized picture, as a row of bytes."""
    height = width = options.size
    if options.keep_aspect:
        sides = picture.shape[:2]
        scale = min(options.size / min(sides), LONGEST["WEBP"] / max(sides))
        height, width = (max(1, round(scale * side)) for side in sides)
    stream = io.BytesIO()
    Image.fromarray(resize_picture(picture, height, width)).save(stream, "WEBP", quality=options.quality)
    return np.frombuffer(stream.getvalue(), np.uint8)


def _made_from(part: Sequence[Encoded], options: ShardOptions) -> list[object]:
    """What a shard is made from: the options, and every picture by its name and length, wherever the folder lies."""
    shape = "aspect" if options.keep_aspect else "square"
    digest = hashlib.sha256(json.dumps([(one.name, one.size) for one in part]).encode()).hexdigest()
    return [options.size, shape, options.quality, len(part), part[0].name, part[-1].name, digest]
