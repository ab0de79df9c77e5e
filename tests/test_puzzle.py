"""Puzzles and solutions: shuffling, turning, missing pieces, what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.errors import PuzzleError
from ganzzle.pieces import cut, turn_pieces
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.folders import write_puzzle
from ganzzle.solution import Solution


def solution_of(puzzle: Puzzle) -> Solution:
    """The true one."""
    assert puzzle.truth is not None
    assert puzzle.grid is not None
    return Solution(puzzle, puzzle.grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(len(puzzle)))


@settings(deadline=None, max_examples=40)
@given(
    rows=st.integers(1, 6), cols=st.integers(1, 6), height=st.integers(1, 5), width=st.integers(1, 5),
    seed=st.integers(0, 2**32), rotated=st.booleans(),
)  # fmt: skip
def test_the_true_solution_is_the_picture(rows, cols, height, width, seed, rotated):
    picture = np.random.default_rng(seed).integers(0, 256, (rows * height, cols * width, 3), dtype=np.uint8)
    puzzle = Puzzle.from_picture(picture, (rows, cols), seed=seed, rotated=rotated)
    assert np.array_equal(solution_of(puzzle).picture(), picture)
    order = np.random.default_rng(seed + 1).permutation(len(puzzle))
    assert np.array_equal(solution_of(puzzle.reorder(order)).picture(), picture)


def test_shuffling_depends_on_the_seed_alone(draw):
    picture = draw(60, 60)
    one, two, other = (Puzzle.from_picture(picture, 6, seed=s) for s in (5, 5, 6))
    assert np.array_equal(one.pieces, two.pieces)
    assert not np.array_equal(one.truth.placement, other.truth.placement)
    assert sorted(one.truth.placement) == list(range(36))


def test_the_truth_remembers_its_grid(draw):
    puzzle = replace(Puzzle.from_picture(draw(40, 60), (2, 3), corrupt="missing:0.2"), grid=None)
    assert puzzle.truth.grid == Grid(2, 3)


def test_a_permutation_replaces_the_shuffle(draw):
    picture = draw(20, 20)
    puzzle = Puzzle.from_picture(picture, 2, permutation=[2, 3, 1, 0])
    assert puzzle.truth.placement.tolist() == [2, 3, 1, 0]
    assert np.array_equal(puzzle.pieces[0], picture[10:, :10])
    with pytest.raises(PuzzleError, match="not an order"):
        Puzzle.from_picture(picture, 2, permutation=[0, 0, 1, 2])


def test_strips_are_given_half_turns_only(draw):
    puzzle = Puzzle.from_picture(draw(60, 90), (1, 9), seed=1, rotated=True)
    assert puzzle.piece_size == (60, 10)
    assert set(puzzle.truth.turns) == {0, 2}
    with pytest.raises(PuzzleError, match="not square"):
        turn_pieces(puzzle.pieces, np.ones(9, np.int64))


def test_turns_are_counter_clockwise(draw):
    pieces = cut(draw(20, 20), Grid(2, 2))
    turned = turn_pieces(pieces, np.array([0, 1, 2, 3]))
    for k in range(4):
        assert np.array_equal(turned[k], np.rot90(pieces[k], k))
    puzzle = Puzzle.in_order(draw(20, 20), 2).rotate(np.array([0, 1, 2, 3]))
    assert puzzle.truth.turns.tolist() == [0, 1, 2, 3]
    assert np.array_equal(puzzle.pieces[1], np.rot90(pieces[1], -1))


def test_missing_pieces_leave_black_slots(draw):
    picture = draw(40, 40)
    puzzle = Puzzle.in_order(picture, 4).reorder(np.arange(10))
    solved = solution_of(puzzle).picture()
    assert np.array_equal(solved[:20], picture[:20])
    assert not solved[30:].any()


def test_holes_are_filled_from_the_mental_image(draw):
    picture = draw(40, 40)
    solution = replace(solution_of(Puzzle.in_order(picture, 4).reorder(np.arange(10))), imagined=picture)
    assert np.array_equal(solution.picture(fill="imagine"), picture)
    assert not solution.picture(fill="black")[30:].any()
    with pytest.raises(PuzzleError, match="fill is"):
        solution.picture(fill="white")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Puzzle.from_picture(np.zeros((4, 4, 3), np.uint8), 5), "too small"),
        (lambda: Puzzle.from_picture(np.zeros((4, 4), np.uint8), 2), "H x W x 3"),
        (lambda: Puzzle.from_picture(np.zeros((4, 4, 3)), 2), "H x W x 3"),
        (lambda: Puzzle.from_picture(np.zeros((4, 4, 3), np.uint8), 2, piece=0), "at least 1 px"),
        (lambda: Puzzle.from_picture(np.zeros((4, 4, 3), np.uint8), 2, piece=2.5), "a whole number"),
        (lambda: Puzzle.from_picture(np.zeros((4, 4, 3), np.uint8), 900, piece=900), "too large"),
        (lambda: Puzzle.from_picture(np.zeros((4, 4, 3), np.uint8), 2, seed=-1), "a seed is a whole number"),
        (lambda: Puzzle.from_picture(np.zeros((4, 4, 3), np.uint8), 2, seed="a"), "a seed is a whole number"),
        (lambda: Puzzle(np.zeros((5, 2, 2, 3), np.uint8), Grid(2, 2)), "do not fit"),
        (lambda: Puzzle(np.zeros((0, 2, 2, 3), np.uint8)), "N x h x w x 3"),
        (lambda: Puzzle(np.zeros((4, 9, 6, 3), np.uint8), rim=3), "leaves nothing of pieces of 6x9 px"),
        (lambda: Puzzle.from_scrambled(np.zeros((1, 4, 3), np.uint8), 2), "too small for a 2x2 grid"),
    ],
)
def test_what_does_not_fit_is_refused(make, says):
    with pytest.raises(PuzzleError, match=says):
        make()


def test_pictures_of_pillow_are_taken(draw):
    from PIL import Image

    picture = draw(40, 60)
    taken = Puzzle.from_picture(Image.fromarray(picture).convert("RGBA"), (2, 3), seed=4)
    assert np.array_equal(taken.pieces, Puzzle.from_picture(picture, (2, 3), seed=4).pieces)
    assert Puzzle.from_scrambled(Image.fromarray(picture), "2x3").grid == Grid(2, 3)


def test_they_are_shown_in_one_line(draw):
    puzzle = Puzzle.from_picture(draw(40, 60), (2, 3), name="cat")
    assert repr(puzzle) == "<Puzzle cat: 6 pieces of 20x20 px for 2x3>"
    assert repr(Puzzle(puzzle.pieces)) == "<Puzzle: 6 pieces of 20x20 px of unknown grid>"
    solution = Solution(puzzle, puzzle.grid, np.arange(6), np.zeros(6, int), np.full(6, 0.5), solver="x")
    assert repr(solution) == f"<Solution of {puzzle!r} in 2x3 by x, 50% sure>"


def test_a_list_of_pieces_is_refused_with_advice():
    with pytest.raises(PuzzleError, match=r"np\.stack"):
        Puzzle([np.zeros((4, 4, 3), np.uint8)])


def test_a_folder_knows_its_truth(tmp_path, draw):
    puzzle = Puzzle.from_picture(draw(40, 60), (2, 3), seed=1)
    names = write_puzzle(tmp_path / "pile", puzzle)
    assert np.array_equal(Puzzle.from_folder(tmp_path / "pile").truth.placement, puzzle.truth.placement)
    (tmp_path / "pile" / names[0]).rename(tmp_path / "pile" / "other.png")
    assert Puzzle.from_folder(tmp_path / "pile").truth is None
