"""Shredded pages: `python -m benchmarks.shreds`, or some sets of them: `python -m benchmarks.shreds marques drawn`.

Strips come in a random order, whatever their files are called, and nobody says how many pages they are of. Of each set,
in per cent: neighbours that were found (strict), the same where borders without ink are as good as each other
(decidable), pages without a fault in either way, the mean confidence, and the seconds of one core that a page took from
its files.
"""

from __future__ import annotations

import argparse
import json
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path, PurePath
from typing import NamedTuple

import cv2
import numpy as np

from ganzzle.arrays import Ints, Pixels
from ganzzle.data.reading import data_root
from ganzzle.pile import CutPiece, Pile
from ganzzle.reading.pictures import decode_picture
from ganzzle.reading.shredded import find_strips
from ganzzle.reading.straighten import straighten
from ganzzle.samples.documents import draw_document
from ganzzle.samples.shredding import RECTANGLES, Shredder, scattered_strips, shred
from ganzzle.solution import Answer
from ganzzle.solving.strips import solve_strips

DRAWN, STRIPS = 10, 30  # pages drawn, and strips of each
BLANK_DEPTH, DARK = 20, 64  # px beside a border in which less ink than this is none
RESULTS = Path(__file__).parents[1] / "results" / "shreds.json"


class Shreds(NamedTuple):
    """The strips of some pages, read from files, in their true order."""

    name: str
    read: Callable[[], tuple[CutPiece, ...]]  # in any order,
    order: Ints | None  # in which this is the place of each strip; None: in their true order
    ends: tuple[int, ...]  # places after which a page ends


@dataclass(frozen=True)
class Judged:
    """How well some pages came out."""

    strict: float
    decidable: float
    sure: float
    seconds: float


def main() -> None:
    """Print a table of the sets, and write results/shreds.json where all were measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], help="default: all")
    parser.add_argument("--pages", action="store_true", help="a line for each page")
    options = parser.parse_args()
    rows = []
    print(f"{'set':18}{'pages':>6}{'strict':>8}{'decidable':>11}{'perfect':>13}{'sure':>7}{'seconds':>9}")
    for name in options.sets or SETS:
        judged = []
        for shreds in SETS[name]():
            judged.append(_judged(shreds))
            if options.pages:
                print(f"{shreds.name:16} {judged[-1]}", flush=True)
        rows.append(_row(name, judged))
        print(
            "{set:18}{pages:6}{strict:8.2f}{decidable:11.2f}{perfect:6} / {perfect, decidable:<4}"
            "{sure:7.1f}{seconds:9.2f}".format(**rows[-1]),
            flush=True,
        )
    if not options.sets:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _row(name: str, judged: list[Judged]) -> dict[str, object]:
    strict, decidable = (np.array([getattr(one, what) for one in judged]) for what in ("strict", "decidable"))
    return {
        "set": name,
        "pages": len(judged),
        "strict": round(100 * strict.mean(), 2),
        "decidable": round(100 * decidable.mean(), 2),
        "perfect": int((strict == 1).sum()),
        "perfect, decidable": int((decidable == 1).sum()),
        "sure": round(100 * float(np.mean([one.sure for one in judged])), 1),
        "seconds": round(float(np.mean([one.seconds for one in judged])), 2),
    }


def _judged(shreds: Shreds) -> Judged:
    """Solve some shreds in a random order, and compare."""
    start = time.process_time()
    pieces = shreds.read()
    reading = time.process_time() - start
    order = np.arange(len(pieces)) if shreds.order is None else shreds.order
    mixed = np.random.default_rng(0).permutation(len(pieces))
    pile = Pile(tuple(replace(pieces[k], name="") for k in mixed), kind="strips")
    start = time.process_time()
    answer = solve_strips(pile)
    seconds = reading + time.process_time() - start
    blank = np.zeros((2, len(pieces)), bool)
    for piece, place in zip(pieces, order, strict=True):
        ink = straighten(piece).ink
        blank[:, place] = [(side < DARK).all() for side in (ink[:, :BLANK_DEPTH], ink[:, -BLANK_DEPTH:])]
    found = _neighbours(answer, order[mixed])
    true = {(k, k + 1) for k in range(len(pieces) - 1) if k not in shreds.ends}
    same = [_as_good(a, b, true, blank) for a, b in found]
    return Judged(
        sum(pair in true for pair in found) / len(true),
        min(1.0, sum(same) / len(true)),
        float(answer.confidence.mean()),
        seconds,
    )


def _neighbours(answer: Answer, places: Ints) -> list[tuple[int, int]]:
    """The true places of strips that were laid side by side, read in the way that is right more often."""
    rows = []
    for one in answer.solutions:
        at = np.argsort(one.placement)
        row, slots = places[one.members[at]].tolist(), one.placement[at]
        rows += [(a, b) for a, b, gap in zip(row, row[1:], np.diff(slots), strict=False) if gap == 1]
    back = [(b, a) for a, b in rows]
    return max(rows, back, key=lambda pairs: sum(b == a + 1 for a, b in pairs))


def _as_good(a: int, b: int, true: set[tuple[int, int]], blank: np.ndarray) -> bool:
    """Whether two strips are neighbours, or one of them has a border like that of the other's true neighbour."""
    if (a, b) in true:
        return True
    left_alike = (a, a + 1) in true and blank[0, b] and blank[0, a + 1]
    right_alike = (b - 1, b) in true and blank[1, a] and blank[1, b - 1]
    return bool(left_alike or right_alike)


