"""Small things to train: smooth pictures, and a task in which each piece tells its slot by its mean colours."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor, nn

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import evaluation_batch
from ganzzle.training.ema import averaged_copy, follow
from ganzzle.training.task import Backward

HOLDS = "TOY_HOLDS"  # set where a run is to be killed: it waits for that before its end


def blotches(seed: int, size: int = 96) -> np.ndarray:
    """A smooth picture of random colours, different in every part."""
    rng = np.random.default_rng(seed)
    small = Image.fromarray(rng.integers(0, 256, (4, 4, 3), dtype=np.uint8))
    return np.asarray(small.resize((size, size), Image.Resampling.BICUBIC))


@dataclass(frozen=True)
class ToyOptions:
    """The [task] table of the toy."""

    learning_rate: float = 0.01
    dropout: float = 0.1


class ToyTask:
    """2x2 puzzles only."""

    def __init__(self, options: ToyOptions, device: torch.device) -> None:
        self.net = nn.Sequential(nn.Linear(12, 16), nn.Dropout(options.dropout), nn.Linear(16, 4)).to(device)
        self.average = averaged_copy(self.net)
        self.networks = {"net": self.net, "average": self.average}
        self.optimizers = {"all": torch.optim.AdamW(self.net.parameters(), lr=options.learning_rate)}

    def logits(self, net: nn.Module, batch: PuzzleBatch) -> Tensor:
        means = F.adaptive_avg_pool2d(batch.pieces.flatten(0, 1), 2).flatten(1)
        out: Tensor = net(means)
        return out

    def step(self, batch: PuzzleBatch, backward: Backward, progress: float) -> dict[str, Tensor]:
        if progress > 0.8 and HOLDS in os.environ:
            time.sleep(600)
        loss = F.cross_entropy(self.logits(self.net, batch), batch.slots.flatten())
        self.optimizers["all"].zero_grad(set_to_none=True)
        backward(loss)
        self.optimizers["all"].step()
        follow(self.average, self.net, decay=0.9)
        return {"loss": loss.detach()}

    def validate(self, pictures: Mapping[str, Tensor]) -> dict[str, float]:
        batch = evaluation_batch(pictures["toy"], 2, 2, piece=8)
        right = self.logits(self.average, batch).argmax(1) == batch.slots.flatten()
        return {"toy 2x2": 100 * right.float().mean().item()}

    def images(self) -> dict[str, Tensor]:
        return {"weights": torch.sigmoid(self.net[0].weight[:, :12]).reshape(-1, 3, 2, 2)}  # type: ignore[index]

    def export(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        return dict(self.average.state_dict()), {"kind": "toy"}
