"""Seams that close into loops are believed, others are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ganzzle.board import assemble_candidates, assemble_pieces, effort
from ganzzle.board.best_edges import best_neighbours
from ganzzle.board.candidates import FLOOR, Candidates, seam
from ganzzle.board.loops import EMPTY, LISTED, weigh_loops, with_loops
from ganzzle.board.problem import Problem, make_large_problem, make_problem
from ganzzle.puzzle import Grid

from .potentials import RIGHT, noisy_seams, random_potentials


def confused_seams(
    grid: Grid, share: float, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Clear seams right and down (N, N), but in a share of the rows a wrong piece looks a little better than the right
    one; and the true placement."""
    rng = np.random.default_rng(seed)
    right, down, truth = noisy_seams(grid, 1.0, seed)
    for table in (right, down):
        for row in np.flatnonzero(rng.random(grid.slots) < share):
            table[row, rng.integers(grid.slots)] = table[row].max() + 0.5
    return np.minimum(right, 0), np.minimum(down, 0), truth


def first_choices(problem: Problem, truth: NDArray[np.int64], best: NDArray[np.int64]) -> float:
    """The share of the pieces whose true right neighbour is the first of their list (N, 4, k)."""
    inside = truth % problem.cols < problem.cols - 1
    at = np.argsort(truth)
    return float((best[inside, RIGHT, 0] == at[truth[inside] + 1]).mean())


def test_loops_tell_the_right_neighbour_from_a_better_looking_one() -> None:
    grid = Grid(12, 13)
    right, down, truth = confused_seams(grid, 0.4, seed=1)
    problem = make_problem(right, down, grid)
    before = first_choices(problem, truth, best_neighbours(problem.seams, 5))
    guide, best = with_loops(problem, 5)
    assert before < 0.7
    assert first_choices(problem, truth, best) > 0.97
    inside = best[:, :, 0] >= 0
    assert np.array_equal(best[:, :, 0][inside], np.asarray(guide.seams)[:-2, :, :-2].argmax(2)[inside])


def test_a_square_brings_pieces_together_that_had_each_other_on_no_list() -> None:
    grid = Grid(5, 5)
    right, down, truth = noisy_seams(grid, 0.3, seed=2)
    at = np.argsort(truth)
    left, middle = at[11], at[12]
    right[left] = right[:, middle] = FLOOR
    problem = make_problem(right, down, grid)
    ids = best_neighbours(problem.seams, 4)
    assert middle not in ids[left, RIGHT]
    beliefs = weigh_loops(problem.seams, ids, 20)
    assert beliefs.ids[left, RIGHT, 0] == middle


@settings(deadline=None, max_examples=20)
@given(rows=st.integers(1, 6), cols=st.integers(1, 6), seed=st.integers(0, 1000), rounds=st.integers(0, 5))
def test_both_sides_of_a_seam_agree_and_nothing_is_believed_twice(
    rows: int, cols: int, seed: int, rounds: int
) -> None:
    grid = Grid(rows, cols)
    potentials = random_potentials(grid.slots, grid.slots, seed)
    problem = make_problem(potentials["right"], potentials["down"], grid, None, potentials["border"])
    ids, logs, share, empty, _ = weigh_loops(problem.seams, best_neighbours(problem.seams, 6), rounds)
    assert np.allclose(share, np.exp(logs), atol=1e-6)
    assert (share[:, :, :-1] >= share[:, :, 1:]).all()
    total = share.sum(2) + np.exp(empty)
    assert np.allclose(total[:, [1, 3]], 1, atol=1e-4)  # the sides that were balanced last
    for i, side, k in zip(*np.nonzero(ids >= 0), strict=True):
        j = ids[i, side, k]
        (there,) = np.flatnonzero(ids[j, side ^ 1] == i)
        assert logs[j, side ^ 1, there] == logs[i, side, k]


