"""Moves of many pieces at once: a whole segment goes where its seams and slots pull it."""

from __future__ import annotations

import numpy as np

from ganzzle.board.candidates import seam
from ganzzle.board.components import Components, join, single_pieces
from ganzzle.board.problem import DOWN, LEFT, RIGHT, Board, Ints, Problem, Table
from ganzzle.board.search import LEAST_GAIN
from ganzzle.board.shifting import try_shift
from ganzzle.compiling import njit

TRIES = 6  # shifts tried for each segment, the most wanted first
# Votes for a shift to the slot a piece likes best, and to a side of the frame; a seam's is its probability.
SLOT_VOTE, FRAME_VOTE = 0.5, 0.1


@njit(cache=True, nogil=True)
def segment_labels(problem: Problem, board: Board, threshold: float) -> tuple[Ints, Ints, Ints]:
    """Cut the board into segments held together by seams that score above the threshold.

    Returns (P,) the segment of each cell (-1: empty), the filled cells sorted by segment, and where each
    segment starts in that list (one more entry than there are segments).
    """
    width = problem.cols + 2
    count = problem.pieces
    label = np.full(len(board), -1, np.int64)
    members = np.empty(len(problem.cells), np.int64)
    starts = np.empty(len(problem.cells) + 1, np.int64)
    found, segments = 0, 0
    for seed in problem.cells:
        if board[seed] >= count or label[seed] >= 0:
            continue
        starts[segments] = found
        label[seed] = segments
        members[found] = seed
        head = found
        found += 1
        while head < found:
            cell = members[head]
            head += 1
            for side in range(4):
                near = cell + step_to(side, width)
                if board[near] >= count or label[near] >= 0:
                    continue
                if seam(problem.seams, board[cell], side, board[near]) > threshold:
                    label[near] = segments
                    members[found] = near
                    found += 1
        segments += 1
    starts[segments] = found
    return label, members[:found], starts[: segments + 1]


@njit(cache=True, nogil=True)
def step_to(side: int | np.int64, width: int) -> int:
    """How far the neighbour at a side is on the board."""
    if side == RIGHT:
        return 1
    if side == LEFT:
        return -1
    return width if side == DOWN else -width


@njit(cache=True, nogil=True)
def segments_as_components(problem: Problem, board: Board, threshold: float, crumb: int) -> Components:
    """The segments of more than `crumb` pieces as components; all other pieces stand alone."""
    width = problem.cols + 2
    parts = single_pieces(problem.pieces)
    _label, members, starts = segment_labels(problem, board, threshold)
    for k in range(len(starts) - 1):
        if starts[k + 1] - starts[k] <= crumb:
            continue
        first = members[starts[k]]
        for m in range(starts[k] + 1, starts[k + 1]):
            cell = members[m]
            join(
                parts, board[first], board[cell], cell // width - first // width, cell % width - first % width
            )
    return parts


@njit(cache=True, nogil=True)
def move_segments(problem: Problem, board: Board, neighbours: Ints, threshold: float) -> bool:
    """Try to move every segment to the places its best missing neighbours (and its best slots) ask for; what it
    displaces fills the hole it leaves. True if anything moved."""
    rows, cols = problem.rows, problem.cols
    count = problem.pieces
    label, members, starts = segment_labels(problem, board, threshold)
    where = np.full(count + 2, -1, np.int64)
    for cell in problem.cells:
        where[board[cell]] = cell
    home = _best_cells(problem)
    votes = np.zeros((2 * rows + 1) * (2 * cols + 1), np.float32)  # one for each shift (down, across)
    wanted = np.empty(len(votes), np.int64)  # the shifts that have a vote
    mark = np.zeros(len(board), np.bool_)
    trial = board.copy()
    moved = False
    for k in range(len(starts) - 1):
        segment = members[starts[k] : starts[k + 1]]
        if _is_torn(label, segment, k):
            continue
        found = _collect_votes(problem, board, neighbours, where, home, label, k, segment, votes, wanted)
        for _ in range(min(TRIES, found)):
            shift = wanted[0]
            for m in range(1, found):
                if votes[wanted[m]] > votes[shift]:
                    shift = wanted[m]
            votes[shift] = 0
            down, across = shift // (2 * cols + 1) - rows, shift % (2 * cols + 1) - cols
            if not stays_inside(problem, segment, down, across):
                continue
            gain, changed = try_shift(problem, board, trial, mark, segment, down, across, LEAST_GAIN)
            if gain > 0:
                moved = True
                for cell in changed:
                    where[board[cell]] = cell
                    label[cell] = -2
                break
        for m in range(found):
            votes[wanted[m]] = 0
    return moved


