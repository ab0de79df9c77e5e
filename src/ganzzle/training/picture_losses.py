"""What a mental image is judged by: squared errors at every scale, and the game with a discriminator (MSG-GAN)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from ganzzle.networks.discriminator import Discriminator


def pyramid(picture: Tensor, sizes: Sequence[Sequence[int]]) -> list[Tensor]:
    """(B, 3, H, W) -> (B, 3, h, w) for each size, coarse to fine; each divides the last one."""
    high, wide = sizes[-1]
    largest = F.adaptive_avg_pool2d(picture, (high, wide))
    return [
        largest if (h, w) == (high, wide) else F.avg_pool2d(largest, (high // h, wide // w)) for h, w in sizes
    ]


def pixel_loss(pictures: Sequence[Tensor], targets: Sequence[Tensor]) -> Tensor:
    """Mean squared error, summed over the scales."""
    return _sum(F.mse_loss(picture, target) for picture, target in zip(pictures, targets, strict=True))


def deceive(discriminator: Discriminator, pictures: Sequence[Tensor]) -> Tensor:
    """The painter's side of the game; the discriminator only passes gradients through."""
    discriminator.requires_grad_(False)
    logits = discriminator(pictures)
    discriminator.requires_grad_(True)
    return _sum(F.softplus(-one.float()).mean() for one in logits)


def judge(discriminator: Discriminator, imagined: Sequence[Tensor], real: Sequence[Tensor]) -> Tensor:
    """The discriminator's side: real pictures against imagined ones, at every scale."""
    loss = _sum(F.softplus(one.float()).mean() for one in discriminator([p.detach() for p in imagined]))
    return loss + _sum(F.softplus(-one.float()).mean() for one in discriminator(real))


def teach_discriminator(
    discriminator: Discriminator,
    optimizer: torch.optim.Optimizer,
    imagined: Sequence[Tensor],
    real: Sequence[Tensor],
    backward: Callable[[Tensor], None],
) -> Tensor:
    """One update of the discriminator; gives its loss."""
    loss = judge(discriminator, imagined, real)
    optimizer.zero_grad(set_to_none=True)
    backward(loss)
    optimizer.step()
    return loss


def _sum(losses: Iterable[Tensor]) -> Tensor:
    return torch.stack(list(losses)).sum()
