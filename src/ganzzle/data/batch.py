"""What one training step sees."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


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
    noise: Tensor | None = None  # (B,) sigma of each puzzle where there is noise
