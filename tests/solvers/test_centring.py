"""Plain margins that nothing else places are made equal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ganzzle import Grid, Puzzle
from ganzzle.board import assembly_of
from ganzzle.damage.corruption import twin_groups
from ganzzle.pieces import assemble
from ganzzle.solvers.hybrid.centring import (
    LEAST,
    UNEQUAL,
    centred,
    margins,
    rolled,
    shift_to_middle,
)

Draw = Callable[..., np.ndarray]
GRID = Grid(16, 18)


def framed(draw: Draw, top: int, bottom: int, left: int, right: int, colour: int = 250) -> np.ndarray:
    """A (128, 144, 3) picture with plain margins of so many px."""
    picture = np.full((128, 144, 3), colour, np.uint8)
    picture[top : 128 - bottom, left : 144 - right] = draw(128 - top - bottom, 144 - left - right)
    return picture


def puzzle_of(picture: np.ndarray) -> Puzzle:
    return Puzzle.from_picture(picture, GRID, seed=1)


def potentials(puzzle: Puzzle) -> list[np.ndarray]:
    """Slots, right, down and border that speak for nothing."""
    n = len(puzzle)
    return [np.full(shape, -3.0) for shape in ((n, n), (n, n), (n, n), (n, 4))]


def true_placement(puzzle: Puzzle) -> np.ndarray:
    assert puzzle.truth is not None
    return puzzle.truth.placement


def laid(puzzle: Puzzle, placement: np.ndarray, given: list[np.ndarray]) -> np.ndarray:
    """The placement after it was centred under potentials `given`."""
    assert puzzle.grid is not None
    slots, right, down, border = given
    twins = twin_groups(puzzle.pieces)
    found = assembly_of(placement, right, down, puzzle.grid, 0.35 * slots, border, twins)
    return centred(puzzle, found, *given, twins, 0.35).placement


@pytest.mark.parametrize(("axis", "shift"), [(0, 1), (0, -2), (1, 2), (1, -1)])
def test_a_board_that_lies_aside_is_put_into_the_middle(draw: Draw, axis: int, shift: int) -> None:
    puzzle = puzzle_of(framed(draw, 20, 20, 21, 21))
    true = true_placement(puzzle)
    aside = rolled(true, GRID, axis, shift)
    assert (aside != true).all()
    assert (laid(puzzle, aside, potentials(puzzle)) == true).all()
    assert (laid(puzzle, true, potentials(puzzle)) == true).all()


def test_both_ways_at_once(draw: Draw) -> None:
    puzzle = puzzle_of(framed(draw, 20, 20, 21, 21))
    true = true_placement(puzzle)
    aside = rolled(rolled(true, GRID, 0, 2), GRID, 1, -1)
    assert (laid(puzzle, aside, potentials(puzzle)) == true).all()


def test_a_picture_that_reaches_the_border_stays(draw: Draw) -> None:
    puzzle = puzzle_of(framed(draw, 32, 0, 0, 0))
    true = true_placement(puzzle)
    assert (laid(puzzle, true, potentials(puzzle)) == true).all()


def test_a_picture_that_nobody_put_into_the_middle_stays(draw: Draw) -> None:
    puzzle = puzzle_of(framed(draw, 20, 12, 0, 0))  # half a line aside at best
    true = true_placement(puzzle)
    for shift in (0, 1):
        placement = rolled(true, GRID, 0, shift)
        assert (laid(puzzle, placement, potentials(puzzle)) == placement).all()


@pytest.mark.parametrize("which", [0, 2], ids=["slots", "seams"])
def test_it_stays_where_slots_or_seams_speak_for_it(draw: Draw, which: int) -> None:
    puzzle = puzzle_of(framed(draw, 20, 20, 0, 0))
    true = true_placement(puzzle)
    aside = rolled(true, GRID, 0, 1)
    for against, moves in ((0.9 * LEAST, True), (1.1 * LEAST, False)):
        given = potentials(puzzle)
        if which == 0:
            given[0][np.arange(len(aside)), aside] -= against
        else:  # between the rows that are the first and the last one of the board that is put into the middle
            at = np.argsort(aside)
            given[2][at[: GRID.cols], at[GRID.cols : 2 * GRID.cols]] -= against
        found = laid(puzzle, aside, given)
        assert (found == (true if moves else aside)).all()


def test_small_and_incomplete_puzzles_stay(draw: Draw) -> None:
    picture = framed(draw, 20, 20, 0, 0)
    small = Puzzle.from_picture(picture, 8, seed=1)
    incomplete = Puzzle.from_picture(picture, GRID, seed=1, corrupt="missing:0.1")
    for puzzle in (small, incomplete):
        assert puzzle.grid is not None
        placement = rolled(true_placement(puzzle), puzzle.grid, 0, 1)
        n = len(puzzle)
        given = [np.full(shape, -1.0) for shape in ((n, puzzle.grid.slots), (n, n), (n, n), (n, 4))]
        assert (laid(puzzle, placement, given) == placement).all()


def test_margins_may_have_stripes_along_them_and_a_few_other_pixels(draw: Draw) -> None:
    picture = framed(draw, 24, 16, 8, 0)
    picture[:24] = np.arange(24)[:, None, None] * 9
    picture[3, 5] = 255
    assert margins(picture, 0) == (24, 16)
    assert margins(picture[24:112], 1) == (8, 0)


@given(
    line=st.integers(4, 64),
    before=st.integers(0, 300),
    after=st.integers(0, 300),
)
def test_margins_are_made_equal_or_left_alone(line: int, before: int, after: int) -> None:
    shift = shift_to_middle(before, after, line)
    if shift:
        new = before + shift * line, after - shift * line
        assert min(new) >= 0
        assert abs(new[0] - new[1]) <= UNEQUAL * line
        assert shift_to_middle(*new, line) == 0


@given(st.integers(0, 1), st.integers(-20, 20), st.integers(0, 99))
def test_a_rolled_placement_is_a_rolled_picture(axis: int, shift: int, seed: int) -> None:
    grid = Grid(3, 5)
    rng = np.random.default_rng(seed)
    pieces = rng.integers(0, 256, (15, 2, 3, 3)).astype(np.uint8)
    placement = rng.permutation(15)
    expected = np.roll(assemble(pieces, grid, placement), shift * (2, 3)[axis], axis)
    assert (assemble(pieces, grid, rolled(placement, grid, axis, shift)) == expected).all()
