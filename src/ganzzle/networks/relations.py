"""What a stage knows about pieces and slots, as logits, and as biases for the next stage's attention."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from ganzzle.puzzle import Grid

FLOOR = -10.0  # log-probability below which everything is equally unlikely
NEVER = -1e4
KEPT = 900  # slots of a grid up to which its table of neighbours is kept for the next puzzle
RELATED_HEADS = 4  # attention heads that follow one side each: right, left, down, up


class Prediction(NamedTuple):
    """Logits of one stage for B puzzles of N = rows * cols pieces (absent ones included)."""

    slots: Tensor | None  # (B, N, N) piece i belongs in slot s
    right: Tensor  # (B, N, N) piece j lies right of piece i
    down: Tensor  # (B, N, N) piece j lies below piece i
    border: Tensor  # (B, N, 4) nothing lies right / left / below / above: a border, or a missing piece


def seam_log_probs(seam: Tensor, after: Tensor, before: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Log-probabilities of neighbours, with "none" as one more choice.

    `seam` (B, N, N), `after` (B, N) logit that i has none, `before` (B, N) that j is nobody's
    -> mean of the row-wise and column-wise log-softmax (B, N, N), and log P(none) for both (B, N).
    """
    rows = torch.cat([seam, after[..., None]], 2).log_softmax(2)
    columns = torch.cat([seam.transpose(1, 2), before[..., None]], 2).log_softmax(2)
    both = 0.5 * (rows[..., :-1] + columns[..., :-1].transpose(1, 2))
    return both, rows[..., -1], columns[..., -1]


class Relations:
    """What a stage believes, as biases to add to the attention scores of the next one's heads.

    The attention is over N piece tokens followed by N slot tokens. Heads 0..3 let a piece look at its likely right,
    left, lower and upper neighbour (at itself where it likely has none) and a slot at its true neighbours. Heads 4 and
    5 let pieces look at their likely slots and slots at their likely pieces, once a stage has predicted them. The other
    heads are free.
    """

    @torch.no_grad()
    def __init__(self, current: Prediction, grid: Grid, dtype: torch.dtype) -> None:
        self.grid, self.dtype = grid, dtype
        self.neighbours: list[Tensor] = []  # (B, N, N) right, left, down, up
        self.alone: list[Tensor] = []  # (B, N) that there is none
        none = current.border.detach().float()
        # One direction after the other: of very many pieces, every table counts.
        for side, seam in ((0, current.right), (2, current.down)):
            likely, *alone = seam_log_probs(seam.detach().float(), none[..., side], none[..., side + 1])
            likely = likely.clamp_(min=FLOOR).to(dtype)
            self.neighbours += [likely, likely.transpose(1, 2)]
            self.alone += [x.clamp(min=FLOOR) for x in alone]
        self.slots: tuple[Tensor, Tensor] | None = None  # (B, N, N) of pieces to slots, of slots to pieces
        if current.slots is not None:
            fit = current.slots.detach().float()
            to_slot, to_piece = (fit.log_softmax(k).clamp_(min=FLOOR).to(dtype) for k in (2, 1))
            self.slots = to_slot, to_piece.transpose(1, 2)

    @property
    def biased(self) -> int:
        """Heads that are not free, the first ones."""
        return RELATED_HEADS if self.slots is None else RELATED_HEADS + 2

    def write(self, head: int, bias: Tensor) -> None:
        """Fill the bias (B, 2N, 2N) of a head that is not free."""
        count = self.grid.slots
        pieces, slots = slice(0, count), slice(count, None)
        if head < RELATED_HEADS:
            bias[:, pieces, slots] = FLOOR
            bias[:, slots, pieces] = FLOOR
            bias[:, pieces, pieces] = self.neighbours[head]
            bias[:, pieces, pieces].diagonal(dim1=1, dim2=2).copy_(self.alone[head])
            if count <= KEPT:
                bias[:, slots, slots] = slot_neighbours(self.grid, bias.device, self.dtype)[head]
            else:
                bias[:, slots, slots] = _neighbours_at(head, self.grid, bias.device, self.dtype)
            return
        assert self.slots is not None
        first = head == RELATED_HEADS
        for rows, columns, likely in ((pieces, slots, self.slots[0]), (slots, pieces, self.slots[1])):
            bias[:, rows, columns] = likely if first else 0.5 * likely
        for each in (pieces, slots):
            bias[:, each, each] = FLOOR if first else 0.0


@torch.no_grad()
def attention_bias(relations: Relations, heads: int) -> Tensor:
    """(B, heads, 2N, 2N): what `relations` says to all heads."""
    batch, count = relations.alone[0].shape
    shape = batch, heads, 2 * count, 2 * count
    bias = torch.empty(shape, device=relations.alone[0].device, dtype=relations.dtype)
    for head in range(relations.biased):
        relations.write(head, bias[:, head])
    bias[:, relations.biased :] = 0
    return bias


@lru_cache(maxsize=4)
def slot_neighbours(grid: Grid, device: torch.device, dtype: torch.dtype) -> Tensor:
    """(4, N, N): 0 from a slot to its right, left, lower, upper neighbour (itself at the border), FLOOR elsewhere."""
    return torch.stack([_neighbours_at(side, grid, device, dtype) for side in range(RELATED_HEADS)])


def _neighbours_at(side: int, grid: Grid, device: torch.device, dtype: torch.dtype) -> Tensor:
    """(N, N): the same for one side."""
    slots = torch.arange(grid.slots, device=device).view(grid.rows, grid.cols)
    there = slots.clone()
    if side == 0:
        there[:, :-1] = slots[:, 1:]
    elif side == 1:
        there[:, 1:] = slots[:, :-1]
    elif side == 2:
        there[:-1] = slots[1:]
    else:
        there[1:] = slots[:-1]
    bias = torch.full((grid.slots, grid.slots), FLOOR, device=device, dtype=dtype)
    return bias.scatter_(1, there.view(-1, 1), 0.0)
