"""Transformer blocks over piece and slot tokens, and a stage of them that predicts all relations anew."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.linear import Linear
from ganzzle.networks.relations import Prediction, Relations


def unit(x: Tensor) -> Tensor:
    """Vectors of length one, in float32."""
    return F.normalize(x.float(), dim=-1)


class Block(nn.Module):
    """Pre-norm self-attention, with an additive bias or none, then an MLP. (B, T, width) -> (B, T, width).

    The bias is one of all heads, (B, heads, T, T), or `Relations`, from which it is made head by head.
    """

    def __init__(self, width: int, heads: int, expansion: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention = nn.LayerNorm(width)
        self.query_key_value = Linear(width, 3 * width, bias=False)
        self.out = Linear(width, width, bias=False)
        self.norm_mlp = nn.LayerNorm(width)
        self.expand = Linear(width, expansion * width, bias=False, gelu=True)
        self.contract = Linear(expansion * width, width, bias=False)

    def forward(self, x: Tensor, bias: Tensor | Relations | None = None) -> Tensor:
        batch, tokens, width = x.shape
        qkv = self.query_key_value(self.norm_attention(x))
        qkv = qkv.reshape(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if bias is None and self.out.takes_half:
            seen = half_attention(qkv)
        elif isinstance(bias, Relations):
            seen = attention_by_head(qkv, bias)
        else:
            query, key, value = qkv
            seen = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        x = self.out.onto(x, seen.transpose(1, 2).reshape(batch, tokens, width))
        return self.contract.onto(x, self.expand(self.norm_mlp(x)))


def half_attention(qkv: Tensor) -> Tensor:
    """Attention in bfloat16 on a CPU, (3, B, heads, T, depth) -> (B, heads, T, depth).

    Step by step, which is faster than torch's fused form for many sets of a few dozen tokens.
    """
    _, batch, heads, tokens, depth = qkv.shape
    query, key, value = qkv.reshape(3, batch * heads, tokens, depth)
    scores = (query @ key.transpose(1, 2)).float().mul_(depth**-0.5)
    return (scores.softmax(-1).bfloat16() @ value).unflatten(0, (batch, heads))


def attention_by_head(qkv: Tensor, relations: Relations) -> Tensor:
    """Attention with the bias of one head at a time in memory, (3, B, heads, T, depth) -> (B, heads, T, depth)."""
    _, batch, heads, tokens, _ = qkv.shape
    bias = torch.empty(batch, 1, tokens, tokens, device=qkv.device, dtype=relations.dtype)
    seen = torch.empty_like(qkv[0])
    for head in range(heads):
        biased = head < relations.biased
        if biased:
            relations.write(head, bias[:, 0])
        query, key, value = qkv[:, :, head : head + 1]
        seen[:, head : head + 1] = F.scaled_dot_product_attention(
            query, key, value, attn_mask=bias if biased else None
        )
    return seen


class Stage(nn.Module):
    """A few blocks under one bias, then new logits on top of the last stage's, and a thumbnail for every slot."""

    def __init__(self, width: int, blocks: int, heads: int, thumb: int, key: int = 192) -> None:
        super().__init__()
        self.thumb = thumb
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width)
        self.piece_key = Linear(width, key)
        self.slot_key = Linear(width, key)
        self.side_keys = Linear(width, 4 * key)
        self.border = Linear(width, 4)
        self.paint = Linear(width, 3 * thumb * thumb)
        self.log_scale = nn.Parameter(torch.full((2,), math.log(10.0)))
        self.keep = nn.Parameter(torch.ones(3))  # how much of the last slots, seams and borders is kept

    def forward(
        self, x: Tensor, bias: Tensor | Relations, last: Prediction, paint: bool = True
    ) -> tuple[Tensor, Prediction, Tensor | None]:
        """Tokens (B, 2N, width), bias as `Block` takes it -> tokens, new logits, thumbnails (B, N, 3, thumb, thumb)."""
        for block in self.blocks:
            x = block(x, bias)
        pieces, slots = self.norm(x).chunk(2, 1)
        scale = self.log_scale.clamp(max=4.6).exp()
        keys = torch.cat([self.piece_key(pieces), self.side_keys(pieces)], -1)
        # (B, 5, N, key): slot, right, left, down, up
        keys = unit(keys.unflatten(-1, (5, -1))).transpose(1, 2)
        fit = (scale[0] * keys[:, 0]) @ unit(self.slot_key(slots)).transpose(1, 2)
        if last.slots is not None:
            fit = fit + self.keep[0] * last.slots
        right, down = (scale[1] * keys[:, 1::2] @ keys[:, 2::2].transpose(2, 3)).unbind(1)
        prediction = Prediction(
            fit,
            self.keep[1] * last.right + right,
            self.keep[1] * last.down + down,
            self.keep[2] * last.border + self.border(pieces).float(),
        )
        if not paint:
            return x, prediction, None
        thumbs = self.paint(slots).float().reshape(*slots.shape[:2], 3, self.thumb, self.thumb)
        return x, prediction, thumbs
