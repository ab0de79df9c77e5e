"""Training Hung-perm: Hungarian attention, end to end."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from ganzzle.assignment import hungarian_attention_loss, soft_hungarian
from ganzzle.data.batch import PuzzleBatch
from ganzzle.networks.hung_perm import HungPermNetwork, HungPermSize
from ganzzle.training.tasks.one_size import OneSizeOptions, OneSizeTask


@dataclass(frozen=True)
class HungPermOptions(OneSizeOptions):
    """The `[task]` table."""

    size: HungPermSize = field(default_factory=HungPermSize)


class HungPermTask(OneSizeTask):
    """A `Task`; its pieces are freshly shuffled in every batch."""

    kind = "hung-perm"

    def __init__(self, options: HungPermOptions, device: torch.device) -> None:
        super().__init__(HungPermNetwork(options.size), options.size, options, device)

    def losses(self, log_p: Tensor, batch: PuzzleBatch) -> dict[str, Tensor]:
        """Hungarian attention alone."""
        truth = torch.zeros_like(log_p).scatter_(2, batch.slots[:, :, None], 1.0)
        solved = soft_hungarian(log_p.detach())
        return {"hungarian": hungarian_attention_loss(log_p, solved, truth, batch.present)}
