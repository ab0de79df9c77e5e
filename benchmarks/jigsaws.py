"""Jigsaw puzzles: `python -m benchmarks.jigsaws toystory-48 --drawn 6x8:5`.

Real ones lie in $GANZZLE_DATA/real/jigsaw as tars of pages or of one picture a piece, most with their truth; without
names all are solved. Drawn ones are cut from sample pictures by seed. Of each puzzle: how many pieces are laid where
they belong (the whole turned as it likes), the share of true neighbours that lie side by side, the mean confidence, and
the processor's seconds to read and to solve.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import tarfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ganzzle.arrays import Ints, Pixels
from ganzzle.grid import Grid
from ganzzle.pile import CutPiece, Pile
from ganzzle.provenance import provenance
from ganzzle.reading.cut_pages import find_cut_pieces
from ganzzle.samples import sample_names, sample_picture
from ganzzle.samples.jigsaws import SPOILT, Look, jigsaw_pages
from ganzzle.solution import LaidSolution
from ganzzle.solving.cut_pieces import solve_cut

NEAR = 100.0  # px off its place on a page at which a piece is still taken for the one the truth names


@dataclass(frozen=True)
class Row:
    """What one puzzle gave."""

    name: str
    pieces: int  # that were found
    grid: str
    laid: int
    placed: int | None  # where they belong
    neighbours: float | None  # share of the true ones
    confidence: float
    reading: float  # seconds
    solving: float


def true_neighbours(places: Ints) -> set[frozenset[int]]:
    """The pairs of pieces that lie beside or below each other, by rows and columns (n, 2); -1 is nowhere."""
    at = {tuple(place): k for k, place in enumerate(places.tolist()) if place[0] >= 0}
    return {
        frozenset((k, at[row + down, col + right]))
        for (row, col), k in at.items()
        for down, right in ((0, 1), (1, 0))
        if (row + down, col + right) in at
    }


def places_of(solution: LaidSolution, count: int) -> Ints:
    """(count, 2) the row and column of each piece; -1 where it is not laid."""
    places = np.full((count, 2), -1)
    places[solution.pieces] = np.stack(np.divmod(solution.placement, solution.grid.cols), 1)
    return places


def placed_right(places: Ints, truth: Ints, grid: Grid) -> int:
    """How many pieces lie where they belong at the turn of the whole that is best."""
    best, rows, cols = 0, grid.rows, grid.cols
    for _ in range(4):
        best = max(best, int(((places == truth).all(1) & (truth[:, 0] >= 0)).sum()))
        places = np.where(places[:, :1] < 0, -1, np.stack([places[:, 1], rows - 1 - places[:, 0]], 1))
        rows, cols = cols, rows
    return best


def truth_by_place(pieces: Sequence[CutPiece], told: Sequence[Any]) -> Ints:
    """(n, 2) the true row and column of pieces, told by page, x and y or by file."""
    truth = np.full((len(pieces), 2), -1)
    files = {piece.name: k for k, piece in enumerate(pieces)}
    spots = []
    for piece in pieces:
        y, x = np.nonzero(piece.mask)
        spots.append((piece.page, x.mean() + piece.corner[0], y.mean() + piece.corner[1]))
    where = np.array(spots)
    for one in told:
        if one.get("row") is None:
            continue
        if "file" in one:
            k = files.get(one["file"], -1)
        else:
            off = np.hypot(where[:, 1] - one["x"], where[:, 2] - one["y"]) + 1e9 * (
                where[:, 0] != one["page"]
            )
            k = int(off.argmin()) if off.min() < NEAR else -1
        if k >= 0:
            truth[k] = one["row"], one["col"]
    return truth


def run(name: str, pictures: Sequence[Pixels], files: Sequence[str], told: Sequence[Any] | None) -> Row:
    """Solve one puzzle and compare it with its truth."""
    start = time.process_time()
    found = find_cut_pieces(pictures, files)
    read = time.process_time()
    answer = solve_cut(Pile(found.pieces, kind="cut"))
    done = time.process_time()
    solution = answer.laid[0]
    placed = share = None
    if told is not None:
        truth = truth_by_place(found.pieces, told)
        places = places_of(solution, len(found.pieces))
        placed = placed_right(places, truth, solution.grid)
        expected = true_neighbours(truth)
        share = round(len(expected & true_neighbours(places)) / max(1, len(expected)), 4)
    return Row(
        name,
        len(found.pieces),
        str(solution.grid),
        len(solution.pieces),
        placed,
        share,
        round(float(solution.confidence.mean()), 3),
        round(read - start, 1),
        round(done - read, 1),
    )


def real_puzzle(path: Path, masks: bool) -> tuple[list[Pixels], list[str], list[Any] | None]:
    """The pictures of a tar, their names, and the truth where it is known."""
    pictures, names, told = [], [], None
    with tarfile.open(path) as tar:
        for member in sorted(tar.getmembers(), key=lambda one: one.name):
            file = tar.extractfile(member)
            if file is None:
                continue
            if member.name.endswith("truth.json"):
                told = json.load(file)["pieces"]
            elif masks or "-mask" not in member.name:
                pictures.append(np.asarray(Image.open(io.BytesIO(file.read())).convert("RGB")))
                names.append(member.name)
    return pictures, names, told


def drawn_puzzle(grid: str, seed: int, look: Look) -> tuple[list[Pixels], list[str], list[Any]]:
    """Pages of a drawn puzzle, by seed."""
    names = sample_names()
    pages = jigsaw_pages(sample_picture(names[seed % len(names)]), grid, seed, look=look)
    return list(pages.pages), [], [asdict(one) for one in pages.pieces]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="real puzzles; default: all there are")
    parser.add_argument("--drawn", action="append", default=[], help="a grid and how many: 6x8:5")
    parser.add_argument("--spoilt", action="store_true", help="drawn ones are worn, badly lit and tilted")
    parser.add_argument("--no-real", action="store_true")
    parser.add_argument("--no-masks", action="store_true", help="leave the silhouettes beside pieces alone")
    parser.add_argument("--json", type=Path, help="where the rows are written, e.g. results/jigsaws.json")
    options = parser.parse_args()
    folder = Path(os.environ.get("GANZZLE_DATA", "../shared/data")) / "real" / "jigsaw"
    rows = []

    def show(row: Row) -> None:
        rows.append(row)
        print(*asdict(row).values(), flush=True)
        if options.json:
            record = {**provenance(), "rows": [asdict(each) for each in rows]}
            options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")

    for path in [] if options.no_real else sorted(folder.glob("*.tar")):
        if not options.names or path.stem in options.names:
            show(run(path.stem, *real_puzzle(path, not options.no_masks)))
    for each in options.drawn:
        grid, count = each.split(":")
        for seed in range(int(count)):
            look = SPOILT if options.spoilt else Look()
            show(run(f"drawn {grid} {seed}", *drawn_puzzle(grid, seed, look)))


if __name__ == "__main__":
    main()
