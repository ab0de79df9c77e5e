"""How sure the hybrid is of every piece: the evidence for its place, weighed by a logistic fit on held-out pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ganzzle.assembler import Assembly
from ganzzle.compiling import njit
from ganzzle.puzzle import Floats, Grid

# margin, slot, seams, constant: fitted by `python -m ganzzle.training.calibrate` on training pictures held out
CALIBRATION = (0.144, 0.757, 0.507, 1.062)
LARGEST_MARGIN = 30.0


def confidence(evidence: Floats) -> Floats:
    """(..., 4) evidence -> (...) the share of such pieces that lie right, 0..1."""
    return 1 / (1 + np.exp(-(evidence * CALIBRATION).sum(-1)))


def placement_evidence(
    assemblies: Sequence[Assembly],
    slots: NDArray[np.float32],
    right: NDArray[np.float32],
    down: NDArray[np.float32],
    grid: Grid,
) -> Floats:
    """What speaks for every piece of B puzzles, by their log-potentials: (B, N, S), (B, N, N), (B, N, N) -> (B, N, 4).

    That is the energy the best other place would lose, log P(slot), mean log P(seam) with its neighbours, and one.
    """
    placement, margin = (
        np.stack(x) for x in zip(*((a.placement, a.margin) for a in assemblies), strict=True)
    )
    evidence: Floats = _evidence(placement, margin, slots, right, down, grid.rows, grid.cols)
    return evidence


@njit(cache=True, nogil=True)
def _evidence(
    placement: NDArray[np.int64],
    margin: NDArray[np.float32],
    slots: NDArray[np.float32],
    right: NDArray[np.float32],
    down: NDArray[np.float32],
    rows: int,
    cols: int,
) -> Floats:
    batch, count = placement.shape
    evidence = np.ones((batch, count, 4))
    for k in range(batch):
        seams = _mean_seams(placement[k], right[k], down[k], rows, cols)
        for piece in range(count):
            evidence[k, piece, 0] = min(max(margin[k, piece], 0.0), LARGEST_MARGIN)
            evidence[k, piece, 1] = slots[k, piece, placement[k, piece]]
            evidence[k, piece, 2] = seams[piece]
    return evidence


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
