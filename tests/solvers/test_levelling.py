"""Pieces whose brightness or colour differs are levelled, and only these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ganzzle import Puzzle, score
from ganzzle.damage.corruption import shift_colours
from ganzzle.samples import sample_picture
from ganzzle.solvers.hybrid import levelling


@pytest.fixture(scope="module")
def landscape():
    return Puzzle.from_picture(sample_picture("landscape"), 8, seed=1, piece=32)


def with_shifts(puzzle: Puzzle, sigma: float, seed: int = 0) -> Puzzle:
    return replace(puzzle, pieces=shift_colours(puzzle.pieces, sigma, np.random.default_rng(seed)))


def test_the_hybrid_levels_uneven_pieces(hybrid, landscape, monkeypatch):
    uneven = with_shifts(landscape, 0.03)
    assert score(hybrid.solve(uneven)).direct == 1
    monkeypatch.setattr(levelling, "UNEVEN", np.inf)
    assert score(hybrid.solve(uneven)).direct < 0.7


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
