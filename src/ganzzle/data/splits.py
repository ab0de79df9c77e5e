"""Official split lists, and the 80-20 split of a plain folder."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from ganzzle.cli.data_options import DataError
from ganzzle.errors import PictureError
from ganzzle.files import read_text


class Named(Protocol):
    """Anything with a file name and a place."""

    @property
    def name(self) -> str: ...

    @property
    def where(self) -> str: ...


N = TypeVar("N", bound=Named)


def stem(name: str) -> str:
    """What identifies a picture whatever its folder and ending: "celeba/29522.jpg" -> "29522"."""
    last = name.strip().replace("\\", "/").rsplit("/", 1)[-1]
    return last.rsplit(".", 1)[0] if "." in last else last


def text_of(path: Path, what: str) -> str:
    """The text of a file, which errors call `what`."""
    try:
        return read_text(path, "utf-8-sig")  # without the mark that some editors put before it
    except FileNotFoundError:
        raise DataError(f"there is no {what} {path}") from None
    except PictureError as error:
        raise DataError(f"{what} {error}") from None
    except ValueError:
        raise DataError(f"{what} {path} is no text file") from None
    except OSError as error:
        raise DataError(f"{what} {path} cannot be read: {error.strerror or error}") from None


def read_names(path: Path) -> list[str]:
    """The picture names of a split list: one a line, or the first column of a CSV file; a heading is passed over."""
    text = text_of(path, "split list")
    names = [row[0].strip() for row in csv.reader(text.splitlines()) if row and row[0].strip()]
    if names and names[0].lower() in ("file", "filename", "file_name", "image", "name", "path", "img"):
        names = names[1:]
    if not names:
        raise DataError(f"split list {path} names no picture")
    return list(dict.fromkeys(names))


def named_in(pictures: Sequence[N], names: Iterable[str]) -> list[N]:
    """The pictures that a list names, in their own order, compared without folder and ending.

    Where several pictures share a name so compared, folder and ending tell them apart; if they do not, a DataError.
    """
    same: dict[str, list[int]] = {}
    for index, picture in enumerate(pictures):
        same.setdefault(stem(picture.name), []).append(index)
    chosen: set[int] = set()
    unclear: list[str] = []
    for name in names:
        fitting = same.get(stem(name), [])
        if len(fitting) > 1:
            closeness = [_closeness(pictures[index].where, name) for index in fitting]
            fitting = [index for index, c in zip(fitting, closeness, strict=True) if c == max(closeness)]
            if len(fitting) > 1:
                some = " and ".join(pictures[index].where for index in fitting[:2])
                unclear.append(f"{name} for one, which could be {some}")
        chosen.update(fitting)
    if unclear:
        raise DataError(
            f"{len(unclear)} listed names fit more than one picture, {unclear[0]}; choose a source with only one of "
            f"them, or write folder and ending in the list"
        )
    return [pictures[index] for index in sorted(chosen)]


def seeded_split(pictures: Sequence[N], seed: int = 0, test_share: float = 0.2) -> tuple[list[N], list[N]]:
    """(train, test), each in the order given; every picture is in one of them.

    Which one depends on the seed, the names and, where names are equal, the places; not on the order given.
    """
    ordered = sorted(range(len(pictures)), key=lambda k: (pictures[k].name, pictures[k].where))
    chosen = np.random.default_rng(seed).permutation(len(ordered))[: round(test_share * len(ordered))]
    test = {ordered[i] for i in chosen}
    return [p for k, p in enumerate(pictures) if k not in test], [pictures[k] for k in sorted(test)]


def _closeness(where: str, listed: str) -> tuple[int, bool]:
    """How many folders right above a picture are as a list says, and whether its ending is."""
    *folders, last = _parts(where)
    *listed_folders, listed_last = _parts(listed)
    equal = 0
    for one, other in zip(reversed(folders), reversed(listed_folders), strict=False):
        if one != other:
            break
        equal += 1
    return equal, last == listed_last


def _parts(path: str) -> list[str]:
    """Folders and name of a path, also of one within a shard: "x.tar:a/1.png" -> ["x.tar", "a", "1.png"]."""
    return [part for part in re.split(r"[/\\:]", path.strip()) if part not in ("", ".")]
