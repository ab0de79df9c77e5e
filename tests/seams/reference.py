"""The seam costs once more, slow and plain, straight from their publications: what the fast ones must equal."""

from __future__ import annotations

import numpy as np

from ganzzle.seams.lab import SCALE, fixed_lab


def columns(piece: np.ndarray) -> tuple[np.ndarray, ...]:
    """(L, 3) each: last but one, last, first, second column of an (h, w, 3) piece."""
    width = piece.shape[1]
    return piece[:, max(width - 2, 0)], piece[:, -1], piece[:, 0], piece[:, min(1, width - 1)]


def l1_lab(left: np.ndarray, right: np.ndarray) -> float:
    before, last, _, _ = columns(fixed_lab(left) / SCALE)
    return np.abs(2 * last - before - columns(fixed_lab(right) / SCALE)[2]).sum()


def lpq(left: np.ndarray, right: np.ndarray) -> float:
    before, last, _, _ = columns(fixed_lab(left).astype(float) / SCALE)
    _, _, first, after = columns(fixed_lab(right).astype(float) / SCALE)
    there = np.abs(2 * last - before - first) ** 0.3
    back = np.abs(2 * first - after - last) ** 0.3
    return (there.sum() + back.sum()) ** (1 / 16 / 0.3)


def mgc(left: np.ndarray, right: np.ndarray) -> float:
    before, last, _, _ = columns(left.astype(float))
    _, _, first, after = columns(right.astype(float))
    return _one_way(first - last, last - before) + _one_way(last - first, first - after)


def _one_way(across: np.ndarray, inside: np.ndarray) -> float:
    unit = np.eye(3)
    dummies = np.concatenate([np.zeros((1, 3)), np.ones((1, 3)), -np.ones((1, 3)), unit, -unit])
    inverse = np.linalg.inv(np.cov(np.concatenate([inside, dummies]).T))
    off = across - inside.mean(0)
    return sum(row @ inverse @ row for row in off)


COSTS = {"l1-lab": l1_lab, "lpq": lpq, "mgc": mgc}
