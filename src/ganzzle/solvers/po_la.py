"""`po-la`: learned ordering costs, a few gradient steps on the piece-slot matrix, the Hungarian method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import nn

from ganzzle.networks.po_la import PoLaNetwork, PoLaSize
from ganzzle.solvers.one_size import OneSizeSolver


class PoLa(OneSizeSolver):
    """One model a puzzle size."""

    name = "po-la"
    kind = "po-la"

    def __init__(
        self, weights: str | Path = "po-la-faces-6", device: str = "auto", batch_pieces: int = 4608
    ) -> None:
        super().__init__(weights, device, batch_pieces)

    def network_of(self, size: dict[str, Any]) -> nn.Module:
        """The encoder, the costs and the steps."""
        return PoLaNetwork(PoLaSize(**size))
