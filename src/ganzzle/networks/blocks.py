"""Building blocks of GANzzle's networks. Pictures and pieces are (M, H, W, C), so that a position is a token."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.linear import Linear, drawn


def gelu(x: Tensor) -> Tensor:
    """The activation used everywhere."""
    return F.gelu(x, approximate="tanh")


def patches(x: Tensor, size: int) -> Tensor:
    """(M, H, W, C) -> (M, H / size, W / size, size * size * C)."""
    count, height, width, channels = x.shape
    x = x.reshape(count, height // size, size, width // size, size, channels).transpose(2, 3)
    return x.reshape(count, height // size, width // size, size * size * channels)


def unpatch(x: Tensor, size: int) -> Tensor:
    """(M, h, w, size * size * C) -> (M, h * size, w * size, C), the inverse of `patches`."""
    count, high, wide, channels = x.shape
    x = x.reshape(count, high, wide, size, size, channels // size**2).transpose(2, 3)
    return x.reshape(count, high * size, wide * size, channels // size**2)


class Norm(nn.LayerNorm):
    """A layer norm that keeps its input's type; autocast would widen the result and double the memory traffic."""

    def forward(self, x: Tensor) -> Tensor:
        with torch.autocast(x.device.type, enabled=False):
            return F.layer_norm(
                x, self.normalized_shape, self.weight.to(x.dtype), self.bias.to(x.dtype), self.eps
            )


class MLP(nn.Module):
    """Two linear maps around an activation: (..., D) -> (..., D)."""

    def __init__(self, width: int, hidden: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.rise = Linear(width, hidden)
        self.fall = Linear(hidden, width)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.dropout(gelu(self.rise(x)), self.dropout, self.training)
        y: Tensor = self.fall(hidden)
        return y


class ConvBlock(nn.Module):
    """Two 3x3 convolutions on a residual path: (M, H, W, C) -> (M, H, W, C)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = Norm(width)
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        # A permuted (M, H, W, C) tensor is what convolutions call channels last: nothing is copied.
        y = self.norm(x).permute(0, 3, 1, 2)
        return x + self.second(gelu(self.first(y))).permute(0, 2, 3, 1)

    def in_half(self, x: Tensor) -> Tensor:
        """The same in bfloat16 on a CPU with oneDNN, without gradients: GELU and the sum inside the convolutions."""
        convolve = torch.ops.mkldnn._convolution_pointwise
        around = [1, 1], [1, 1], [1, 1], 1  # padding, stride, dilation, groups
        first, second = ([part.to(x.dtype) for part in c.parameters()] for c in (self.first, self.second))
        y, base = self.norm(x).permute(0, 3, 1, 2), x.permute(0, 3, 1, 2)
        y = convolve(y, *first, *around, "gelu", [], "tanh")
        y = convolve.binary(y, base, *second, *around, "add", None, None, [], None)
        return y.permute(0, 2, 3, 1)


class MixerBlock(nn.Module):
    """Mixes the T tokens of a piece, then the channels of each: (M, T, D) -> (M, T, D). Matrix products only."""

    def __init__(self, tokens: int, width: int, expansion: int = 3) -> None:
        super().__init__()
        self.norm_tokens, self.norm_channels = Norm(width), Norm(width)
        self.spread = drawn(2 * tokens, tokens, scale=tokens**-0.5)
        self.gather = drawn(tokens, 2 * tokens, scale=(2 * tokens) ** -0.5)
        self.channels = MLP(width, expansion * width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.gather @ gelu(self.spread @ self.norm_tokens(x))
        y: Tensor = x + self.channels(self.norm_channels(x))
        return y


class AttentionBlock(nn.Module):
    """A transformer block: (M, T, D) -> (M, T, D)."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0, expansion: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention, self.norm_channels = Norm(width), Norm(width)
        self.query_key_value = Linear(width, 3 * width)
        self.out = Linear(width, width)
        self.channels = MLP(width, expansion * width, dropout)

    def forward(self, x: Tensor) -> Tensor:
        count, tokens, width = x.shape
        parts = self.query_key_value(self.norm_attention(x)).reshape(count, tokens, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        mixed = (
            F.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(count, tokens, width)
        )
        x = x + self.out(mixed)
        y: Tensor = x + self.channels(self.norm_channels(x))
        return y
