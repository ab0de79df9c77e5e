"""How often the pieces of a scrambled picture are found: `python -m benchmarks.lattice --pictures 4`.

The samples and, where the research data are, training pictures that were held out; `--images` takes others instead.
A cell says how many were found of how many: of enlarged pictures stored as JPEG before and after they were scrambled,
of clean ones with large and small pieces, of worn and noisy ones, of those with gutters and frames, resized and
cropped, and (none is right there) of pictures that are not scrambled. `--table` measures some of these tables only.

Pieces are found where the grid is right and nine tenths of their pixels are their own.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from benchmarks.kinds import as_jpeg
from benchmarks.timing import seconds
from ganzzle.data.reading import data_root
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, Pixels, Puzzle
from ganzzle.reading.lattice import find_lattice
from ganzzle.reading.pictures import resize_picture
from ganzzle.reading.sources import iterate_pictures
from ganzzle.samples import sample_names, sample_picture
from ganzzle.training.calibrate import SETS, held_out_pictures

Quality = int | None  # of JPEG; None: stored without loss
Size = tuple[int, int] | None  # height and width; None: as it is
Owners = np.ndarray  # (H, W) the number of the piece every pixel belongs to, -1 between them
Case = tuple[Pixels, Grid | None, Owners | None]  # a picture, the grid it was scrambled by, and its pieces

SIZES: tuple[Size, ...] = (None, (1200, 1600), (3024, 4032))
QUALITIES: tuple[Quality, ...] = (None, 92, 75, 30)
AFTERWARDS: tuple[Quality, ...] = (None, 85)
SENT: tuple[Quality, ...] = (None, 80)
STORED = (Grid(6, 8), Grid(12, 16))
CUTS = ("1x8", "2x2", "3x3", "4x6", "5x5", "8x8", "12x16", "20x20", "30x30")
LAID = ("3x3", "4x6", "8x8", "12x16")
PIECES = (8, 12, 16, 24, 32, 64, 128)  # px
CORRUPTIONS = ("erode:1", "erode:2", "erode:5", "noise:0.1", "noise:0.2", "erode:2+noise:0.05")
OWN = 0.9  # share of the pixels of a piece that are its own where it is found


class Way(NamedTuple):
    """How a scrambled picture comes to us."""

    gutter: int = 0  # px between the pieces
    frame: int = 0  # px around them
    colour: int = 255  # of both, grey
    share: float = 1.0  # of its size that it is resized to
    cropped: tuple[int, int, int, int] = (0, 0, 0, 0)  # px at its top, bottom, left and right


WAYS = {
    "as it is": Way(),
    "white gutters": Way(gutter=4),
    "grey gutters": Way(gutter=4, colour=128),
    "black gutters": Way(gutter=4, colour=0),
    "thin white gutters": Way(gutter=2),
    "white frame": Way(frame=12),
    "black frame": Way(frame=12, colour=0),
    "resized to 0.83": Way(share=0.83),
    "enlarged to 1.25": Way(share=1.25),
    "enlarged to 2.6": Way(share=2.6),
    "cropped": Way(cropped=(1, 2, 3, 1)),
    "white gutters and frame, resized to 0.83": Way(4, 12, share=0.83),
    "black gutters and frame, enlarged to 1.25": Way(4, 12, 0, 1.25),
    "white frame, enlarged to 1.25": Way(frame=12, share=1.25),
    "enlarged to 1.25, cropped": Way(share=1.25, cropped=(2, 1, 0, 3)),
    "white gutters, resized to 0.83, cropped": Way(4, share=0.83, cropped=(1, 2, 2, 0)),
}


def stored(picture: Pixels, quality: Quality) -> Pixels:
    """What comes out of a file of that quality, (H, W, 3) -> the same."""
    return picture if quality is None else as_jpeg(picture, quality)


def lay(pieces: np.ndarray, grid: Grid, way: Way, ground: int, resample: Image.Resampling) -> np.ndarray:
    """Pieces (N, h, w, ...) on a ground of some value, (H, W, ...), resized and cropped."""
    (_, height, width), gap = pieces.shape[:3], way.gutter
    sides = grid.rows * (height + gap) - gap, grid.cols * (width + gap) - gap
    laid = np.full((*sides, *pieces.shape[3:]), ground, pieces.dtype)
    for k, piece in enumerate(pieces):
        top, left = k // grid.cols * (height + gap), k % grid.cols * (width + gap)
        laid[top : top + height, left : left + width] = piece
    around = [(way.frame, way.frame)] * 2 + [(0, 0)] * (laid.ndim - 2)
    laid = np.pad(laid, around, constant_values=ground)
    rows, cols = (round(side * way.share) for side in laid.shape[:2])
    laid = np.asarray(Image.fromarray(laid).resize((cols, rows), resample))
    above, below, before, behind = way.cropped
    return laid[above : rows - below, before : cols - behind]


def scrambled(
    picture: Pixels, grid: Grid, quality: Quality = None, corrupt: str = "none", way: Way = WAYS["as it is"]
) -> Case:
    """A picture (H, W, 3) cut, shuffled, corrupted, laid on its grid and stored."""
    pieces = Puzzle.from_picture(picture, grid, corrupt=corrupt).pieces
    owners = np.broadcast_to(np.arange(len(pieces), dtype=np.int32)[:, None, None], pieces.shape[:3])
    laid = lay(pieces, grid, way, way.colour, Image.Resampling.BICUBIC)
    return stored(laid, quality), grid, lay(owners, grid, way, -1, Image.Resampling.NEAREST)


def found(cases: Iterable[Case]) -> str:
    """In how many cases the pieces were found (or rightly refused), "7/8"."""
    right = [is_found(*case) for case in cases]
    return f"{sum(right)}/{len(right)}"


def is_found(picture: Pixels, grid: Grid | None, owners: Owners | None) -> bool:
    """Whether the right pieces are found, or none in a picture that has none."""
    try:
        lattice = find_lattice(picture)
    except PuzzleError:
        return grid is None
    if owners is None or lattice.grid != grid:
        return False
    pieces = lattice.cut(np.repeat(owners[..., None], 3, axis=2))[..., 0]
    return bool(np.mean(pieces == np.arange(grid.slots)[:, None, None]) >= OWN)


def print_rows(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, a row as soon as it is measured."""
    print(f"\n{title}\n")
    for row in (heads, ["---"] * len(heads)):
        print("|", " | ".join(row), "|")
    for row in rows:
        print("|", " | ".join(row), "|", flush=True)


