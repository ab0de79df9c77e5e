"""Tiles whose last row or column is smaller."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver, write_picture
from ganzzle.errors import PictureError, PuzzleError
from ganzzle.puzzle import Pixels
from ganzzle.reading.ragged import ragged_grid
from ganzzle.samples import sample_picture
from ganzzle.solvers import Solver
from ganzzle.solving.piles import solve_pile

Draw = Callable[..., np.ndarray]


def tiles_of(picture: Pixels, side: int) -> list[Pixels]:
    """A picture (H, W, 3) cut into tiles from its upper left corner, in an order that tells nothing."""
    height, width = picture.shape[:2]
    tiles = [
        picture[y : y + side, x : x + side] for y in range(0, height, side) for x in range(0, width, side)
    ]
    return [tiles[k] for k in np.random.default_rng(4).permutation(len(tiles))]


def write_tiles(folder: Path, tiles: list[Pixels]) -> Path:
    folder.mkdir()
    for k, tile in enumerate(tiles):
        write_picture(folder / f"{k:03}.png", tile)
    return folder


SIZES = [(300, 420), (256, 410), (250, 384), (129, 66), (64, 200), (200, 64), (350, 90)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_picture_has_its_true_size(hybrid: Solver, tmp_path: Path, size: tuple[int, int]) -> None:
    picture = np.ascontiguousarray(sample_picture("portrait")[: size[0], : size[1]])
    assert picture.shape[:2] == size
    puzzle = Puzzle.from_folder(write_tiles(tmp_path / "tiles", tiles_of(picture, 64)))
    assert puzzle.sizes is not None
    assert np.array_equal(solve_pile(hybrid, puzzle).picture(), picture)


@pytest.mark.parametrize("name", ["paikin-tal", "gallagher", "assembler"])
def test_by_any_solver(draw: Draw, tmp_path: Path, name: str) -> None:
    picture = draw(150, 190, 3)
    puzzle = Puzzle.from_folder(write_tiles(tmp_path / "tiles", tiles_of(picture, 40)))
    solution = load_solver(name).solve(puzzle)
    assert str(solution.grid) == "4x5"
    assert np.array_equal(solution.picture(), picture)
    assert ((solution.confidence >= 0) & (solution.confidence <= 1)).all()


def test_tiles_that_make_no_picture_are_refused(draw: Draw, tmp_path: Path) -> None:
    tiles = sorted(tiles_of(draw(150, 190, 3), 40), key=lambda tile: tile.size)
    with pytest.raises(PictureError, match="only the last row and column of a whole picture may be smaller"):
        Puzzle.from_folder(write_tiles(tmp_path / "no corner", tiles[1:]))
    with pytest.raises(PictureError, match="all pieces must have the same size"):
        Puzzle.from_folder(write_tiles(tmp_path / "three heights", [*tiles[:-1], tiles[-1][:20]]))


def test_another_grid_and_turned_tiles_are_refused(draw: Draw, tmp_path: Path) -> None:
    puzzle = Puzzle.from_folder(write_tiles(tmp_path / "tiles", tiles_of(draw(150, 190, 3), 40)), "5x4")
    with pytest.raises(PuzzleError, match="the grid is 4x5, not 5x4"):
        load_solver("paikin-tal").solve(puzzle)
    with pytest.raises(PuzzleError, match="the grid is 4x5, not 4x4"):  # which is too small, besides
        solve_pile(load_solver("paikin-tal"), puzzle, grid="4x4")
    with pytest.raises(PuzzleError, match="cannot be turned"):
        load_solver("paikin-tal", rotated=True).solve(puzzle)


@pytest.mark.parametrize(
    ("sizes", "grid"),
    [
        ([(8, 8)] * 6 + [(8, 3)] * 2 + [(5, 8)] * 3 + [(5, 3)], "3x4"),
        ([(8, 8)] * 6 + [(8, 3)] * 2, "2x4"),
        ([(8, 8)] * 6 + [(5, 8)] * 3, "3x3"),
        ([(8, 8), (8, 3)], "1x2"),
        ([(8, 8), (8, 3), (5, 8), (5, 3)], "2x2"),
        ([(8, 8)] * 6 + [(8, 3)] * 2 + [(5, 8)] * 3, None),
        ([(8, 8)] * 7 + [(8, 3)] * 2, None),
        ([(8, 8)] * 6 + [(8, 3), (8, 4)], None),
        ([(8, 8)] * 6, None),
        ([(8, 3), (5, 8)], None),
    ],
)
def test_the_sizes_tell_the_grid(sizes: list[tuple[int, int]], grid: str | None) -> None:
    found = ragged_grid(np.array(sizes))
    assert (found and str(found)) == grid
