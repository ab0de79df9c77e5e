"""Which way is up: a small residual network that looks at a whole picture."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ganzzle.networks.resnet import ResNet

SIDE = 64  # px of the square that a picture is resized to


@dataclass(frozen=True)
class UprightSize:
    """The shape of the network; stored beside its weights."""

    width: int = 24
    blocks: tuple[int, ...] = (1, 2, 2, 1)


class UprightNetwork(nn.Module):
    """Pictures -> how many quarter turns they were given."""

    def __init__(self, size: UprightSize, dropout: float = 0.0) -> None:
        """`dropout`: share of the features that are left out while it is trained."""
        super().__init__()
        self.resnet = ResNet(size.width, size.blocks)
        self.dropout = nn.Dropout(dropout)
        self.turn = nn.Linear(self.resnet.features, 4)

    def forward(self, pictures: Tensor) -> Tensor:
        """(B, 3, SIDE, SIDE) in 0..1 -> (B, 4) logits of the quarter turns, counter-clockwise."""
        logits: Tensor = self.turn(self.dropout(self.resnet(pictures * 4 - 2)))
        return logits

    def looked_at_four_ways(self, pictures: Tensor) -> Tensor:
        """(B, 3, SIDE, SIDE) -> (B, 4) log-probabilities: the mean of what is said of the picture in all its turns."""
        said = [self(torch.rot90(pictures, k, (2, 3))).float().log_softmax(1).roll(-k, 1) for k in range(4)]
        return torch.stack(said).mean(0).log_softmax(1)
