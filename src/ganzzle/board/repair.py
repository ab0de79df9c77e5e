"""Repair: clear a small doubtful region of the board, fill it again in a shaken order, keep it if that is better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.placing import fill
from ganzzle.board.problem import Board, Ints, Problem, Table, energy_of
from ganzzle.board.search import LEAST_GAIN, assign_cells, slacks, swap_gain
from ganzzle.compiling import njit

DOUBT = 0.3  # a cell this far below what its piece could score is doubtful
SMALLEST, LARGEST = 3, 40  # cells of a region
NOISE = 1.5  # the strongest shaking
SPREADING = 0.8  # chance that a doubtful cell beside the region joins it
FAR = 0.7  # chance that the region also goes to where wanted pieces lie


@njit(cache=True, nogil=True)
def repair(problem: Problem, board: Board, neighbours: Ints, tries: int, rng: np.random.Generator) -> bool:
    """Try to repair random doubtful regions; True if the energy rose."""
    count = problem.pieces
    slack = slacks(problem, board)
    where = np.full(count + 2, -1, np.int64)
    for cell in problem.cells:
        where[board[cell]] = cell
    member = np.zeros(len(board), np.bool_)
    doubtful = np.empty(len(problem.cells), np.int64)
    better = False
    for _ in range(tries):
        found = 0
        for cell in problem.cells:
            if slack[cell] > DOUBT:
                doubtful[found] = cell
                found += 1
        if found < 2:
            break
        seed = doubtful[rng.integers(0, found)]
        size = rng.integers(SMALLEST, LARGEST + 1)
        region = _region(problem, board, neighbours, where, slack, seed, size, member, rng)
        if len(region) < 2:
            member[seed] = False
            continue
        before = energy_of(problem, board, region, member)
        kept, pieces, found = np.empty(len(region), np.int64), np.empty(len(region), np.int64), 0
        for k in range(len(region)):
            kept[k] = board[region[k]]
            board[region[k]] = count + 1
            if kept[k] < count:
                pieces[found] = kept[k]
                found += 1
        strength = NOISE * rng.random()
        noise = np.empty((len(region), len(region)), np.float32)
        for k in range(len(region)):
            for m in range(len(region)):
                noise[k, m] = strength * rng.standard_normal()
        fill(problem, board, region, pieces[:found], noise)
        _polish(problem, board, region)
        if energy_of(problem, board, region, member) > before + LEAST_GAIN:
            better = True
            for cell in region:
                where[board[cell]] = cell
            slack = slacks(problem, board)
        else:
            for k in range(len(region)):
                board[region[k]] = kept[k]
        for cell in region:
            member[cell] = False
    return better


@njit(cache=True, nogil=True, inline="always")
def _region(
    problem: Problem,
    board: Board,
    neighbours: Ints,
    where: Ints,
    slack: Table,
    seed: np.int64,
    size: np.int64,
    member: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Ints:
    """Doubtful cells that belong together: neighbours on the board, and cells that hold each other's best ones."""
    count = problem.pieces
    width = problem.cols + 2
    region = np.empty(size + 8, np.int64)
    region[0] = seed
    member[seed] = True
    found, head = 1, 0
    far = rng.random() < FAR
    while head < found and found < size:
        cell = region[head]
        head += 1
        for side, near in enumerate((cell + 1, cell - 1, cell + width, cell - width)):
            if slack[near] > DOUBT and not member[near] and rng.random() < SPREADING:
                region[found] = near
                member[near] = True
                found += 1
            piece = board[near]
            if not far or piece >= count:
                continue
            wanted = neighbours[piece, side ^ 1, 0]
            if wanted < 0 or wanted == board[cell]:
                continue
            there = where[wanted]
            if slack[there] > DOUBT and not member[there]:
                region[found] = there
                member[there] = True
                found += 1
    return region[:found]


@njit(cache=True, nogil=True, inline="always")
def _polish(problem: Problem, board: Board, region: Ints) -> None:
    """Swaps and one-colour assignments among the cells of the region."""
    width = problem.cols + 2
    cells = np.empty(len(region), np.int64)
    for _ in range(2):
        moved = False
        for colour in range(2):
            found = 0
            for cell in region:
                if (cell // width + cell % width) % 2 == colour:
                    cells[found] = cell
                    found += 1
            if found > 1:
                moved |= assign_cells(problem, board, cells[:found])
        for k in range(len(region)):
            for m in range(k):
                if swap_gain(problem, board, region[k], region[m]) > LEAST_GAIN:
                    board[region[k]], board[region[m]] = board[region[m]], board[region[k]]
                    moved = True
        if not moved:
            break
