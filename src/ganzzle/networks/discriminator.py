"""The discriminator: sees the pictures of all scales at once and judges at every scale (MSG-GAN)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from ganzzle.networks.blocks import gelu


class Discriminator(nn.Module):
    """Pictures (B, 3, s, s) of every scale, coarse to fine -> logits, one (B, 1, s / 2, s / 2) a scale.

    Spectral norms keep it smooth, so that no gradient penalty is needed.
    """

    def __init__(self, scales: int = 4, width: int = 64) -> None:
        super().__init__()
        widths = [width * 2 ** min(2, scales - 1 - k) for k in range(scales)]  # coarse scales are wider
        self.enter = nn.ModuleList(_conv(3, w) for w in widths)
        self.shrink = nn.ModuleList(_conv(2 * w, 2 * w, 2) for w in widths)
        self.down = nn.ModuleList(_conv(2 * b, a) for a, b in pairwise(widths))
        self.judge = nn.ModuleList(_conv(2 * w, 1) for w in widths)

    def forward(self, pictures: Sequence[Tensor]) -> list[Tensor]:
        """From the finest scale to the coarsest, each handing its features down to the next."""
        logits: list[Tensor] = []
        handed: Tensor | None = None
        for k in reversed(range(len(pictures))):
            x = gelu(self.enter[k]((pictures[k] - 0.5) * 4))
            x = torch.cat([x, torch.zeros_like(x) if handed is None else handed], 1)
            x = gelu(self.shrink[k](x))
            logits.append(self.judge[k](x))
            handed = gelu(self.down[k - 1](x)) if k else None
        return logits[::-1]


def _conv(inside: int, outside: int, stride: int = 1) -> nn.Module:
    return spectral_norm(nn.Conv2d(inside, outside, 4 if stride == 2 else 3, stride, padding=1))
