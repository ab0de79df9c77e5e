"""Finding the grid of a scrambled picture."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from ganzzle.errors import PuzzleError
from ganzzle.lattice import find_grid
from ganzzle.pictures import resize_picture
from ganzzle.puzzle import Grid, Puzzle, assemble

Draw = Callable[..., np.ndarray]


def scramble(picture: np.ndarray, grid: str, corrupt: str = "none", rotated: bool = False) -> np.ndarray:
    """A picture cut, shuffled and laid on its grid."""
    puzzle = Puzzle.from_picture(picture, grid, seed=2, corrupt=corrupt, rotated=rotated)
    return assemble(puzzle.pieces, Grid.of(grid), np.arange(len(puzzle)))


def as_jpeg(picture: np.ndarray, quality: int) -> np.ndarray:
    """What is left of a picture that was stored as JPEG."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


@pytest.mark.parametrize(
    ("height", "width", "grid"),
    [
        (160, 160, "5x5"),
        (160, 160, "10x10"),
        (192, 288, "6x9"),
        (210, 140, "3x2"),
        (120, 240, "1x8"),
        (96, 96, "12x12"),
        (160, 320, "10x10"),
        (240, 240, "30x30"),
    ],
)
def test_the_lattice_of_a_scrambled_picture_is_found(draw: Draw, height: int, width: int, grid: str) -> None:
    assert find_grid(scramble(draw(height, width, 3), grid)) == Grid.of(grid)


@pytest.mark.parametrize("quality", [92, 75, 30])
@pytest.mark.parametrize(
    ("height", "width", "grid"),
    [(600, 800, "6x8"), (600, 800, "12x16"), (600, 600, "1x6"), (480, 480, "60x60")],
)
def test_the_blocks_of_a_jpeg_are_not_taken_for_pieces(
    draw: Draw, height: int, width: int, grid: str, quality: int
) -> None:
    enlarged = resize_picture(draw(height // 4, width // 4, 3), height, width)
    scrambled = scramble(as_jpeg(enlarged, quality), grid)
    assert find_grid(scrambled) == Grid.of(grid)
    assert find_grid(as_jpeg(scrambled, 85)) == Grid.of(grid)


def test_each_axis_is_looked_at_for_itself(draw: Draw) -> None:
    """Pieces of 100 px leave block edges every 4 px."""
    enlarged = resize_picture(draw(300, 400, 3), 1200, 1600)
    assert find_grid(scramble(as_jpeg(enlarged, 75), "12x16")) == Grid(12, 16)


@pytest.mark.parametrize("grid", ["5x5", "4x6", "1x8"])
@pytest.mark.parametrize("corrupt", ["erode:1", "erode:2", "erode:6", "erode:2+noise:0.05"])
def test_worn_pieces_are_found_by_their_rims(draw: Draw, grid: str, corrupt: str) -> None:
    cut = Grid.of(grid)
    worn = scramble(draw(40 * cut.rows, 40 * cut.cols, 3), grid, corrupt, rotated=True)
    assert find_grid(worn) == cut
    assert find_grid(as_jpeg(worn, 85)) == cut
    assert find_grid(255 - worn) == cut  # white ones


def test_a_frame_around_the_whole_picture_is_no_rim(draw: Draw) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(np.pad(draw(120, 120, 3), ((10, 10), (10, 10), (0, 0))))


def test_a_whole_picture_has_none(draw: Draw) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(draw(120, 120))
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(np.full((64, 64, 3), 80, np.uint8))


@pytest.mark.parametrize("quality", [92, 75, 30])
def test_nor_has_one_that_was_stored_as_jpeg(draw: Draw, quality: int) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(as_jpeg(resize_picture(draw(120, 160, 5), 480, 640), quality))


@pytest.mark.parametrize("px", [3, 4, 5])
def test_tiny_pieces_are_not_believed(draw: Draw, px: int) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(scramble(draw(240, 240, 3), f"{240 // px}x{240 // px}"))


def test_nor_are_more_pieces_than_a_puzzle_may_have() -> None:
    rng = np.random.default_rng(0)
    colours = rng.integers(0, 256, (1001, 1000, 3), dtype=np.uint8)
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(colours.repeat(6, 0).repeat(6, 1))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (3, 3), (2, 40)])
def test_tiny_pictures_do_no_harm(shape: tuple[int, int]) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(np.zeros((*shape, 3), np.uint8))
