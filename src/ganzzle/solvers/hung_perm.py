"""`hung-perm`: a ResNet-50 a tile, all tiles to one piece-slot matrix, Sinkhorn and the Hungarian method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from ganzzle.networks.hung_perm import HungPermNetwork, HungPermSize
from ganzzle.solvers.one_size import OneSizeSolver


class HungPerm(OneSizeSolver):
    """One model a puzzle size."""

    name = "hung-perm"
    kind = "hung-perm"

    def __init__(
        self, weights: str | Path = "hung-perm-faces-6", device: str = "auto", batch_pieces: int = 4608
    ) -> None:
        super().__init__(weights, device, batch_pieces)

    def network_of(self, size: dict[str, Any]) -> nn.Module:
        """The ResNet and its head."""
        return HungPermNetwork(HungPermSize(**size))
