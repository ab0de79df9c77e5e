"""What one training step sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

_TYPES = {np.dtype(np.int64): torch.int64, np.dtype(np.float32): torch.float32, np.dtype(bool): torch.bool}


@dataclass(frozen=True, eq=False)
class PuzzleBatch:
    """B puzzles of one grid and one kind of corruption, N = rows * cols pieces each, P px a side."""

    pieces: Tensor  # (B, N, 3, P, P) float in 0..1, shuffled; missing pieces are black
    slots: Tensor  # (B, N) long: the true slot of each piece
    picture: Tensor  # (B, 3, rows * P, cols * P) float in 0..1: the clean picture
    present: Tensor  # (B, N) bool: False where the piece is missing
    rows: int
    cols: int
    corruption: str = "none"  # "none", "noise", "erode", "missing", or several joined by "+"
    erosion: int = 0  # px of the rim that are gone
    told: float = 1.0  # the share of it that is told
    chance: float = 0.0  # 0..1, drawn once for all processes: what some steps do, all of them do together


def send(device: torch.device, *arrays: np.ndarray) -> list[Tensor]:
    """Arrays of one batch as tensors on the device, by one copy that nobody waits for; wider types come first."""
    packed = torch.frombuffer(bytearray().join(a.tobytes() for a in arrays), dtype=torch.uint8)
    if device.type == "cuda":
        packed = packed.pin_memory().to(device, non_blocking=True)
    parts = packed.split([a.nbytes for a in arrays])
    return [part.view(_TYPES[a.dtype]).view(a.shape) for part, a in zip(parts, arrays, strict=True)]
