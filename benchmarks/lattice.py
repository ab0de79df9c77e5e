"""How often the grid of a scrambled picture is found: `python -m benchmarks.lattice --pictures 4`.

The samples and, where the research data are, training pictures that were held out; `--images` takes others instead.
A cell says how many grids were found of how many: of enlarged pictures stored as JPEG before and after they were
scrambled, of clean ones with large and small pieces, of worn and noisy ones, and (none is right there) of pictures that
are not scrambled.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence

from benchmarks.kinds import as_jpeg
from benchmarks.timing import seconds
from ganzzle.cli.shuffle import scrambled_picture
from ganzzle.data.reading import data_root
from ganzzle.errors import PuzzleError
from ganzzle.lattice import find_grid
from ganzzle.pictures import resize_picture
from ganzzle.puzzle import Grid, Pixels, Puzzle
from ganzzle.samples import sample_names, sample_picture
from ganzzle.sources import iterate_pictures
from ganzzle.training.calibrate import SETS, held_out_pictures

Quality = int | None  # of JPEG; None: stored without loss
Size = tuple[int, int] | None  # height and width; None: as it is
Case = tuple[Pixels, Grid | None]  # a picture, and the grid it was scrambled by

SIZES: tuple[Size, ...] = (None, (1200, 1600), (3024, 4032))
QUALITIES: tuple[Quality, ...] = (None, 92, 75, 30)
AFTERWARDS: tuple[Quality, ...] = (None, 85)
STORED = (Grid(6, 8), Grid(12, 16))
CUTS = ("1x8", "2x2", "3x3", "4x6", "5x5", "8x8", "12x16", "20x20", "30x30")
PIECES = (8, 12, 16, 24, 32, 64, 128)  # px
CORRUPTIONS = ("erode:1", "erode:2", "erode:5", "noise:0.1", "noise:0.2", "erode:2+noise:0.05")


def stored(picture: Pixels, quality: Quality) -> Pixels:
    """What comes out of a file of that quality, (H, W, 3) -> the same."""
    return picture if quality is None else as_jpeg(picture, quality)


def scrambled(picture: Pixels, grid: Grid, quality: Quality = None, corrupt: str = "none") -> Case:
    """A picture (H, W, 3) cut, shuffled, corrupted, laid on its grid and stored."""
    return stored(scrambled_picture(Puzzle.from_picture(picture, grid, corrupt=corrupt)), quality), grid


def found(cases: Iterable[Case]) -> str:
    """Of how many cases the grid was found (or rightly refused), "7/8"."""
    right = [_found(picture) == grid for picture, grid in cases]
    return f"{sum(right)}/{len(right)}"


def _found(picture: Pixels) -> Grid | None:
    try:
        return find_grid(picture)
    except PuzzleError:
        return None


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


def whole_rows(pictures: Sequence[Pixels]) -> Iterator[list[str]]:
    """A row a quality: how often no grid is found where there is none."""
    for quality in QUALITIES:
        cells = [found((picture, None) for picture in sources(pictures, size, quality)) for size in SIZES]
        yield [_name(quality), *cells]


def sources(pictures: Iterable[Pixels], size: Size, quality: Quality = None) -> Iterator[Pixels]:
    """The pictures resized and stored, one at a time."""
    for picture in pictures:
        yield stored(picture if size is None else resize_picture(picture, *size), quality)


def _size(size: Size) -> str:
    return "as it is" if size is None else f"{size[1]}x{size[0]}"


def _name(quality: Quality) -> str:
    return "no loss" if quality is None else f"JPEG {quality}"


def main() -> None:
    """Measure all the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--images", help="a folder of pictures or a tar shard; default: samples and held-out ones"
    )
    parser.add_argument("--pictures", type=int, default=4, help="of each set, at most 96")
    options = parser.parse_args()
    if options.images:
        pictures = [picture for _, picture in iterate_pictures(options.images)]
    else:
        pictures = [sample_picture(name) for name in sample_names()]
        if data_root().is_dir():
            pictures += [
                picture for source in SETS for picture in held_out_pictures(source, options.pictures)
            ]
    after = [_name(quality) + " after" for quality in AFTERWARDS]
    print_rows("Stored before and after, 6x8 and 12x16", ["picture", "before", *after], stored_rows(pictures))
    print_rows("Clean pieces of so many px", ["grid", *map(str, PIECES)], clean_rows(pictures))
    print_rows("Worn and noisy pieces of 32 px", ["pieces", *after], worn_rows(pictures))
    print_rows("Not scrambled, and none found", ["picture", *map(_size, SIZES)], whole_rows(pictures))
    large, _ = scrambled(resize_picture(pictures[0], 3024, 4032), STORED[1])
    print(f"\n12 megapixels: {seconds(lambda: _found(large)):.2f} s")


if __name__ == "__main__":
    main()
