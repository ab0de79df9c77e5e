"""Boards that are several pictures side by side are told from those that are one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ganzzle.damage.corruption import shift_colours
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solving.several import are_apart, puzzles_side_by_side, tangled

PIECE = 16


def smooth(rows: int, cols: int, brightness: int, seed: int = 0) -> np.ndarray:
    """A picture of slow waves, for a grid of pieces, about as bright as said."""
    y, x = np.mgrid[: rows * PIECE, : cols * PIECE] / PIECE
    phase = np.random.default_rng(seed).random(3) * 6
    waves = np.stack([np.sin(0.9 * x + p) + np.cos(0.7 * y - p) for p in phase], -1)
    return (brightness + 12 * waves).astype(np.uint8)


def solved(picture: np.ndarray, rows: int, cols: int, shuffled: bool = True) -> Solution:
    """The right solution of a picture."""
    puzzle = Puzzle.from_picture(picture, (rows, cols), seed=int(shuffled))
    assert puzzle.truth is not None
    count = len(puzzle)
    return Solution(
        puzzle, Grid(rows, cols), puzzle.truth.placement, np.zeros(count, np.int64), np.ones(count)
    )


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_pictures_side_by_side_are_counted(count: int, axis: int) -> None:
    pictures = [smooth(5, 6, 60 * k + 40, k) for k in range(count)]
    rows, cols = (5 * count, 6) if axis == 0 else (5, 6 * count)
    assert puzzles_side_by_side(solved(np.concatenate(pictures, axis), rows, cols)) == count


def test_four_pictures_in_a_square() -> None:
    lines = [[smooth(5, 5, 30 + 60 * (2 * row + col)) for col in range(2)] for row in range(2)]
    picture = np.concatenate([np.concatenate(line, 1) for line in lines], 0)
    assert puzzles_side_by_side(solved(picture, 10, 10)) == 4


def test_a_border_of_a_collage_that_lies_in_pieces_is_no_end_of_a_picture() -> None:
    picture = smooth(6, 12, 60)
    picture[:, 6 * PIECE + 5 :] = smooth(6, 12, 180)[:, 6 * PIECE + 5 :]
    assert puzzles_side_by_side(solved(picture, 6, 12)) == 1
    picture[:, 6 * PIECE :] = smooth(6, 12, 180)[:, 6 * PIECE :]
    assert puzzles_side_by_side(solved(picture, 6, 12)) == 2


def test_half_a_line_is_no_end_of_a_picture() -> None:
    picture = smooth(6, 12, 60)
    picture[: 3 * PIECE, 6 * PIECE :] += 120
    assert puzzles_side_by_side(solved(picture, 6, 12)) == 1


def test_boards_with_holes_and_pieces_of_one_pixel_are_not_judged() -> None:
    two = solved(np.concatenate([smooth(5, 5, 40), smooth(5, 5, 200)], 1), 5, 10)
    assert puzzles_side_by_side(two) == 2
    holes = Solution(
        two.puzzle.reorder(np.arange(49)), two.grid, two.placement[:49], two.turns[:49], two.confidence[:49]
    )
    assert puzzles_side_by_side(holes) == 1
    dots = np.random.default_rng(0).integers(0, 255, (5, 10, 3)).astype(np.uint8)
    assert puzzles_side_by_side(solved(dots, 5, 10)) == 1
    assert tangled([holes]) == tangled([solved(dots, 5, 10)]) == 0


def test_halves_of_one_picture_side_by_side_are_one_puzzle() -> None:
    """As they lie in a mistaken grid."""
    picture = smooth(12, 6, 100)
    picture[..., 0] += np.linspace(0, 100, len(picture)).astype(np.uint8)[:, None]
    halves = [picture[: 6 * PIECE], picture[6 * PIECE :]]
    assert puzzles_side_by_side(solved(np.concatenate(halves, 1), 6, 12)) == 1
    assert puzzles_side_by_side(solved(np.concatenate([halves[0], 255 - halves[1]], 1), 6, 12)) == 2


def test_halves_of_one_picture_are_not_apart() -> None:
    picture = smooth(10, 6, 100)
    halves = [solved(part, 5, 6) for part in (picture[: 5 * PIECE], picture[5 * PIECE :])]
    assert not are_apart(halves)
    assert not are_apart(halves[::-1])
    assert are_apart([halves[0], solved(smooth(5, 6, 220, 1), 5, 6)])
    # No side of one is as long as one of the other.
    assert are_apart([halves[0], solved(smooth(7, 8, 100), 7, 8)])


def test_pieces_that_lie_anyhow_are_tangled() -> None:
    right = solved(smooth(6, 6, 100), 6, 6)
    assert tangled([right]) < 0.05
    bright = smooth(6, 6, 100)
    bright[3 * PIECE :] += 100
    wrong = solved(bright, 6, 6)
    wrong = Solution(
        wrong.puzzle, wrong.grid, np.random.default_rng(0).permutation(36), wrong.turns, wrong.confidence
    )
    assert tangled([wrong]) > 0.3
    assert tangled([right, wrong]) == pytest.approx((tangled([right]) + tangled([wrong])) / 2)


def test_pieces_that_differ_in_colour_are_one_puzzle() -> None:
    right = solved(smooth(8, 8, 100), 8, 8)
    off = shift_colours(right.puzzle.pieces, 0.05, np.random.default_rng(0))
    assert puzzles_side_by_side(replace(right, puzzle=replace(right.puzzle, pieces=off))) == 1
