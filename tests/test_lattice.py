"""Finding the grid of a scrambled picture."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.errors import PuzzleError
from ganzzle.lattice import find_grid
from ganzzle.puzzle import Grid, Puzzle, assemble


@pytest.mark.parametrize(
    ("height", "width", "grid"),
    [
        (160, 160, "5x5"),
        (160, 160, "10x10"),
        (192, 288, "6x9"),
        (210, 140, "3x2"),
        (120, 240, "1x8"),
        (96, 96, "12x12"),
    ],
)
def test_the_lattice_of_a_scrambled_picture_is_found(draw, height, width, grid):
    puzzle = Puzzle.from_picture(draw(height, width, 3), grid, seed=2)
    scrambled = assemble(puzzle.pieces, puzzle.grid, np.arange(len(puzzle)))
    assert find_grid(scrambled) == Grid.of(grid)


def test_a_whole_picture_has_none(draw):
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(draw(120, 120))
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(np.full((64, 64, 3), 80, np.uint8))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (3, 3), (2, 40)])
def test_tiny_pictures_do_no_harm(shape):
    with pytest.raises(PuzzleError, match="--grid"):
        find_grid(np.zeros((*shape, 3), np.uint8))
