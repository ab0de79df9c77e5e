"""The discriminator: sees the pictures of all scales at once and judges at every scale (MSG-GAN)."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from ganzzle.networks.blocks import gelu


def _conv(inside: int, outside: int, stride: int = 1) -> nn.Module:
    kernel, padding = (4, 1) if stride == 2 else (3, 1)
    return spectral_norm(nn.Conv2d(inside, outside, kernel, stride, padding))


class Discriminator(nn.Module):
    """Pictures (B, 3, s, s) of every scale, coarse to fine -> logits, one (B, 1, s / 2, s / 2) a scale.

    Spectral norms keep it smooth, so that no gradient penalty is needed.
    """

    def __init__(self, scales: int = 4, width: int = 64) -> None:
        super().__init__()
        widths = [width * 2 ** min(2, scales - 1 - k) for k in range(scales)]  # coarse scales are wider
        self.enter = nn.ModuleList(_conv(3, w) for w in widths)
        self.shrink = nn.ModuleList(_conv(2 * w, 2 * w, 2) for w in widths)
        self.down = nn.ModuleList(_conv(2 * fine, coarse) for coarse, fine in zip(widths, widths[1:], strict=False))
        self.judge = nn.ModuleList(_conv(2 * w, 1) for w in widths)
        self.start = nn.Parameter(nn.init.zeros_(nn.Parameter(nn.Linear(widths[-1], 1).weight))[0, :, None, None])

    def forward(self, pictures: Sequence[Tensor]) -> list[Tensor]:
        """The finest scale comes first inside: its features are handed down to the coarser ones."""
        from torch import cat

        logits: list[Tensor] = []
        handed: Tensor | None = None
        for k in reversed(range(len(pictures))):
            x = gelu(self.enter[k]((pictures[k] - 0.5) * 4))
            if handed is None:
                handed = self.start.expand_as(x)
            x = gelu(self.shrink[k](cat([x, handed], 1)))
            logits.append(self.judge[k](x))
            if k:
                handed = gelu(self.down[k - 1](x))
        return logits[::-1]
