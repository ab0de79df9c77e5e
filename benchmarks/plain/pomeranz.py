"""The placer of Pomeranz et al. in plain numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Ints
from ganzzle.solvers.pomeranz.seams import Seams

STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))  # rows and columns to the right, left, down, up

Slot = tuple[int, int]


def place(board: Ints, seams: Seams, rows: int, cols: int, buddies_first: bool, fixed: bool) -> list[int]:
    """As `ganzzle.solvers.pomeranz.place.place`, of a puzzle with a full table; changes the board."""
    order: list[int] = []
    waiting = ~np.isin(np.arange(seams.table.shape[1]), board)
    choice: dict[
        Slot, tuple[int, float, float, float]
    ] = {}  # piece, neighbours, best buddies, mean compatibility
    while waiting.any():
        slots = _open_slots(board, rows, cols, fixed)
        if not slots:
            break
        for slot in slots:
            if slot not in choice or not waiting[choice[slot][0]]:
                choice[slot] = _best_at(board, slot, seams, waiting)
        slot = max(slots, key=lambda s: _rank(choice[s], buddies_first))
        piece = choice[slot][0]
        board[slot] = piece
        waiting[piece] = False
        order.append(piece)
        for y, x in STEPS:
            choice.pop((slot[0] + y, slot[1] + x), None)  # it has a new neighbour
    return order


def _best_at(
    board: Ints, slot: Slot, seams: Seams, waiting: NDArray[np.bool_]
) -> tuple[int, float, float, float]:
    around = [(side, board[slot[0] + y, slot[1] + x]) for side, (y, x) in enumerate(STEPS)]
    around = [(side, piece) for side, piece in around if piece >= 0]
    fit = np.mean([seams.table[side ^ 1, piece] for side, piece in around], axis=0)
    buddies = np.sum([seams.buddy[side] == piece for side, piece in around], axis=0)
    best = int(np.lexsort((fit, buddies, waiting))[-1])
    return best, len(around), float(buddies[best]), float(fit[best])


def _rank(choice: tuple[int, float, float, float], buddies_first: bool) -> tuple[float, float, float]:
    _, neighbours, buddies, fit = choice
    return (buddies, neighbours, fit) if buddies_first else (neighbours, buddies, fit)


def _open_slots(board: Ints, rows: int, cols: int, fixed: bool) -> list[Slot]:
    """The empty slots beside a piece that a frame of rows x cols around all pieces can reach."""
    y, x = np.nonzero(board >= 0)
    top, bottom, left, right = (1, rows, 1, cols) if fixed else (y.min(), y.max(), x.min(), x.max())
    slots = {(r + dy, c + dx) for r, c in zip(y.tolist(), x.tolist(), strict=True) for dy, dx in STEPS}
    return [
        (r, c)
        for r, c in sorted(slots)
        if board[r, c] < 0 and bottom - rows < r < top + rows and right - cols < c < left + cols
    ]
