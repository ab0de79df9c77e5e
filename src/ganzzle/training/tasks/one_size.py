"""What the tasks of the baselines share: one network for one puzzle size, trained with Adam."""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import check_corruptions
from ganzzle.networks.storing import packed
from ganzzle.puzzle import Grid
from ganzzle.training.config import ConfigError
from ganzzle.training.scoring import direct_accuracies
from ganzzle.training.task import Backward


@dataclass(frozen=True)
class OneSizeOptions:
    """What every `[task]` table of a baseline may hold."""

    learning_rate: float = 1e-3
    weight_decay: float = 0.0  # a step, relative to the learning rate (AdamW)
    clip: float = 1.0  # of the gradient's norm
    validate_corruptions: list[str] = field(default_factory=list)  # besides clean puzzles


class OneSizeTask(ABC):
    """A network (pieces, present) -> log P (B, n, n); a task adds its `losses`."""

    kind: str

    def __init__(self, network: nn.Module, size: Any, options: OneSizeOptions, device: torch.device) -> None:
        """size: the dataclass the network was made from."""
        check_corruptions(options.validate_corruptions)
        self.size, self.common = size, options
        self.grid = Grid.of(size.grid)
        self.network = network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.networks: dict[str, nn.Module] = {self.kind: self.network}
        self.adam = torch.optim.AdamW(
            self.groups(),
            options.learning_rate,
            weight_decay=options.weight_decay,
            fused=device.type == "cuda",
        )
        self.optimizers: dict[str, torch.optim.Optimizer] = {"adam": self.adam}

    def groups(self) -> list[dict[str, Any]]:
        """The parameters, with learning rates of their own where `learning_rate` is not theirs."""
        return [{"params": list(self.network.parameters())}]

    @abstractmethod
    def losses(self, log_p: Tensor, batch: PuzzleBatch) -> dict[str, Tensor]:
        """What is added up and made small, by name."""

    def step(self, batch: PuzzleBatch, backward: Backward, progress: float) -> dict[str, Tensor]:
        """One update by the sum of the losses."""
        if (batch.rows, batch.cols) != (self.grid.rows, self.grid.cols):
            raise ConfigError(
                f"the network is for {self.grid} puzzles but data.grids has {batch.rows}x{batch.cols}; "
                "give both the same size"
            )
        losses = self.losses(self.network(batch.pieces, batch.present), batch)
        self.adam.zero_grad(set_to_none=True)
        backward(torch.stack(list(losses.values())).sum())
        losses["gradient"] = nn.utils.clip_grad_norm_(self.network.parameters(), self.common.clip)
        self.adam.step()
        return {name: loss.detach() for name, loss in losses.items()}

    def validate(self, pictures: Mapping[str, Tensor]) -> dict[str, float]:
        """Direct accuracy, with the averages of the batch normalisation."""
        self.network.eval()
        cases = [(str(self.grid), corruption) for corruption in ("none", *self.common.validate_corruptions)]
        scores = direct_accuracies(lambda batch: self.network(batch.pieces, batch.present), pictures, cases)
        self.network.train()
        return scores

    def export(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The network, its matrices as int8."""
        size = json.dumps(dataclasses.asdict(self.size))
        return packed(self.network), {"kind": self.kind, "size": size}
