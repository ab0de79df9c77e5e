"""Muon: momentum whose matrix updates are made orthogonal, for the large matrices of transformer blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor


def orthogonal(matrices: Tensor, steps: int = 5) -> Tensor:
    """Nearly the orthogonal factor of each matrix, by Newton-Schulz iteration: (K, m, n) -> (K, m, n)."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrices.bfloat16() if matrices.is_cuda else matrices  # few CPUs are quick in bfloat16
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.transpose(1, 2)
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(1, 2)
        poly = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
        x = torch.baddbmm(x, poly, x, beta=a)
    return x.transpose(1, 2) if tall else x


class Muon(torch.optim.Optimizer):
    """SGD with Nesterov momentum on matrices, updates orthogonalised; matrices of one shape are handled together."""

    def __init__(
        self, params: Iterable[Tensor], lr: float, weight_decay: float = 0.05, momentum: float = 0.95
    ) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One update of every matrix that has a gradient."""
        for group in self.param_groups:
            same_shape: dict[torch.Size, list[Tensor]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    same_shape.setdefault(parameter.shape, []).append(parameter)
            for shape, parameters in same_shape.items():
                self._step_together(parameters, shape, group)

    def _step_together(self, parameters: list[Tensor], shape: torch.Size, group: dict[str, Any]) -> None:
        gradients = [p.grad for p in parameters if p.grad is not None]
        for parameter in parameters:
            if "momentum" not in self.state[parameter]:
                self.state[parameter]["momentum"] = torch.zeros_like(parameter)
        buffers = [self.state[p]["momentum"] for p in parameters]
        torch._foreach_lerp_(buffers, gradients, 1 - group["momentum"])
        ahead = torch._foreach_lerp(gradients, buffers, group["momentum"])
        update = orthogonal(torch.stack(ahead)).float()
        torch._foreach_mul_(parameters, 1 - group["lr"] * group["weight_decay"])
        scale = group["lr"] * 0.2 * math.sqrt(max(shape))
        torch._foreach_add_(parameters, list(update.unbind(0)), alpha=-scale)
