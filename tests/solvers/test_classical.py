"""What holds for every classical solver: smooth pictures are solved whole, however they are turned or brightened."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.metrics import score
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.solvers import Solver, load_solver

PIECE = 16
FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "gallagher": ("gallagher", {}),
    "paikin-tal": ("paikin-tal", {}),
    "pomeranz": ("pomeranz", {}),
    "pomeranz, plain": ("pomeranz", {"plain": True}),
}
some = settings(deadline=None, derandomize=True, max_examples=12)
sizes = st.integers(1, 12)
seeds = st.integers(0, 9999)
CHANGES = (partial(np.swapaxes, axis1=0, axis2=1), partial(np.flip, axis=1), partial(np.flip, axis=0))


@cache
def loaded(form: str, rotated: bool = False) -> Solver:
    name, options = FORMS[form]
    return load_solver(name, **options, **({"rotated": True} if rotated else {}))


def smooth(height: int, width: int, seed: int) -> Pixels:
    """Waves, none shorter than one and a half pieces at any size of the picture, and a little grain."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width] / (1.5 * PIECE)
    waves = np.zeros((height, width, 3))
    for _ in range(6):
        fx, fy = rng.uniform(-1, 1, 2)
        phase, strength = rng.uniform(0, 2 * np.pi, 3), rng.uniform(0.3, 1, 3)
        waves += np.cos(2 * np.pi * (fx * x + fy * y)[..., None] + phase) * strength
    return np.clip(128 + 28 * waves + rng.normal(0, 1, waves.shape), 0, 255).astype(np.uint8)


def puzzle_of(picture: Pixels, seed: int, rotated: bool = False) -> Puzzle:
    rows, cols = picture.shape[0] // PIECE, picture.shape[1] // PIECE
    return Puzzle.from_picture(picture, (rows, cols), seed=seed, rotated=rotated)


@pytest.mark.parametrize("form", FORMS)
@some
@given(rows=sizes, cols=sizes, seed=seeds)
def test_a_smooth_picture_is_solved_whole(form, rows, cols, seed):
    puzzle = puzzle_of(smooth(PIECE * rows, PIECE * cols, seed), seed)
    assert score(loaded(form).solve(puzzle)).direct == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("grid", [(1, 2), (2, 1), (2, 2), (1, 5), (2, 3), (3, 3)])
def test_few_pieces_are_enough(form, grid):
    for seed in range(25):
        puzzle = puzzle_of(smooth(PIECE * grid[0], PIECE * grid[1], seed), seed)
        assert score(loaded(form).solve(puzzle)).direct == 1, seed


@pytest.mark.parametrize("form", ["gallagher", "paikin-tal"])
@some
@given(rows=st.integers(4, 7), cols=st.integers(4, 7), seed=seeds)
def test_a_smooth_picture_of_turned_pieces_is_solved_whole(form, rows, cols, seed):
    puzzle = puzzle_of(smooth(PIECE * rows, PIECE * cols, seed), seed, rotated=True)
    assert score(loaded(form, rotated=True).solve(puzzle)).direct == 1


@pytest.mark.parametrize("form", FORMS)
@some
@given(
    rows=st.integers(1, 7),
    cols=st.integers(1, 7),
    seed=seeds,
    change=st.sampled_from(CHANGES),
)
def test_transposing_and_mirroring_the_picture_does_so_with_the_solution(form, rows, cols, seed, change):
    picture = smooth(PIECE * rows, PIECE * cols, seed)
    one = loaded(form).solve(puzzle_of(picture, 1)).picture()
    two = loaded(form).solve(puzzle_of(change(picture), 2)).picture()
    assert np.array_equal(change(one), two)


@pytest.mark.parametrize("form", FORMS)
@some
@given(seed=seeds, constant=st.integers(1, 30))
def test_a_constant_in_all_pixels_changes_no_place(form, seed, constant):
    picture = smooth(5 * PIECE, 6 * PIECE, seed) // 2 + 20
    one = loaded(form).solve(puzzle_of(picture, 1))
    two = loaded(form).solve(puzzle_of(picture + np.uint8(constant), 1))
    assert np.array_equal(one.placement, two.placement)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("cost", ["mgc", "l1-lab", "lpq"])
def test_every_seam_cost_works(form, cost):
    name, options = FORMS[form]
    puzzle = puzzle_of(smooth(4 * PIECE, 5 * PIECE, 0), 1)
    assert score(load_solver(name, cost=cost, **options).solve(puzzle)).direct == 1


@pytest.mark.parametrize("form", FORMS)
def test_flat_and_identical_pieces(form, draw):
    picture = draw(96, 96)
    picture[:40] = 200  # two rows of pieces are all alike
    solution = loaded(form).solve(Puzzle.from_picture(picture, 6, seed=1))
    assert np.array_equal(solution.picture(), picture)
