"""Official split lists, and the 80-20 split of a plain folder."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from ganzzle.data.options import DataError


class Named(Protocol):
    """Anything with a file name."""

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


def stem(name: str) -> str:
    """What identifies a picture whatever its folder and ending: "celeba/29522.jpg" -> "29522"."""
    last = name.strip().replace("\\", "/").rsplit("/", 1)[-1]
    return last.rsplit(".", 1)[0] if "." in last else last


def read_names(path: Path) -> list[str]:
    """The picture names of a split list: one a line, or the first column of a CSV file; a heading is passed over."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"there is no split list {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"split list {path} cannot be read: {error}") from None
    names = [row[0].strip() for row in csv.reader(text.splitlines()) if row and row[0].strip()]
    if names and names[0].lower() in ("file", "filename", "file_name", "image", "name", "path", "img"):
        names = names[1:]
    if not names:
        raise DataError(f"split list {path} names no picture")
    return list(dict.fromkeys(names))


def named_in(pictures: Iterable[N], names: Iterable[str]) -> list[N]:
    """The pictures that a list names, compared without folder and ending."""
    wanted = {stem(name) for name in names}
    return [picture for picture in pictures if stem(picture.name) in wanted]


def seeded_split(names: Sequence[str], seed: int = 0, test_share: float = 0.2) -> tuple[list[str], list[str]]:
    """(train, test): the same for the same names and seed, in whatever order the names come."""
    ordered = sorted(names)
    chosen = np.random.default_rng(seed).permutation(len(ordered))[: round(test_share * len(ordered))]
    test = {ordered[i] for i in chosen}
    return [n for n in ordered if n not in test], [n for n in ordered if n in test]
