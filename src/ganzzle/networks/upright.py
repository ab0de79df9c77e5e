"""Which way is up: a small residual network that looks at a whole picture in all four turns."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.resnet import ResNet


@dataclass(frozen=True)
class UprightSize:
    """The shape of the network; stored beside its weights."""

    side: int = 96  # px of the square that a picture is resized to
    width: int = 32
    blocks: tuple[int, ...] = (1, 2, 2, 1)


class UprightNetwork(nn.Module):
    """Pictures -> how many quarter turns they were given.

    It tells how upright a picture looks, one number. Seen in all four turns, the one that looks most upright is.
    """

    def __init__(self, size: UprightSize, dropout: float = 0.0) -> None:
        """`dropout`: share of the features that are left out while it is trained."""
        super().__init__()
        self.side = size.side
        self.resnet = ResNet(size.width, size.blocks)
        self.dropout = nn.Dropout(dropout)
        self.upright = nn.Linear(self.resnet.features, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        """(B, 3, H, W) in 0..1 -> (B, 4) logits of the quarter turns, counter-clockwise, that they were given."""
        pictures = self.resized(pictures)
        turned_back = torch.cat([torch.rot90(pictures, -k, (2, 3)) for k in range(4)])
        scores: Tensor = self.upright(self.dropout(self.resnet(turned_back * 4 - 2)))
        return scores.view(4, len(pictures)).T

    def resized(self, pictures: Tensor) -> Tensor:
        """(B, 3, H, W) -> (B, 3, side, side)."""
        if pictures.shape[2:] == (self.side, self.side):
            return pictures
        return F.interpolate(pictures, (self.side, self.side), mode="bilinear", antialias=True)
