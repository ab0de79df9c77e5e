"""Piles of tiles with the picture on their box, through the public door and the command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.lid import spoilt
from ganzzle import Puzzle, score
from ganzzle.solving.loop import solve
from ganzzle.solving.reference import OTHER_PICTURE

Draw = Callable[..., np.ndarray]


def right(puzzle: Puzzle, solution: object) -> float:
    """The share of pieces in place, at the right turn."""
    return score(replace(solution, puzzle=puzzle)).direct_interchangeable  # type: ignore[type-var]


def lid_of(picture: np.ndarray, size: tuple[int, int] = (96, 96), seed: int = 0) -> np.ndarray:
    """The picture as a phone sees it on a lid."""
    return spoilt(picture, size, np.random.default_rng(seed))[0]


@pytest.mark.parametrize("corruption", ["erode:3", "noise:0.2", "missing:0.5"])
def test_a_lid_helps_where_seams_do_not(draw: Draw, corruption: str) -> None:
    picture = draw(240, 240, 3)
    puzzle = Puzzle.from_picture(picture, "6x6", seed=1, piece=24, corrupt=corruption)
    answer = solve(replace(puzzle.pile(), reference=lid_of(picture)), "assembler")
    assert right(puzzle, answer.solutions[0]) >= 0.9
    assert OTHER_PICTURE not in answer.advice


def test_the_grid_follows_from_the_lid(draw: Draw) -> None:
    picture = draw(200, 300, 4)
    puzzle = Puzzle.from_picture(picture, "4x6", seed=1, piece=24, corrupt="erode:2")
    pile = replace(puzzle.pile(), grid=None, reference=lid_of(picture, (80, 120)))
    answer = solve(pile, "assembler")
    assert str(answer.grid) == "4x6"
    assert right(puzzle, answer.solutions[0]) == 1


def test_the_lid_turns_turned_tiles(draw: Draw) -> None:
    picture = draw(240, 240, 5)
    puzzle = Puzzle.from_picture(picture, "5x5", seed=1, piece=24, corrupt="erode:2", rotated=True)
    answer = solve(replace(puzzle.pile(turned=True), reference=lid_of(picture)), "assembler")
    assert right(puzzle, answer.solutions[0]) >= 0.9


def test_another_lid_is_noticed_and_not_followed(draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(160, 160, 6), "4x4", seed=1, piece=24)
    without = solve(puzzle.pile(), "assembler")
    answer = solve(replace(puzzle.pile(), reference=lid_of(draw(160, 160, 7))), "assembler")
    assert answer.advice[0] == OTHER_PICTURE
    assert answer.placement.tolist() == without.placement.tolist()


def test_the_order_of_the_pieces_does_not_matter(draw: Draw) -> None:
    picture = draw(160, 160, 8)
    pile = replace(Puzzle.from_picture(picture, "4x4", seed=1, piece=24).pile(), reference=lid_of(picture))
    back = replace(pile, pieces=pile.tiles[::-1].copy())
    assert solve(pile, "assembler").placement.tolist() == solve(back, "assembler").placement.tolist()[::-1]


def test_solve_takes_a_reference(draw: Draw, tmp_path: Path, command: Callable[..., object]) -> None:
    picture, other = draw(160, 160, 9), draw(160, 160, 10)
    for name, each in (("photo", picture), ("lid", lid_of(picture)), ("wrong", lid_of(other))):
        cv2.imwrite(str(tmp_path / f"{name}.png"), each[..., ::-1])
    command("shuffle", tmp_path / "photo.png", "--grid", "4x4", "--out", tmp_path / "pieces")
    asked = (
        "solve",
        tmp_path / "pieces",
        "--grid",
        "4x4",
        "--solver",
        "assembler",
        "--force",
        "--out",
        tmp_path / "out.png",
    )
    ran = command(*asked, "--reference", tmp_path / "lid.png")
    assert ran.code == 0  # type: ignore[attr-defined]
    assert "direct 100.0 %" in ran.out  # type: ignore[attr-defined]
    ran = command(*asked, "--reference", tmp_path / "wrong.png")
    assert ran.code == 0  # type: ignore[attr-defined]
    assert OTHER_PICTURE in ran.out  # type: ignore[attr-defined]
    ran = command(*asked, "--reference", tmp_path / "nothing.png")
    assert ran.code == 2  # type: ignore[attr-defined]
    assert len(ran.err.strip().splitlines()) == 1  # type: ignore[attr-defined]
    ran = command(*asked, "--reference", tmp_path / "lid.png", "--puzzles", "2")
    assert ran.code == 2  # type: ignore[attr-defined]


def test_a_known_gap_between_the_tiles_is_left_out_on_the_lid(draw: Draw) -> None:
    picture = draw(240, 240, 12)
    whole = Puzzle.from_picture(picture, "5x5", seed=1, piece=32)
    bare = replace(whole, pieces=np.ascontiguousarray(whole.pieces[:, 4:28, 4:28]))
    pile = replace(bare.pile(), gap=4 / 24, reference=lid_of(picture, (120, 120)))
    answer = solve(pile, "assembler")
    assert right(bare, answer.solutions[0]) >= 0.9
