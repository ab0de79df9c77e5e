"""Pieces that differ in brightness or colour, as when they were scanned one by one: told from a board of them."""

from __future__ import annotations

import numpy as np

from ganzzle.damage.levels import UNEVEN, inner_part, unevenness
from ganzzle.grid import Grid
from ganzzle.solving.boards import Laid
from ganzzle.solving.evidence import Evidence

DOUBTFUL = 0.7  # share of the best score there can be below which colours may be to blame
UNEVEN_WORN = 1.0  # `UNEVEN` for worn pieces: across the worn gap colours change less than beside it


def is_uneven(evidence: Evidence, laid: Laid) -> bool:
    """Whether a board is bad and colours jump at its seams; noise hides that."""
    if laid.score >= DOUBTFUL * 2 * len(evidence) * evidence.terms.most or evidence.noisy:
        return False
    board = max(laid.boards, key=lambda each: int((each >= 0).sum()))
    slots = np.flatnonzero(board.ravel() >= 0)
    pieces = evidence.pieces[inner_part(evidence.pieces, evidence.worn)]
    gap = 2 * evidence.worn + 1
    if min(pieces.shape[1:3]) <= gap:
        return False
    uneven = unevenness(pieces[board.ravel()[slots]], slots, Grid(*board.shape), gap)
    return uneven > (UNEVEN_WORN if evidence.worn else UNEVEN)
