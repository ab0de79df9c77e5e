"""The assembler's single steps: assignment, merging, moves, mixing, mean field."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from ganzzle.board.annealing import anneal
from ganzzle.board.best_edges import best_neighbours, make_edges
from ganzzle.board.blending import mix
from ganzzle.board.components import single_pieces
from ganzzle.board.cyclic import turn_around
from ganzzle.board.effort import Effort, search, slot_board
from ganzzle.board.lap import assign
from ganzzle.board.merging import merge
from ganzzle.board.placing import fill
from ganzzle.board.problem import Board, Problem, empty_board, energy, fit, make_problem
from ganzzle.board.search import assign_colours, slacks, swap_gain, swap_until_stuck
from ganzzle.board.segments import move_segments, segment_labels
from ganzzle.puzzle import Grid

from .potentials import noisy_seams, random_potentials


def board_of(problem: Problem, placement: np.ndarray) -> Board:
    board = empty_board(problem, len(placement))
    board[problem.cells[placement]] = np.arange(len(placement))
    return board


@pytest.mark.parametrize("size", [1, 2, 7, 40])
@pytest.mark.parametrize("ties", [False, True])
def test_assignment_is_optimal(size: int, ties: bool) -> None:
    score = np.random.default_rng(size).standard_normal((size, size)).astype(np.float32)
    score = np.round(score) if ties else score
    columns = assign(score)
    assert sorted(columns) == list(range(size))
    best = score[linear_sum_assignment(-score)].sum()
    assert score[np.arange(size), columns].sum() == pytest.approx(best, abs=1e-4)


def test_best_neighbours_are_sorted() -> None:
    potentials = random_potentials(20, 20, seed=0)
    problem = make_problem(potentials["right"], potentials["down"], Grid(4, 5))
    best = best_neighbours(problem.seams, 4)
    expected = potentials["right"].copy()
    np.fill_diagonal(expected, -np.inf)
    assert np.array_equal(best[:, 0], np.argsort(-expected, 1)[:, :4])
    assert np.array_equal(best[:, 1], np.argsort(-expected.T, 1)[:, :4])


def test_merging_joins_a_clear_puzzle_into_one_component() -> None:
    grid = Grid(5, 7)
    right, down, truth = noisy_seams(grid, 0.5, seed=1)
    problem = make_problem(right, down, grid)
    edges = make_edges(problem, best_neighbours(problem.seams, 5))
    parts = single_pieces(grid.slots)
    merge(problem, edges, parts, np.zeros(len(edges.first), np.float32))
    assert (parts.size > 0).sum() == 1
    row, col = parts.row - parts.row.min(), parts.col - parts.col.min()
    assert np.array_equal(row * grid.cols + col, truth)


def test_merging_never_leaves_the_frame_nor_lets_pieces_collide() -> None:
    potentials = random_potentials(30, 30, seed=2)
    grid = Grid(5, 6)
    problem = make_problem(potentials["right"], potentials["down"], grid)
    edges = make_edges(problem, best_neighbours(problem.seams, 5))
    parts = single_pieces(30)
    merge(problem, edges, parts, np.zeros(len(edges.first), np.float32))
    for name in np.nonzero(parts.size)[0]:
        inside = parts.label == name
        places = set(zip(parts.row[inside], parts.col[inside], strict=True))
        assert len(places) == parts.size[name] == inside.sum()
        assert np.ptp(parts.row[inside]) < grid.rows
        assert np.ptp(parts.col[inside]) < grid.cols


@pytest.mark.parametrize("missing", [0, 4])
def test_gains_are_differences_of_energy(missing: int) -> None:
    grid = Grid(4, 5)
    count = grid.slots - missing
    problem = make_problem(grid=grid, **random_potentials(count, grid.slots, seed=3))
    board = board_of(problem, np.random.default_rng(0).permutation(grid.slots)[:count])
    assert (slacks(problem, board) >= -1e-4).all()
    before = energy(problem, board)
    for one in problem.cells:
        for two in problem.cells:
            gain = swap_gain(problem, board, one, two)
            swapped = board.copy()
            swapped[one], swapped[two] = board[two], board[one]
            assert energy(problem, swapped) - before == pytest.approx(gain, abs=1e-3)


@pytest.mark.parametrize("missing", [0, 4])
def test_no_board_exceeds_the_bound(missing: int) -> None:
    grid = Grid(2, 4)
    for seed in range(20):
        count = grid.slots - missing
        problem = make_problem(grid=grid, **random_potentials(count, grid.slots, seed))
        rng = np.random.default_rng(seed)
        for _ in range(20):
            board = board_of(problem, rng.permutation(grid.slots)[:count])
            assert energy(problem, board) <= problem.bound + 1e-3


@pytest.mark.parametrize("missing", [0, 3])
@pytest.mark.parametrize("with_slots", [False, True])
def test_a_board_that_reaches_the_bound_ends_the_search(missing: int, with_slots: bool) -> None:
    grid = Grid(3, 4)
    count = grid.slots - missing
    truth = np.random.default_rng(missing).permutation(grid.slots)[:count]
    tables = []
    for pairs in grid.adjacencies():
        follows = np.zeros((grid.slots, grid.slots), bool)
        follows[pairs[:, 0], pairs[:, 1]] = True
        tables.append(np.where(follows[np.ix_(truth, truth)], -0.1, -8.0).astype(np.float32))
    border = np.stack(
        [np.where((t > -1).any(axis), -9.0, -0.2) for t in tables for axis in (1, 0)], 1
    ).astype(np.float32)
    slots = np.where(np.arange(grid.slots) == truth[:, None], -0.3, -7).astype(np.float32)
    problem = make_problem(*tables, grid, slots if with_slots else None, border)
    assert energy(problem, board_of(problem, truth)) == pytest.approx(problem.bound, abs=1e-3)
    starts = [slot_board(problem)] if with_slots else []
    rng, untouched = np.random.default_rng(0), np.random.default_rng(0)
    board, reached = search(problem, best_neighbours(problem.seams, 5), starts, rng, Effort(100, 16))
    assert reached == pytest.approx(problem.bound, abs=1e-3)
    if with_slots or not missing:  # what is cut off by holes may lie anywhere without slots
        assert np.array_equal(board[problem.cells[truth]], np.arange(count))
    assert rng.random() == untouched.random()  # not one round was needed


@pytest.mark.parametrize("missing", [0, 5])
@pytest.mark.parametrize("step", ["swaps", "colours", "segments", "turn"])
def test_steps_only_climb(step: str, missing: int) -> None:
    grid = Grid(6, 5)
    for seed in range(5):
        right, down, truth = noisy_seams(grid, 3.0, seed, missing)
        problem = make_problem(right, down, grid)
        best = best_neighbours(problem.seams, 5)
        board = board_of(problem, np.random.default_rng(seed).permutation(grid.slots)[: len(truth)])
        before, contents = energy(problem, board), np.sort(board)
        moved = {
            "swaps": lambda board=board, problem=problem, best=best: swap_until_stuck(
                problem, board, best, 20
            ),
            "colours": lambda board=board, problem=problem: assign_colours(problem, board),
            "segments": lambda board=board, problem=problem, best=best: move_segments(
                problem, board, best, -3.0
            ),
            "turn": lambda board=board, problem=problem: turn_around(problem, board),
        }[step]()
        assert np.array_equal(np.sort(board), contents)
        after = energy(problem, board)
        assert after > before if moved else after == pytest.approx(before)


def test_a_turned_board_is_turned_back() -> None:
    grid = Grid(4, 6)
    right, down, truth = noisy_seams(grid, 0.5, seed=4)
    problem = make_problem(right, down, grid)
    row, col = truth // 6, truth % 6
    board = board_of(problem, (row + 3) % 4 * 6 + (col + 2) % 6)
    assert turn_around(problem, board)
    assert np.array_equal(board, board_of(problem, truth))


def test_a_displaced_segment_is_moved_home() -> None:
    grid = Grid(3, 8)
    right, down, truth = noisy_seams(grid, 0.5, seed=5)
    problem = make_problem(right, down, grid)
    row, col = truth // 8, truth % 8
    board = board_of(problem, row * 8 + (col + 3) % 8)  # columns 5..7 now lie before column 0
    best = best_neighbours(problem.seams, 5)
    labels, members, starts = segment_labels(problem, board, -1.0)
    assert len(starts) == 3
    assert len(members) == grid.slots
    assert labels.max() == 1
    assert move_segments(problem, board, best, -1.0)
    assert np.array_equal(board, board_of(problem, truth))


def test_mixing_takes_the_better_part_of_each_board() -> None:
    grid = Grid(5, 9)
    right, down, truth = noisy_seams(grid, 0.5, seed=6)
    problem = make_problem(right, down, grid)
    right_board = board_of(problem, truth)
    one, two = right_board.copy(), right_board.copy()
    first, last, middle = problem.cells[0], problem.cells[2], problem.cells[-1]
    one[first], one[last] = one[last], one[first]
    two[middle], two[middle - 2] = two[middle - 2], two[middle]
    assert mix(problem, one, two)
    assert np.array_equal(one, right_board)
    assert not mix(problem, one, two)


@pytest.mark.parametrize("seed", range(6))
def test_annealing_brings_a_displaced_block_back(seed: int) -> None:
    """The lower rows lie a column aside, and the piece they pushed out lies in a far hole."""
    grid = Grid(6, 6)
    right, down, truth = noisy_seams(grid, 1.0, seed=seed, missing=11)
    rng = np.random.default_rng(seed)
    slots = np.full((len(truth), grid.slots), -3.0, np.float32)
    slots[np.arange(len(truth)), truth] = -0.5
    problem = make_problem(right, down, grid, slots)
    displaced = truth.copy()
    lower = truth // 6 >= 3
    # One to the right, the last column first.
    displaced[lower] = truth[lower] // 6 * 6 + (truth[lower] % 6 + 1) % 6
    best = best_neighbours(problem.seams, 5)
    start = board_of(problem, displaced)
    found = anneal(problem, start, best, 16_000, rng)
    assert sorted(found[problem.cells]) == sorted(start[problem.cells])
    assert energy(problem, found) >= energy(problem, board_of(problem, truth)) - 1e-3
    assert energy(problem, found) > energy(problem, start)


@settings(deadline=None, max_examples=30)
@given(rows=st.integers(1, 4), cols=st.integers(1, 4), holes=st.integers(0, 3), seed=st.integers(0, 999))
def test_filling_takes_the_surest_pair_of_all_each_time(rows: int, cols: int, holes: int, seed: int) -> None:
    grid = Grid(rows, cols)
    count = max(1, grid.slots - holes)
    potentials = random_potentials(count, grid.slots, seed)
    problem = make_problem(**potentials, grid=grid)
    open_cell = count + 1
    found, plain = empty_board(problem, open_cell), empty_board(problem, open_cell)
    fill(problem, found, problem.cells, np.arange(count), np.empty((0, 0), np.float32))
    loose = list(range(count))
    while loose:
        pairs = [(c, p) for c in problem.cells if plain[c] == open_cell for p in loose]
        cell, piece = max(pairs, key=lambda pair: fit(problem, plain, pair[1], pair[0]))
        plain[cell] = piece
        loose.remove(piece)
    plain[plain == open_cell] = count
    assert np.array_equal(found, plain)


@pytest.mark.parametrize("with_slots", [False, True])
def test_the_best_turn_of_all_is_found(with_slots: bool) -> None:
    grid = Grid(4, 5)
    for seed in range(8):
        potentials = random_potentials(grid.slots, grid.slots, seed)
        if not with_slots:
            del potentials["slots"]
        problem = make_problem(**potentials, grid=grid)
        placement = np.random.default_rng(seed).permutation(grid.slots)
        board = board_of(problem, placement)
        row, col = np.divmod(placement, grid.cols)
        turns = [(row + r) % 4 * 5 + (col + c) % 5 for r in range(4) for c in range(5)]
        turn_around(problem, board)
        most = max(energy(problem, board_of(problem, turn)) for turn in turns)
        assert energy(problem, board) == pytest.approx(most, abs=1e-2)
