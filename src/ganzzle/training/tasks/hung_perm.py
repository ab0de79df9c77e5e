"""Training Hung-perm: Hungarian attention, end to end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ganzzle.board.assignment import hungarian_attention_loss, soft_hungarian
from ganzzle.data.batch import PuzzleBatch
from ganzzle.networks.hung_perm import HungPermNetwork, HungPermSize
from ganzzle.training.tasks.one_size import OneSizeOptions, OneSizeTask


@dataclass(frozen=True)
class HungPermOptions(OneSizeOptions):
    """The `[task]` table."""

    size: HungPermSize = field(default_factory=HungPermSize)
    matrix_learning_rate: float = 0.1  # of the map of all vectors to the matrix, relative to learning_rate


class HungPermTask(OneSizeTask):
    """A `Task`; its pieces are freshly shuffled in every batch."""

    kind = "hung-perm"

    def __init__(self, options: HungPermOptions, device: torch.device) -> None:
        self.options = options
        super().__init__(HungPermNetwork(options.size), options.size, options, device)

    def groups(self) -> list[dict[str, Any]]:
        """The map of all vectors has so many weights that learn from noise alone that it must go slowly."""
        network, options = self.network, self.options
        rest = [p for name, p in network.named_parameters() if not name.startswith("matrix.")]
        matrix = network.get_submodule("matrix")
        slowly = options.learning_rate * options.matrix_learning_rate
        return [{"params": rest}, {"params": list(matrix.parameters()), "lr": slowly}]

    def losses(self, log_p: Tensor, batch: PuzzleBatch) -> dict[str, Tensor]:
        """Hungarian attention alone."""
        truth = torch.zeros_like(log_p).scatter_(2, batch.slots[:, :, None], 1.0)
        solved = soft_hungarian(log_p.detach())
        return {"hungarian": hungarian_attention_loss(log_p, solved, truth, batch.present)}
