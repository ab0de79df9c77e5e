"""A moving average of a network's weights."""

from __future__ import annotations

import copy
from typing import TypeVar

import torch
from torch import nn

M = TypeVar("M", bound=nn.Module)


def averaged_copy(network: M) -> M:
    """A copy that is never trained, to be moved by `follow`."""
    return copy.deepcopy(network).requires_grad_(False).eval()


@torch.no_grad()
def follow(average: nn.Module, network: nn.Module, decay: float) -> None:
    """Move the average towards the network by 1 - decay."""
    torch._foreach_lerp_(list(average.parameters()), list(network.parameters()), 1 - decay)
    for mine, theirs in zip(average.buffers(), network.buffers(), strict=True):
        mine.copy_(theirs)
