"""Training the network that tells which way is up: pictures are turned, and it says how far."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import evaluation_batch
from ganzzle.networks.storing import packed
from ganzzle.networks.upright import UprightNetwork, UprightSize
from ganzzle.training.task import Backward

CHUNK = 256  # pictures at a time


@dataclass(frozen=True)
class UprightOptions:
    """The `[task]` table."""

    size: UprightSize = field(default_factory=UprightSize)
    learning_rate: float = 3e-3
    weight_decay: float = 0.05  # a step, relative to the learning rate
    dropout: float = 0.2  # share of the features that are left out
    smoothing: float = 0.05  # of the targets: some pictures look the same upside down
    noise: float = 0.05  # sigma at most of what is left of the pieces' noise in a small picture
    clip: float = 1.0  # of the gradient's norm


class UprightTask:
    """A `Task`. It looks at the clean pictures of the batches, whatever puzzles they are cut into."""

    def __init__(self, options: UprightOptions, device: torch.device) -> None:
        self.options = options
        network = UprightNetwork(options.size, options.dropout)
        self.network = network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.networks: dict[str, nn.Module] = {"upright": self.network}
        self.adam = torch.optim.AdamW(
            self.network.parameters(), options.learning_rate, weight_decay=options.weight_decay
        )
        self.optimizers: dict[str, torch.optim.Optimizer] = {"adam": self.adam}

    def step(self, batch: PuzzleBatch, backward: Backward, progress: float) -> dict[str, Tensor]:
        """One update by the cross entropy of the turns: of each picture's four the first is the right one."""
        pictures = self.network.resized(batch.picture)
        strength = torch.rand_like(pictures[:, :1, :1, :1]) * self.options.noise
        logits = self.network(pictures + torch.randn_like(pictures) * strength).float()
        turns = logits.new_zeros(len(logits), dtype=torch.long)
        loss = F.cross_entropy(logits, turns, label_smoothing=self.options.smoothing)
        self.adam.zero_grad(set_to_none=True)
        backward(loss)
        nn.utils.clip_grad_norm_(self.network.parameters(), self.options.clip)
        self.adam.step()
        return {"turns": loss.detach(), "right": (logits.argmax(1) == 0).float().mean()}

    @torch.no_grad()
    def validate(self, pictures: Mapping[str, Tensor]) -> dict[str, float]:
        """Per cent of the held-out pictures of each set that it finds upright."""
        self.network.eval()
        scores = {}
        for name, whole in pictures.items():
            said = [
                self.network(evaluation_batch(part, 3, 3, "none", seed=0).picture)
                for part in whole.split(CHUNK)
            ]
            scores[f"{name} upright"] = 100 * float((torch.cat(said).argmax(1) == 0).float().mean())
        self.network.train()
        return scores

    def export(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The network, its matrices as int8."""
        size = json.dumps(dataclasses.asdict(self.options.size))
        return packed(self.network), {"kind": "upright", "size": size}
