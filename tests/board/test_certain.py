"""A certain board is the true one, and where there is any doubt there is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.board.by_pixels import piece_potentials
from ganzzle.board.certain import CertainBoard, _is_one_part, certain_board
from ganzzle.board.problem import Table
from ganzzle.puzzle import Grid, Puzzle

Draw = Callable[..., np.ndarray]
LEAST = 4.0
shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))


def tables(grid: Grid, seed: int = 0, odds: float = 5.0) -> tuple[Table, Table, np.ndarray]:
    """Seams right and down of a board whose pieces came in a random order, and the slot of each."""
    slot = np.random.default_rng(seed).permutation(grid.slots)
    at = np.argsort(slot)
    right, down = (np.full((grid.slots, grid.slots), -odds - 3, np.float32) for _ in range(2))
    for table, pairs in zip((right, down), grid.adjacencies(), strict=True):
        first, second = at[pairs].T
        table[first, second] = -np.log1p(np.exp(-odds))
    return right, down, slot


def is_true(board: CertainBoard | None, grid: Grid, slot: np.ndarray) -> bool:
    return board is not None and board.grid == grid and np.array_equal(board.placement, slot)


@settings(deadline=None)
@given(shapes, st.integers(0, 99))
def test_a_board_of_sure_seams_is_certain(shape: tuple[int, int], seed: int) -> None:
    grid = Grid(*shape)
    right, down, slot = tables(grid, seed)
    board = certain_board(right, down, LEAST)
    assert is_true(board, grid, slot)
    assert board is not None
    assert sorted(board.order) == list(range(grid.slots))
    # Every seam has log-odds of 5, and a piece has as many as neighbours.
    neighbours = np.bincount(np.concatenate(grid.adjacencies()).ravel(), minlength=grid.slots)[slot]
    assert np.allclose(board.held, 5 * neighbours, atol=1e-3)


@settings(deadline=None)
@given(st.integers(0, 99), st.integers(0, 30))
def test_some_weak_seams_do_not_matter_where_others_hold(seed: int, weak: int) -> None:
    grid = Grid(5, 5)
    right, down, slot = tables(grid, seed)
    at = np.argsort(slot)
    pairs = np.concatenate(grid.adjacencies())
    first, second = at[pairs[weak]]
    table = right if weak < len(grid.adjacencies()[0]) else down
    table[first, second] = -3.0
    assert is_true(certain_board(right, down, LEAST), grid, slot)


@settings(deadline=None)
@given(shapes, st.integers(0, 99))
def test_a_board_is_held_by_its_weakest_cut(shape: tuple[int, int], seed: int) -> None:
    grid, rng = Grid(*shape), np.random.default_rng(seed)
    first, second = np.concatenate(grid.adjacencies()).T
    strength = rng.uniform(0, 10, len(first)) * (rng.random(len(first)) < 0.8)
    if not len(first):
        return
    weights = np.zeros((grid.slots, grid.slots))
    weights[first, second] = weights[second, first] = strength
    # Stoer and Wagner's algorithm, on the whole matrix.
    weakest, there = np.inf, list(range(grid.slots))
    while len(there) > 1:
        tied, order = np.zeros(grid.slots), []
        while len(order) < len(there):
            order.append(max((k for k in there if k not in order), key=lambda k: tied[k]))
            tied += weights[order[-1]]
        *_, before, last = order
        weakest = min(weakest, weights[last][there].sum())
        weights[before] += weights[last]
        weights[:, before] += weights[:, last]
        weights[before, before] = 0
        there.remove(last)
    assert _is_one_part(first, second, strength, weakest - 1e-6)
    assert not _is_one_part(first, second, strength, weakest + 1e-6)


def test_two_halves_with_weak_seams_between_them_are_not_certain() -> None:
    grid = Grid(2, 4)
    right, down, slot = tables(grid)
    at = np.argsort(slot)
    for row in range(2):
        right[at[4 * row + 1], at[4 * row + 2]] = -np.log1p(np.exp(-1.9))  # 3.8 in all
    assert certain_board(right, down, LEAST) is None
    assert is_true(certain_board(right, down, 3.7), grid, slot)


def test_a_seam_that_contradicts_the_board_counts_against_it() -> None:
    grid = Grid(3, 3)
    right, down, slot = tables(grid)
    at = np.argsort(slot)
    right[at[2], at[3]] = -np.log1p(
        np.exp(-4.5)
    )  # the end of the first row beside the beginning of the second
    assert is_true(
        certain_board(right, down, 5.4), grid, slot
    )  # a corner is held by 10, and there is 4.5 against it
    assert certain_board(right, down, 5.6) is None


@pytest.mark.parametrize("lost", [0, 12])
def test_a_board_with_a_hole_is_not_certain(lost: int) -> None:
    right, down, _ = tables(Grid(5, 5))
    there = np.arange(25) != lost
    assert certain_board(right[there][:, there], down[there][:, there], LEAST) is None


def test_identical_pieces_are_not_certain(draw: Draw) -> None:
    picture = draw(96, 128)
    picture[:32, 32:96] = 90  # two pieces of one colour
    puzzle = Puzzle.from_picture(picture, "3x4", seed=0, piece=32)
    right, down, _ = piece_potentials(puzzle.pieces, Grid(3, 4))
    assert certain_board(right, down, LEAST) is None


@pytest.mark.parametrize("grid", ["1x1", "1x9", "6x1", "5x7"])
def test_a_drawn_picture_is_certain(draw: Draw, grid: str) -> None:
    rows, cols = Grid.of(grid).rows, Grid.of(grid).cols
    puzzle = Puzzle.from_picture(draw(32 * rows, 32 * cols, seed=4), grid, seed=1, piece=32)
    assert puzzle.truth is not None
    right, down, _ = piece_potentials(puzzle.pieces, Grid.of(grid))
    assert is_true(certain_board(right, down, LEAST), Grid.of(grid), puzzle.truth.placement)


def test_two_pictures_are_not_one_board(draw: Draw) -> None:
    pieces = np.concatenate([Puzzle.from_picture(draw(96, 96, seed=k), 3, seed=k).pieces for k in (1, 2)])
    right, down, _ = piece_potentials(pieces, Grid(3, 6))
    assert certain_board(right, down, LEAST) is None
