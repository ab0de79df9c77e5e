"""Mean field: soft marginals of the distribution whose log-probability is the assembler's energy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.assembler.problem import BORDER_GUESS, DOWN, FLOOR, LEFT, RIGHT, UP, Ints, Table
from ganzzle.puzzle import Grid

SOFTNESS = 0.1  # mass that a given start spreads over all slots
BALANCING = 8  # Sinkhorn steps an iteration


def mean_field(
    right: NDArray[np.floating],
    down: NDArray[np.floating],
    slots: NDArray[np.floating] | None,
    border: NDArray[np.floating] | None,
    grid: Grid,
    iterations: int = 20,
    *,
    start: Ints | None = None,
    temperature: float = 1.0,
    damping: float = 0.5,
) -> Table:
    """(N, S) how likely each piece is in each slot; rows sum to 1, columns to at most about 1.

    Potentials are those of `assemble_pieces`. `start` is a placement around which the marginals are wanted: they begin
    there, softened. Without it they begin with the piece-slot matrix, or with chance. A higher `temperature` softens.
    """
    count = len(right)
    right, down = _clamped(right), _clamped(down)
    unary = np.zeros((count, grid.slots), np.float32) if slots is None else _clamped(slots)
    edge = np.full((count, 4), BORDER_GUESS, np.float32) if border is None else _clamped(border)
    if start is None:
        soft = _balance(unary / temperature, np.zeros(grid.slots, np.float32))
    else:
        soft = np.full((count, grid.slots), SOFTNESS / grid.slots, np.float32)
        soft[np.arange(count), start] += 1 - SOFTNESS
    for _ in range(iterations):
        field, empty = _fields(soft, right, down, unary, edge, grid)
        soft = damping * soft + (1 - damping) * _balance(field / temperature, empty / temperature)
    return soft


def _clamped(values: NDArray[np.floating]) -> Table:
    return np.clip(values, FLOOR, 0).astype(np.float32, copy=False)


def _fields(
    soft: Table, right: Table, down: Table, unary: Table, edge: Table, grid: Grid
) -> tuple[Table, Table]:
    """(N, S) the expected score of each piece in each slot, and (S,) that of leaving the slot empty."""
    count = len(soft)
    board = soft.reshape(count, grid.rows, grid.cols)
    hole = np.ones(
        (grid.rows + 2, grid.cols + 2), np.float32
    )  # how likely a cell of the framed board is empty
    hole[1:-1, 1:-1] = np.maximum(1 - board.sum(0), 0)
    field = unary.reshape(board.shape).copy()
    empty = np.zeros((grid.rows, grid.cols), np.float32)
    views = {
        RIGHT: (right, (slice(None), slice(0, -1)), (slice(None), slice(1, None)), hole[1:-1, 2:]),
        LEFT: (right.T, (slice(None), slice(1, None)), (slice(None), slice(0, -1)), hole[1:-1, :-2]),
        DOWN: (down, (slice(0, -1), slice(None)), (slice(1, None), slice(None)), hole[2:, 1:-1]),
        UP: (down.T, (slice(1, None), slice(None)), (slice(0, -1), slice(None)), hole[:-2, 1:-1]),
    }
    for side, (table, here, there, hole_there) in views.items():
        neighbour = board[:, *there]
        field[:, *here] += (table @ neighbour.reshape(count, -1)).reshape(neighbour.shape)
        field += edge[:, side, None, None] * hole_there
        # Seen from an empty slot, the neighbour at `side` has nothing at its opposite side.
        empty[here] += np.tensordot(edge[:, side ^ 1], neighbour, 1)
    return field.reshape(count, -1), empty.ravel()


def _balance(field: Table, empty: Table) -> Table:
    """Sinkhorn: (N, S) exp(field) scaled so that rows sum to 1 and, together with the empty slots, columns to 1."""
    count, slots = field.shape
    stacked = np.vstack([field, empty[None]]) if count < slots else field
    target = np.ones(len(stacked))
    target[count:] = slots - count
    weights = np.exp((stacked - stacked.max(1, keepdims=True)).astype(np.float64))
    by_slot = np.ones(slots)
    for _ in range(BALANCING):
        by_piece = target / np.maximum(weights @ by_slot, 1e-300)
        by_slot = 1 / np.maximum(by_piece @ weights, 1e-300)
    by_piece = target / np.maximum(weights @ by_slot, 1e-300)
    return (by_piece[:, None] * weights * by_slot)[:count].astype(np.float32)
