"""The demo: honest scores and one picture."""

from __future__ import annotations

import json

import numpy as np

from ganzzle.demo import overview, play
from ganzzle.metrics import score
from ganzzle.puzzle import Puzzle
from ganzzle.reading.pictures import read_picture
from ganzzle.solution import Solution
from ganzzle.solvers import Arrangement, Solver


class Dreamer(Solver):
    """Lays the pieces down as they come, and dreams of grey."""

    name = "dreamer"

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        return Arrangement(np.arange(len(puzzle)), mental_image=np.full((64, 64, 3), 128, np.uint8))


def test_rounds_are_scored_as_they_are(draw):
    rounds = play(draw(96, 96), (4, 6), Dreamer())
    assert [len(one.solution.puzzle) for one in rounds] == [16, 36]
    for one in rounds:
        assert isinstance(one.solution, Solution)
        assert one.score == score(one.solution)
        assert one.score.direct < 0.5  # this solver solves nothing, and the demo says so
        assert one.seconds > 0


def test_the_overview_shows_the_mental_image_where_there_is_one(draw):
    picture = draw(96, 96)
    dream = overview(play(picture, (4,), Dreamer()))
    Dreamer.arrange, kept = (lambda self, puzzle, seed: Arrangement(np.arange(len(puzzle)))), Dreamer.arrange
    try:
        plain = overview(play(picture, (4, 6), Dreamer()))
    finally:
        Dreamer.arrange = kept
    assert dream.shape[1] * 3 == plain.shape[1] * 4
    assert plain.shape[0] == 2 * dream.shape[0]


def test_the_command_writes_its_picture_and_prints_the_path(command, tmp_path):
    ran = command("demo", "--out", tmp_path / "demo.png", "--json", tmp_path / "demo.json")
    assert ran.code == 0
    assert str(tmp_path / "demo.png") in ran.out
    assert read_picture(tmp_path / "demo.png").shape[2] == 3
    rounds = json.loads((tmp_path / "demo.json").read_text())["rounds"]
    assert [one["grid"] for one in rounds] == ["8x8", "12x12"]
    for one in rounds:
        assert f"direct {100 * one['direct']:.1f} %" in ran.out
        assert one["direct"] > 0.9


def test_a_jigsaw_is_drawn_and_laid(command, tmp_path):
    ran = command("demo", "--jigsaw", "--out", tmp_path / "jigsaw.png")
    assert ran.code == 0, ran.err
    assert "24 of 24 pieces laid" in ran.out
    height, width, _ = read_picture(tmp_path / "jigsaw.png").shape
    assert width > 2.5 * height
