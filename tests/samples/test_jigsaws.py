"""Drawn jigsaw pages: what `ganzzle shuffle --cut jigsaw` writes."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from ganzzle.grid import Grid
from ganzzle.reading.pictures import read_picture, write_picture
from ganzzle.samples import sample_picture
from ganzzle.samples.die_cut import die_cut
from ganzzle.samples.jigsaws import GROUNDS, SPOILT, Look, jigsaw_pages


@pytest.mark.parametrize("repeating", [False, True])
def test_a_die_cuts_a_board_into_pieces_without_gaps_or_overlaps(repeating):
    covered = np.zeros((5 * 50 + 1, 4 * 50 + 1), np.int64)
    for outline in die_cut(Grid(5, 4), 50, np.random.default_rng(3), repeating):
        one = np.zeros(covered.shape, np.uint8)
        cv2.fillPoly(one, [np.rint(outline * 16).astype(np.int32)], 1, shift=4)
        covered += one
    assert covered.min() == 1  # the rims of neighbours are drawn in both
    assert (covered == 1).mean() > 0.85


def test_a_repeating_cut_is_the_same_in_every_row():
    pieces = die_cut(Grid(4, 3), 50, np.random.default_rng(0), repeating=True)
    assert np.allclose(pieces[4] + [0, 50], pieces[7])
    assert not np.allclose(pieces[4] + [50, 0], pieces[5])


@pytest.mark.parametrize("ground", sorted(GROUNDS))
def test_a_page_shows_the_colours_of_its_pieces_where_they_lie(ground):
    stripes = np.repeat(np.uint8([[200, 30, 30], [30, 200, 30], [30, 30, 200]]), 80, 0)[:, None].repeat(
        320, 1
    )
    made = jigsaw_pages(stripes, "3x4", 1, side=60, look=Look(ground=ground))
    assert len(made.pages) == 1
    assert sorted((one.row, one.col) for one in made.pieces) == [(r, c) for r in range(3) for c in range(4)]
    for one in made.pieces:
        assert made.pages[0][round(one.y), round(one.x)].argmax() == one.row


def test_pages_are_drawn_by_seed_with_pieces_missing_and_foreign():
    picture = sample_picture("landscape")
    args = {"pages": 3, "side": 40, "look": SPOILT, "missing": 0.25, "foreign": [sample_picture("balloons")]}
    made, again, other = (jigsaw_pages(picture, "4x5", seed, **args) for seed in (0, 0, 1))
    assert [one.page for one in made.pieces] == [0] * 6 + [1] * 5 + [2] * 5
    assert sum(one.row is None for one in made.pieces) == 1
    assert all(map(np.array_equal, made.pages, again.pages))
    assert made.pieces == again.pieces != other.pieces


def test_shuffle_writes_pages_and_where_every_piece_belongs(command, tmp_path):
    write_picture(tmp_path / "photo.png", sample_picture("balloons"))
    words = "shuffle", tmp_path / "photo.png", "--grid", "3x4", "--cut", "jigsaw", "--out", tmp_path / "pages"
    ran = command(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "--scatter" in ran.err
    ran = command(*words, "--scatter", "--pages", 3, "--piece", 50, "--foreign", 1, "--ground", "wood")
    assert ran.code == 0
    ran = command(*words, "--scatter", "--pages", 2, "--piece", 50, "--foreign", 1, "--force")
    assert (ran.code, ran.err) == (0, "")
    names = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert names == ["page-1.jpg", "page-2.jpg", "puzzle.json"]
    truth = json.loads((tmp_path / "pages" / "puzzle.json").read_text())
    assert truth["grid"] == [3, 4]
    assert len(truth["pieces"]) == 13
    for piece in truth["pieces"]:
        height, width, _ = read_picture(tmp_path / "pages" / piece["file"]).shape
        assert 0 < piece["x"] < width
        assert 0 < piece["y"] < height
    assert command(*words, "--scatter", "--force", "--corrupt", "noise:0.1").code == 2
    assert command(*words, "--scatter", "--force", "--ground", "lava").code == 2
    assert command(*words, "--scatter", "--force", "--cut", "zigzag").code == 2
