"""Gaps between bare pieces: told, found, and left alone where there are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ganzzle import Puzzle, score
from ganzzle.errors import PuzzleError
from ganzzle.samples import sample_picture
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solving.gaps import gap_of, opened


def worn(corrupt: str | None, grid: str = "5x5", piece: int = 32) -> Puzzle:
    return Puzzle.from_picture(sample_picture("landscape"), grid, seed=3, piece=piece, corrupt=corrupt)


@pytest.mark.parametrize("known", [True, False], ids=["known grid", "unknown grid"])
def test_a_gap_that_nobody_told_is_found(hybrid: Hybrid, known: bool) -> None:
    puzzle = worn("bare:4", piece=40)
    found = hybrid.solve(puzzle if known else replace(puzzle, grid=None))
    assert str(found.grid) == "5x5"
    assert 0.04 <= found.gap <= 0.17
    assert found.puzzle.piece_size == (32, 32)
    assert score(replace(found, puzzle=puzzle)).direct >= 0.9


def test_a_told_gap_and_a_painted_rim_of_that_width_give_one_board(hybrid: Hybrid) -> None:
    bare, black = worn("bare:5"), worn("erode:5")
    told = hybrid.solve(replace(bare, gap=5 / 32))
    seen = hybrid.solve(black)
    assert np.array_equal(opened(replace(bare, gap=5 / 32)).pieces, black.pieces)
    assert np.array_equal(told.placement, seen.placement)
    assert np.allclose(told.confidence, seen.confidence)


@pytest.mark.parametrize("corrupt", [None, "missing:0.2", "erode:2"])
def test_where_pieces_fit_or_show_their_rim_there_is_no_gap(hybrid: Hybrid, corrupt: str | None) -> None:
    assert hybrid.solve(worn(corrupt)).gap == 0


def test_the_picture_leaves_the_gap_open_or_fills_it(hybrid: Hybrid) -> None:
    solution = hybrid.solve(replace(worn("bare:3"), gap=3 / 32))
    picture = solution.picture()
    assert picture.shape == (160, 160, 3)
    assert not picture[:3].any()
    filled = solution.picture(fill="imagine")
    assert filled[:3].any(2).all()
    assert np.array_equal(filled[3:29, 3:29], picture[3:29, 3:29])


def test_the_command_takes_a_gap_and_tells_it(command: Callable[..., object], tmp_path: Path) -> None:
    for k, piece in enumerate(worn("bare:3").pieces):
        Image.fromarray(piece).save(tmp_path / f"{k}.png")
    out = tmp_path.parent / "solved.png"
    ran = command("solve", tmp_path, "--grid", "5x5", "--gap", "3", "--out", out, "--force")
    assert ran.code == 0
    assert "about 9 % of each piece is lost at every border" in ran.out
    assert Image.open(out).size == (160, 160)
    assert command("solve", tmp_path, "--grid", "5x5", "--gap", "much", "--out", out, "--force").code == 2


def test_a_solver_that_takes_no_gap_says_so(command: Callable[..., object], tmp_path: Path) -> None:
    for k, piece in enumerate(worn(None, "2x2").pieces):
        Image.fromarray(piece).save(tmp_path / f"{k}.png")
    say = ("solve", tmp_path, "--grid", "2x2", "--out", tmp_path.parent / "small.png", "--force")
    assert "takes no gap" in command(*say, "--gap", "3", "--solver", "gallagher").err


@given(st.integers(0, 60), st.integers(8, 200))
def test_px_become_the_share_of_a_slot(px: int, side: int) -> None:
    if px > 2 * side:
        with pytest.raises(PuzzleError):
            gap_of(str(px), side)
    else:
        assert gap_of(f"{px} px", side) == pytest.approx(px / (side + 2 * px))


@pytest.mark.parametrize("text", ["", "x", "-1", "50%", "nan", "inf"])
def test_what_is_no_gap_is_refused(text: str) -> None:
    with pytest.raises(PuzzleError):
        gap_of(text, 32)
