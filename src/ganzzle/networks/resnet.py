"""A residual network with bottleneck blocks: ResNet-50 with the defaults (He et al., CVPR 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor, nn

EXPANSION = 4  # how many times more channels a block's output has than its middle


class Bottleneck(nn.Module):
    """1x1 to fewer channels, 3x3 (with the stride), 1x1 to more, plus the input."""

    def __init__(self, channels: int, middle: int, stride: int) -> None:
        super().__init__()
        out = middle * EXPANSION
        self.reduce = _convolution(channels, middle, 1)
        self.spatial = _convolution(middle, middle, 3, stride)
        # Scaled by zero every block starts as the identity, which trains quicker.
        self.expand = _convolution(middle, out, 1, scale=0.0)
        same = stride == 1 and channels == out
        self.shortcut = nn.Identity() if same else _convolution(channels, out, 1, stride)

    def forward(self, x: Tensor) -> Tensor:
        """(B, channels, H, W) -> (B, 4 * middle, H / stride, W / stride)."""
        inner = F.relu(self.spatial(F.relu(self.reduce(x))))
        return F.relu(self.expand(inner) + self.shortcut(x))


class ResNet(nn.Module):
    """Pictures -> vectors of `features` values: a stem, four groups of blocks, an average."""

    def __init__(self, width: int = 64, blocks: Sequence[int] = (3, 4, 6, 3)) -> None:
        super().__init__()
        self.stem = _convolution(3, width, 7, 2)
        channels, groups = width, []
        for group, count in enumerate(blocks):
            for block in range(count):
                stride = 2 if group > 0 and block == 0 else 1
                groups.append(Bottleneck(channels, width << group, stride))
                channels = (width << group) * EXPANSION
        self.blocks = nn.Sequential(*groups)
        self.features = channels

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3, H, W) -> (B, features)."""
        x = F.max_pool2d(F.relu(self.stem(x)), 3, stride=2, padding=1)
        return self.blocks(x).mean((2, 3))


def _convolution(channels: int, out: int, side: int, stride: int = 1, scale: float = 1.0) -> nn.Sequential:
    """A convolution and its normalisation, which starts with the given scale."""
    convolution = nn.Conv2d(channels, out, side, stride, side // 2, bias=False)
    nn.init.kaiming_normal_(convolution.weight, mode="fan_out", nonlinearity="relu")
    normalisation = nn.BatchNorm2d(out)
    nn.init.constant_(normalisation.weight, scale)
    return nn.Sequential(convolution, normalisation)
