"""The one score: any boards of a pile on one scale, and the answers that it chooses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver, solve
from ganzzle.pieces import turn_pieces
from ganzzle.pile import Pile
from ganzzle.puzzle import Grid
from ganzzle.samples import sample_picture
from ganzzle.solving.evidence import Evidence
from ganzzle.solving.score import gains, shares, terms_of, worth, worth_outside
from ganzzle.solving.search import laid_out
from ganzzle.solving.turning import turns_alike

Draw = Callable[..., np.ndarray]


def test_what_a_piece_adds_is_what_is_lost_without_it() -> None:
    rng, count = np.random.default_rng(0), 12
    seams = [np.log(rng.random((count, count))) for _ in range(2)]
    terms = terms_of(*seams, np.log(rng.random((count, 4))), np.arange(count))

    def score(board: np.ndarray) -> float:
        return worth(terms, board) + worth_outside(terms, np.setdiff1d(np.arange(count), board))

    board = np.full((4, 4), -1)
    board.flat[rng.permutation(16)[:10]] = np.arange(10)
    for slot in map(tuple, np.argwhere(board >= 0)):
        without = board.copy()
        without[slot] = -1
        assert score(board) - score(without) == pytest.approx(shares(terms, board)[slot])
    holes, gain = gains(terms, board, np.array([10, 11]))
    for k, hole in enumerate(map(tuple, holes)):
        for m, piece in enumerate((10, 11)):
            filled = board.copy()
            filled[hole] = piece
            assert score(filled) - score(board) == pytest.approx(gain[k, m])


@pytest.fixture
def own() -> Puzzle:
    return Puzzle.from_picture(sample_picture("portrait"), (6, 7), seed=1, piece=32)


def others(count: int) -> np.ndarray:
    return Puzzle.from_picture(sample_picture("landscape"), (5, 5), seed=2, piece=32).pieces[:count]


def test_lost_and_foreign_pieces_at_once(own: Puzzle) -> None:
    pile = np.concatenate([own.pieces[:38], others(3)])
    answer = solve(Pile(pile))
    assert answer.grid == Grid(6, 7)
    assert answer.left_over.tolist() == [38, 39, 40]
    assert np.array_equal(answer.placement[:38], own.truth.placement[:38])


def test_two_puzzles_that_nobody_announced(own: Puzzle) -> None:
    answer = solve(Pile(np.concatenate([own.pieces, others(25)])))
    assert [one.grid for one in answer.solutions] == [Grid(6, 7), Grid(5, 5)]
    assert np.array_equal(answer.puzzles, np.repeat([0, 1], [42, 25]))


def test_one_puzzle_where_two_are_announced(own: Puzzle) -> None:
    (one,) = solve(Pile(own.pieces, puzzles=2)).solutions
    assert np.array_equal(one.placement, own.truth.placement)


def test_a_few_turned_pieces_that_nobody_announced(own: Puzzle) -> None:
    turns = np.zeros(42, np.int64)
    turns[[3, 20]] = 1, 2
    answer = solve(Pile(turn_pieces(own.pieces, -turns)))
    assert np.array_equal(answer.turns, turns)
    assert np.array_equal(answer.placement, own.truth.placement)


def test_a_worn_pile_is_looked_at_once(draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(192, 192, 3), (6, 6), seed=1, piece=32, corrupt="erode:2")
    evidence = Evidence(puzzle.pieces, load_solver("hybrid"))
    assert laid_out(evidence, 0)[0].grids == (Grid(6, 6),)
    assert evidence.counts["looks"] == evidence.counts["costs"] == 1


def test_all_faces_together_tell_the_turns(own: Puzzle) -> None:
    given = np.random.default_rng(4).integers(0, 4, 42)
    evidence = Evidence(turn_pieces(own.pieces, -given), load_solver("hybrid"))
    assert len(set(((turns_alike(evidence) - given) % 4).tolist())) == 1
