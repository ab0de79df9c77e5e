"""How sure the hybrid is of every piece: the evidence for its place, weighed by a logistic fit on held-out pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.assembler import Assembly
from ganzzle.puzzle import Floats, Grid

# margin, slot, seams, constant: fitted by `python -m ganzzle.training.calibrate` on training pictures held out
CALIBRATION = (0.14, 0.932, 0.087, 0.212)
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
    return np.stack([margin, own_slot, _mean_seams(placement, right, down, grid), np.ones(count)], 1)


def _mean_seams(
    placement: NDArray[np.int64], right: NDArray[np.float32], down: NDArray[np.float32], grid: Grid
) -> Floats:
    """(N,) mean potential of the seams of each piece with the neighbours it was given; 0 for a piece without any."""
    count = len(placement)
    piece_at = np.full(grid.slots, -1)
    piece_at[placement] = np.arange(count)
    total, seams = np.zeros(count), np.zeros(count)
    for pairs, table in zip(grid.adjacencies(), (right, down), strict=True):
        first, second = piece_at[pairs[:, 0]], piece_at[pairs[:, 1]]
        both = (first >= 0) & (second >= 0)
        first, second = first[both], second[both]
        for piece in (first, second):
            np.add.at(total, piece, table[first, second])
            np.add.at(seams, piece, 1)
    return total / np.maximum(seams, 1)
