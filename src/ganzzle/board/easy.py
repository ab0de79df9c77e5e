"""Many puzzles in one compiled pass: where the best board by slots alone reaches the bound, nothing has to be searched.

No Python runs between the puzzles, so threads that each take a part of a batch do not wait for one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.effort import slot_board
from ganzzle.board.margins import report_all
from ganzzle.board.problem import (
    Ints,
    Problem,
    Table,
    energy,
    frame_cells,
    limits,
    seam_table,
    slot_table,
    twin_numbers,
)
from ganzzle.board.search import LEAST_GAIN
from ganzzle.compiling import njit
from ganzzle.puzzle import Grid


class Easy(NamedTuple):
    """What was found for B puzzles of N pieces; where `done` is not set, the rest says nothing."""

    done: NDArray[np.bool_]  # (B,)
    placement: Ints  # (B, N)
    energy: NDArray[np.float64]  # (B,)
    margin: Table  # (B, N)
    order: Ints  # (B, N)


def easy_boards(
    right: Table, down: Table, grid: Grid, slots: Table, border: Table, twins: Sequence[Ints] | None = None
) -> Easy:
    """The boards of B puzzles that no search could better: (B, N, N) seams, (B, N, S) slots, (B, N, 4) borders, and
    (B, N) equal numbers for pieces that look the same."""
    right, down, slots, border = (np.ascontiguousarray(x, np.float32) for x in (right, down, slots, border))
    batch, count = slots.shape[:2]
    twin = np.stack([twin_numbers(count, None if twins is None else twins[k]) for k in range(batch)])
    return _easy_boards(right, down, slots, border, twin, frame_cells(grid), grid.rows, grid.cols)


@njit(cache=True, nogil=True)
def _easy_boards(
    right: Table, down: Table, slots: Table, border: Table, twin: Ints, cells: Ints, rows: int, cols: int
) -> Easy:
    batch, count = slots.shape[:2]
    done = np.zeros(batch, np.bool_)
    placement, order = np.empty((batch, count), np.int64), np.empty((batch, count), np.int64)
    margin, reached = np.empty((batch, count), np.float32), np.empty(batch, np.float64)
    for k in range(batch):
        seams = seam_table(right[k], down[k], border[k])
        unary = slot_table(slots[k], cells, (rows + 2) * (cols + 2))
        ceiling, bound = limits(seams, unary, cells)
        problem = Problem(seams, unary, ceiling, cells, rows, cols, bound, twin[k], count)
        board = slot_board(problem)
        reached[k] = energy(problem, board)
        done[k] = reached[k] >= bound - LEAST_GAIN
        if done[k]:
            report_all(problem, board, placement[k], margin[k], order[k])
    return Easy(done, placement, reached, margin, order)
