"""The piece encoder: shared weights over the pieces, and the average over them that is the latent vector.

Every token of a piece gives a content and, for each head, a distribution over *places*: the cells of a coarse map
of the picture and a few cells without a position. The latent vector of a puzzle is the average over its pieces of
(distribution x content, distribution). Order and number of the pieces do not matter to an average. The product is
never made for a single piece: summing it over the pieces is one matrix product.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ganzzle.networks.blocks import ConvBlock, MixerBlock, Norm, patches
from ganzzle.networks.linear import Linear

PIECE = 32  # px of a side of the pieces the networks see
TOKENS = 16  # of a piece: 4 x 4


@dataclass(frozen=True, eq=False)
class Latent:
    """The average over the pieces, in two parts. K places, H heads, D channels in all heads."""

    content: Tensor  # (B, H, K, D / H)
    mass: Tensor  # (B, H, K): how much of a piece lies there, on average

    def vector(self) -> Tensor:
        """(B, H * K * (D / H + 1)): the latent vector."""
        return torch.cat([self.content.flatten(1), self.mass.flatten(1)], 1)


def grid_code(rows: int, cols: int, like: Tensor) -> Tensor:
    """(8,) what the networks are told about the grid: how large a piece is against the picture."""
    sides = [math.log2(rows), math.log2(cols)]
    values = [f(a * side) for side in sides for a in (0.5, 1.0) for f in (math.sin, math.cos)]
    # Filled value by value: a tensor made from a list would be copied from the host and wait for the device.
    return torch.stack([like.new_full((), value, dtype=torch.float32) for value in values])


class PieceEncoder(nn.Module):
    """(M, 3, 32, 32) pieces -> (M, 16, width) intermediate encodings."""

    def __init__(self, width: int = 256, convolutions: int = 2, mixers: int = 3) -> None:
        super().__init__()
        half = width // 2
        self.stem = Linear(4 * 4 * 3, half)
        self.grid = Linear(8, half)
        self.local = nn.Sequential(*(ConvBlock(half) for _ in range(convolutions)))
        self.norm = Norm(half)
        self.merge = Linear(2 * 2 * half, width)
        self.positions = nn.Parameter(torch.randn(TOKENS, width) * 0.02)
        self.mixers = nn.Sequential(*(MixerBlock(TOKENS, width) for _ in range(mixers)))

    def forward(self, pieces: Tensor, rows: int, cols: int) -> Tensor:
        x = patches((pieces.permute(0, 2, 3, 1) - 0.5) * 4, 4)  # (M, 8, 8, 48)
        x = self.stem(x) + self.grid(grid_code(rows, cols, pieces))
        x = self.norm(self.local(x))
        x = self.merge(patches(x, 2)).flatten(1, 2)  # (M, 16, width)
        x = x + self.positions.to(x.dtype)
        y: Tensor = self.mixers(x)
        return y


class LatentPool(nn.Module):
    """(B, N, 16, width) encodings of the pieces -> the latent of each puzzle."""

    def __init__(self, width: int = 256, cells: int = 8, memory: int = 32, heads: int = 8) -> None:
        super().__init__()
        self.places, self.heads = cells * cells + memory, heads
        self.norm = Norm(width)
        self.where = Linear(width, heads * self.places)
        self.what = Linear(width, width)

    def forward(self, encodings: Tensor, present: Tensor) -> Latent:
        """present: (B, N) bool; missing pieces count for nothing."""
        batch, count, tokens, width = encodings.shape
        x = self.norm(encodings).reshape(batch, count * tokens, width)
        where = self.where(x).reshape(batch, -1, self.heads, self.places).transpose(1, 2)
        where = where.float().softmax(3).to(x.dtype)  # (B, H, N * 16, K)
        weight = present.float() / present.sum(1, keepdim=True).clamp(min=1) * (self.places / tokens)
        weight = weight[:, :, None].expand(-1, -1, tokens).reshape(batch, 1, -1, 1).to(x.dtype)
        what = self.what(x).reshape(batch, count * tokens, self.heads, -1).transpose(1, 2)
        mass = where.transpose(2, 3) @ weight.expand(-1, self.heads, -1, -1)  # around 1
        return Latent(where.transpose(2, 3) @ (what * weight), mass[..., 0].float())
