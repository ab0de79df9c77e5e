"""The classical assembler on pictures: whole, worn, noisy, with pieces missing."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.board.by_pixels import (
    choose_weights,
    noise_level,
    piece_potentials,
    shrink,
    side_share,
    trim_rim,
)
from ganzzle.metrics import score
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers import load_solver
from ganzzle.solvers.assembler import confidence_of


@pytest.mark.parametrize("grid", [(1, 1), (1, 9), (2, 2), (6, 6), (5, 8), (12, 12)])
def test_solves_whole_pictures(draw, grid):
    rows, cols = grid
    solution = load_solver("assembler").solve(Puzzle.from_picture(draw(28 * rows, 28 * cols), grid, seed=1))
    assert score(solution).perfect == 1


@pytest.mark.parametrize("corrupt", ["erode:1", "noise:0.05", "missing:0.2"])
def test_solves_worn_pictures(draw, corrupt):
    solver = load_solver("assembler")
    results = []
    for seed in range(3):
        puzzle = Puzzle.from_picture(draw(192, 192, seed), (6, 6), seed=seed, corrupt=corrupt)
        results.append(score(solver.solve(puzzle)))
    assert np.mean([result.neighbour for result in results]) > 0.9


def test_strips_and_odd_pieces(draw):
    for picture, grid in ((draw(40, 240), (1, 20)), (draw(90, 160), (3, 2)), (draw(6, 8), (3, 4))):
        solution = load_solver("assembler").solve(Puzzle.from_picture(picture, grid, seed=0))
        assert sorted(solution.placement) == list(range(grid[0] * grid[1]))


def test_pieces_that_tell_nothing_give_low_confidence(draw):
    speckled = np.random.default_rng(0).integers(126, 130, (96, 96, 3), dtype=np.uint8)
    solution = load_solver("assembler").solve(Puzzle.from_picture(speckled, (3, 3), seed=0))
    assert solution.confidence.mean() < 0.5
    clear = load_solver("assembler").solve(Puzzle.from_picture(draw(96, 96), (3, 3), seed=0))
    assert clear.confidence.min() > 0.8


def test_equal_pieces_are_right_in_any_order():
    flat = np.full((96, 96, 3), 128, np.uint8)
    solution = load_solver("assembler").solve(Puzzle.from_picture(flat, (3, 3), seed=0))
    assert solution.confidence.min() > 0.9


def test_confidence_rises_with_the_margin():
    margins = np.array([0, 1, 5, 20, 48], np.float32)
    confidence = confidence_of(margins, energy=-1.0)
    assert (np.diff(confidence) > 0).all()
    assert confidence[0] < 0.4
    assert confidence[-1] > 0.9
    assert (confidence_of(margins, energy=-20.0) < confidence).all()


def test_potentials_prefer_true_neighbours(draw):
    puzzle = Puzzle.in_order(draw(150, 180), (5, 6))
    right, down, border = piece_potentials(puzzle.pieces, Grid(5, 6))
    across, below = Grid(5, 6).adjacencies()
    assert (right.argmax(1)[across[:, 0]] == across[:, 1]).all()
    assert (down.argmax(0)[below[:, 1]] == below[:, 0]).all()
    for values in (right, down, border):
        assert values.max() <= 0
    assert border[5::6, 0].mean() > border[across[:, 0], 0].mean()


def test_rims_are_found_and_cut(draw):
    puzzle = Puzzle.from_picture(draw(96, 96), (3, 3), seed=0)
    pieces, rim = trim_rim(puzzle.pieces)
    assert rim == 0
    assert np.array_equal(pieces, puzzle.pieces)
    worn = np.full_like(puzzle.pieces, 200)
    worn[:, 3:-3, 3:-3] = puzzle.pieces[:, 3:-3, 3:-3]
    pieces, rim = trim_rim(worn)
    assert rim == 3
    assert np.array_equal(pieces, puzzle.pieces[:, 3:-3, 3:-3])
    assert trim_rim(np.zeros((4, 16, 20, 3), np.uint8))[1] == 4


@pytest.mark.parametrize("sigma", [0.0, 0.03, 0.1])
def test_noise_is_measured(draw, sigma):
    smooth = np.linspace(60, 190, 128)[:, None, None] * np.ones((128, 128, 3))
    noisy = smooth + np.random.default_rng(0).normal(0, 255 * sigma, smooth.shape)
    pieces = Puzzle.in_order(np.rint(noisy).clip(0, 255).astype(np.uint8), (4, 4)).pieces
    assert noise_level(pieces) == pytest.approx(sigma, abs=0.2 * sigma + 0.003)
    assert len(choose_weights(noise_level(pieces), 0)[0]) == (2 if sigma == 0 else 4)


def test_shrinking_averages_blocks():
    pieces = np.arange(2 * 4 * 5 * 3, dtype=np.uint8).reshape(2, 4, 5, 3)
    small = shrink(pieces, 2)
    assert small.shape == (2, 2, 2, 3)
    assert np.array_equal(small[1, 0, 1], np.rint(pieces[1, :2, 2:4].mean((0, 1))).astype(np.uint8))
    assert shrink(pieces, 4) is pieces  # too small to be shrunk that far


def test_share_of_sides_without_a_neighbour():
    assert side_share(36, Grid(6, 6)) == pytest.approx(1 / 6)
    assert side_share(18, Grid(6, 6)) > 0.5
    assert side_share(1, Grid(1, 1)) < 1
