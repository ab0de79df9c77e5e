"""What a stage knows about pieces and slots, as logits, and as biases for the next stage's attention."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from ganzzle.puzzle import Grid

FLOOR = -10.0  # log-probability below which everything is equally unlikely
NEVER = -1e4
RELATED_HEADS = 4  # attention heads that follow one side each: right, left, down, up


class Prediction(NamedTuple):
    """Logits of one stage for B puzzles of N = rows * cols pieces (absent ones included)."""

    slots: Tensor | None  # (B, N, N) piece i belongs in slot s
    right: Tensor  # (B, N, N) piece j lies right of piece i
    down: Tensor  # (B, N, N) piece j lies below piece i
    border: (
        Tensor  # (B, N, 4) nothing lies right / left / below / above: the picture's border or a missing piece
    )


def seam_log_probs(seam: Tensor, after: Tensor, before: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Log-probabilities of neighbours, with "none" as one more choice.

    `seam` (B, N, N), `after` (B, N) logit that i has none, `before` (B, N) that j is nobody's
    -> mean of the row-wise and column-wise log-softmax (B, N, N), and log P(none) for both (B, N).
    """
    rows = torch.cat([seam, after[..., None]], 2).log_softmax(2)
    columns = torch.cat([seam.transpose(1, 2), before[..., None]], 2).log_softmax(2)
    both = 0.5 * (rows[..., :-1] + columns[..., :-1].transpose(1, 2))
    return both, rows[..., -1], columns[..., -1]


@torch.no_grad()
def attention_bias(current: Prediction, grid: Grid, heads: int, dtype: torch.dtype) -> Tensor:
    """(B, heads, 2N, 2N) to add to the attention scores over N piece tokens followed by N slot tokens.

    Heads 0..3 let a piece look at its likely right, left, lower and upper neighbour (at itself where it likely has
    none) and a slot at its true neighbours. Heads 4 and 5 let pieces look at their likely slots and slots at their
    likely pieces, once a stage has predicted them. The other heads are free.
    """
    none = current.border.detach().float()
    slots = None if current.slots is None else current.slots.detach().float()
    batch, count = none.shape[:2]
    bias = torch.zeros(batch, heads, 2 * count, 2 * count, device=none.device, dtype=dtype)
    bias[:, :RELATED_HEADS, :count, count:] = FLOOR
    bias[:, :RELATED_HEADS, count:, :count] = FLOOR
    # One direction after the other: of very many pieces, every table counts.
    for side, seam in ((0, current.right), (2, current.down)):
        after, before = none[..., side], none[..., side + 1]
        likely, *alone = seam_log_probs(seam.detach().float(), after, before)
        likely = likely.clamp(min=FLOOR)
        for head, way in ((side, likely), (side + 1, likely.transpose(1, 2))):
            to_pieces = bias[:, head, :count, :count]
            to_pieces.copy_(way)
            to_pieces.diagonal(dim1=1, dim2=2).copy_(alone[head - side].clamp(min=FLOOR))
    bias[:, :RELATED_HEADS, count:, count:] = slot_neighbours(grid, none.device, dtype)
    if slots is not None:
        to_slot, to_piece = slots.log_softmax(2).clamp(min=FLOOR), slots.log_softmax(1).clamp(min=FLOOR)
        for head, weight in ((4, 1.0), (5, 0.5)):
            bias[:, head, :count, count:] = weight * to_slot
            bias[:, head, count:, :count] = weight * to_piece.transpose(1, 2)
        bias[:, 4, :count, :count] = FLOOR
        bias[:, 4, count:, count:] = FLOOR
    return bias


@lru_cache(maxsize=4)
def slot_neighbours(grid: Grid, device: torch.device, dtype: torch.dtype) -> Tensor:
    """(4, N, N): 0 from a slot to its right, left, lower, upper neighbour (itself at the border), FLOOR elsewhere."""
    index = torch.arange(grid.slots, device=device)
    row, col = index // grid.cols, index % grid.cols
    right = torch.where(col < grid.cols - 1, index + 1, index)
    left = torch.where(col > 0, index - 1, index)
    below = torch.where(row < grid.rows - 1, index + grid.cols, index)
    above = torch.where(row > 0, index - grid.cols, index)
    target = torch.stack([right, left, below, above])[..., None]  # (4, N, 1)
    bias = torch.full((4, grid.slots, grid.slots), FLOOR, device=device, dtype=dtype)
    return bias.scatter_(2, target, 0.0)
