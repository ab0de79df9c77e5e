"""PO-LA: a permutation by optimisation, from a linear assignment (Zhang, Hare, Pruegel-Bennett, ICLR 2019).

A learned cost C(i, j) = F(i, j) - F(j, i) says for every two pieces which should come first, once from left to right
and once from top to bottom. With P (n, n) the doubly stochastic piece-slot matrix and M (n, K) its sums over the slots
of each of the K columns (or rows), the total cost along that axis is

    sum over i, j of C(i, j) * sum over k of M(i, k) * (sum over k' > k of M(j, k') - sum over k' < k of M(j, k')).

A second output of F is the cost B(i, j) of j lying directly behind i in the same line: the sum over i, j and the slots
s with a next slot s' of B(i, j) P(i, s) P(j, s').

The gradients are linear in P. Sums over k' are cumulative sums and the next slot is a shift, so nothing larger than
n x n x hidden is ever made; the plain formula over pairs of pieces and pairs of slots has n^4 terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.board.assignment import log_sinkhorn, with_missing
from ganzzle.puzzle import Grid


@dataclass(frozen=True)
class PoLaSize:
    """The puzzle size it is for, and how large the network is."""

    grid: str = "6x6"
    tile: int = 16  # px of a side at which tiles are looked at
    channels: int = 64  # of the tile encoder's first convolution
    embedding: int = 256  # of a tile
    hidden: int = 64  # of F
    beside: bool = True  # with a cost of direct neighbours; False: with the order along the axes alone
    steps: int = 8  # of the optimisation; 0: the linear assignment alone
    iterations: int = 5  # of Sinkhorn after each step


class TileEncoder(nn.Module):
    """Three convolutions and a linear layer: a tile -> its vector."""

    def __init__(self, tile: int, channels: int, embedding: int) -> None:
        super().__init__()
        widths = (3, channels, 2 * channels, 4 * channels)
        layers: list[nn.Module] = []
        for k, (before, after) in enumerate(pairwise(widths)):
            stride = 1 if k == 0 else 2
            layers += [nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
        side = -(-tile // 4)
        self.layers = nn.Sequential(*layers, nn.Flatten(), nn.Linear(widths[-1] * side**2, embedding))

    def forward(self, tiles: Tensor) -> Tensor:
        """(B, 3, tile, tile) -> (B, embedding)."""
        vectors: Tensor = self.layers(tiles.contiguous(memory_format=torch.channels_last))
        return F.relu(vectors)


class PairCost(nn.Module):
    """F, a network with one hidden layer on two vectors, and the costs along one axis that are made of it."""

    def __init__(self, embedding: int, hidden: int, beside: bool) -> None:
        super().__init__()
        self.first = nn.Linear(embedding, hidden)
        self.second = nn.Linear(embedding, hidden, bias=False)
        self.out = nn.Linear(hidden, 2 if beside else 1, bias=False)

    def forward(self, vectors: Tensor) -> list[Tensor]:
        """(B, n, embedding) -> float32 (B, n, n) of each two pieces.

        The first is C, antisymmetric and negative where the first piece should come before the second; then B, if
        there is one, negative where the second should lie directly behind the first.
        """
        pairs = F.relu(self.first(vectors)[:, :, None] + self.second(vectors)[:, None])
        before, *behind = self.out(pairs).float().unbind(3)
        return [before - before.transpose(1, 2), *behind]


class PoLaNetwork(nn.Module):
    """Tile encoder, linear-assignment start, two ordering costs, unrolled gradient steps with learned sizes."""

    def __init__(self, size: PoLaSize) -> None:
        super().__init__()
        self.grid = Grid.of(size.grid)
        self.tile, self.iterations = size.tile, size.iterations
        self.encoder = TileEncoder(size.tile, size.channels, size.embedding)
        self.start = nn.Linear(size.embedding, self.grid.slots)
        self.down = PairCost(size.embedding, size.hidden, size.beside)
        self.across = PairCost(size.embedding, size.hidden, size.beside)
        # Small at first: untrained costs would spoil the start.
        self.log_steps = nn.Parameter(torch.full((size.steps,), -1.5))

    def forward(self, pieces: Tensor, present: Tensor) -> Tensor:
        """(B, n, 3, p, p) in 0..1, (B, n) -> log P (B, n, n) of the last step; missing pieces are black."""
        tiles = (small_tiles(pieces, self.tile) - 0.5) * 4
        vectors = self.encoder(tiles.flatten(0, 1)).unflatten(0, pieces.shape[:2])
        scores = with_missing(self.start(vectors), present)
        log_p = log_sinkhorn(scores, self.iterations)
        if not len(self.log_steps):
            return log_p
        both = present[:, :, None] & present[:, None]
        down, across = ([cost * both for cost in costs(vectors)] for costs in (self.down, self.across))
        # Half precision would lose the small differences of the gradient.
        with torch.autocast(pieces.device.type, enabled=False):
            for log_step in self.log_steps.unbind(0):
                scores = scores - log_step.exp() * cost_gradient(log_p.exp(), down, across, self.grid)
                log_p = log_sinkhorn(scores, self.iterations)
        return log_p


def small_tiles(pieces: Tensor, side: int) -> Tensor:
    """(B, n, 3, p, p) -> (B, n, 3, side, side)."""
    return F.adaptive_avg_pool2d(pieces.flatten(0, 1), side).unflatten(0, pieces.shape[:2])


def cost_gradient(plan: Tensor, down: Sequence[Tensor], across: Sequence[Tensor], grid: Grid) -> Tensor:
    """The gradient of the total cost in P. plan (B, n, n), down and across: what `PairCost` gives -> (B, n, n)."""
    gradient = order_gradient(plan, down[0], across[0], grid)
    if len(down) > 1:
        gradient = gradient + beside_gradient(plan, down[1], across[1], grid)
    return gradient


def order_gradient(plan: Tensor, down: Tensor, across: Tensor, grid: Grid) -> Tensor:
    """The gradient of the total cost in P, with each axis divided by the pieces of one of its lines.

    So the cost of one step to the next row or column has the same scale in every grid. plan, down, across (B, n, n)
    -> (B, n, n).
    """
    cells = plan.unflatten(2, (grid.rows, grid.cols))
    by_row = line_gradient(cells.sum(3), down) / grid.cols
    by_col = line_gradient(cells.sum(2), across) / grid.rows
    return (by_row[:, :, :, None] + by_col[:, :, None, :]).flatten(2)


def line_gradient(marginal: Tensor, cost: Tensor) -> Tensor:
    """The gradient of an axis's cost in M: (B, n, K), (B, n, n) antisymmetric -> (B, n, K)."""
    up_to = marginal.cumsum(2)
    after_less_before = up_to[:, :, -1:] - 2 * up_to + marginal
    return 2 * cost @ after_less_before


def beside_gradient(plan: Tensor, down: Tensor, across: Tensor, grid: Grid) -> Tensor:
    """The gradient of the cost of direct neighbours in P: plan, down, across (B, n, n) -> (B, n, n)."""
    cells = plan.unflatten(2, (grid.rows, grid.cols))
    below, above = F.pad(cells[:, :, 1:], (0, 0, 0, 1)), F.pad(cells[:, :, :-1], (0, 0, 1, 0))
    right, left = F.pad(cells[..., 1:], (0, 1)), F.pad(cells[..., :-1], (1, 0))
    return (
        down @ below.flatten(2)
        + down.transpose(1, 2) @ above.flatten(2)
        + across @ right.flatten(2)
        + across.transpose(1, 2) @ left.flatten(2)
    )
