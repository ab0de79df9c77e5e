"""What `ganzzle solve` says: advice where it is not sure, doubts, and what it cannot do."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ganzzle.cli.console import how_sure
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.folders import write_puzzle
from ganzzle.reading.pictures import write_picture
from ganzzle.samples import sample_picture
from ganzzle.solution import Solution


def test_advice_where_it_is_not_sure(command, pile, tmp_path):
    ran = command("solve", pile, "--grid", "6x4", "--out", tmp_path / "a.png")
    assert "with --grid 4x6 it is 9" in ran.out
    ran = command("solve", pile, "--grid", "4x6", "--out", tmp_path / "b.png")
    assert "try that" not in ran.out
    assert "looks wrong" not in ran.out


@pytest.mark.parametrize("solver", ["hybrid", "paikin-tal"])
def test_a_scrambled_picture_cut_in_a_wrong_grid(command, photo, tmp_path, solver):
    """Its pieces are made of several, and fit together as they lie: then no solver has any doubt."""
    command("shuffle", photo, "--grid", "4x6", "--out", tmp_path / "mixed.png")
    ran = command(
        "solve", tmp_path / "mixed.png", "--grid", "6x4", "--solver", solver, "--out", tmp_path / "a.png"
    )
    assert "the pieces lie in 4 rows of 6: try --grid 4x6" in ran.out


@pytest.mark.parametrize("grid", ["4x6", "8x6", "8x12"])
def test_a_scrambled_picture_cut_in_its_grid_or_a_finer_one(command, photo, tmp_path, grid):
    command("shuffle", photo, "--grid", "4x6", "--out", tmp_path / "mixed.png")
    ran = command("solve", tmp_path / "mixed.png", "--grid", grid, "--out", tmp_path / "a.png")
    assert ran.out.endswith(f"wrote {tmp_path / 'a.png'}\n")


def test_loose_pieces_in_neat_rows(command, tmp_path):
    """They are cut out of the ground one by one, so all of them are whole in any grid."""
    puzzle = Puzzle.from_picture(sample_picture("portrait"), (6, 4), seed=1)
    laid = np.full((6 * 90 + 40, 4 * 130 + 40, 3), 240, np.uint8)
    for k, piece in enumerate(puzzle.pieces):
        laid[30 + 90 * (k // 4) :, 30 + 130 * (k % 4) :][:80, :120] = piece
    write_picture(tmp_path / "scan.png", laid)
    ran = command("solve", tmp_path / "scan.png", "--grid", "4x6", "--out", tmp_path / "a.png")
    assert "24 loose pieces" in ran.out
    assert "the pieces lie in 6 rows of 4: try --grid 6x4" in ran.out


def test_the_lines_of_a_scrambled_picture_where_it_is_not_sure(command, photo, tmp_path):
    command("shuffle", photo, "--grid", "4x6", "--out", tmp_path / "mixed.png")
    ran = command("solve", tmp_path / "mixed.png", "--grid", "2x6", "--out", tmp_path / "a.png")
    assert "with --grid 4x6 it is 9" in ran.out


def test_a_picture_that_is_not_scrambled(command, photo, tmp_path):
    ran = command("solve", photo, "--grid", "4x6", "--out", tmp_path / "a.png")
    assert ran.out.endswith("no piece was moved: the picture is as it was\n")


@pytest.mark.parametrize(("cut", "given"), [("4x6", False), ("4x6", True), ("5x6", True)])
def test_turned_pieces_that_nobody_announced(command, photo, tmp_path, cut, given):
    command("shuffle", photo, "--grid", cut, "--rotated", "--out", tmp_path / "turned")
    grid = ("--grid", cut) if given else ()
    ran = command("solve", tmp_path / "turned", *grid, "--out", tmp_path / "a.png")
    assert "with --rotated it is 9" in ran.out


def test_advice_for_a_pile_that_is_none(command, tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (96, 128, 3), np.uint8)
    write_puzzle(tmp_path / "noise", Puzzle.from_picture(noise, (3, 4)))
    ran = command("solve", tmp_path / "noise", "--out", tmp_path / "a.png")
    assert "if that looks wrong: give the grid if you know it" in ran.out
    assert "--rotated if pieces are turned" in ran.out


def test_fewer_puzzles_than_asked_for_are_owned_up_to(solve, pile, tmp_path):
    ran = solve(pile, "--puzzles", "2", "--out", tmp_path / "s.png")
    written = len(list(tmp_path.glob("s-*.png")))
    assert (f"{written} of 2 puzzles found" in ran.out) == (written < 2)


def test_a_truth_of_other_pieces_is_no_error(solve, pile, tmp_path):
    (pile / "piece-001.png").rename(pile / "IMG 4001.png")
    ran = solve(pile, "--grid", "4x6", "--out", tmp_path / "s.png")
    assert ran.code == 0
    assert "puzzle.json is not the truth of these pieces, so nothing is scored" in ran.err
    assert "by puzzle.json" not in ran.out
    assert (tmp_path / "s.png").is_file()


def test_filling_without_a_mental_image_says_so(solve, pile, tmp_path):
    ran = solve(pile, "--grid", "4x6", "--fill", "imagine", "--out", tmp_path / "whole.png")
    assert (ran.code, ran.err) == (0, "")  # there is no hole
    (pile / "piece-001.png").unlink()
    ran = solve(pile, "--grid", "4x6", "--missing", "--fill", "imagine", "--out", tmp_path / "s.png")
    assert ran.code == 0
    assert "paikin-tal has no mental image" in ran.err


def write_solver(folder, monkeypatch, name, arrangement):
    """A module with a solver of one's own, such as guess.py with the class Guess."""
    (folder / f"{name.lower()}.py").write_text(
        "import numpy as np\n"
        "from ganzzle.solvers import Arrangement, Solver\n"
        f"class {name}(Solver):\n"
        "    def arrange(self, puzzle, seed):\n"
        f"        return Arrangement({arrangement})\n"
    )
    monkeypatch.syspath_prepend(str(folder))


