"""The optimizers that the tasks share."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from ganzzle.training.muon import Muon

SMALLEST = 64  # rows and columns from which on a matrix is one for Muon


def adamw_and_muon(
    network: nn.Module,
    blocks: Sequence[str],
    learning_rate: float,
    muon_learning_rate: float,
    weight_decay: float,
    betas: tuple[float, float],
) -> tuple[torch.optim.AdamW, Muon | None]:
    """Muon for the large matrices of the network's blocks, AdamW for all else that learns; no decay on vectors.

    `blocks`: parts of the names that tell the parameters of blocks. With a `muon_learning_rate` of 0, AdamW alone.
    """
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            large = parameter.ndim == 2 and min(parameter.shape) >= SMALLEST
            in_block = large and any(part in name for part in blocks)
            (matrices if in_block and muon_learning_rate > 0 else rest).append(parameter)
    groups = [
        {"params": [p for p in rest if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in rest if p.ndim <= 1], "weight_decay": 0.0},
    ]
    adamw = torch.optim.AdamW(groups, learning_rate, betas, fused=_on_gpu(network))
    return adamw, Muon(matrices, muon_learning_rate, weight_decay) if matrices else None


def adam_for(discriminator: nn.Module, learning_rate: float) -> torch.optim.Adam:
    """Adam without momentum, as is usual for a discriminator."""
    parameters = discriminator.parameters()
    return torch.optim.Adam(parameters, learning_rate, (0.0, 0.99), fused=_on_gpu(discriminator))


def _on_gpu(network: nn.Module) -> bool:
    return next(network.parameters()).is_cuda
