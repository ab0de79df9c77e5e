"""Potentials made by hand for the assembler's tests, and the slow, plain way to compute what it computes."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Grid

RIGHT, LEFT, DOWN, UP = range(4)


def random_potentials(count: int, slots: int, seed: int) -> dict[str, NDArray[np.float32]]:
    """Potentials without any structure."""
    rng = np.random.default_rng(seed)
    shapes = {"right": (count, count), "down": (count, count), "slots": (count, slots), "border": (count, 4)}
    return {name: -rng.gamma(2, 2, shape).astype(np.float32).clip(0, 12) for name, shape in shapes.items()}


def noisy_seams(
    grid: Grid, noise: float, seed: int, missing: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Seams right (N, N) and down (N, N) of a shuffled picture with `missing` pieces gone, and its true placement."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(grid.slots)[: grid.slots - missing]
    tables = []
    for pairs in grid.adjacencies():
        score = noise * rng.standard_normal((grid.slots, grid.slots))
        score[pairs[:, 0], pairs[:, 1]] += 8
        score = score[np.ix_(truth, truth)]
        by_row = score - np.log(np.exp(score).sum(1, keepdims=True))
        by_col = score - np.log(np.exp(score).sum(0))
        tables.append(((by_row + by_col) / 2).astype(np.float32))
    return tables[0], tables[1], truth


def plain_energy(
    placement: NDArray[np.int64],
    grid: Grid,
    right: NDArray[np.float32],
    down: NDArray[np.float32],
    slots: NDArray[np.float32] | None = None,
    border: NDArray[np.float32] | None = None,
) -> float:
    """The energy by its definition, slot by slot."""
    border = np.full((len(right), 4), -2.0) if border is None else border
    board = np.full((grid.rows + 2, grid.cols + 2), -1)
    for piece, slot in enumerate(placement):
        board[slot // grid.cols + 1, slot % grid.cols + 1] = piece
    total = 0.0
    for piece, slot in enumerate(placement):
        row, col = slot // grid.cols + 1, slot % grid.cols + 1
        total += 0 if slots is None else slots[piece, slot]
        for side, (down_by, right_by) in enumerate(((0, 1), (0, -1), (1, 0), (-1, 0))):
            near = board[row + down_by, col + right_by]
            if near < 0:
                total += border[piece, side]
            elif side == RIGHT:
                total += right[piece, near]
            elif side == DOWN:
                total += down[piece, near]
    return float(total)


def best_energy(grid: Grid, count: int, **potentials: NDArray[np.float32]) -> float:
    """The highest energy of all placements of `count` pieces."""
    every = permutations(range(grid.slots), count)
    return max(plain_energy(np.array(placement), grid, **potentials) for placement in every)
