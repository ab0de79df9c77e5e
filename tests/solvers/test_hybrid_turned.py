"""Turned pieces, by `hybrid`."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver, score
from ganzzle.pieces import assemble, cut
from ganzzle.puzzle import Grid
from ganzzle.samples import sample_picture
from ganzzle.solution import Solution
from ganzzle.solvers.hybrid.four_ways import turned_seams
from ganzzle.solvers.hybrid.turned import picture_of, ways_to_hold
from ganzzle.solvers.hybrid.upright import turns_given


def board(picture: np.ndarray, grid: Grid, lost: int = 0) -> Solution:
    """The true board of a shuffled puzzle of turned pieces."""
    puzzle = Puzzle.from_picture(picture, grid, seed=2, rotated=True)
    puzzle = puzzle.reorder(np.arange(lost, len(puzzle)))
    assert puzzle.truth is not None
    return Solution(puzzle, grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(len(puzzle)))


@pytest.mark.parametrize(
    ("grid", "shape", "keep_grid", "turns"),
    [
        ((3, 3), (60, 60), True, [0, 1, 2, 3]),
        ((2, 3), (40, 60), False, [0, 1, 2, 3]),
        ((2, 3), (40, 60), True, [0, 2]),
        ((3, 3), (60, 90), True, [0, 2]),  # pieces that are not square
    ],
)
def test_a_board_is_turned_as_a_whole(draw, grid, shape, keep_grid, turns):
    picture = draw(*shape)
    ways = ways_to_hold(board(picture, Grid(*grid)), keep_grid)
    for turn, way in zip(turns, ways, strict=True):
        seen = assemble(way.pieces.pieces, way.pieces.grid, way.placement)
        assert np.array_equal(seen, np.rot90(picture, turn))


def test_holes_turn_with_the_board(draw):
    puzzle = board(draw(60, 60), Grid(3, 3), lost=2)
    upside_down = ways_to_hold(puzzle, keep_grid=True)[2]
    assert np.array_equal(upside_down.placement, 8 - puzzle.placement)


def test_pieces_that_lay_one_way_are_left_so():
    picture = np.rot90(sample_picture("portrait"), 2)  # which the network would rather turn
    puzzle = Puzzle.from_picture(np.ascontiguousarray(picture), (5, 5), seed=3, piece=32)
    puzzle = puzzle.rotate(np.arange(25) // 17)  # eight are turned
    solution = load_solver("hybrid", rotated=True).solve(puzzle)
    assert np.array_equal(solution.turns, puzzle.truth.turns)
    assert score(solution).direct == 1


@pytest.fixture(scope="module")
def face() -> np.ndarray:
    return np.ascontiguousarray(sample_picture("portrait")[60:280, 120:340])


@pytest.mark.parametrize("known", [True, False])
def test_a_face_is_found_and_held_upright(face, known):
    solver = load_solver("hybrid", rotated=True)
    puzzle = Puzzle.from_picture(face, (6, 6), seed=3, piece=32, rotated=True)
    solution = solver.solve(puzzle if known else Puzzle(puzzle.pieces, truth=puzzle.truth))
    assert score(solution).direct == 1
    assert np.array_equal(solution.turns, puzzle.truth.turns)
    assert solution.mental_image is not None


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("corrupt", ["erode:3", "noise:0.2"])
def test_worn_and_noisy_pieces_are_seen_four_ways(corrupt, known):
    portrait = np.ascontiguousarray(sample_picture("portrait")[:360, 60:420])
    puzzle = Puzzle.from_picture(portrait, (6, 6), seed=3, piece=32, rotated=True, corrupt=corrupt)
    shown = puzzle if known else Puzzle(puzzle.pieces, truth=puzzle.truth)
    solution = load_solver("hybrid", rotated=True).solve(shown)
    assert solution.grid == Grid(6, 6)
    assert score(solution).direct > 0.9
    assert score(load_solver("gallagher", rotated=True).solve(shown)).direct < 0.9


def test_the_seams_of_turned_pieces_are_the_same_however_they_lie():
    """Beside each other, and the other way round upside down, is one seam; the true one is the likeliest."""
    puzzle = Puzzle.in_order(sample_picture("portrait")[:256, :256], (4, 4))
    seams = turned_seams(load_solver("hybrid", rotated=True), puzzle)
    upside_down = np.arange(64) ^ 2
    assert np.allclose(seams, seams[np.ix_(upside_down, upside_down)].T, atol=1e-5)
    right, below = puzzle.grid.adjacencies()
    assert np.array_equal(seams[4 * right[:, 0]].argmax(1), 4 * right[:, 1])
    assert np.array_equal(seams[4 * below[:, 0] + 1].argmax(1), 4 * below[:, 1] + 1)


def test_the_picture_of_a_board_has_no_rims_and_no_black_holes(draw):
    picture = draw(60, 60, 3)
    whole = picture_of(ways_to_hold(board(picture, Grid(3, 3)), keep_grid=True)[0])
    assert np.array_equal(whole, picture)
    missing = board(picture, Grid(3, 3), lost=1)
    hole = np.setdiff1d(np.arange(9), missing.placement)[0]
    seen = cut(picture_of(ways_to_hold(missing, keep_grid=True)[0]), Grid(3, 3))
    others = cut(picture, Grid(3, 3))[missing.placement]
    assert np.allclose(seen[hole], others.mean((0, 1, 2)), atol=1)
    worn = Puzzle.from_picture(picture, (3, 3), seed=1, corrupt="erode:2")
    solution = Solution(worn, worn.grid, worn.truth.placement, worn.truth.turns, np.ones(9))
    assert np.array_equal(
        picture_of(ways_to_hold(solution, True)[0]),
        assemble(worn.pieces[:, 2:-2, 2:-2], worn.grid, solution.placement),
    )


@pytest.mark.parametrize("turn", range(4))
def test_it_is_told_which_way_is_up(face, turn):
    for picture in (face, face[20:, 20:]):
        given = turns_given(np.ascontiguousarray(np.rot90(picture, turn)))
        assert given.argmax() == turn
        assert np.exp(given).sum() == pytest.approx(1)