def stored_rows(pictures: Sequence[Pixels]) -> Iterator[list[str]]:
    """A row a size and quality: found when the scrambled picture is stored without loss, and as JPEG."""
    for size in SIZES:
        for quality in QUALITIES:
            cells = [
                found(
                    scrambled(source, grid, after)
                    for source in sources(pictures, size, quality)
                    for grid in STORED
                )
                for after in AFTERWARDS
            ]
            yield [_size(size), _name(quality), *cells]


def clean_rows(pictures: Sequence[Pixels]) -> Iterator[list[str]]:
    """A row a grid: found with pieces of so many px, nothing stored as JPEG."""
    for cut in CUTS:
        grid = Grid.of(cut)
        sizes = [(grid.rows * px, grid.cols * px) for px in PIECES]
        yield [cut, *(found(scrambled(p, grid) for p in sources(pictures, size)) for size in sizes)]


def worn_rows(pictures: Sequence[Pixels]) -> Iterator[list[str]]:
    """A row a corruption: found in all grids, with pieces of 32 px, stored without loss and as JPEG."""
    cuts = [(grid, (grid.rows * 32, grid.cols * 32)) for grid in map(Grid.of, CUTS)]
    for corruption in CORRUPTIONS:
        cells = [
            found(
                scrambled(picture, grid, after, corruption)
                for grid, size in cuts
                for picture in sources(pictures, size)
            )
            for after in AFTERWARDS
        ]
        yield [corruption, *cells]


