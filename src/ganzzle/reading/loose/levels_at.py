"""The levels of a picture between its pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats


def levels_at(picture: NDArray[Any], points: Floats) -> NDArray[np.float32]:
    """The levels of a picture (H, W) or (H, W, C) at points (..., 2), x and y, mixed of the four pixels around each:
    (...) or (..., C). Beyond its ends a picture goes on as it ends."""
    height, width = picture.shape[:2]
    x, y = np.clip(points[..., 0], 0, width - 1), np.clip(points[..., 1], 0, height - 1)
    left, top = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    right, below = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    across, down = (x - left).astype(np.float32), (y - top).astype(np.float32)
    if picture.ndim == 3:
        across, down = across[..., None], down[..., None]
    upper = picture[top, left] * (1 - across) + picture[top, right] * across
    lower = picture[below, left] * (1 - across) + picture[below, right] * across
    found: NDArray[np.float32] = (upper * (1 - down) + lower * down).astype(np.float32)
    return found