@njit(cache=True, nogil=True, inline="always")
def _best_cells(problem: Problem) -> Ints:
    """(N,) the cell each piece would choose by the piece-slot matrix alone; empty without one."""
    if problem.unary.shape[1] == 1:
        return np.empty(0, np.int64)
    count = problem.pieces
    home = np.empty(count, np.int64)
    for piece in range(count):
        home[piece] = problem.cells[0]
        for cell in problem.cells:
            if problem.unary[piece, cell] > problem.unary[piece, home[piece]]:
                home[piece] = cell
    return home


@njit(cache=True, nogil=True, inline="always")
def _is_torn(label: Ints, segment: Ints, name: int) -> bool:
    """Whether an earlier move has taken cells of this segment."""
    torn = False
    for cell in segment:
        torn |= label[cell] != name
    return torn


@njit(cache=True, nogil=True)
def stays_inside(problem: Problem, segment: Ints, down: int, across: int) -> bool:
    """Whether a segment is still on the board after a shift."""
    width = problem.cols + 2
    for cell in segment:
        row, col = cell // width + down, cell % width + across
        if row < 1 or row > problem.rows or col < 1 or col > problem.cols:
            return False
    return True


@njit(cache=True, nogil=True, inline="always")
def _collect_votes(
    problem: Problem,
    board: Board,
    neighbours: Ints,
    where: Ints,
    home: Ints,
    label: Ints,
    name: int,
    segment: Ints,
    votes: Table,
    wanted: Ints,
) -> int:
    """Add up, for every shift, how strongly the pieces of a segment ask for it; the number of shifts asked for."""
    width = problem.cols + 2
    found = 0
    for cell in segment:
        piece = board[cell]
        for side in range(4):
            for k in range(neighbours.shape[2]):
                other = neighbours[piece, side, k]
                if other < 0 or label[where[other]] == name:
                    break
                target = where[other] - step_to(side, width)
                weight = np.float64(np.exp(seam(problem.seams, piece, side, other)))
                wanted[found] = _vote(problem, votes, cell, target, weight)
                found += wanted[found] >= 0
        if len(home) > 0:
            wanted[found] = _vote(problem, votes, cell, home[piece], SLOT_VOTE)
            found += wanted[found] >= 0
    top, bottom, left, right = problem.rows, 1, problem.cols, 1
    for cell in segment:
        row, col = cell // width, cell % width
        top, bottom, left, right = min(top, row), max(bottom, row), min(left, col), max(right, col)
    # A weak pull towards every side of the frame.
    for target in (
        segment[0] + (problem.rows - bottom) * width,
        segment[0] + (1 - top) * width,
        segment[0] + problem.cols - right,
        segment[0] + 1 - left,
    ):
        wanted[found] = _vote(problem, votes, segment[0], target, FRAME_VOTE)
        found += wanted[found] >= 0
    return found


@njit(cache=True, nogil=True)
def _vote(problem: Problem, votes: Table, cell: int, target: int, weight: float) -> int:
    """One vote for the shift from cell to target; the shift if it is the first one for it, otherwise -1."""
    width = problem.cols + 2
    down, across = target // width - cell // width, target % width - cell % width
    if (down == 0 and across == 0) or abs(across) > problem.cols or abs(down) > problem.rows:
        return -1
    shift = (down + problem.rows) * (2 * problem.cols + 1) + across + problem.cols
    first = votes[shift] == 0
    votes[shift] += weight
    return shift if first else -1
