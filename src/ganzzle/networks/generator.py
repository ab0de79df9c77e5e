"""The generator: a latent vector becomes the mental image, with an RGB output at every scale (MSG-GAN)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from ganzzle.networks.blocks import AttentionBlock, ConvBlock, Norm, unpatch
from ganzzle.networks.linear import Linear
from ganzzle.networks.piece_encoder import Latent

MATCHED = 2  # the scale whose features are cropped for the slots: 32 px when the first one has 8


@dataclass(frozen=True, eq=False)
class Imagined:
    """What the generator made, one entry a scale, coarse to fine."""

    features: list[Tensor]  # (B, s, s, C)
    pictures: list[Tensor]  # (B, 3, s, s), about 0..1


class Generator(nn.Module):
    """Latent -> pictures of cells, 2 * cells, 4 * cells, 8 * cells px."""

    def __init__(
        self,
        width: int = 256,
        cells: int = 8,
        memory: int = 32,
        heads: int = 8,
        blocks: int = 4,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.cells = cells
        self.enter = Linear(width + heads, width)
        self.positions = nn.Parameter(torch.randn(cells * cells + memory, width) * 0.5)
        self.blocks = nn.Sequential(*(AttentionBlock(width, heads, dropout) for _ in range(blocks)))
        widths = [width, width // 2, width // 2, max(8, width // 5 // 8 * 8)]
        self.norms = nn.ModuleList(Norm(w) for w in widths)
        self.grow = nn.ModuleList(Linear(a, 4 * b) for a, b in pairwise(widths))
        self.refine = nn.ModuleList(ConvBlock(w) for w in widths[1:])
        self.to_rgb = nn.ModuleList(Linear(w, 3) for w in widths)
        self.matched_width = widths[MATCHED]

    @property
    def scales(self) -> int:
        """How many scales there are."""
        return len(self.norms)

    def forward(self, latent: Latent, scales: int) -> Imagined:
        """Only the first `scales` scales are made: the picture grows during training."""
        # The mean content of a place, whatever its mass, is what lies there; the mass says how sure that is.
        mean = latent.content.float() / (latent.mass[..., None] + 1e-3)
        x = torch.cat([mean.permute(0, 2, 1, 3).flatten(2), (latent.mass + 1e-3).log().transpose(1, 2)], 2)
        x = self.blocks(self.enter(x) + self.positions)[:, : self.cells**2]
        x = x.reshape(len(x), self.cells, self.cells, -1)
        features, pictures = [], []
        for k in range(scales):
            if k:
                x = unpatch(self.grow[k - 1](self.norms[k - 1](x)), 2)
                x = self.refine[k - 1](x)
            normed = self.norms[k](x)
            features.append(normed)
            pictures.append((self.to_rgb[k](normed).float() * 0.25 + 0.5).permute(0, 3, 1, 2))
        return Imagined(features, pictures)
