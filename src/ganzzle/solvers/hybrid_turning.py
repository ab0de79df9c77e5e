"""Boards that are right but for where they begin: whether the pixels say that the network cut the picture open.

What the network says of slots, seams and borders goes back to one belief about where the picture begins. If that is
wrong, as it may be in repeated patterns, all of it is wrong together, however much of it there is. Classical seams
are judged one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ganzzle.assembler.turning import best_turn
from ganzzle.puzzle import Grid

CLEARLY = 15.0  # log-odds by the classical seams from which on a board is turned
POSSIBLE = -4.0  # mean log P(slot) of the turned board that the network must grant


def turned_slots(
    placement: NDArray[np.int64],
    slots: NDArray[np.float32],
    classical: Sequence[NDArray[np.float32]],
    grid: Grid,
) -> NDArray[np.float32] | None:
    """The network's slots (n, S) turned to where the classical seams see the picture begin; None if they lie right.

    `placement` (n,) is the board, `classical` the potentials right (n, n), down (n, n) and border (n, 4).
    """
    right, down, border = classical
    turn = best_turn(placement, right, down, grid, border)
    if turn.gain < CLEARLY:
        return None
    on_grid = slots.reshape(-1, grid.rows, grid.cols)
    row, col = (
        (placement // grid.cols + turn.down) % grid.rows,
        (placement % grid.cols + turn.across) % grid.cols,
    )
    if on_grid[np.arange(len(slots)), row, col].mean() < POSSIBLE:
        return None
    return np.roll(on_grid, (turn.down, turn.across), (1, 2)).reshape(slots.shape)
