"""Asking seams alone how a board should lie: which of its rows and columns comes first."""

from __future__ import annotations

from typing import NamedTuple

from ganzzle.assembler.cyclic import turn_around
from ganzzle.assembler.problem import Ints, Table, empty_board, energy, make_problem
from ganzzle.puzzle import Grid


class Turn(NamedTuple):
    """Every piece goes so many rows down and columns across, around the board; and the energy that gains."""

    down: int
    across: int
    gain: float


def best_turn(placement: Ints, right: Table, down: Table, grid: Grid, border: Table) -> Turn:
    """How to turn the board of N pieces around itself for the most energy by (N, N) seams and (N, 4) borders alone."""
    problem = make_problem(right, down, grid, None, border)
    board = empty_board(problem, len(placement))
    board[problem.cells[placement]] = range(len(placement))
    before = energy(problem, board)
    if not turn_around(problem, board):
        return Turn(0, 0, 0.0)
    now = int((board[problem.cells] == 0).argmax())  # the slot of the first piece
    was = int(placement[0])
    rows, cols = now // grid.cols - was // grid.cols, now % grid.cols - was % grid.cols
    return Turn(rows % grid.rows, cols % grid.cols, energy(problem, board) - before)
