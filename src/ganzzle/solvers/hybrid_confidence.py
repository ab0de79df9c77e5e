"""How sure the hybrid is of every piece: the evidence for its place, weighed by a logistic fit on held-out pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.assembler import Assembly
from ganzzle.compiling import njit
from ganzzle.puzzle import Floats, Grid

# margin, slot, seams, constant: fitted by `python -m ganzzle.training.calibrate` on training pictures held out
CALIBRATION = (0.163, 0.749, 0.324, 0.376)
LARGEST_MARGIN = 30.0


def confidence(evidence: Floats) -> Floats:
    """(N, 4) evidence -> (N,) the share of such pieces that lie right, 0..1."""
    return 1 / (1 + np.exp(-evidence @ np.array(CALIBRATION)))


def placement_evidence(
    assembly: Assembly,
    slots: NDArray[np.float32],
    right: NDArray[np.float32],
    down: NDArray[np.float32],
    grid: Grid,
) -> Floats:
    """(N, 4): energy the best other place would lose, log P(slot), mean log P(seam) with its neighbours, and one."""
    placement = assembly.placement
    count = len(placement)
    margin = np.clip(assembly.margin, 0, LARGEST_MARGIN)
    own_slot = slots[np.arange(count), placement]
    seams = _mean_seams(placement, right, down, grid.rows, grid.cols)
    return np.stack([margin, own_slot, seams, np.ones(count)], 1)


@njit(cache=True, nogil=True)
def _mean_seams(
    placement: NDArray[np.int64], right: NDArray[np.float32], down: NDArray[np.float32], rows: int, cols: int
) -> Floats:
    """(N,) mean potential of the seams of each piece with the neighbours it was given; 0 for a piece without any."""
    count = len(placement)
    piece_at = np.full(rows * cols, -1)
    for piece in range(count):
        piece_at[placement[piece]] = piece
    total, seams = np.zeros(count), np.zeros(count)
    for slot in range(rows * cols):
        piece = piece_at[slot]
        for below in range(2):
            inside = slot + cols < rows * cols if below else (slot + 1) % cols > 0
            other = piece_at[slot + (cols if below else 1)] if inside else -1
            if piece < 0 or other < 0:
                continue
            score = down[piece, other] if below else right[piece, other]
            for each in (piece, other):
                total[each] += score
                seams[each] += 1
    return total / np.maximum(seams, 1)
