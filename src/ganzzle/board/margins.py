"""What a finished board tells about its pieces: how sure each one is, and an order to lay them in."""

from __future__ import annotations

import numpy as np

from ganzzle.board.candidates import seam
from ganzzle.board.problem import FLOOR, Board, Ints, Problem, Table
from ganzzle.board.search import best_swap, slacks, wanted_swap
from ganzzle.compiling import njit

ALL_PLACES = 4000  # pieces up to which every other place is looked at
LARGEST_MARGIN = float(-4 * FLOOR)  # of a piece that has no other place to go to


def report(problem: Problem, board: Board, neighbours: Ints) -> tuple[Ints, Table, Ints]:
    """(N,) the slot of each piece, its margin, and the pieces in an order to lay them in.

    A margin is the energy lost by the best other place of a piece (another piece's, or an empty slot). In very large
    puzzles only places are looked at that some piece wants.
    """
    count = problem.pieces
    placement, order = np.empty(count, np.int64), np.empty(count, np.int64)
    margin = np.empty(count, np.float32)
    if count <= ALL_PLACES:
        report_all(problem, board, placement, margin, order)
    else:
        _report_wanted(problem, board, neighbours, placement, margin, order)
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
    problem: Problem, board: Board, neighbours: Ints, placement: Ints, margin: Table, order: Ints
) -> None:
    """`report` with a look at the places that some piece wants, into arrays of (N,)."""
    where = np.zeros(problem.pieces + 2, np.int64)
    for cell in problem.cells:
        where[board[cell]] = cell
    slack = slacks(problem, board)
    for slot in range(len(problem.cells)):
        cell = problem.cells[slot]
        if board[cell] < len(placement):
            placement[board[cell]] = slot
            _other, gain = wanted_swap(problem, board, slack, neighbours, where, cell, -LARGEST_MARGIN)
            margin[board[cell]] = max(-gain, 0)
    growth_order(problem, board, margin, order)


@njit(cache=True, nogil=True, inline="always")
def growth_order(problem: Problem, board: Board, margin: Table, order: Ints) -> None:
    """The pieces as they join a growing picture: the surest first, then by the best seam with what is there.

    Of equal seams the surer piece comes first, of equally sure pieces the one in the first slot.
    """
    count = problem.pieces
    width = problem.cols + 2
    reach = np.full(len(board), -np.inf, np.float32)  # the best seam of each cell with the grown region
    heap = np.empty(count, np.int64)  # the cells that wait; a cell's parent is at (its position - 1) // 2
    position = np.full(len(board), -1, np.int64)  # of each cell in the heap, -1: it does not wait
    waiting = 0
    for cell in problem.cells:
        if board[cell] < count:
            heap[waiting] = cell
            waiting += 1
    for k in range(waiting):
        _rise(heap, position, board, reach, margin, heap[k], k)
    for k in range(count):
        chosen = heap[0]
        piece = board[chosen]
        order[k] = piece
        position[chosen] = -1
        waiting -= 1
        if waiting > 0:
            _sink(heap, position, board, reach, margin, heap[waiting], waiting)
        for side, near in enumerate((chosen + 1, chosen - 1, chosen + width, chosen - width)):
            if position[near] >= 0:
                score = seam(problem.seams, piece, side, board[near])
                if score > reach[near]:
                    reach[near] = score
                    _rise(heap, position, board, reach, margin, near, position[near])


@njit(cache=True, nogil=True)
def _rise(heap: Ints, position: Ints, board: Board, reach: Table, margin: Table, cell: int, at: int) -> None:
    """Put a cell into the heap at a free or its own position, or as far above as it may come."""
    while at > 0 and _comes_before(board, reach, margin, cell, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        position[heap[at]] = at
        at = (at - 1) // 2
    heap[at] = cell
    position[cell] = at


@njit(cache=True, nogil=True, inline="always")
def _sink(
    heap: Ints, position: Ints, board: Board, reach: Table, margin: Table, cell: int, size: int
) -> None:
    """Put a cell on top of the heap, or as far below as it must go."""
    at, below = 0, 1
    while below < size:
        if below + 1 < size and _comes_before(board, reach, margin, heap[below + 1], heap[below]):
            below += 1
        if not _comes_before(board, reach, margin, heap[below], cell):
            break
        heap[at] = heap[below]
        position[heap[at]] = at
        at, below = below, 2 * below + 1
    heap[at] = cell
    position[cell] = at


@njit(cache=True, nogil=True)
def _comes_before(board: Board, reach: Table, margin: Table, one: int, other: int) -> bool:
    """Whether one of two cells joins the picture first."""
    if reach[one] != reach[other]:
        return reach[one] > reach[other]
    if margin[board[one]] != margin[board[other]]:
        return margin[board[one]] > margin[board[other]]
    return one < other
