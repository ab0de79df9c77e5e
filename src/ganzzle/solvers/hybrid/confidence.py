"""How sure the hybrid is of every piece: the evidence for its place, weighed by a logistic fit on held-out pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ganzzle.board import Assembly
from ganzzle.compiling import njit
from ganzzle.puzzle import Floats, Grid, Ints

# margin, slot, own seams, all seams, constant: fitted on held-out pictures by `python -m ganzzle.training.calibrate`
CALIBRATION = (0.179, 0.15, 0.01, 1.233, 1.011)
# The same for choosing between boards, some of them in a wrong grid: there seams are good and slots are bad.
CHOICE = (0.144, 0.757, 0.507, 0.0, 1.062)
LARGEST_MARGIN = 30.0
FITTED = 3  # how often the mean confidence counts in that of pieces that were made to fit


def confidence(evidence: Floats) -> Floats:
    """(..., 5) evidence -> (...) the share of such pieces that lie right, 0..1."""
    return 1 / (1 + np.exp(-(evidence * CALIBRATION).sum(-1)))


def made_to_fit(confidence: Floats) -> Floats:
    """(N,) how sure it is of pieces that were turned or levelled until they fitted: wrong ones were, too, so each is as
    sure as all of them together make it."""
    sure: Floats = confidence * confidence.mean() ** FITTED
    return sure


def board_fit(evidence: Floats) -> Floats:
    """(..., n, 5) evidence -> (...) how well boards fit together, 0..1, to compare them also between grids."""
    fit: Floats = (1 / (1 + np.exp(-(evidence * CHOICE).sum(-1)))).mean(-1)
    return fit


def placement_evidence(
    assemblies: Sequence[Assembly],
    slots: NDArray[np.float32],
    right: NDArray[np.float32],
    down: NDArray[np.float32],
    grid: Grid,
    twins: Sequence[Ints],
) -> Floats:
    """What speaks for every piece of B puzzles, by their log-potentials: (B, N, S), (B, N, N), (B, N, N) -> (B, N, 5).

    That is the energy its best other place would lose, log P(slot), the mean log P(seam) with its neighbours, that of
    the whole board, and one. Where seams are bad somewhere, all pieces are less sure: a block that fits in itself may
    lie elsewhere. Pieces that look the same, with equal numbers in `twins` (B, N), share what is likely: each may take
    the other's place.
    """
    placement, margin = (
        np.stack(x) for x in zip(*((a.placement, a.margin) for a in assemblies), strict=True)
    )
    shared = np.stack([np.log(np.bincount(groups)[groups]) for groups in twins])
    evidence: Floats = _evidence(placement, margin, slots, right, down, shared, grid.rows, grid.cols)
    return evidence


@njit(cache=True, nogil=True)
def _evidence(
    placement: NDArray[np.int64],
    margin: NDArray[np.float32],
    slots: NDArray[np.float32],
    right: NDArray[np.float32],
    down: NDArray[np.float32],
    shared: Floats,
    rows: int,
    cols: int,
) -> Floats:
    batch, count = placement.shape
    evidence = np.ones((batch, count, 5))
    for k in range(batch):
        seams, board = _mean_seams(placement[k], right[k], down[k], shared[k], rows, cols)
        for piece in range(count):
            evidence[k, piece, 0] = min(max(margin[k, piece], 0.0), LARGEST_MARGIN)
            evidence[k, piece, 1] = min(slots[k, piece, placement[k, piece]] + shared[k, piece], 0.0)
            evidence[k, piece, 2] = seams[piece]
            evidence[k, piece, 3] = board
    return evidence


@njit(cache=True, nogil=True)
def _mean_seams(
    placement: NDArray[np.int64],
    right: NDArray[np.float32],
    down: NDArray[np.float32],
    shared: Floats,
    rows: int,
    cols: int,
) -> tuple[Floats, float]:
    """(N,) the mean potential of the seams of each piece with the neighbours it was given, and that of all seams; 0
    where there are none."""
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
                total[each] += min(score + (shared[piece] + shared[other]) / 2, 0.0)
                seams[each] += 1
    whole, found = 0.0, 0.0
    for piece in range(count):
        whole, found = whole + total[piece], found + seams[piece]
        total[piece] /= max(seams[piece], 1.0)
    return total, whole / max(found, 1.0)
