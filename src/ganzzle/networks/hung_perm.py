"""Hung-perm: every tile through a ResNet on its own, all vectors one after another to the piece-slot matrix.

The vectors come in arrival order, which says nothing about the picture: train and test on freshly shuffled pieces.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from ganzzle.board.assignment import log_sinkhorn, with_missing
from ganzzle.networks.resnet import ResNet
from ganzzle.puzzle import Grid


@dataclass(frozen=True)
class HungPermSize:
    """The puzzle size it is for, and how large the network is."""

    grid: str = "6x6"
    width: int = 64  # channels of the ResNet's stem
    blocks: list[int] = field(default_factory=lambda: [3, 4, 6, 3])  # ResNet-50
    embedding: int = 256  # of a tile
    hidden: int = 0  # units between all vectors and the matrix; 0: one linear map, 256 n^3 weights
    alike: bool = True  # it starts by treating all tiles alike (with `hidden` it needs `own_row` for that)
    own_row: bool = False  # a tile's vector is also mapped to its own row, by weights all tiles share


class HungPermNetwork(nn.Module):
    """A ResNet, a linear layer a tile, and the map of all n vectors to n x n."""

    def __init__(self, size: HungPermSize) -> None:
        super().__init__()
        self.grid = Grid.of(size.grid)
        count = self.grid.slots
        self.encoder = ResNet(size.width, size.blocks)
        self.embed = nn.Linear(self.encoder.features, size.embedding)
        self.matrix = _all_to_matrix(count, size)
        self.own_row = nn.Linear(size.embedding, count, bias=False) if size.own_row else None

    def forward(self, pieces: Tensor, present: Tensor) -> Tensor:
        """(B, n, 3, 32, 32) in 0..1, (B, n) -> log S (B, n, n); missing pieces are black."""
        count = self.grid.slots
        tiles = (pieces.flatten(0, 1) - 0.5) * 4
        encoded = self.encoder(tiles.contiguous(memory_format=torch.channels_last))
        vectors = self.embed(encoded).unflatten(0, (-1, count))
        scores = self.matrix(vectors.flatten(1)).unflatten(1, (count, count))
        if self.own_row is not None:
            scores = scores + self.own_row(vectors)
        return log_sinkhorn(with_missing(scores, present))


def _all_to_matrix(count: int, size: HungPermSize) -> nn.Module:
    """(B, n * embedding) -> (B, n * n)."""
    if size.hidden:
        last = nn.Linear(size.hidden, count * count)
        if size.alike and size.own_row:
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
        return nn.Sequential(nn.Linear(count * size.embedding, size.hidden), nn.ReLU(), last)
    linear = nn.Linear(count * size.embedding, count * count)
    if size.alike:
        start_alike(linear, count)
    return linear


@torch.no_grad()
def start_alike(linear: nn.Linear, count: int) -> None:
    """Every tile's row starts as the same map of its own vector, without the other tiles.

    Drawn at random, the map would have to find out n times over which of the vectors belongs to a row.
    """
    weight = linear.weight.view(count, count, count, -1)  # row of a tile, slot, vector of a tile, its values
    own = weight.new_empty(count, weight.shape[3]).normal_(std=weight.shape[3] ** -0.5)
    linear.weight.zero_()
    linear.bias.zero_()
    for tile in range(count):
        weight[tile, :, tile] = own