def laid_rows(pictures: Sequence[Pixels]) -> Iterator[list[str]]:
    """A row a way: found in some grids with pieces of 32 px, sent without loss and as JPEG."""
    cuts = [(grid, (grid.rows * 32, grid.cols * 32)) for grid in map(Grid.of, LAID)]
    for name, way in WAYS.items():
        cells = [
            found(
                scrambled(picture, grid, quality, way=way)
                for grid, size in cuts
                for picture in sources(pictures, size)
            )
            for quality in SENT
        ]
        yield [name, *cells]


def whole_rows(pictures: Sequence[Pixels]) -> Iterator[list[str]]:
    """A row a quality: how often no pieces are found where there are none."""
    for quality in QUALITIES:
        cells = [
            found((picture, None, None) for picture in sources(pictures, size, quality)) for size in SIZES
        ]
        yield [_name(quality), *cells]


def laid_whole_rows(pictures: Sequence[Pixels]) -> Iterator[list[str]]:
    """A row a way: how often no pieces are found in a picture that is not cut."""
    for name, way in WAYS.items():
        if not way.gutter:
            cells = [
                found((stored(picture, quality), None, None) for picture in _laid_whole(pictures, way))
                for quality in SENT
            ]
            yield [name, *cells]


def _laid_whole(pictures: Iterable[Pixels], way: Way) -> Iterator[Pixels]:
    for picture in pictures:
        yield lay(picture[None], Grid(1, 1), way, way.colour, Image.Resampling.BICUBIC)


def sources(pictures: Iterable[Pixels], size: Size, quality: Quality = None) -> Iterator[Pixels]:
    """The pictures resized and stored, one at a time."""
    for picture in pictures:
        yield stored(picture if size is None else resize_picture(picture, *size), quality)


def _size(size: Size) -> str:
    return "as it is" if size is None else f"{size[1]}x{size[0]}"


def _name(quality: Quality) -> str:
    return "no loss" if quality is None else f"JPEG {quality}"


AFTER = [_name(quality) + " after" for quality in AFTERWARDS]
TABLES = {
    "stored": ("Stored before and after, 6x8 and 12x16", ["picture", "before", *AFTER], stored_rows),
    "clean": ("Clean pieces of so many px", ["grid", *map(str, PIECES)], clean_rows),
    "worn": ("Worn and noisy pieces of 32 px", ["pieces", *AFTER], worn_rows),
    "laid": (f"Pieces of 32 px, {', '.join(LAID)}", ["picture", *map(_name, SENT)], laid_rows),
    "whole": ("Not scrambled, and none found", ["picture", *map(_size, SIZES)], whole_rows),
    "laid-whole": ("Not scrambled, and none found", ["picture", *map(_name, SENT)], laid_whole_rows),
}


def main() -> None:
    """Measure all the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--images", help="a folder of pictures or a tar shard; default: samples and held-out ones"
    )
    parser.add_argument("--pictures", type=int, default=4, help="of each set")
    parser.add_argument("--skip", type=int, default=0, help="of each set before these; a set has 96")
    parser.add_argument("--table", action="append", choices=TABLES, help="only this one; may be repeated")
    options = parser.parse_args()
    if options.images:
        pictures = [picture for _, picture in iterate_pictures(options.images)]
    else:
        pictures = [sample_picture(name) for name in sample_names()]
        if data_root().is_dir():
            last = options.skip + options.pictures
            pictures += [
                picture for source in SETS for picture in held_out_pictures(source, last)[options.skip :]
            ]
    for name in options.table or TABLES:
        title, heads, rows = TABLES[name]
        print_rows(title, heads, rows(pictures))
    large, _, _ = scrambled(resize_picture(pictures[0], 3024, 4032), STORED[1])
    print(f"\n12 megapixels: {seconds(lambda: find_lattice(large)):.2f} s")


if __name__ == "__main__":
    main()
