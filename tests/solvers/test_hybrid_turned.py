"""Turned pieces, by `hybrid`."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver, score
from ganzzle.puzzle import Grid, Solution, assemble
from ganzzle.samples import sample_picture
from ganzzle.solvers.hybrid_turned import ways_to_hold


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


@pytest.mark.parametrize("known", [True, False])
def test_a_portrait_is_found_and_held_upright(known):
    solver = load_solver("hybrid", rotated=True)
    puzzle = Puzzle.from_picture(sample_picture("portrait"), (6, 6), seed=3, piece=32, rotated=True)
    solution = solver.solve(puzzle if known else Puzzle(puzzle.pieces, truth=puzzle.truth))
    assert score(solution).direct == 1
    assert np.array_equal(solution.turns, puzzle.truth.turns)
    assert solution.mental_image is not None