def test_without_a_round_only_the_probabilities_are_balanced() -> None:
    right, down, _ = noisy_seams(Grid(4, 4), 1.0, seed=3)
    problem = make_problem(right, down, Grid(4, 4))
    beliefs = weigh_loops(problem.seams, best_neighbours(problem.seams, 1), 0)
    i, side = np.argwhere(beliefs.ids[:, :, 0] >= 0)[0]
    with_neighbour = seam(problem.seams, i, side, beliefs.ids[i, side, 0])
    alone = seam(problem.seams, i, side, 16) + EMPTY
    odds = beliefs.logs[i, side, 0] - beliefs.empty[i, side]
    assert odds >= with_neighbour - alone - 0.1  # the other side can only make it surer


def test_the_names_of_the_pieces_do_not_matter() -> None:
    grid = Grid(6, 7)
    right, down, _ = confused_seams(grid, 0.3, seed=4)
    order = np.random.default_rng(0).permutation(grid.slots)
    name = np.argsort(order)
    tables = (right, down), (right[np.ix_(order, order)], down[np.ix_(order, order)])
    one, other = (with_loops(make_problem(*both, grid), 5)[0].seams for both in tables)
    assert isinstance(one, np.ndarray)
    assert isinstance(other, np.ndarray)
    assert np.allclose(other[:-2, :, :-2][name][:, :, name], one[:-2, :, :-2], atol=1e-3)


def listed_seams(problem: Problem) -> Candidates:
    """The best neighbours alone, of a problem that has all."""
    table = np.asarray(problem.seams)[:-2]
    ids = best_neighbours(problem.seams, LISTED)
    scores = np.take_along_axis(table, np.maximum(ids, 0), 2)
    return Candidates(ids, np.where(ids < 0, FLOOR, scores), np.ascontiguousarray(table[:, :, -2]))


def test_lists_and_tables_are_weighed_alike() -> None:
    grid = Grid(7, 8)
    right, down, truth = confused_seams(grid, 0.4, seed=5)
    problem = make_problem(right, down, grid)
    large = make_large_problem(listed_seams(problem), grid)
    (table, near), (lists, nearby) = with_loops(problem, 5), with_loops(large, 5)
    assert isinstance(lists.seams, Candidates)
    assert (near[:, :, 0] == nearby[:, :, 0]).mean() > 0.97
    assert first_choices(problem, truth, nearby) > 0.97
    same = nearby[:, :, 0] >= 0
    read = [[seam(g.seams, i, s, nearby[i, s, 0]) for i, s in np.argwhere(same)] for g in (table, lists)]
    assert np.median(np.abs(np.subtract(*read))) < 0.05


def test_a_large_noisy_board_is_found_by_its_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = Grid(20, 20)
    right, down, truth = noisy_seams(grid, 2.7, seed=1)
    guided = assemble_pieces(right, down, grid, rounds=3)
    monkeypatch.setattr(effort, "LOOPED", 10**6)
    alone = assemble_pieces(right, down, grid, rounds=3)
    assert guided.energy > alone.energy
    assert (guided.placement == truth).mean() > 0.9 > (alone.placement == truth).mean()


def test_a_large_noisy_board_is_found_by_lists_too() -> None:
    grid = Grid(20, 20)
    right, down, truth = noisy_seams(grid, 2.6, seed=1)
    found = assemble_candidates(listed_seams(make_problem(right, down, grid)), grid, rounds=3)
    assert (found.placement == truth).mean() > 0.9


@pytest.mark.parametrize("grid", [Grid(1, 1), Grid(1, 2), Grid(1, 9), Grid(9, 1)])
def test_small_and_narrow_puzzles(grid: Grid) -> None:
    right, down, _ = noisy_seams(grid, 0.5, seed=7)
    guide, best = with_loops(make_problem(right, down, grid), 5)
    assert best.shape == (grid.slots, 4, 5)
    assert np.isfinite(np.asarray(guide.seams)).all()
