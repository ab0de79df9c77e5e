"""The unknown grid by seams and borders: here those of the pixels alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver, score
from ganzzle.board import largest_part
from ganzzle.board.by_pixels import piece_potentials
from ganzzle.puzzle import Grid
from ganzzle.samples import sample_picture
from ganzzle.solvers.hybrid.grids import grid_by_seams, ranked_by_borders
from ganzzle.solving.lost import ENOUGH, grids_with_lost_pieces, solve_with_holes

Draw = Callable[..., np.ndarray]


@pytest.mark.parametrize("shape", ["6x10", "12x5", "4x15"])
@pytest.mark.parametrize("corrupt", [None, "erode:1"])
def test_the_grid_in_which_the_seams_fit_best_is_found(draw: Draw, shape: str, corrupt: str | None) -> None:
    grid, grids = Grid.of(shape), Grid.that_fit(60)
    picture = draw(20 * grid.rows, 20 * grid.cols, seed=5)
    puzzle = Puzzle.from_picture(picture, grid, seed=1, piece=20, corrupt=corrupt)
    right, down, border = piece_potentials(puzzle.pieces, grids[0])
    assert grid_by_seams(right, down, border, grids) == grid


def test_the_largest_part_is_the_picture_where_all_seams_are_clear(draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(140, 160, seed=2), "7x8", seed=3, piece=20)
    assert puzzle.truth is not None
    x, y = largest_part(*piece_potentials(puzzle.pieces, Grid(8, 7)))
    row, col = np.divmod(puzzle.truth.placement, 8)
    assert np.array_equal(x - x.min(), col)
    assert np.array_equal(y - y.min(), row)


@pytest.mark.parametrize("shape", ["3x8", "8x3", "1x24", "4x6"])
def test_borders_tell_rows_and_columns(shape: str) -> None:
    grid = Grid.of(shape)
    row, col = np.divmod(np.arange(24), grid.cols)
    ends = np.stack([col == grid.cols - 1, col == 0, row == grid.rows - 1, row == 0], 1)
    border = np.where(ends, -0.05, -4).astype(np.float32)
    assert ranked_by_borders(border, Grid.that_fit(24))[0] == grid


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize(("shape", "lost"), [((7, 7), 2), ((6, 6), 1), ((1, 7), 0), ((5, 6), 0)])
def test_a_pile_that_lost_pieces_is_known_by_its_seams(shape, lost, rotated):
    puzzle = Puzzle.from_picture(sample_picture("portrait"), shape, piece=32, rotated=rotated)
    puzzle = puzzle.reorder(np.arange(len(puzzle) - lost))
    solution = load_solver("hybrid", rotated=rotated).solve(Puzzle(puzzle.pieces, truth=puzzle.truth))
    assert score(solution).direct == 1


@pytest.mark.parametrize(("shape", "lost"), [((6, 6), 5), ((6, 8), 8)])
def test_more_lost_pieces_of_a_small_pile(shape, lost):
    whole = Puzzle.from_picture(sample_picture("portrait"), shape, piece=32)
    left = whole.reorder(np.sort(np.random.default_rng(1).permutation(len(whole))[lost:]))
    solution = load_solver("hybrid").solve(Puzzle(left.pieces, truth=left.truth))
    assert (solution.grid.rows, solution.grid.cols) == shape
    assert score(solution).direct == 1


def test_a_hopeless_pile_is_soon_given_up(hybrid, monkeypatch):
    noise = np.random.default_rng(0).integers(0, 256, (54, 8, 8, 3), np.uint8)
    tried = []
    solve = hybrid.solve
    monkeypatch.setattr(
        hybrid, "solve", lambda puzzle, seed=0: tried.append(puzzle.grid) or solve(puzzle, seed)
    )
    solve_with_holes(hybrid, Puzzle(noise), 0)
    larger = [grid for grid in tried if grid.slots > 54]
    assert len(larger) == ENOUGH < len(grids_with_lost_pieces(Puzzle(noise)))
