"""Finding the grid of a scrambled picture."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from ganzzle.errors import PuzzleError
from ganzzle.pieces import assemble, cut
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.lattice import find_lattice
from ganzzle.reading.pictures import resize_picture

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


def with_gutters(picture: np.ndarray, grid: str, gap: int, frame: int, colour: int) -> np.ndarray:
    """A picture cut, shuffled and laid on a ground of some colour, with gaps between the pieces."""
    puzzle, cut = Puzzle.from_picture(picture, grid, seed=2), Grid.of(grid)
    height, width = puzzle.piece_size
    rows, cols = (
        side * count - gap + 2 * frame for side, count in ((height + gap, cut.rows), (width + gap, cut.cols))
    )
    ground = np.full((rows, cols, 3), colour, np.uint8)
    for k, piece in enumerate(puzzle.pieces):
        top, left = frame + k // cut.cols * (height + gap), frame + k % cut.cols * (width + gap)
        ground[top : top + height, left : left + width] = piece
    return ground


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
    assert find_lattice(scramble(draw(height, width, 3), grid)).grid == Grid.of(grid)


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
    assert find_lattice(scrambled).grid == Grid.of(grid)
    assert find_lattice(as_jpeg(scrambled, 85)).grid == Grid.of(grid)


def test_each_axis_is_looked_at_for_itself(draw: Draw) -> None:
    """Pieces of 100 px leave block edges every 4 px."""
    enlarged = resize_picture(draw(300, 400, 3), 1200, 1600)
    assert find_lattice(scramble(as_jpeg(enlarged, 75), "12x16")).grid == Grid(12, 16)


@pytest.mark.parametrize("grid", ["5x5", "4x6", "1x8"])
@pytest.mark.parametrize("corrupt", ["erode:1", "erode:2", "erode:6", "erode:2+noise:0.05"])
def test_worn_pieces_are_found_by_their_rims(draw: Draw, grid: str, corrupt: str) -> None:
    cut = Grid.of(grid)
    worn = scramble(draw(40 * cut.rows, 40 * cut.cols, 3), grid, corrupt, rotated=True)
    assert find_lattice(worn).grid == cut
    assert find_lattice(as_jpeg(worn, 85)).grid == cut
    assert find_lattice(255 - worn).grid == cut  # white ones


@pytest.mark.parametrize(
    ("gap", "frame", "colour"), [(4, 0, 255), (4, 10, 200), (3, 3, 30), (2, 7, 0), (6, 3, 255)]
)
@pytest.mark.parametrize("grid", ["5x5", "4x6", "1x8"])
def test_gutters_between_the_pieces_are_left_out(
    draw: Draw, grid: str, gap: int, frame: int, colour: int
) -> None:
    cut = Grid.of(grid)
    picture = draw(40 * cut.rows, 40 * cut.cols, 3)
    laid = with_gutters(picture, grid, gap, frame, colour)
    lattice = find_lattice(laid)
    assert lattice.grid == cut
    whole = Puzzle.from_picture(picture, grid, seed=2).pieces
    assert np.array_equal(lattice.cut(laid), whole[:, 1:-1, 1:-1])
    assert find_lattice(as_jpeg(laid, 85)).grid == cut
    enlarged = resize_picture(laid, laid.shape[0] * 5 // 4, laid.shape[1] * 5 // 4)
    assert find_lattice(enlarged).grid == cut
    assert find_lattice(laid, cut).grid == cut


@pytest.mark.parametrize("grid", ["5x5", "4x6"])
def test_pieces_between_gutters_may_be_cropped(draw: Draw, grid: str) -> None:
    cut = Grid.of(grid)
    picture = draw(40 * cut.rows, 40 * cut.cols, 3)
    cropped = with_gutters(picture, grid, 4, 0, 255)[3:-2, 1:-5]
    found = find_lattice(cropped)
    assert found.grid == cut
    whole = Puzzle.from_picture(picture, grid, seed=2).pieces[:, 1:-1, 1:-1]
    inner = [
        k for k in range(cut.slots) if 0 < k // cut.cols < cut.rows - 1 and 0 < k % cut.cols < cut.cols - 1
    ]
    assert np.array_equal(found.cut(cropped)[inner], whole[inner])


def test_one_plain_line_is_no_gutter() -> None:
    picture = np.random.default_rng(0).integers(100, 156, (161, 160, 3), dtype=np.uint8)
    picture[80] = 128
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(picture)


def test_dark_rims_of_worn_pieces_stay(draw: Draw) -> None:
    worn = scramble(draw(160, 160, 3), "4x4", "erode:2")
    assert find_lattice(worn).cut(worn).shape == (16, 40, 40, 3)


@pytest.mark.parametrize("colour", [0, 128, 255])
def test_a_frame_is_left_out(draw: Draw, colour: int) -> None:
    scrambled = scramble(draw(200, 240, 3), "5x6")
    framed = np.pad(scrambled, ((12, 12), (12, 12), (0, 0)), constant_values=colour)
    framed = np.pad(framed, ((9, 5), (7, 7), (0, 0)), constant_values=90)
    lattice = find_lattice(framed)
    assert lattice.grid == Grid(5, 6)
    assert np.array_equal(lattice.cut(framed), Puzzle.from_picture(draw(200, 240, 3), "5x6", seed=2).pieces)


@pytest.mark.parametrize(("height", "width"), [(211, 247), (173, 181), (300, 333), (521, 611)])
def test_a_scrambled_picture_may_have_been_resized(draw: Draw, height: int, width: int) -> None:
    resized = resize_picture(scramble(draw(200, 240, 3), "5x6"), height, width)
    for picture in (resized, as_jpeg(resized, 80)):
        lattice = find_lattice(picture)
        assert lattice.grid == Grid(5, 6)
        down, across = (
            spans.pixels(side)
            for spans, side in zip((lattice.rows, lattice.cols), (height, width), strict=True)
        )
        assert np.abs(down.mean(1) + 0.5 - height * (np.arange(5) + 0.5) / 5).max() <= 2
        assert np.abs(across.mean(1) + 0.5 - width * (np.arange(6) + 0.5) / 6).max() <= 2


def test_or_cropped(draw: Draw) -> None:
    cropped = scramble(draw(200, 240, 3), "5x6")[1:-2, 2:-1]
    lattice = find_lattice(cropped)
    assert lattice.grid == Grid(5, 6)
    whole = Puzzle.from_picture(draw(200, 240, 3), "5x6", seed=2).pieces[:, 1:-1, 1:-1]
    inner = [k for k in range(30) if 0 < k // 6 < 4 and 0 < k % 6 < 5]
    assert np.array_equal(lattice.cut(cropped)[inner], whole[inner])


def test_a_given_grid_is_kept(draw: Draw) -> None:
    plain = scramble(draw(120, 120, 3), "4x4")
    lattice = find_lattice(plain, Grid(30, 40))
    assert np.array_equal(lattice.cut(plain), cut(plain, Grid(30, 40)))
    assert find_lattice(plain[:-1], Grid(7, 4)).grid == Grid(7, 4)
    with pytest.raises(PuzzleError, match="too small"):
        find_lattice(plain, Grid(121, 1))


def test_a_frame_around_the_whole_picture_is_no_rim(draw: Draw) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(np.pad(draw(120, 120, 3), ((10, 10), (10, 10), (0, 0))))


def test_a_whole_picture_has_none(draw: Draw) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(draw(120, 120))
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(np.full((64, 64, 3), 80, np.uint8))


@pytest.mark.parametrize("quality", [92, 75, 30])
def test_nor_has_one_that_was_stored_as_jpeg(draw: Draw, quality: int) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(as_jpeg(resize_picture(draw(120, 160, 5), 480, 640), quality))


@pytest.mark.parametrize("px", [3, 4, 5])
def test_tiny_pieces_are_not_believed(draw: Draw, px: int) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(scramble(draw(240, 240, 3), f"{240 // px}x{240 // px}"))


def test_nor_are_more_pieces_than_a_puzzle_may_have() -> None:
    rng = np.random.default_rng(0)
    colours = rng.integers(0, 256, (1001, 1000, 3), dtype=np.uint8)
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(colours.repeat(6, 0).repeat(6, 1))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (3, 3), (2, 40)])
def test_tiny_pictures_do_no_harm(shape: tuple[int, int]) -> None:
    with pytest.raises(PuzzleError, match="--grid"):
        find_lattice(np.zeros((*shape, 3), np.uint8))
