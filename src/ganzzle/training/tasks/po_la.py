"""Training PO-LA: on the permutation and on the picture it puts together."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import cut_batch
from ganzzle.networks.po_la import PoLaNetwork, PoLaSize, small_tiles
from ganzzle.training.tasks.one_size import OneSizeOptions, OneSizeTask


@dataclass(frozen=True)
class PoLaOptions(OneSizeOptions):
    """The `[task]` table."""

    size: PoLaSize = field(default_factory=PoLaSize)
    permutation: float = 1.0  # weight of the cross entropy
    picture: float = 1.0  # weight of the squared error of the picture


class PoLaTask(OneSizeTask):
    """A `Task`; arrival order makes no difference to the network."""

    kind = "po-la"

    def __init__(self, options: PoLaOptions, device: torch.device) -> None:
        super().__init__(PoLaNetwork(options.size), options.size, options, device)
        self.options = options

    def losses(self, log_p: Tensor, batch: PuzzleBatch) -> dict[str, Tensor]:
        """Cross entropy of the slots, squared error of the picture."""
        options = self.options
        return {
            "permutation": options.permutation * permutation_loss(log_p, batch.slots, batch.present),
            "picture": options.picture * picture_loss(log_p, batch, options.size.tile),
        }


def permutation_loss(log_p: Tensor, slots: Tensor, present: Tensor) -> Tensor:
    """Cross entropy of the true slots, of the pieces that are there. (B, n, n), (B, n), (B, n)."""
    right = log_p.gather(2, slots[:, :, None])[:, :, 0]
    return -(right * present).sum() / present.sum().clamp(min=1)


def picture_loss(log_p: Tensor, batch: PuzzleBatch, side: int) -> Tensor:
    """Mean squared error of the picture P puts together, where a piece is there for the slot; tiles of `side` px."""
    tiles = small_tiles(batch.pieces, side).flatten(2)  # (B, n, values) by piece
    target = small_tiles(cut_batch(batch.picture, batch.rows, batch.cols), side).flatten(2)  # by slot
    with torch.autocast(log_p.device.type, enabled=False):
        together = log_p.exp().transpose(1, 2) @ tiles.float()
    filled = torch.zeros_like(log_p[:, 0]).scatter_(1, batch.slots, batch.present.to(log_p.dtype))
    errors = (together - target).square().mean(2)
    return (errors * filled).sum() / filled.sum().clamp(min=1)
