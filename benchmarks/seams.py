"""The all-pairs seam costs against the same step in plain numpy."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import Row, seconds
from ganzzle.puzzle import Pixels
from ganzzle.seams import COSTS, seam_candidates, seam_table
from ganzzle.seams.lab import SCALE, fixed_lab

SAMPLE = 64  # rows that the plain version computes; its time is scaled up to all of them


def plain_rows(name: str, pieces: Pixels, rows: int) -> np.ndarray:
    """(rows, N) costs of every piece at the right of the first pieces, one numpy expression a row."""
    before, last, first, after = (pieces[:, :, c] for c in (-2, -1, 0, 1))
    out = np.empty((rows, len(pieces)))
    if name == "mgc":
        before, last, first, after = (c.astype(float) for c in (before, last, first, after))
        inverse, mean = _statistics(last - before)
        inverse_back, mean_back = _statistics(first - after)
        for i in range(rows):
            there, back = first - last[i] - mean[i], last[i] - first - mean_back[:, None]
            out[i] = np.einsum("nki,ij,nkj->n", there, inverse[i], there)
            out[i] += np.einsum("nki,nij,nkj->n", back, inverse_back, back)
        return out
    before, last, first, after = (fixed_lab(c) / SCALE for c in (before, last, first, after))
    for i in range(rows):
        there = np.abs(2 * last[i] - before[i] - first)
        if name == "l1-lab":
            out[i] = there.sum((1, 2))
        else:
            back = np.abs(2 * first - after - last[i])
            out[i] = (there**0.3 + back**0.3).sum((1, 2)) ** (1 / 16 / 0.3)
    return out


def _statistics(gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    unit = np.eye(3)
    dummies = np.concatenate([np.zeros((1, 3)), np.ones((1, 3)), -np.ones((1, 3)), unit, -unit])
    inverse = [np.linalg.inv(np.cov(np.concatenate([g, dummies]).T)) for g in gradient]
    return np.array(inverse), gradient.mean(1)


def seam_rows(pieces: Pixels) -> list[Row]:
    """Full tables and candidate lists, all four sides."""
    count, rows = len(pieces), []
    for name in COSTS:
        seam_table(pieces[:8], name)
        seam_candidates(pieces[:8], name, 2)
        sides = 2 if COSTS[name].symmetric else 4  # plain numpy saves the same half
        plain = seconds(lambda name=name: plain_rows(name, pieces, SAMPLE), 1) * count / SAMPLE * sides
        fast = seconds(lambda name=name: seam_table(pieces, name))
        rows.append(Row(f"{name}: table of {count} pieces", fast, "plain numpy", plain))
        best = seconds(lambda name=name: seam_candidates(pieces, name, 24))
        rows.append(
            Row(f"{name}: 24 candidates a side, {count} pieces", best, "plain numpy, no sorting", plain)
        )
    return rows
