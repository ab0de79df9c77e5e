"""Puzzles above the size up to which the hybrid's network looks at every one; here the limit is low."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import ganzzle.networks.hybrid
import ganzzle.networks.many_pieces
import ganzzle.solvers.hybrid.obvious
import ganzzle.solvers.hybrid.sight
import ganzzle.solvers.hybrid.solver
from ganzzle import Puzzle, load_solver, score
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.rules import search_effort

Draw = Callable[..., np.ndarray]


@pytest.fixture
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 40 pieces are very many, and are encoded and compared in several parts."""
    monkeypatch.setattr(ganzzle.solvers.hybrid.solver, "LARGEST", 40)
    monkeypatch.setattr(ganzzle.solvers.hybrid.obvious, "LARGEST", 40)
    monkeypatch.setattr(ganzzle.networks.hybrid, "AT_ONCE", 40)
    monkeypatch.setattr(ganzzle.networks.hybrid, "ENCODED", 25)
    monkeypatch.setattr(ganzzle.networks.many_pieces, "ROWS", 15)


@pytest.mark.parametrize("corrupt", ["erode:2", "noise:0.1", "missing:0.15"])
def test_the_network_says_the_same_in_parts(
    hybrid: Hybrid, draw: Draw, monkeypatch: pytest.MonkeyPatch, corrupt: str
) -> None:
    # In parts the network keeps its last stage only.
    monkeypatch.setattr(ganzzle.solvers.hybrid.sight, "BY_EDGES", 0.0)
    puzzle = Puzzle.from_picture(draw(112, 128, seed=4), "7x8", seed=1, piece=16, corrupt=corrupt)
    whole = hybrid.potentials(puzzle)
    monkeypatch.setattr(ganzzle.solvers.hybrid.solver, "LARGEST", 40)
    one_by_one = hybrid.potentials(puzzle)
    monkeypatch.setattr(ganzzle.networks.hybrid, "AT_ONCE", 40)
    monkeypatch.setattr(ganzzle.networks.hybrid, "ENCODED", 25)
    monkeypatch.setattr(ganzzle.networks.many_pieces, "ROWS", 15)
    in_parts = hybrid.potentials(puzzle)
    for a, b, c in zip(whole, one_by_one, in_parts, strict=True):
        assert np.abs(a - b).mean() < 0.02  # half precision adds up in another order
        assert np.abs(b - c).mean() < 0.02
        assert np.abs(c).mean() > 0.1


@pytest.mark.usefixtures("low_limit")
@pytest.mark.parametrize("corrupt", ["erode:2", "erode:1+noise:0.03"])
def test_a_large_worn_puzzle_is_solved_better_than_by_classical_seams(
    hybrid: Hybrid, draw: Draw, corrupt: str
) -> None:
    puzzle = Puzzle.from_picture(draw(192, 192, seed=6), 16, seed=3, piece=12, corrupt=corrupt)
    solution = hybrid.solve(puzzle)
    ours, theirs = (score(s).neighbour for s in (solution, load_solver("assembler").solve(puzzle)))
    assert ours > theirs + 0.1
    assert solution.mental_image is not None
    assert ((solution.confidence >= 0) & (solution.confidence <= 1)).all()
    assert solution.confidence.std() > 0


@pytest.mark.usefixtures("low_limit")
def test_a_large_clean_puzzle_goes_to_the_assembler(hybrid: Hybrid, draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(144, 144, seed=1), 9, seed=0)
    solution = hybrid.solve(puzzle)
    assert solution.mental_image is None
    theirs = load_solver("assembler").solve(puzzle)
    assert np.array_equal(solution.placement, theirs.placement)
    assert np.array_equal(solution.confidence, theirs.confidence)


def test_what_memory_is_not_enough_for_goes_to_the_assembler(
    hybrid: Hybrid, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ganzzle.solvers.hybrid.solver, "LARGEST", 40)
    monkeypatch.setattr(ganzzle.solvers.hybrid.solver, "LARGEST_HARD", 60)
    puzzle = Puzzle.from_picture(draw(144, 144, seed=1), 8, seed=0, piece=16, corrupt="erode:1")
    assert hybrid.solve(puzzle).mental_image is None


@pytest.mark.usefixtures("low_limit")
def test_neither_order_nor_company_matters(hybrid: Hybrid, draw: Draw) -> None:
    corruptions = ("erode:2", "none", "missing:0.2")
    puzzles = [
        Puzzle.from_picture(draw(128, 128, seed=k), 8, seed=k, piece=16, corrupt=c)
        for k, c in enumerate(corruptions)
    ]
    for puzzle, together in zip(puzzles, hybrid.solve_batch(puzzles), strict=True):
        order = np.random.default_rng(1).permutation(len(puzzle))
        shuffled = hybrid.solve(replace(puzzle, pieces=puzzle.pieces[order], truth=None))
        assert np.array_equal(shuffled.placement, together.placement[order])
        assert np.array_equal(shuffled.confidence, together.confidence[order])


@pytest.mark.usefixtures("low_limit")
def test_missing_pieces_of_a_large_puzzle(hybrid: Hybrid, draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(144, 160, seed=9), "9x10", seed=2, piece=16, corrupt="missing:0.2")
    solution = hybrid.solve(puzzle)
    assert len(puzzle) == len(np.unique(solution.placement)) == 72
    assert score(solution).direct >= 0.9
    assert solution.picture(fill="imagine").shape == solution.picture().shape


@pytest.mark.usefixtures("low_limit")
@pytest.mark.parametrize("corrupt", ["none", "erode:1"])
def test_the_unknown_grid_of_a_large_puzzle(hybrid: Hybrid, draw: Draw, corrupt: str) -> None:
    puzzle = Puzzle.from_picture(draw(96, 144, seed=3), "6x9", seed=2, piece=16, corrupt=corrupt)
    solution = hybrid.solve(replace(puzzle, grid=None))
    assert str(solution.grid) == "6x9"
    assert solution.puzzle.grid is None
    assert (solution.mental_image is None) == (corrupt == "none")
    assert solution.solver == "hybrid"
    assert np.array_equal(solution.placement, hybrid.solve(puzzle).placement)  # as if the grid were known


def test_larger_boards_are_searched_for_fewer_rounds_and_hard_ones_for_more() -> None:
    easy = [search_effort(slots, hard=False)[0] for slots in (1, 900, 901, 1800, 4000)]
    assert easy == sorted(easy, reverse=True)
    assert easy[0] == easy[1] == 100
    assert easy[-1] >= 5
    for some in (0, 1):
        assert search_effort(144, hard=True)[some] > search_effort(144, hard=False)[some]
    assert search_effort(400, hard=True) == search_effort(400, hard=False)
