"""Local search on the energy: swaps, and exact assignment on one colour of the checkerboard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.candidates import seam
from ganzzle.board.lap import assign
from ganzzle.board.problem import DOWN, LEFT, RIGHT, UP, Board, Ints, Problem, Table, fit
from ganzzle.compiling import njit

LEAST_GAIN = 1e-3  # smaller gains are rounding
ALL_PAIRS = 200  # slots up to which every swap is tried, not only those that some piece wants
MOST_CELLS = 512  # of one colour in one assignment; its cost grows with the cube


@njit(cache=True, nogil=True)
def swap_gain(problem: Problem, board: Board, one: int, two: int) -> float:
    """What the energy gains if the contents of two cells change places, neighbours or not."""
    a, b = board[one], board[two]
    if a == b:
        return 0.0
    before = fit(problem, board, a, one) + fit(problem, board, b, two)
    before -= _between(problem, board, one, two)
    board[one], board[two] = b, a
    after = fit(problem, board, b, one) + fit(problem, board, a, two)
    after -= _between(problem, board, one, two)
    board[one], board[two] = a, b
    return after - before


@njit(cache=True, nogil=True)
def _between(problem: Problem, board: Board, one: int, two: int) -> float:
    """The seam two cells share, which the sum of their fits counts twice."""
    width = problem.cols + 2
    a, b = board[one], board[two]
    if two == one + 1:
        return seam(problem.seams, a, RIGHT, b)
    if two == one - 1:
        return seam(problem.seams, a, LEFT, b)
    if two == one + width:
        return seam(problem.seams, a, DOWN, b)
    if two == one - width:
        return seam(problem.seams, a, UP, b)
    return 0.0


@njit(cache=True, nogil=True)
def slacks(problem: Problem, board: Board) -> Table:
    """(P,) how far each cell's content is below the best it could score anywhere; 0 outside the frame."""
    slack = np.zeros(len(board), np.float32)
    for cell in problem.cells:
        slack[cell] = problem.ceiling[board[cell]] - fit(problem, board, board[cell], cell)
    return slack


@njit(cache=True, nogil=True)
def best_swap(problem: Problem, board: Board, slack: Table, one: int, least: float) -> tuple[int, float]:
    """The cell to swap with that gains the most, more than `least`; -1 if there is none."""
    width = problem.cols + 2
    seams, unary = problem.seams, problem.unary
    stride = 1 if unary.shape[1] > 1 else 0
    a = board[one]
    # Seen from the four neighbours, a newcomer's fit in cell `one` is four lookups in rows that stay in the cache.
    on_left, on_right, above, under = board[one - 1], board[one + 1], board[one - width], board[one + width]
    before = problem.ceiling[a] - slack[one]
    target, best = -1, least
    for two in problem.cells:
        if slack[one] + slack[two] <= best:
            continue  # the gain is bounded by what both are short of
        b = board[two]
        if problem.twin[a] == problem.twin[b]:
            continue
        if two == one + 1 or two == one - 1 or two == one + width or two == one - width:
            gain = swap_gain(problem, board, one, two)
        else:
            after = seam(seams, a, RIGHT, board[two + 1]) + seam(seams, a, LEFT, board[two - 1])
            after += seam(seams, a, DOWN, board[two + width]) + seam(seams, a, UP, board[two - width])
            after += seam(seams, on_left, RIGHT, b) + seam(seams, on_right, LEFT, b)
            after += seam(seams, above, DOWN, b) + seam(seams, under, UP, b)
            after += unary[a, two * stride] + unary[b, one * stride]
            gain = after - before - problem.ceiling[b] + slack[two]
        if gain > best:
            target, best = two, gain
    return target, best


@njit(cache=True, nogil=True)
def wanted_swap(
    problem: Problem, board: Board, slack: Table, neighbours: Ints, where: Ints, one: int, least: float
) -> tuple[int, float]:
    """The best swap, gaining more than `least`, among those that bring a piece beside one of its best neighbours."""
    width = problem.cols + 2
    count = len(neighbours)
    target, most = -1, least
    for side, step in enumerate((1, -1, width, -width)):
        near, mine = board[one + step], board[one]
        for k in range(neighbours.shape[2]):
            # What the neighbour wants here, and where my own wanted neighbour waits for me.
            for which in range(2):
                asker = near if which == 0 else mine
                other = neighbours[asker, side ^ 1 if which == 0 else side, k] if asker < count else -1
                if other < 0:
                    continue
                two = where[other] if which == 0 else where[other] - step
                if slack[one] + slack[two] <= most or is_frame(problem, two):
                    continue
                if problem.twin[mine] == problem.twin[board[two]]:
                    continue
                gain = swap_gain(problem, board, one, two)
                if gain > most:
                    target, most = two, gain
    return target, most


