"""How well the right border of a strip is carried on by the left border of another: two towers over bands of ink."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FLOOR = 0.14  # ink below which paper is only grainy


@dataclass(frozen=True)
class BandSize:
    """The shape of the network; stored beside its weights."""

    band: int = 20  # px of a strip next to its border that are looked at
    first: int = 16  # channels of the first layer,
    second: int = 40  # of the second,
    third: int = 96  # of the third,
    features: int = 112  # of what is said of each row


class Tower(nn.Module):
    """Bands of ink -> features of every second row."""

    def __init__(self, size: BandSize) -> None:
        super().__init__()
        self.fine = nn.Conv2d(1, size.first, 5, padding=2)
        self.coarse = nn.Conv2d(size.first, size.second, 5, padding=2, stride=(1, 2))
        across = -(-(size.band // 2) // 2)
        self.across = nn.Conv2d(size.second, size.third, (5, across), padding=(2, 0))
        self.along = nn.Conv2d(size.third, size.features, (5, 1), padding=(4, 0), dilation=(2, 1))

    def forward(self, bands: Tensor) -> Tensor:
        """(B, h, band) ink in 0..1 -> (B, h / 2, features)."""
        ink = F.relu(bands[:, None] - FLOOR) / (1 - FLOOR)
        x = F.max_pool2d(F.relu(self.fine(ink)), 2)
        x = F.relu(self.across(F.relu(self.coarse(x))))
        features: Tensor = self.along(x)[..., 0].transpose(1, 2)
        return features


class BandNetwork(nn.Module):
    """Two towers, one for bands along right borders and one for bands along left ones, and the weight of each feature.

    The score of two bands is a sum over their rows and features of weight * relu(right + left).
    """

    def __init__(self, size: BandSize) -> None:
        super().__init__()
        self.size = size
        self.right, self.left = Tower(size), Tower(size)
        self.weight = nn.Parameter(torch.randn(size.features) / size.features**0.5 * 0.1)

    def scores(self, right: Tensor, left: Tensor) -> Tensor:
        """Features (B, M, t, C) of bands along right borders, (B, N, t, C) along left ones -> (B, M, N)."""
        with torch.autocast(right.device.type, enabled=False):
            right, left = right.float(), left.float()
            # One by one, which needs less memory.
            rows = [(F.relu(one[:, None] + left) @ self.weight).sum(2) for one in right.unbind(1)]
            return torch.stack(rows, 1)

    def blank(self, tower: Tower) -> Tensor:
        """(C,) the features of a row in the middle of blank paper."""
        paper = torch.zeros(1, 64, self.size.band, device=self.weight.device)
        return tower(paper)[0, 16]
