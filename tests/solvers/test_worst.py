"""The worst puzzles of a cell: which they are, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks import worst
from benchmarks.worst import Insight, Solved
from ganzzle import Puzzle, Solution
from ganzzle.puzzle import Grid
from ganzzle.solvers.hybrid import Hybrid

Draw = Callable[..., np.ndarray]


def half_flat() -> np.ndarray:
    """Grey above, random below."""
    picture = np.full((128, 128, 3), 90, np.uint8)
    picture[64:] = np.random.default_rng(0).integers(0, 255, (64, 128, 3))
    return picture


def solved_wrong(puzzle: Puzzle) -> Solution:
    """All pieces as they arrived."""
    assert puzzle.grid is not None
    count = len(puzzle)
    return Solution(puzzle, puzzle.grid, np.arange(count), np.zeros(count, np.int64), np.ones(count))


def test_the_worst_come_first_and_the_right_ones_never(draw: Draw) -> None:
    solution = solved_wrong(Puzzle.from_picture(draw(64, 64), 2))
    solved = [
        Solved(str(k), draw(64, 64), solution, share, 1) for k, share in enumerate((0.5, 1, 0.25, 0.75))
    ]
    assert [one.name for one in worst.worst_of(solved, 2)] == ["2", "0"]
    assert [one.name for one in worst.worst_of(solved, 9)] == ["2", "0", "3"]


@pytest.mark.parametrize("corrupt", ["none", "noise:0.1", "erode:3", "missing:0.25"])
def test_flat_pieces_and_twins_are_those_of_the_clean_picture(corrupt: str) -> None:
    puzzle = Puzzle.from_picture(half_flat(), 4, seed=3, corrupt=corrupt)
    assert puzzle.truth is not None
    grey = int((puzzle.truth.placement < 8).sum())
    one = Solved("", half_flat(), solved_wrong(puzzle), 0, 0)
    assert worst.flat_share(one) == pytest.approx(grey / len(puzzle))
    assert worst.twins(puzzle) == grey


def test_first_choices_by_hand() -> None:
    """Three of four seams are believed in from both sides, the last one from one side only."""
    puzzle = Puzzle.in_order(half_flat(), 2)
    right, down = np.full((2, 4, 4), -9.0)
    right[0, 1] = right[2, 3] = down[0, 2] = down[1, 3] = -1
    assert worst.first_choices(puzzle, right, down) == 1
    down[1, 0] = -0.5
    assert worst.first_choices(puzzle, right, down) == 7 / 8
    alone = replace(puzzle.reorder(np.array([0])), grid=Grid(2, 2))
    assert worst.first_choices(alone, right[:1, :1], down[:1, :1]) == 1


@pytest.mark.parametrize("corrupt", ["none", "erode:1", "missing:0.2"])
def test_a_wrong_board_has_less_energy_than_the_true_one(hybrid: Hybrid, draw: Draw, corrupt: str) -> None:
    puzzle = Puzzle.from_picture(draw(128, 128, seed=2), 4, seed=0, piece=32, corrupt=corrupt)
    wrong, right = (
        worst.insight(hybrid, solution) for solution in (solved_wrong(puzzle), hybrid.solve(puzzle))
    )
    assert wrong is not None
    assert right is not None
    assert wrong.verdict == "search"
    assert wrong.by_seams > 0
    assert right.verdict == "equal"
    assert right.by_seams == 0


def test_the_energy_is_that_of_what_was_searched(hybrid: Hybrid, draw: Draw) -> None:
    """Also where a clean puzzle left doubts, and classical seams were heard after all."""
    puzzle = Puzzle.from_picture(half_flat() // 8, 4, seed=1, piece=32)
    for one in (puzzle, Puzzle.from_picture(draw(128, 128), 4, seed=1, piece=32, corrupt="noise:0.3")):
        assembly = hybrid.judge([one])[0].assembly
        seen = worst.insight(hybrid, replace(solved_wrong(one), placement=assembly.placement))
        assert seen is not None
        assert seen.found_energy == pytest.approx(assembly.energy, abs=1e-3)


def test_verdicts() -> None:
    told = [Insight(1.0, true, -5.0, 0.0).verdict for true in (-4.0, -6.0, -5.0)]
    assert told == ["search", "network", "equal"]


def test_the_command_prints_and_draws_the_worst(
    tmp_path: Path, draw: Draw, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own").mkdir()
    for k in range(3):
        Image.fromarray(draw(96, 96, seed=k)).save(tmp_path / "own" / f"{k}.png")
    figure = tmp_path / "new" / "worst.jpg"
    common = ["--own", str(tmp_path / "own"), "--cell", "3x3 noise:0.9", "--worst", "2", "--device", "cpu"]
    worst.main([*common, "--figure", str(figure)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("hybrid, 3x3 noise:0.9: ")
    assert lines[0].endswith("over 3 puzzles")
    assert len(lines) == 5
    assert all(line.count("|") == 12 for line in lines[1:])
    with Image.open(figure) as drawn:
        assert drawn.width > 3 * 96
    worst.main([*common, "--solver", "gallagher"])
    assert capsys.readouterr().out.splitlines()[3].endswith("| - | - | - | - | - | - |")
    worst.main([*common, "--cell", "3x3 none"])
    assert "all pieces are right" in capsys.readouterr().out