@njit(cache=True, nogil=True)
def is_frame(problem: Problem, cell: int) -> bool:
    """Whether a cell belongs to the frame around the board."""
    row, col = cell // (problem.cols + 2), cell % (problem.cols + 2)
    return row == 0 or col == 0 or row > problem.rows or col > problem.cols


@njit(cache=True, nogil=True)
def swap_until_stuck(problem: Problem, board: Board, neighbours: Ints, sweeps: int) -> bool:
    """Best swap for every cell, over and over; True if anything moved."""
    width = problem.cols + 2
    slack = slacks(problem, board)
    where = np.zeros(problem.pieces + 2, np.int64)
    for cell in problem.cells:
        where[board[cell]] = cell
    all_pairs = len(problem.cells) <= ALL_PAIRS
    fresh = np.ones(len(board), np.bool_)  # cells whose surroundings changed since they were looked at
    moved = False
    for _ in range(sweeps):
        again = False
        for one in problem.cells:
            if slack[one] <= LEAST_GAIN or not fresh[one]:
                continue
            fresh[one] = False
            if all_pairs:
                two, _gain = best_swap(problem, board, slack, one, LEAST_GAIN)
            else:
                two, _gain = wanted_swap(problem, board, slack, neighbours, where, one, LEAST_GAIN)
            if two < 0:
                continue
            board[one], board[two] = board[two], board[one]
            where[board[one]], where[board[two]] = one, two
            for centre in (one, two):
                for cell in (centre, centre + 1, centre - 1, centre + width, centre - width):
                    slack[cell] = problem.ceiling[board[cell]] - fit_inside(problem, board, cell)
                    fresh[cell] = True
            again = True
        if not again:
            break
        moved = True
    return moved


@njit(cache=True, nogil=True, inline="always")
def fit_inside(problem: Problem, board: Board, cell: int) -> float:
    """The fit of a cell's content; for a cell of the frame, where nothing can move, the ceiling of *empty*."""
    if is_frame(problem, cell):
        return 0.0
    return fit(problem, board, board[cell], cell)


def assign_colours(problem: Problem, board: Board) -> bool:
    """On each colour of the checkerboard no two cells are neighbours, so their best arrangement is an assignment."""
    moved = False
    for colour in range(2):
        cells, slack = _doubtful_cells(problem, board, colour)
        if len(cells) > MOST_CELLS:
            cells = cells[np.argsort(-slack[cells], kind="stable")[:MOST_CELLS]]
        if len(cells) > 1 and assign_cells(problem, board, cells):
            moved = True
    return moved


@njit(cache=True, nogil=True)
def _doubtful_cells(problem: Problem, board: Board, colour: int) -> tuple[Ints, Table]:
    """The cells of one colour whose content could score more elsewhere, and the slack (P,) of all cells."""
    width = problem.cols + 2
    slack = slacks(problem, board)
    cells = np.empty(len(problem.cells), np.int64)
    found = 0
    for cell in problem.cells:
        if (cell // width + cell % width) % 2 == colour and slack[cell] > LEAST_GAIN:
            cells[found] = cell
            found += 1
    return cells[:found], slack


@njit(cache=True, nogil=True)
def assign_cells(problem: Problem, board: Board, cells: NDArray[np.int64]) -> bool:
    """Rearrange the contents of cells of one colour in the best way."""
    count = len(cells)
    score = np.empty((count, count), np.float32)
    before = 0.0
    contents = np.empty(count, np.int64)
    for k in range(count):
        contents[k] = board[cells[k]]
    for k in range(count):
        for m in range(count):
            score[k, m] = fit(problem, board, contents[k], cells[m])
        before += score[k, k]
    target = assign(score)
    after = 0.0
    for k in range(count):
        after += score[k, target[k]]
    if after <= before + LEAST_GAIN:
        return False
    for k in range(count):
        board[cells[target[k]]] = contents[k]
    return True
