"""One backward pass for any number of processes."""

from __future__ import annotations

from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn


class Backward:
    """Calls `loss.backward()` and averages the gradients over the processes.

    The networks are not wrapped: a task may call them in any order and several times a step. Averaging is linear, so
    a gradient that was averaged before and is added to by a second backward pass comes out right as well.
    """

    def __init__(self, networks: Iterable[nn.Module]) -> None:
        seen = {id(p): p for network in networks for p in network.parameters() if p.requires_grad}
        self.parameters = list(seen.values())
        self.world = dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1

    def __call__(self, loss: Tensor) -> None:
        loss.backward()
        if self.world > 1:
            self._average()

    def _average(self) -> None:
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        for kind in sorted({g.dtype for g in gradients}, key=str):  # in one order everywhere
            group = [g for g in gradients if g.dtype == kind]
            flat = torch.cat([g.reshape(-1) for g in group])
            dist.all_reduce(flat)
            flat /= self.world
            parts = flat.split([g.numel() for g in group])
            torch._foreach_copy_(group, [part.view_as(g) for part, g in zip(parts, group, strict=True)])