def _members(name: str) -> dict[str, list[tuple[str, bytes]]]:
    """The files of a set of real pages by folder, sorted by their names."""
    folders: dict[str, list[tuple[str, bytes]]] = {}
    with tarfile.open(data_root() / "real" / "shredded" / f"{name}.tar") as tar:
        for member in sorted(tar.getmembers(), key=lambda one: one.name):
            file = tar.extractfile(member)
            if file is not None:
                path = PurePath(member.name)
                folders.setdefault(path.parent.name, []).append((path.name, file.read()))
    return folders


def _decoded(files: list[tuple[str, bytes]]) -> list[Pixels]:
    return [decode_picture(data, name) for name, data in files if not name.endswith(".json")]


def _files(name: str) -> Iterator[Shreds]:
    """Pages of which each strip is a file, named by its number."""
    for page, files in _members(name).items():
        yield Shreds(page, lambda files=files: find_strips(_decoded(files)), None, ())


def _two_pages() -> Iterator[Shreds]:
    """Two pages of rectangles in one bag."""
    pages = list(_members("marques").items())
    for (first, some), (second, others) in pairwise(pages):
        yield Shreds(
            f"{first} {second}",
            lambda files=some + others: find_strips(_decoded(files)),
            None,
            (len(some) - 1,),
        )


def _scans() -> Iterator[Shreds]:
    """Pages of which the strips lie on two sheets."""
    for page, files in _members("isri-scans").items():
        truth = json.loads(dict(files)["truth.json"])
        order = np.concatenate(truth["left to right"]) - 1
        yield Shreds(page, lambda files=files: find_strips(_decoded(files)), order, ())


def _drawn(shredder: Shredder) -> Iterator[Shreds]:
    """Drawn pages, each strip a file."""
    for seed in range(DRAWN):
        pieces = shred(draw_document(seed=seed), STRIPS, seed, shredder)
        files = [cv2.imencode(".png", piece.pixels[..., ::-1])[1] for piece in pieces]
        yield Shreds(
            f"drawn-{seed}",
            lambda files=files: find_strips([cv2.imdecode(file, 1)[..., ::-1].copy() for file in files]),
            None,
            (),
        )


def _drawn_sheets() -> Iterator[Shreds]:
    """Drawn pages whose strips lie on two sheets, some of them upside down."""
    for seed in range(DRAWN // 4):
        pieces = shred(draw_document(seed=seed), STRIPS, seed)
        sheets = scattered_strips(pieces, seed, turned=True)
        yield Shreds(f"sheets-{seed}", lambda sheets=sheets: find_strips(sheets.pictures), sheets.strips, ())


SETS: dict[str, Callable[[], Iterator[Shreds]]] = {
    "marques": lambda: _files("marques"),
    "isri": lambda: _files("isri"),
    "isri-scans": _scans,
    "drawn": lambda: _drawn(Shredder()),
    "drawn-rectangles": lambda: _drawn(RECTANGLES),
    "drawn-sheets": _drawn_sheets,
    "two-pages": _two_pages,
}

if __name__ == "__main__":
    main()
