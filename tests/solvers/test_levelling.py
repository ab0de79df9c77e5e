"""Pieces whose brightness or colour differs are levelled, and only these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ganzzle import Puzzle, score
from ganzzle.corruption import shift_colours
from ganzzle.samples import sample_picture
from ganzzle.solvers.hybrid import levelling
from ganzzle.solvers.hybrid.levelling import colour_shifts, unevenness


@pytest.fixture(scope="module")
def landscape():
    return Puzzle.from_picture(sample_picture("landscape"), 8, seed=1, piece=32)


def with_shifts(puzzle: Puzzle, sigma: float, seed: int = 0) -> Puzzle:
    return replace(puzzle, pieces=shift_colours(puzzle.pieces, sigma, np.random.default_rng(seed)))


def test_shifts_of_a_right_board_are_found():
    ramp = np.linspace(60, 180, 96)[:, None] + np.linspace(-20, 20, 128)
    puzzle = Puzzle.in_order(np.repeat(ramp[..., None], 3, 2).astype(np.uint8), (3, 4))
    shifts = np.random.default_rng(0).normal(0, 10, (12, 3)).round()
    off = (puzzle.pieces + shifts[:, None, None]).astype(np.uint8)
    found = colour_shifts(off, np.arange(12), puzzle.grid)
    error = (found - found.mean(0)) - (shifts - shifts.mean(0))
    assert np.abs(error).max() < 2.5  # the pixels' own slope, and the wish to stay


def test_a_hole_and_a_piece_alone_have_no_seams():
    pieces = np.random.default_rng(0).integers(0, 256, (2, 8, 8, 3), np.uint8)
    puzzle = Puzzle.in_order(np.zeros((24, 24, 3), np.uint8), 3)
    assert unevenness(pieces, np.array([0, 8]), puzzle.grid) == 0
    assert not colour_shifts(pieces, np.array([0, 8]), puzzle.grid).any()


def test_only_shifted_pieces_are_uneven(landscape):
    board = landscape.truth.placement
    assert unevenness(landscape.pieces, board, landscape.grid) < 1
    assert unevenness(with_shifts(landscape, 0.03).pieces, board, landscape.grid) > 2


def test_the_hybrid_levels_uneven_pieces(hybrid, landscape, monkeypatch):
    uneven = with_shifts(landscape, 0.03)
    assert score(hybrid.solve(uneven)).direct == 1
    monkeypatch.setattr(levelling, "UNEVEN", np.inf)
    assert score(hybrid.solve(uneven)).direct < 0.5


@pytest.mark.parametrize("corrupt", ["uneven:0.03+erode:1", "missing:0.1+uneven:0.03"])
def test_worn_and_missing_pieces_are_levelled_too(hybrid, corrupt, monkeypatch):
    puzzle = Puzzle.from_picture(sample_picture("landscape"), 6, seed=1, piece=32, corrupt=corrupt)
    levelled = score(hybrid.solve(puzzle)).direct
    monkeypatch.setattr(levelling, "UNEVEN", np.inf)
    monkeypatch.setattr(levelling, "UNEVEN_WORN", np.inf)
    assert levelled > score(hybrid.solve(puzzle)).direct
    assert levelled > 0.85


def test_alone_and_in_company_the_answer_is_the_same(hybrid, landscape):
    puzzles = [with_shifts(landscape, 0.03), landscape, with_shifts(landscape, 0.03, seed=1)]
    together = hybrid.solve_batch(puzzles)
    for puzzle, solution in zip(puzzles, together, strict=True):
        assert np.array_equal(solution.placement, hybrid.solve(puzzle).placement)


def test_the_picture_keeps_the_pieces_as_they_came(hybrid, landscape):
    uneven = with_shifts(landscape, 0.03)
    solution = hybrid.solve(uneven)
    assert np.array_equal(np.sort(solution.picture().ravel()), np.sort(uneven.pieces.ravel()))
    assert solution.mental_image is not None


def test_an_unknown_grid_of_uneven_pieces(hybrid):
    whole = Puzzle.from_picture(sample_picture("landscape"), (4, 6), seed=1, piece=32)
    solution = hybrid.solve(replace(with_shifts(whole, 0.03), grid=None))
    assert (solution.grid.rows, solution.grid.cols) == (4, 6)
    assert score(solution).direct > 0.9
