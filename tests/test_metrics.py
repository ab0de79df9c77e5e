"""The metrics against examples worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.errors import PuzzleError
from ganzzle.metrics import ceiling, correct_pieces, score
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution


def different(rows: int, cols: int, size: int = 2) -> Puzzle:
    """A puzzle in order whose pieces all differ (and look different after any turn)."""
    rng = np.random.default_rng(0)
    return Puzzle.in_order(rng.integers(0, 256, (rows * size, cols * size, 3), dtype=np.uint8), (rows, cols))


def placed(puzzle: Puzzle, placement, turns=None, grid=None) -> Solution:
    """A solution of that placement."""
    count = len(puzzle)
    turns = np.zeros(count, np.int64) if turns is None else np.asarray(turns)
    return Solution(puzzle, grid or puzzle.grid, np.asarray(placement), turns, np.ones(count))


def whole_turn(solution: Solution, k: int) -> Solution:
    """The same solution, all of it turned counter-clockwise."""
    for _ in range(k):
        row, col = np.divmod(solution.placement, solution.grid.cols)
        grid = Grid(solution.grid.cols, solution.grid.rows)
        placement = (solution.grid.cols - 1 - col) * grid.cols + row
        solution = replace(solution, grid=grid, placement=placement, turns=(solution.turns + 1) % 4)
    return solution


def test_the_true_solution_scores_one():
    s = score(placed(different(3, 4), range(12)))
    assert s.direct == s.neighbour == s.perfect == 1
    assert s.direct_interchangeable == s.neighbour_interchangeable == s.perfect_interchangeable == 1


def test_a_shifted_solution_has_no_direct_and_a_high_neighbour_accuracy():
    # 3 x 4, the last column comes first: of 9 horizontal and 8 vertical pairs, 6 and 8 are kept.
    shifted = [row * 4 + (col + 1) % 4 for row in range(3) for col in range(4)]
    s = score(placed(different(3, 4), shifted))
    assert s.direct == 0
    assert s.neighbour == pytest.approx(14 / 17)
    assert s.perfect == 0


def test_two_swapped_pieces_of_a_2x2():
    # a b / c d with a and b swapped: pairs ab, cd, ac, bd; only cd is kept.
    s = score(placed(different(2, 2), [1, 0, 2, 3]))
    assert s.direct == 0.5
    assert s.neighbour == 0.25


def test_a_side_counts_not_only_who_is_near():
    # 1 x 3 reversed: all neighbours are still neighbours, but on the wrong side.
    s = score(placed(different(1, 3), [2, 1, 0]))
    assert s.direct == pytest.approx(1 / 3)
    assert s.neighbour == 0


def test_one_piece_is_always_right():
    s = score(placed(different(1, 1), [0]))
    assert (s.direct, s.neighbour, s.perfect) == (1, 1, 1)


def test_a_single_row_cut_in_the_middle():
    # 1 x 6, the halves exchanged: every pair but the middle one is kept.
    s = score(placed(different(1, 6), [3, 4, 5, 0, 1, 2]))
    assert s.direct == 0
    assert s.neighbour == pytest.approx(4 / 5)


def test_identical_pieces_are_interchangeable():
    puzzle = different(2, 2)
    pieces = puzzle.pieces.copy()
    pieces[2:] = 255  # the lower two are white
    puzzle = replace(puzzle, pieces=pieces)
    s = score(placed(puzzle, [0, 1, 3, 2]))
    assert s.direct == 0.5
    assert s.neighbour == 0.25  # ab alone
    assert s.perfect == 0
    assert s.direct_interchangeable == s.neighbour_interchangeable == s.perfect_interchangeable == 1
    assert correct_pieces(placed(puzzle, [0, 1, 3, 2])).all()
    wrong = score(placed(puzzle, [2, 1, 0, 3]))  # a and a white one exchanged
    assert wrong.direct_interchangeable == 0.5


def test_each_true_adjacency_of_twins_counts_once():
    # Truth: a w w (a row). Solution: w w a. Kinds: (a, w), (w, w); found (w, w), (w, a): one of two.
    puzzle = different(1, 3)
    pieces = puzzle.pieces.copy()
    pieces[1:] = 255
    s = score(placed(replace(puzzle, pieces=pieces), [2, 0, 1]))
    assert s.neighbour_interchangeable == 0.5
    # Truth: w w a w. Solution: w w w a. (w, w) is found twice but true once; (w, a) is right; (a, w) is missing.
    puzzle = different(1, 4)
    pieces = puzzle.pieces.copy()
    pieces[[0, 1, 3]] = 255
    assert score(
        placed(replace(puzzle, pieces=pieces), [0, 1, 3, 2])
    ).neighbour_interchangeable == pytest.approx(2 / 3)
    # Truth: a w b w; the solution w w a b has no true pair, and its w w is no true one.
    puzzle = different(1, 4)
    pieces = puzzle.pieces.copy()
    pieces[[1, 3]] = 255
    assert score(placed(replace(puzzle, pieces=pieces), [2, 0, 3, 1])).neighbour_interchangeable == 0


def test_all_pieces_identical():
    puzzle = Puzzle.in_order(np.full((6, 6, 3), 9, np.uint8), 3)
    s = score(placed(puzzle, np.random.default_rng(1).permutation(9)))
    assert s.direct < 1
    assert s.direct_interchangeable == s.neighbour_interchangeable == 1


def test_missing_pieces_are_left_out_of_the_count():
    # 2 x 2 without d: pairs ab, ac. a and b right, c on d's slot.
    puzzle = different(2, 2).reorder(np.array([0, 1, 2]))
    s = score(placed(puzzle, [0, 1, 3]))
    assert s.direct == pytest.approx(2 / 3)
    assert s.neighbour == 0.5
    assert score(placed(puzzle, [0, 1, 2])).perfect == 1


def test_noise_does_not_make_twins_different():
    picture = np.full((40, 40, 3), 120, np.uint8)
    puzzle = Puzzle.from_picture(picture, 4, seed=0, corrupt="noise:0.1")
    s = score(placed(puzzle, np.arange(16)))
    assert s.direct < 1
    assert s.direct_interchangeable == 1


@pytest.mark.parametrize("corrupt", ["none", "noise:0.05", "noise:0.05+missing:0.2"])
def test_a_turn_that_could_not_be_seen_before_the_noise_is_no_mistake(draw, corrupt):
    picture = draw(60, 60)
    picture[:20, :20] = 90
    puzzle = Puzzle.from_picture(picture, 3, seed=1, corrupt=corrupt, rotated=True)
    turns = puzzle.truth.turns.copy()
    flat = puzzle.truth.placement == 0
    assert flat.any()
    turns[flat] += 1
    s = score(placed(puzzle, puzzle.truth.placement, turns % 4))
    assert s.direct < 1
    assert s.direct_interchangeable == s.neighbour_interchangeable == 1
    turns[~flat] += np.arange((~flat).sum()) % 2
    assert score(placed(puzzle, puzzle.truth.placement, turns % 4)).direct_interchangeable < 1


def test_a_wrong_turn_is_wrong():
    s = score(placed(different(2, 2), range(4), turns=[0, 1, 0, 0]))
    assert s.direct == 0.75
    assert s.neighbour == 0.5
    assert s.perfect == 0


def test_the_whole_may_be_turned_when_nobody_knows_what_is_up():
    puzzle = different(3, 4).rotate(np.arange(12) % 4)
    truth = placed(puzzle, range(12), turns=np.arange(12) % 4)
    for k in range(4):
        s = score(whole_turn(truth, k))
        assert s.direct == s.neighbour == s.perfect == s.neighbour_interchangeable == 1
    upright = placed(different(3, 4), range(12))
    assert score(whole_turn(upright, 1)).direct == 0  # nothing was turned, so up is known
    assert score(whole_turn(upright, 2)).neighbour == 1


def test_two_pieces_turned_wrong_together_stay_neighbours():
    # 1 x 4 of turned pieces; the right half is upside down, as a block: only its pair, and that of the left half, hold.
    puzzle = different(1, 4).rotate(np.array([0, 1, 0, 0]))
    s = score(placed(puzzle, [0, 1, 3, 2], turns=[0, 1, 2, 2]))
    assert s.direct == 0.5
    assert s.neighbour == pytest.approx(2 / 3)


def test_a_turn_nobody_can_see_is_no_mistake():
    puzzle = different(2, 2)
    pieces = puzzle.pieces.copy()
    pieces[3] = 77
    puzzle = replace(puzzle, pieces=pieces).rotate(np.array([1, 0, 0, 0]))
    s = score(placed(puzzle, range(4), turns=[1, 0, 0, 3]))
    assert s.direct == 0.75
    assert s.neighbour == 0.5
    assert s.direct_interchangeable == s.neighbour_interchangeable == 1


def test_turns_nobody_can_see_do_not_exchange_sides():
    # 1 x 3: dark, light, and a turned piece with a pattern; the plain ones lie upside down, both where they belong.
    puzzle = different(1, 3)
    pieces = puzzle.pieces.copy()
    pieces[0], pieces[1] = 10, 200
    puzzle = replace(puzzle, pieces=pieces).rotate(np.array([0, 0, 1]))
    s = score(placed(puzzle, range(3), turns=[2, 2, 1]))
    assert s.neighbour == 0
    assert s.direct_interchangeable == s.neighbour_interchangeable == 1


def test_a_wrongly_guessed_grid_is_compared_by_row_and_column():
    puzzle = replace(different(2, 2), grid=None)
    s = score(placed(puzzle, range(4), grid=Grid(1, 4)))
    assert s.direct == 0.5  # the first row is right
    assert s.neighbour == 0.5  # ab and cd of ab, cd, ac, bd


def test_no_truth_no_score():
    with pytest.raises(PuzzleError, match="truth"):
        score(placed(replace(different(2, 2), truth=None), range(4)))


@settings(deadline=None, max_examples=40)
@given(rows=st.integers(1, 5), cols=st.integers(1, 5), seed=st.integers(0, 10**6), colours=st.integers(1, 4))
def test_properties(rows, cols, seed, colours):
    """Interchangeable is never below strict, all lie in 0..1, and the order of arrival does not matter."""
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, colours, (rows, cols, 1), dtype=np.uint8).repeat(3, 2)
    puzzle = Puzzle.from_picture(picture, (rows, cols), seed=seed)
    placement = rng.permutation(rows * cols)
    s = score(placed(puzzle, placement))
    assert 0 <= s.direct <= s.direct_interchangeable <= 1
    assert 0 <= s.neighbour <= s.neighbour_interchangeable <= 1
    order = rng.permutation(rows * cols)
    assert score(placed(puzzle.reorder(order), placement[order])) == s
    assert correct_pieces(placed(puzzle, placement)).mean() == pytest.approx(s.direct_interchangeable)


def test_of_identical_pieces_one_lies_right_by_chance():
    # Three of four pieces are the same: the ceiling counts two kinds, and so does the mean over all their orders.
    puzzle = different(2, 2)
    pieces = puzzle.pieces.copy()
    pieces[1] = pieces[2] = pieces[0]
    puzzle = replace(puzzle, pieces=pieces)
    assert ceiling(puzzle) == score(placed(puzzle, range(4))).direct_ceiling == 0.5
    orders = [score(placed(puzzle, [*order, 3])).direct for order in permutations(range(3))]
    assert np.mean(orders) == pytest.approx(0.5)


def test_without_identical_pieces_nothing_keeps_a_solver_from_all():
    assert ceiling(different(3, 4)) == 1


def test_noise_does_not_tell_identical_pieces_apart():
    flat = np.full((8, 8, 3), 128, np.uint8)
    assert ceiling(Puzzle.from_picture(flat, (2, 2), seed=0, corrupt="noise:0.1")) == 0.25
