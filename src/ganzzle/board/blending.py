"""Taking the best of two boards: where they differ in places that do not touch, each place is judged by itself."""

from __future__ import annotations

import numpy as np

from ganzzle.board.candidates import seam
from ganzzle.board.problem import Board, Ints, Problem
from ganzzle.board.search import LEAST_GAIN
from ganzzle.compiling import njit


@njit(cache=True, nogil=True)
def mix(problem: Problem, board: Board, trial: Board) -> bool:
    """Take over from `trial` every independent difference that gains energy; True if anything changed.

    Differences belong together if their cells are neighbours or if a piece goes from one to the other. Each group then
    holds the same pieces on both boards, and what it adds to the energy depends on no other group.
    """
    width = problem.cols + 2
    group = _groups(problem, board, trial)
    gain = np.zeros(len(board), np.float64)
    seams, unary = problem.seams, problem.unary
    stride = 1 if unary.shape[1] > 1 else 0
    for cell in problem.cells:
        if group[cell] < 0:
            continue
        old, new = board[cell], trial[cell]
        change = unary[new, cell * stride] - unary[old, cell * stride]
        for side, near in enumerate((cell + 1, cell - 1, cell + width, cell - width)):
            if group[near] >= 0 and side % 2 == 1:
                continue  # the neighbour counts this seam
            change += seam(seams, new, side, trial[near]) - seam(seams, old, side, board[near])
        gain[group[cell]] += change
    changed = False
    for cell in problem.cells:
        if group[cell] >= 0 and gain[group[cell]] > LEAST_GAIN:
            board[cell] = trial[cell]
            changed = True
    return changed


@njit(cache=True, nogil=True, inline="always")
def _groups(problem: Problem, board: Board, trial: Board) -> Ints:
    """(P,) the group of differences each cell belongs to, named after one of its cells; -1: both boards agree."""
    width = problem.cols + 2
    count = problem.pieces
    root = np.full(len(board), -1, np.int64)
    for cell in problem.cells:
        if board[cell] != trial[cell]:
            root[cell] = cell
    leaves = np.full(count, -1, np.int64)  # the cell a piece leaves
    cleared, emptied = np.empty(len(board), np.int64), np.empty(len(board), np.int64)
    clear_count, empty_count = 0, 0
    for cell in problem.cells:
        if root[cell] < 0:
            continue
        if board[cell] < count:
            leaves[board[cell]] = cell
        else:
            cleared[clear_count] = cell
            clear_count += 1
        if trial[cell] >= count:
            emptied[empty_count] = cell
            empty_count += 1
    for k in range(empty_count):  # which hole went where is free to choose
        _unite(root, cleared[k], emptied[k])
    for cell in problem.cells:
        if root[cell] < 0:
            continue
        if trial[cell] < count:
            _unite(root, cell, leaves[trial[cell]])
        for near in (cell + 1, cell + width):
            if root[near] >= 0:
                _unite(root, cell, near)
    for cell in problem.cells:
        if root[cell] >= 0:
            root[cell] = _find(root, cell)
    return root


@njit(cache=True, nogil=True)
def _find(root: Ints, cell: int) -> int:
    while root[cell] != cell:
        root[cell] = root[root[cell]]
        cell = root[cell]
    return cell


@njit(cache=True, nogil=True)
def _unite(root: Ints, one: int, two: int) -> None:
    one, two = _find(root, one), _find(root, two)
    root[max(one, two)] = min(one, two)
