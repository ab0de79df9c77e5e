"""What a CPU does in bfloat16 is what the plain steps give, but for rounding."""

from __future__ import annotations

import copy
from typing import TypeVar

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.blocks import ConvBlock
from ganzzle.networks.edge_encoder import EdgeEncoder
from ganzzle.networks.linear import Linear, best_packing, pack_linears
from ganzzle.networks.painter import Painter
from ganzzle.networks.set_transformer import Block, half_attention
from ganzzle.puzzle import Grid

pytestmark = pytest.mark.skipif(
    best_packing(torch.device("cpu")) != torch.bfloat16, reason="no bfloat16 products here"
)


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


Some = TypeVar("Some", bound=nn.Module)


def packed(module: Some) -> Some:
    half = copy.deepcopy(module)
    pack_linears(half, torch.bfloat16)
    return half


def near(half: Tensor, exact: Tensor, share: float = 0.01) -> bool:
    """Whether the mean error is a small share of the values' size."""
    return bool((half.float() - exact).pow(2).mean().sqrt() < share * exact.pow(2).mean().sqrt())


@pytest.mark.parametrize("bias", [False, True])
@torch.inference_mode()
def test_a_map_onto_something(bias: bool) -> None:
    torch.manual_seed(0)
    plain = Linear(64, 32, bias)
    half = packed(plain)
    base, x = normal(2, 5, 32), normal(2, 5, 64, seed=1)
    kept = base.clone().bfloat16()
    found = half.onto(kept, x)
    assert found.dtype == torch.bfloat16
    assert torch.equal(kept, base.bfloat16())  # it is not added in place
    assert near(found, base + plain(x))
    assert half.onto(base, x).dtype == torch.float32
    assert torch.equal(plain.onto(base, x), base + plain(x))


@torch.inference_mode()
def test_attention_without_a_bias() -> None:
    qkv = normal(3, 6, 4, 48, 32)
    seen = half_attention(qkv.bfloat16())
    assert seen.shape == (6, 4, 48, 32)
    assert near(seen, F.scaled_dot_product_attention(*qkv), 0.02)


@pytest.mark.parametrize("biased", [False, True])
@torch.inference_mode()
def test_blocks(biased: bool) -> None:
    torch.manual_seed(0)
    plain = Block(64, 4)
    x = normal(3, 20, 64)
    bias = normal(3, 4, 20, 20, seed=1) if biased else None
    half = packed(plain)(x.bfloat16(), None if bias is None else bias.bfloat16())
    assert half.dtype == torch.bfloat16
    assert near(half, plain(x, bias))


@torch.inference_mode()
def test_convolutions() -> None:
    torch.manual_seed(0)
    block = ConvBlock(16)
    x = normal(2, 9, 12, 16)
    half = block.in_half(x.bfloat16())
    assert half.dtype == torch.bfloat16
    assert half.shape == x.shape
    assert near(half, block(x))


@torch.inference_mode()
def test_painter() -> None:
    torch.manual_seed(0)
    plain = Painter(48, 32)
    slots = normal(2, 12, 48)
    coarse, fine = plain(slots, Grid(3, 4))
    half_coarse, half_fine = packed(plain)(slots.bfloat16(), Grid(3, 4))
    assert half_coarse.shape == coarse.shape == (2, 3, 24, 32)
    assert half_fine.shape == fine.shape == (2, 3, 48, 64)
    assert near(half_coarse - 0.5, coarse - 0.5, 0.02)
    assert near(half_fine - 0.5, fine - 0.5, 0.02)


@torch.inference_mode()
def test_encoder() -> None:
    torch.manual_seed(0)
    plain = EdgeEncoder(64, 32, 16, exchange=2)
    assert plain.exchange is not None
    for part in plain.exchange.modules():
        if isinstance(part, Linear) and not part.weight.any():  # some start silent
            nn.init.normal_(part.weight, std=0.1)
    pieces, condition = normal(2, 11, 3, 32, 32), normal(2, 32, seed=1)
    for half, exact in zip(packed(plain)(pieces, condition), plain(pieces, condition), strict=True):
        assert half.shape == exact.shape
        assert near(half, exact, 0.02)
