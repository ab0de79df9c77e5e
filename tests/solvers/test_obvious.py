"""Obvious puzzles are solved without the network, and come out as it would solve them."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver, score, write_picture
from ganzzle.errors import SolverError
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.obvious import obvious_board

Draw = Callable[..., np.ndarray]
WITHOUT_TORCH = """
import sys
from ganzzle import Puzzle, load_solver, score
puzzle = Puzzle.from_picture(sys.argv[1], "6x6", seed=0, piece=32)
assert score(load_solver().solve(puzzle)).direct == 1
assert "torch" not in sys.modules
"""


@pytest.fixture
def blind(hybrid: Hybrid) -> Hybrid:
    """One that has no network to ask."""
    solver = copy(hybrid)
    solver.eyes = None
    return solver


@pytest.fixture
def patient(hybrid: Hybrid) -> Hybrid:
    """One that always asks the network."""
    solver = copy(hybrid)
    solver.quick = False
    return solver


def puzzle_of(draw: Draw, grid: str = "5x6", corrupt: str = "none", piece: int = 32, seed: int = 2) -> Puzzle:
    rows, cols = map(int, grid.split("x"))
    picture = draw(piece * rows, piece * cols, seed=seed)
    return Puzzle.from_picture(picture, grid, seed=seed, piece=piece, corrupt=corrupt)


@pytest.mark.parametrize(("grid", "piece"), [("5x5", 32), ("3x12", 20), ("9x8", 48)])
def test_it_is_solved_without_the_network(
    blind: Hybrid, patient: Hybrid, draw: Draw, grid: str, piece: int
) -> None:
    puzzle = puzzle_of(draw, grid, piece=piece)
    quick, slow = blind.solve(puzzle), patient.solve(puzzle)
    assert score(quick).direct == 1
    assert np.array_equal(quick.placement, slow.placement)
    assert quick.confidence.min() > 0.98
    assert quick.solver == "hybrid"
    assert quick.order is not None
    assert sorted(quick.order) == list(range(len(puzzle)))


def test_the_mental_image_is_painted_when_it_is_asked_for(
    hybrid: Hybrid, patient: Hybrid, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = puzzle_of(draw)
    painted: list[Puzzle] = []
    imagine = Hybrid.imagine
    monkeypatch.setattr(
        Hybrid, "imagine", lambda self, puzzle: painted.append(puzzle) or imagine(self, puzzle)
    )
    solution = hybrid.solve(puzzle)
    named = replace(solution, solver="somebody")
    assert not painted
    expected = patient.solve(puzzle).mental_image
    assert expected is not None
    assert np.array_equal(solution.mental_image, expected)
    assert np.array_equal(named.mental_image, expected)
    assert len(painted) == 1


def test_a_pickle_holds_the_mental_image(hybrid: Hybrid, draw: Draw) -> None:
    solution = hybrid.solve(puzzle_of(draw))
    assert callable(solution.imagined)
    again = pickle.loads(pickle.dumps(solution))
    assert np.array_equal(again.mental_image, solution.mental_image)
    assert np.array_equal(again.placement, solution.placement)


@pytest.mark.parametrize("corrupt", ["erode:1", "noise:0.05", "missing:0.1"])
def test_what_is_worn_noisy_or_incomplete_is_not_obvious(draw: Draw, corrupt: str) -> None:
    assert obvious_board(puzzle_of(draw, corrupt=corrupt)) is None


def test_few_pieces_are_not_obvious(draw: Draw) -> None:
    assert obvious_board(puzzle_of(draw, "4x6")) is None
    assert obvious_board(puzzle_of(draw, "5x5")) is not None


def test_a_batch_may_hold_both(hybrid: Hybrid, patient: Hybrid, draw: Draw) -> None:
    puzzles = [
        puzzle_of(draw, corrupt=c, seed=k) for k, c in enumerate(("none", "erode:2", "none", "noise:0.1"))
    ]
    quick, slow = hybrid.solve_batch(puzzles), patient.solve_batch(puzzles)
    assert [callable(solution.imagined) for solution in quick] == [True, False, True, False]
    for ours, theirs in zip(quick, slow, strict=True):
        assert np.array_equal(ours.placement, theirs.placement)
    assert np.array_equal(quick[1].confidence, slow[1].confidence)


@pytest.mark.parametrize("grid", ["4x7", "1x26", "5x12"])
def test_the_unknown_grid_is_found_without_the_network(blind: Hybrid, draw: Draw, grid: str) -> None:
    puzzle = puzzle_of(draw, grid)
    found = blind.solve(replace(puzzle, grid=None))
    assert str(found.grid) == grid
    assert found.puzzle.grid is None
    assert np.array_equal(found.placement, blind.solve(puzzle).placement)


def test_in_a_wrong_grid_nothing_is_obvious(hybrid: Hybrid, draw: Draw) -> None:
    solution = hybrid.solve(replace(puzzle_of(draw, "5x6"), grid="6x5", truth=None))
    assert not callable(solution.imagined)
    assert str(solution.grid) == "6x5"


def test_torch_is_not_even_imported(draw: Draw, tmp_path: Path) -> None:
    write_picture(tmp_path / "drawn.png", draw(192, 192, seed=2))
    subprocess.run([sys.executable, "-c", WITHOUT_TORCH, str(tmp_path / "drawn.png")], check=True)


def test_threads_that_ask_at_once_share_one_network() -> None:
    """In Python 3.12 and newer nothing keeps a cached property from being made by several threads."""
    solver = load_solver("hybrid")
    make = Hybrid.__dict__["eyes"].func
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(make, [solver, solver])
    assert first is second is solver.eyes


def test_weights_of_ones_own_are_read_at_once(tmp_path: Path) -> None:
    with pytest.raises(SolverError):
        load_solver("hybrid", weights=str(tmp_path / "absent.safetensors"))
