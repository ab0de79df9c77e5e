"""What a finished board tells about its pieces: how sure each one is, and an order to lay them in."""

from __future__ import annotations

import numpy as np

from ganzzle.assembler.problem import FLOOR, Board, Ints, Problem, Table
from ganzzle.assembler.seams import seam
from ganzzle.assembler.search import best_swap, slacks, wanted_swap
from ganzzle.compiling import njit

ALL_PLACES = 4000  # pieces up to which every other place is looked at
LARGEST_MARGIN = float(-4 * FLOOR)  # of a piece that has no other place to go to


def report(problem: Problem, board: Board, best: Ints) -> tuple[Ints, Table, Ints]:
    """(N,) the slot of each piece, its margin, and the pieces in an order to lay them in.

    A margin is the energy lost by the best other place of a piece (another piece's, or an empty slot). In very large
    puzzles only places are looked at that some piece wants.
    """
    count = len(problem.ceiling) - 2
    placement, margin, order = (
        np.empty(count, np.int64),
        np.empty(count, np.float32),
        np.empty(count, np.int64),
    )
    if count <= ALL_PLACES:
        report_all(problem, board, placement, margin, order)
    else:
        _report_wanted(problem, board, best, placement, margin, order)
    return placement, margin, order


@njit(cache=True, nogil=True)
def report_all(problem: Problem, board: Board, placement: Ints, margin: Table, order: Ints) -> None:
    """`report` with a look at every place, into arrays of (N,)."""
    slack = slacks(problem, board)
    for slot in range(len(problem.cells)):
        cell = problem.cells[slot]
        if board[cell] < len(placement):
            placement[board[cell]] = slot
            _other, gain = best_swap(problem, board, slack, cell, -LARGEST_MARGIN)
            margin[board[cell]] = max(-gain, 0)
    growth_order(problem, board, margin, order)


@njit(cache=True, nogil=True)
def _report_wanted(
    problem: Problem, board: Board, best: Ints, placement: Ints, margin: Table, order: Ints
) -> None:
    """`report` with a look at the places that some piece wants, into arrays of (N,)."""
    where = np.zeros(len(problem.ceiling), np.int64)
    for cell in problem.cells:
        where[board[cell]] = cell
    slack = slacks(problem, board)
    for slot in range(len(problem.cells)):
        cell = problem.cells[slot]
        if board[cell] < len(placement):
            placement[board[cell]] = slot
            _other, gain = wanted_swap(problem, board, slack, best, where, cell, -LARGEST_MARGIN)
            margin[board[cell]] = max(-gain, 0)
    growth_order(problem, board, margin, order)


@njit(cache=True, nogil=True, inline="always")
def growth_order(problem: Problem, board: Board, margin: Table, order: Ints) -> None:
    """The pieces as they join a growing picture: the surest first, then by the best seam with what is there."""
    count = len(problem.ceiling) - 2
    width = problem.cols + 2
    reach = np.full(len(board), -np.inf, np.float32)  # the best seam of each cell with the grown region
    waiting = np.zeros(len(board), np.bool_)
    for cell in problem.cells:
        waiting[cell] = board[cell] < count
    for k in range(count):
        chosen = -1
        for cell in problem.cells:
            if not waiting[cell]:
                continue
            tie = chosen >= 0 and reach[cell] == reach[chosen]
            if (
                chosen < 0
                or reach[cell] > reach[chosen]
                or (tie and margin[board[cell]] > margin[board[chosen]])
            ):
                chosen = cell
        piece = board[chosen]
        order[k] = piece
        waiting[chosen] = False
        for side, near in enumerate((chosen + 1, chosen - 1, chosen + width, chosen - width)):
            if waiting[near]:
                reach[near] = max(reach[near], seam(problem.seams, piece, side, board[near]))
