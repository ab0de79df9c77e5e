"""The painter: slot tokens become the mental image, 8 and 16 px a slot, one picture without seams between slots."""

from __future__ import annotations

from torch import Tensor, nn

from ganzzle.networks.blocks import ConvBlock, Norm, unpatch
from ganzzle.networks.linear import Linear
from ganzzle.puzzle import Grid

THUMB = 8  # px a slot at the coarse scale


class Painter(nn.Module):
    """(B, N, width) tokens of the slots -> pictures (B, 3, 8 rows, 8 cols) and (B, 3, 16 rows, 16 cols), about 0..1."""

    def __init__(self, width: int, channels: int) -> None:
        super().__init__()
        fine = max(8, channels // 2 // 8 * 8)
        self.norm = nn.LayerNorm(width)
        self.enter = Linear(width, THUMB * THUMB * channels)
        self.coarse = nn.Sequential(ConvBlock(channels), ConvBlock(channels))
        self.coarse_norm = Norm(channels)
        self.coarse_rgb = Linear(channels, 3, exact=True)
        self.grow = Linear(channels, 4 * fine, exact=True)
        self.fine = ConvBlock(fine)
        self.fine_norm = Norm(fine)
        self.fine_rgb = Linear(fine, 3, exact=True)

    def forward(self, slots: Tensor, grid: Grid) -> list[Tensor]:
        """Coarse, then fine."""
        x = self.enter(self.norm(slots))
        x = unpatch(x.reshape(len(x), grid.rows, grid.cols, -1), THUMB)  # (B, 8 rows, 8 cols, channels)
        if self.enter.takes_half:
            return self._paint_in_half(x)
        x = self.coarse_norm(self.coarse(x.float()))
        y = self.fine_norm(self.fine(unpatch(self.grow(x), 2)))
        return [_colours(self.coarse_rgb(x)), _colours(self.fine_rgb(y))]

    def _paint_in_half(self, x: Tensor) -> list[Tensor]:
        for block in self.coarse:
            assert isinstance(block, ConvBlock)
            x = block.in_half(x)
        x = self.coarse_norm(x)
        y = self.fine_norm(self.fine.in_half(unpatch(self.grow(x).bfloat16(), 2)))
        return [_colours(self.coarse_rgb(x)), _colours(self.fine_rgb(y))]


def _colours(values: Tensor) -> Tensor:
    """(B, H, W, 3) around 0 -> (B, 3, H, W) around 0.5."""
    return (values.float() * 0.25 + 0.5).permute(0, 3, 1, 2)
