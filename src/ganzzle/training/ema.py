"""A moving average of a network's weights."""

from __future__ import annotations

import copy

import torch
from torch import nn


def averaged_copy(network: nn.Module) -> nn.Module:
    """A copy that is never trained, to be moved by `follow`."""
    return copy.deepcopy(network).requires_grad_(False)


@torch.no_grad()
def follow(average: nn.Module, network: nn.Module, step: int, decay: float = 0.999) -> None:
    """Move the average towards the network; early on it follows faster, so that it starts from no noise."""
    weight = 1 - min(decay, (1 + step) / (10 + step))
    torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), weight)
    for mine, theirs in zip(average.buffers(), network.buffers(), strict=True):
        mine.copy_(theirs)
