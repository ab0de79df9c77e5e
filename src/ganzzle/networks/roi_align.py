"""RoIAlign for boxes with sides along the axes, as two matrix products.

Bilinear samples on a box's grid are separable, so weights for rows and for columns do it; products are faster than
gathering and, unlike it, give the same gradient every time. The values are those of the usual RoIAlign (aligned, with
`samples` x `samples` bilinear samples averaged in a bin).
"""

from __future__ import annotations

import torch
from torch import Tensor


def roi_weights(start: Tensor, end: Tensor, bins: int, samples: int, size: int) -> Tensor:
    """(R, bins, size) weights of a feature map's side for R intervals [start, end), in px of the map."""
    device = start.device
    steps = (torch.arange(bins * samples, device=device) + 0.5) / (bins * samples)
    # Pixel k has its centre at k + 0.5; beyond the outermost centres the border is repeated.
    at = (start[:, None] + (end - start)[:, None] * steps - 0.5).clamp(0, size - 1)
    weights = (1 - (torch.arange(size, device=device) - at[..., None]).abs()).clamp(min=0)
    return weights.reshape(-1, bins, samples, size).mean(2)


def slot_features(features: Tensor, rows: int, cols: int, bins: int = 4, samples: int = 2) -> Tensor:
    """RoIAlign of every slot of a grid: (B, H, W, C) -> (B, rows * cols, bins * bins, C)."""
    batch, height, width, channels = features.shape
    device = features.device
    down = _grid_weights(rows, height, bins, samples, device).to(features.dtype)
    across = _grid_weights(cols, width, bins, samples, device).to(features.dtype)
    x = (down @ features.reshape(batch, height, width * channels)).reshape(-1, width, channels)
    x = (across @ x).reshape(batch, rows, bins, cols, bins, channels)
    return x.transpose(2, 3).reshape(batch, rows * cols, bins * bins, channels)


def _grid_weights(count: int, size: int, bins: int, samples: int, device: torch.device) -> Tensor:
    """(count * bins, size)"""
    edges = torch.arange(count + 1, device=device) * (size / count)
    return roi_weights(edges[:-1], edges[1:], bins, samples, size).flatten(0, 1)
