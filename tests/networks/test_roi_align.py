"""RoIAlign against a slow plain version."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from ganzzle.networks.roi_align import roi_weights, slot_features


def bilinear(features: np.ndarray, y: float, x: float) -> np.ndarray:
    """(H, W, C) at a point; pixel centres are whole numbers, the border is repeated."""
    height, width = features.shape[:2]
    y, x = min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0)
    top, left = min(int(y), max(0, height - 2)), min(int(x), max(0, width - 2))
    below, right = min(top + 1, height - 1), min(left + 1, width - 1)
    dy, dx = y - top, x - left
    upper = (1 - dx) * features[top, left] + dx * features[top, right]
    lower = (1 - dx) * features[below, left] + dx * features[below, right]
    return (1 - dy) * upper + dy * lower


def plain_roi_align(
    features: np.ndarray, box: tuple[float, float, float, float], bins: int, samples: int
) -> np.ndarray:
    """(H, W, C), (top, left, bottom, right) -> (bins, bins, C), sample by sample."""
    top, left, bottom, right = box
    high, wide = (bottom - top) / bins, (right - left) / bins
    out = np.zeros((bins, bins, features.shape[2]))
    for by in range(bins):
        for bx in range(bins):
            values = [
                bilinear(
                    features,
                    top + (by + (sy + 0.5) / samples) * high - 0.5,
                    left + (bx + (sx + 0.5) / samples) * wide - 0.5,
                )
                for sy in range(samples)
                for sx in range(samples)
            ]
            out[by, bx] = np.mean(values, axis=0)
    return out


def random_map(height: int, width: int, channels: int, seed: int = 0) -> Tensor:
    return torch.randn(height, width, channels, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("seed", range(8))
def test_random_boxes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = random_map(9, 13, 3, seed)
    tops, lefts = rng.uniform(-1, 6, 5), rng.uniform(-1, 9, 5)
    bottoms, rights = tops + rng.uniform(0.5, 6, 5), lefts + rng.uniform(0.5, 8, 5)
    bins, samples = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    down = roi_weights(torch.tensor(tops), torch.tensor(bottoms), bins, samples, 9)
    across = roi_weights(torch.tensor(lefts), torch.tensor(rights), bins, samples, 13)
    found = torch.einsum("ryh,hwc,rxw->ryxc", down, features.double(), across)
    for k in range(5):
        box = (tops[k], lefts[k], bottoms[k], rights[k])
        np.testing.assert_allclose(
            found[k], plain_roi_align(features.double().numpy(), box, bins, samples), atol=1e-6
        )


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 2), (3, 5), (12, 12), (1, 7)])
def test_the_slots_of_a_grid(rows: int, cols: int) -> None:
    features = torch.stack([random_map(8, 8, 2, seed) for seed in (0, 1)])
    found = slot_features(features, rows, cols, bins=4, samples=2)
    assert found.shape == (2, rows * cols, 16, 2)
    for slot in range(rows * cols):
        row, col = divmod(slot, cols)
        box = (8 * row / rows, 8 * col / cols, 8 * (row + 1) / rows, 8 * (col + 1) / cols)
        expected = plain_roi_align(features[1].numpy(), box, 4, 2).reshape(16, 2)
        np.testing.assert_allclose(found[1, slot], expected, atol=1e-5)
