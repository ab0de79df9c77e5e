"""Large puzzles: the best neighbours alone, read and assembled as full tables are."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from ganzzle.board.by_pixels import large_potentials, piece_potentials
from ganzzle.board.candidates import FLOOR, OPEN_GUESS, Candidates, seam
from ganzzle.board.problem import Board, Problem, empty_board, energy, make_large_problem
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers import assembler as assembler_solver
from ganzzle.solvers import load_solver


def test_listed_seams_read_like_a_table() -> None:
    ids = np.array([[[1], [2], [2], [1]], [[2], [0], [0], [2]], [[0], [0], [0], [0]]])
    scores = -np.arange(12, dtype=np.float32).reshape(3, 4, 1) / 10
    border = np.full((3, 4), -1.5, np.float32)
    seams = Candidates(ids, scores, border)
    assert seam(seams, 0, 0, 1) == scores[0, 0, 0]
    assert seam(seams, 2, 1, 1) == scores[1, 0, 0]  # listed by the other piece only
    assert seam(seams, 0, 0, 2) == scores[2, 1, 0]
    assert seam(seams, 1, 2, 2) == FLOOR
    assert seam(seams, 1, 2, 3) == seam(seams, 3, 3, 1) == -1.5
    assert seam(seams, 3, 2, 3) == 0
    assert seam(seams, 1, 2, 4) == OPEN_GUESS
    assert seam(seams, 3, 2, 4) == 0


def test_no_board_has_more_energy_than_the_bound() -> None:
    """Also where a piece's best neighbour is on that neighbour's list only."""
    rng, grid, count = np.random.default_rng(0), Grid(2, 3), 6
    for _ in range(20):
        ids = np.array(
            [[rng.permutation(np.delete(np.arange(count), i))[:2] for _ in range(4)] for i in range(count)]
        )
        scores = -np.sort(rng.uniform(0, 9, ids.shape)).astype(np.float32)
        candidates = Candidates(ids, scores, np.full((count, 4), -9, np.float32))
        problem = make_large_problem(candidates, grid)
        for i in range(count):
            best = sum(
                max(seam(candidates, i, side, j) for j in range(count + 1) if j != i) for side in range(4)
            )
            assert problem.ceiling[i] >= best - 1e-4
        boards = [_board(problem, order) for order in permutations(range(count))]
        assert max(energy(problem, board) for board in boards) <= problem.bound + 1e-4


def _board(problem: Problem, order: tuple[int, ...]) -> Board:
    board = empty_board(problem, len(order))
    board[problem.cells] = order
    return board


def test_candidates_hold_the_true_neighbours(draw) -> None:
    grid = Grid(5, 6)
    puzzle = Puzzle.in_order(draw(150, 180), grid)
    candidates = large_potentials(puzzle.pieces, grid)
    across, _below = grid.adjacencies()
    assert (candidates.ids[across[:, 0], 0, 0] == across[:, 1]).all()
    assert (np.diff(candidates.scores, axis=2) <= 0).all()
    full = piece_potentials(puzzle.pieces, grid)[0]
    assert np.corrcoef(full[across[:, 0], across[:, 1]], candidates.scores[across[:, 0], 0, 0])[0, 1] > 0.3


def test_large_puzzles_are_solved_from_candidates(draw, monkeypatch) -> None:
    monkeypatch.setattr(assembler_solver, "LARGEST_TABLE", 10)
    for corrupt in (None, "missing:0.1"):
        puzzle = Puzzle.from_picture(draw(240, 300), (8, 10), seed=2, corrupt=corrupt)
        solution = load_solver("assembler").solve(puzzle)
        assert puzzle.truth is not None
        assert (solution.placement == puzzle.truth.placement).mean() > 0.9
