"""What the relations a network predicts are judged by: cross entropy of neighbours and of slots, at every stage."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from ganzzle.networks.relations import Prediction
from ganzzle.puzzle import Grid


def relation_losses(
    stages: list[Prediction], slots: Tensor, present: Tensor, grid: Grid, early_weight: float
) -> dict[str, Tensor]:
    """Cross entropy of neighbours (with "none" as a choice) and of slots, both ways, at every stage.

    `slots` (B, N) true slot of each piece, `present` (B, N). Missing pieces share the missing slots evenly.
    """
    shares = torch.full((len(stages),), early_weight, device=slots.device)
    shares[-1] = 1.0
    neighbours = true_neighbours(slots, present, grid)
    seams = _seam_losses(stages, neighbours[0::2], neighbours[1::2], present)
    fits = _slot_losses(stages, true_assignment(slots, present))
    losses = {f"seams{k}": loss for k, loss in enumerate(seams.unbind())}
    losses |= {f"slots{len(stages) - len(fits) + k}": loss for k, loss in enumerate(fits.unbind())}
    losses["total"] = (shares * seams).sum() + (shares[len(stages) - len(fits) :] * fits).sum()
    return losses


def _slot_losses(stages: list[Prediction], assignment: Tensor) -> Tensor:
    """(K,) for the K stages that say something about slots; rows and columns of the assignment (B, N, N) sum to one."""
    fits = torch.stack([stage.slots for stage in stages if stage.slots is not None]).float()
    either = fits.logsumexp(3).mean((1, 2)) + fits.logsumexp(2).mean((1, 2))
    return 0.5 * either - (assignment * fits).sum(3).mean((1, 2))


def _seam_losses(stages: list[Prediction], after: Tensor, before: Tensor, present: Tensor) -> Tensor:
    """(K,) mean over the four sides; `after` (right, down) and `before` (left, up), (2, B, N): neighbours, N for none.

    All stages at once, because a GPU waits for the host where operations are many and small.
    """
    seams = torch.stack([torch.stack([stage.right, stage.down]) for stage in stages]).float()
    border = torch.stack([stage.border for stage in stages]).float().unflatten(3, (2, 2)).movedim(3, 1)
    none_after, none_before = border.unbind(4)  # (K, 2, B, N)
    weight = present.float() / present.float().sum()
    count = present.shape[1]
    any_after = torch.logaddexp(seams.logsumexp(4), none_after)
    any_before = torch.logaddexp(seams.logsumexp(3), none_before)
    index = after.clamp(max=count - 1)[None, ..., None].expand(len(stages), -1, -1, -1, 1)
    # A pair is the choice of both of its pieces.
    chosen = torch.where(after < count, 2 * seams.gather(4, index)[..., 0], none_after)
    chosen = chosen + none_before * (before == count)
    return ((any_after + any_before - chosen) * weight).sum((1, 2, 3)) / 4


def true_neighbours(slots: Tensor, present: Tensor, grid: Grid) -> Tensor:
    """(4, B, N): the piece right of, left of, below, above each piece; N where there is none."""
    batch, count = slots.shape
    piece_at = torch.argsort(slots, 1).reshape(batch, grid.rows, grid.cols)
    padded = F.pad(piece_at, (1, 1, 1, 1), value=count)
    moved = (padded[:, 1:-1, 2:], padded[:, 1:-1, :-2], padded[:, 2:, 1:-1], padded[:, :-2, 1:-1])
    there = F.pad(present, (0, 1), value=False)
    sides = []
    for side in moved:
        neighbour = side.flatten(1).gather(1, slots)
        sides.append(torch.where(there.gather(1, neighbour), neighbour, count))
    return torch.stack(sides)


def true_assignment(slots: Tensor, present: Tensor) -> Tensor:
    """(B, N, N) 1 at every piece's slot; missing pieces are spread over the missing slots."""
    count = slots.shape[1]
    exact = F.one_hot(slots, count).float()
    empty = (exact * (~present)[..., None]).sum(1)  # (B, N) slots whose piece is missing
    spread = empty / empty.sum(1, keepdim=True).clamp(min=1)
    return torch.where(present[..., None], exact, spread[:, None])
