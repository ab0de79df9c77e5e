"""From a scan of loose pieces to the picture, and to a guide for the hand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ganzzle.drawing.guide import LINE, draw_guide
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.loose import find_loose
from ganzzle.reading.pictures import read_picture, resize_picture, write_picture
from ganzzle.samples import sample_picture
from ganzzle.solution import Solution
from ganzzle.solvers import load_solver


@pytest.fixture
def photo(tmp_path):
    return write_picture(tmp_path / "photo.png", resize_picture(sample_picture("landscape"), 240, 320))


def likeness(picture, original):
    """The mean difference in levels to the original, whichever way the picture is turned."""
    turned = (np.rot90(picture, k) for k in range(4))
    return min(
        np.abs(resize_picture(np.ascontiguousarray(one), *original.shape[:2]).astype(float) - original).mean()
        for one in turned
    )


def test_the_commands_scatter_and_solve(command, photo, tmp_path):
    table, guide, record = tmp_path / "table.png", tmp_path / "guide.png", tmp_path / "record.json"
    assert command("shuffle", photo, "--grid", "3x4", "--scatter", "--out", table).code == 0
    ran = command("solve", table, "--guide", guide, "--json", record, "--out", tmp_path / "solved.png")
    assert ran.code == 0
    assert "12 loose pieces of" in ran.out
    assert f"wrote {guide}" in ran.out
    original = read_picture(photo)
    assert likeness(read_picture(tmp_path / "solved.png"), original) < 12
    answer = json.loads(record.read_text())
    assert np.shape(answer["corners"]) == (12, 4, 2)
    assert answer["pieces"][:2] == ["no. 1", "no. 2"]
    scan = read_picture(table)
    assert read_picture(guide).shape == scan.shape
    assert (read_picture(guide) != scan).any()


def test_a_scan_can_lack_pieces(command, photo, tmp_path):
    table = tmp_path / "table.png"
    assert (
        command(
            "shuffle", photo, "--grid", "3x4", "--corrupt", "missing:0.1", "--scatter", "--out", table
        ).code
        == 0
    )
    ran = command("solve", table, "--grid", "3x4", "--out", tmp_path / "a.png")
    assert ran.code == 2
    assert "add --missing" in ran.err
    ran = command("solve", table, "--grid", "3x4", "--missing", "--out", tmp_path / "a.png")
    assert ran.code == 0
    assert "is missing" in ran.out


def test_what_the_commands_refuse(command, photo, tmp_path):
    ran = command("shuffle", photo, "--grid", "3x4", "--scatter", "--out", tmp_path / "pieces")
    assert ran.code == 2
    assert "ends in .png" in ran.err
    command("shuffle", photo, "--grid", "3x4", "--out", tmp_path / "pieces")
    ran = command("solve", tmp_path / "pieces", "--guide", tmp_path / "g.png")
    assert ran.code == 2
    assert "--guide is for a scan of loose pieces" in ran.err


@pytest.mark.parametrize("name", ["paikin-tal", "hybrid"])
def test_solvers_that_do_not_see_rims_get_pieces_without(laid, puzzle, name):
    pile = Puzzle.from_scan(laid.picture, puzzle.grid)
    solution = load_solver(name, rotated=True).solve(pile)
    true = puzzle.truth
    assert true is not None
    order = np.hypot(*(find_loose(laid.picture).corners.mean(1)[:, None] - laid.middles).transpose(2, 0, 1))
    slots = true.placement[order.argmin(1)]
    whole = [slots, 11 - slots]  # a 3x4 grid of square pieces may also be held upside down
    assert max(np.mean(solution.placement == each) for each in whole) == 1
    assert solution.picture().shape[0] == 3 * (pile.piece_size[0] - 2 * pile.rim)


def test_a_guide_marks_the_side_that_is_up_and_what_is_left_over(laid):
    loose = find_loose(laid.picture)
    count = len(loose.pieces)
    for turn in range(4):
        solution = Solution(
            Puzzle(loose.pieces), Grid(3, 4), np.arange(count), np.full(count, turn), np.ones(count)
        )
        guide = draw_guide(laid.picture, loose, solution)
        corners = loose.corners[0]
        up = corners[[turn, (turn + 1) % 4]].mean(0)
        x, y = (up + 0.08 * (corners.mean(0) - up)).round().astype(int)
        assert tuple(guide[y, x]) == LINE
    part = Solution(
        Puzzle(loose.pieces[:-1]), Grid(3, 4), np.arange(count - 1), np.zeros(count - 1, np.int64),
        np.ones(count - 1), pieces=np.arange(count - 1), left_over=np.array([count - 1]),
    )  # fmt: skip
    x, y = loose.corners[-1].mean(0).round().astype(int)
    assert tuple(draw_guide(laid.picture, loose, part)[y, x]) == LINE