def test_doubted_pieces_are_named(command, pile, tmp_path, monkeypatch):
    confidence = "confidence=np.r_[0.25, np.ones(len(puzzle) - 1)]"
    write_solver(tmp_path, monkeypatch, "Doubter", f"np.arange(len(puzzle)), {confidence}")
    ran = command(
        "solve", pile, "--grid", "4x6", "--solver", "doubter:Doubter", "--json", tmp_path / "s.json"
    )
    confidence = json.loads((tmp_path / "s.json").read_text())["confidence"]
    assert f"it doubts 1: piece-{confidence.index(0.25) + 1:03}.png (25 %)" in ran.out
    assert "97 % sure on average" in ran.out


@pytest.mark.parametrize(
    ("doubt", "said"), [(0.0, "100 %"), (0.001, "99 %"), (0.004, "99 %"), (0.3, "70 %"), (0.999, "0 %")]
)
def test_only_certainty_is_a_hundred_per_cent(draw, doubt, said):
    puzzle = Puzzle.from_picture(draw(64, 64), "2x2", seed=1)
    solution = Solution(
        puzzle, Grid(2, 2), np.arange(4), np.zeros(4, np.int64), confidence=np.full(4, 1 - doubt)
    )
    assert how_sure(solution) == f"{said} sure on average"


def test_a_solver_that_says_nothing_of_its_confidence(command, pile, tmp_path, monkeypatch):
    write_solver(tmp_path, monkeypatch, "Guess", "np.arange(len(puzzle))")
    ran = command("solve", pile, "--grid", "4x6", "--solver", "guess:Guess", "--out", tmp_path / "s.png")
    assert "s, which does not say how sure it is\n" in ran.out
    assert "doubts" not in ran.out


def test_a_single_piece_is_one_piece(command, photo, tmp_path):
    assert "one: 1 piece of" in command("shuffle", photo, "--grid", "1x1", "--out", tmp_path / "one").out
    ran = command("solve", tmp_path / "one", "--solver", "paikin-tal", "--out", tmp_path / "a.png")
    assert ran.out.startswith("1 piece of")
