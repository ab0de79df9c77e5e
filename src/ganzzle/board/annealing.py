"""Annealing: blocks of pieces wander over the board while it cools, for puzzles with holes.

Where pieces are missing, a block that lies a slot aside leaves all its own seams whole, and every single move on the
way back costs energy. Moves that cost are allowed while the board is hot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.candidates import seam
from ganzzle.board.problem import Board, Ints, Problem, energy
from ganzzle.board.segments import stays_inside, step_to
from ganzzle.board.shifting import try_shift
from ganzzle.compiling import njit

HOT, COLD = 4.0, 0.2  # energy a move may typically cost, at the start and at the end
LOOSEST = -4.0  # blocks are held together by seams above a random threshold between this and 0
STICKY = 0.95  # chance that a seam above it really holds
# Chances that a block goes beside a piece it wants, and that it goes one step.
TO_NEIGHBOUR, ONE_STEP = 0.4, 0.4


@njit(cache=True, nogil=True)
def anneal(problem: Problem, board: Board, neighbours: Ints, steps: int, rng: np.random.Generator) -> Board:
    """(P,) the best board met on the way, not climbed from; `neighbours` (N, 4, k) may draw a block to them."""
    count, slots = problem.pieces, len(problem.cells)
    width = problem.cols + 2
    now = board.copy()
    trial = now.copy()
    reached = highest = energy(problem, now)
    summit = now.copy()
    mark = np.zeros(len(board), np.bool_)
    where = np.full(count + 2, -1, np.int64)
    for cell in problem.cells:
        where[now[cell]] = cell
    for k in range(steps):
        seed = problem.cells[rng.integers(0, slots)]
        if now[seed] >= count:
            continue
        block = _random_block(problem, now, seed, mark, rng)
        target = _random_target(problem, now, neighbours, where, seed, rng)
        down, across = target // width - seed // width, target % width - seed % width
        if (down == 0 and across == 0) or not stays_inside(problem, block, down, across):
            continue
        heat = HOT * (COLD / HOT) ** (k / steps)
        least = heat * np.log(rng.random() + 1e-30)
        gain, changed = try_shift(problem, now, trial, mark, block, down, across, least)
        for cell in changed:
            where[now[cell]] = cell
        reached += gain
        if reached > highest:
            highest = reached
            for cell in problem.cells:
                summit[cell] = now[cell]
    return summit


@njit(cache=True, nogil=True, inline="always")
def _random_block(
    problem: Problem, board: Board, seed: int, mark: NDArray[np.bool_], rng: np.random.Generator
) -> Ints:
    """Cells of pieces that hang together with the seed's; `mark` is clear before and after."""
    count, width = problem.pieces, problem.cols + 2
    threshold = LOOSEST * rng.random()
    block = np.empty(len(problem.cells), np.int64)
    block[0] = seed
    mark[seed] = True
    found, head = 1, 0
    while head < found:
        cell = block[head]
        head += 1
        for side in range(4):
            near = cell + step_to(side, width)
            if board[near] >= count or mark[near]:
                continue
            if seam(problem.seams, board[cell], side, board[near]) > threshold and rng.random() < STICKY:
                mark[near] = True
                block[found] = near
                found += 1
    for cell in block[:found]:
        mark[cell] = False
    return block[:found]


@njit(cache=True, nogil=True, inline="always")
def _random_target(
    problem: Problem, board: Board, neighbours: Ints, where: Ints, seed: int, rng: np.random.Generator
) -> int:
    """The cell the seed shall go to: beside a piece it likes, one step away, or anywhere."""
    width = problem.cols + 2
    kind = rng.random()
    if kind < TO_NEIGHBOUR:
        side = rng.integers(0, 4)
        other = neighbours[board[seed], side, rng.integers(0, neighbours.shape[2])]
        if other >= 0:
            return int(where[other] - step_to(side, width))
    if kind < TO_NEIGHBOUR + ONE_STEP:
        return int(seed + rng.integers(-1, 2) * width + rng.integers(-1, 2))
    return int(problem.cells[rng.integers(0, len(problem.cells))])
