"""The order in which a finished board's pieces are laid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.board.best_edges import best_neighbours
from ganzzle.board.candidates import Candidates, seam
from ganzzle.board.margins import growth_order, report
from ganzzle.board.problem import Board, Problem, empty_board, make_large_problem, make_problem
from ganzzle.puzzle import Grid


def plain_order(problem: Problem, board: Board, margin: np.ndarray) -> list[int]:
    """By the definition: look at every piece that waits, again and again."""
    reach = {int(cell): -np.inf for cell in problem.cells if board[cell] < len(margin)}
    width, order = problem.cols + 2, []
    while reach:
        chosen = max(reach, key=lambda cell: (reach[cell], margin[board[cell]], -cell))
        del reach[chosen]
        order.append(int(board[chosen]))
        for side, near in enumerate((chosen + 1, chosen - 1, chosen + width, chosen - width)):
            if near in reach:
                reach[near] = max(reach[near], seam(problem.seams, board[chosen], side, board[near]))
    return order


def random_board(grid: Grid, count: int, levels: int, seed: int) -> tuple[Problem, Board]:
    """Seams of so many different values, and pieces anywhere on the board."""
    rng = np.random.default_rng(seed)
    right, down = (-12 * rng.integers(0, levels, (count, count)) / np.float32(levels) for _ in range(2))
    problem = make_problem(right, down, grid)
    board = empty_board(problem, count)
    board[problem.cells[rng.permutation(grid.slots)[:count]]] = np.arange(count)
    return problem, board


@settings(deadline=None, max_examples=200)
@given(
    rows=st.integers(1, 7), cols=st.integers(1, 7), holes=st.integers(0, 30),
    levels=st.sampled_from([1, 2, 4, 1000]), seed=st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_pieces_join_the_picture_by_their_best_seam(
    rows: int, cols: int, holes: int, levels: int, seed: int
) -> None:
    grid = Grid(rows, cols)
    count = max(1, grid.slots - holes)
    problem, board = random_board(grid, count, levels, seed)
    margin = np.random.default_rng(seed).integers(0, levels, count).astype(np.float32)
    order = np.empty(count, np.int64)
    growth_order(problem, board, margin, order)
    assert order.tolist() == plain_order(problem, board, margin)


@pytest.mark.parametrize("levels", [2, 1000])
def test_large_boards_are_laid_in_the_same_order(levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ganzzle.board.margins.ALL_PLACES", 0)
    grid = Grid(9, 11)
    problem, board = random_board(grid, grid.slots, levels, seed=1)
    best = best_neighbours(problem.seams, 6)
    scores = np.take_along_axis(problem.seams[: grid.slots, :, : grid.slots], best, 2)
    border = np.ascontiguousarray(problem.seams[: grid.slots, :, grid.slots])
    problem = make_large_problem(Candidates(best, scores, border), grid)
    placement, margin, order = report(problem, board, best)
    assert np.array_equal(board[problem.cells][placement], np.arange(grid.slots))
    assert order.tolist() == plain_order(problem, board, margin)
