"""From how far tiles are from what a lid shows of each slot to log-odds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.lid.looking import Colours
from ganzzle.lid.registering import agreeing

Table = NDArray[np.float32]

# Fitted on held-out training pictures: how fast odds fall with the distance, how much more of it a tile of some
# variance may have, and what a slot is worth that the lid does not show.
STEEP, DETAIL, UNSEEN = 4.0, 0.1, -8.0
CHANCE = 0.5  # of a distance in Lab, squared, that means nothing
LEAST = -12.0  # log-potential of what is ruled out


def slot_odds(far: Table, patches: Colours) -> Table:
    """Distances (N, T, S) of tiles (N, T, K, 3) from slots, inf where nothing is seen -> (N, T, S) log-potentials."""
    count, _, slots = far.shape
    pieces, turn, slot, _ = agreeing(far)
    usual = float(np.median(far[pieces, turn, slot])) if len(pieces) else 100.0
    upright = patches[:, 0]
    variance = ((upright - upright.mean(1, keepdims=True)) ** 2).sum(-1).mean(1)
    scale = usual + CHANCE + DETAIL * variance[:, None, None]
    score = np.where(np.isfinite(far), -STEEP * np.sqrt(np.where(np.isfinite(far), far, 0) / scale), UNSEEN)
    by_piece = score - log_sum(score.reshape(count, -1), 1)[:, :, None]
    best = score.max(1)
    empty = np.full((1, slots), UNSEEN, np.float32) if count < slots else np.empty((0, slots), np.float32)
    by_slot = score - log_sum(np.concatenate([best, empty]), 0)[:, None]
    return np.clip((by_piece + np.minimum(by_slot, 0)) / 2, LEAST, 0).astype(np.float32)


def log_sum(table: Table, axis: int) -> Table:
    """The logarithm of the sum of exponentials along an axis, which is kept."""
    top = table.max(axis, keepdims=True)
    found: Table = top + np.log(np.exp(table - top).sum(axis, keepdims=True))
    return found
