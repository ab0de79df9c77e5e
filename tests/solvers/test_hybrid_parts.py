"""Parts of turned boards that no seam ties together."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver
from ganzzle.puzzle import Grid
from ganzzle.samples import sample_picture
from ganzzle.solvers.hybrid.parts import Laid, _best_turns, _steps, parts, settled

UNLIKELY, LIKELY = np.log([0.1, 0.9])


def test_likely_seams_tie_neighbours_into_parts():
    grid = Grid(2, 3)
    placement = np.array([5, 0, 1, 4, 2])  # piece by piece; slot 3 is empty
    right, down = (np.full((5, 5), LIKELY, np.float32) for _ in range(2))
    assert parts(placement, right, down, grid).tolist() == [0] * 5
    right[2, 4] = down[4, 0] = UNLIKELY  # slots 1 and 2, 2 and 5
    found = parts(placement, right, down, grid)
    assert [found[k] == found[0] for k in range(5)] == [True, True, True, True, False]
    assert set(found.tolist()) == {0, 1}
    nothing = np.full((5, 5), UNLIKELY, np.float32)
    assert sorted(parts(placement, nothing, nothing, grid)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("quarters", [(1, 2, 3), (2,)])
def test_every_part_but_the_largest_sees_every_turn(quarters):
    part = np.array([0, 1, 1, 2, 1, 2, 3])
    for rng in (None, np.random.default_rng(1)):
        steps = _steps(part, quarters, rng)
        assert (steps[:, part == 1] == 0).all()
        for other in (0, 2, 3):
            own = steps[:, part == other]
            assert (own == own[:, :1]).all()  # a part stays whole
            assert sorted(own[:, 0]) == list(quarters)
    assert (_steps(part, quarters, None)[:, 0] == quarters).all()


def test_a_part_keeps_the_turn_that_supports_it_most():
    part = np.array([0, 0, 1])
    boards = [
        Laid(np.array([0, 1, 2]), part, np.array([-1.0, -1.0, -9.0]), 0.5),
        Laid(np.array([3, 0, 1]), part, np.array([-0.5, -2.0, -1.0]), 0.4),
    ]
    assert _best_turns(part, boards).tolist() == [0, 1, 1]


@pytest.fixture(scope="module")
def face() -> np.ndarray:
    return np.ascontiguousarray(sample_picture("portrait")[60:280, 120:340])


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_pieces_that_holes_cut_off_are_turned_by_what_they_show(face, turn):
    whole = Puzzle.from_picture(face, (6, 6), seed=3, piece=32)
    at = np.argsort(whole.truth.placement)
    around = at[[8, 9, 13, 16, 20, 21]]  # slots 14 and 15 hold an eye and the nose
    puzzle = whole.reorder(np.setdiff1d(np.arange(36), around))
    wrong = np.where(np.isin(puzzle.truth.placement, [14, 15]), turn, 0)
    hybrid = load_solver("hybrid", rotated=True)
    assert not settled(hybrid, puzzle, wrong, seed=0).any()


def test_a_board_in_one_part_stays_as_it_is(face):
    puzzle = Puzzle.from_picture(face, (5, 5), seed=3, piece=32)
    turns = np.full(25, 2)
    upside_down = puzzle.rotate(turns)
    found = settled(load_solver("hybrid", rotated=True), upside_down, turns, seed=0)
    assert np.array_equal(found, turns)
