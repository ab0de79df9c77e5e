"""Sinkhorn, Hungarian, Hungarian attention, the contrastive loss."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ganzzle.board.assignment import (
    contrastive_loss,
    hungarian,
    hungarian_attention_loss,
    log_sinkhorn,
    soft_hungarian,
    with_missing,
)


def plain_sinkhorn(scores: np.ndarray, iterations: int) -> np.ndarray:
    """The paper's formula in float64: S = exp(C), then rows and columns in turn."""
    s = np.exp(scores.astype(np.float64))
    for _ in range(iterations):
        s = s / s.sum(2, keepdims=True)
        s = s / s.sum(1, keepdims=True)
    return s


def random_scores(batch: int, count: int, scale: float, seed: int = 0) -> Tensor:
    return scale * torch.randn(batch, count, count, generator=torch.Generator().manual_seed(seed))


@settings(deadline=None, max_examples=20)
@given(count=st.integers(1, 30), scale=st.floats(0.01, 4.0), seed=st.integers(0, 1000))
def test_rows_and_columns_sum_to_one(count: int, scale: float, seed: int) -> None:
    s = log_sinkhorn(random_scores(2, count, scale, seed), iterations=300).exp()
    torch.testing.assert_close(s.sum(1), torch.ones(2, count), atol=1e-4, rtol=0)
    torch.testing.assert_close(s.sum(2), torch.ones(2, count), atol=5e-3, rtol=0)


def test_sinkhorn_agrees_with_a_float64_reference() -> None:
    scores = random_scores(3, 12, 2.0)
    found = log_sinkhorn(scores, iterations=15).exp().numpy()
    np.testing.assert_allclose(found, plain_sinkhorn(scores.numpy(), 15), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3, 1e5])
def test_gradients_are_finite_at_extreme_temperatures(scale: float) -> None:
    scores = random_scores(2, 9, 1.0).requires_grad_()
    log_s = log_sinkhorn(scores * scale)
    truth = torch.eye(9).expand(2, -1, -1)
    loss = hungarian_attention_loss(log_s, soft_hungarian(log_s), truth, torch.ones(2, 9, dtype=torch.bool))
    (gradient,) = torch.autograd.grad(loss, scores)
    assert torch.isfinite(loss)
    assert torch.isfinite(gradient).all()


def test_missing_pieces_leave_room_in_the_columns() -> None:
    present = torch.tensor([[True, True, False]])
    scores = torch.tensor([[[9.0, 0, 0], [0, 9.0, 0], [5.0, 5.0, -7.0]]])
    s = log_sinkhorn(with_missing(scores, present), iterations=100).exp()
    assert s[0].argmax(1).tolist() == [0, 1, 2]
    assert s[0, 0, 0] > 0.95


def test_hungarian_attention_of_a_hand_worked_example() -> None:
    # Hung(S) takes (0,1), (1,0), (2,2), of weight .6 + .5 + .6; the truth is (0,0), (1,1), (2,2).
    s = torch.tensor([[[0.3, 0.6, 0.1], [0.5, 0.2, 0.3], [0.2, 0.2, 0.6]]])
    truth = torch.eye(3)[None]
    solved = soft_hungarian(s.log())
    assert hungarian(s[0].numpy()).tolist() == [1, 0, 2]
    assert solved[0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    # Z = OR(...) looks at five entries: three true ones, and two that were chosen wrongly.
    expected = -(math.log(0.3) + math.log(0.2) + math.log(0.6) + math.log(1 - 0.6) + math.log(1 - 0.5)) / 3
    everyone = torch.ones(1, 3, dtype=torch.bool)
    assert hungarian_attention_loss(s.log(), solved, truth, everyone).item() == pytest.approx(
        expected, rel=1e-5
    )
    # Without the third piece its row counts for nothing, and there are two pieces to share the rest.
    part = -(math.log(0.3) + math.log(0.2) + math.log(1 - 0.6) + math.log(1 - 0.5)) / 2
    first_two = torch.tensor([[True, True, False]])
    assert hungarian_attention_loss(s.log(), solved, truth, first_two).item() == pytest.approx(part, rel=1e-5)


@pytest.mark.parametrize("scale", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("count", [4, 16, 64])
def test_the_soft_hungarian_is_close_to_the_exact_one(count: int, scale: float) -> None:
    log_s = log_sinkhorn(random_scores(8, count, scale, seed=count))
    chosen = soft_hungarian(log_s)
    assert chosen.sum(1).max() <= 1
    assert chosen.sum(2).max() <= 1
    assert chosen.sum() >= 0.97 * 8 * count
    exact = np.stack([hungarian(one) for one in log_s.numpy()])
    same = chosen.gather(2, torch.from_numpy(exact)[:, :, None]).mean().item()
    assert same > 0.85


def test_the_soft_hungarian_breaks_ties() -> None:
    chosen = soft_hungarian(torch.zeros(1, 5, 5))
    assert chosen.sum(1).max() <= 1
    assert chosen.sum(2).max() <= 1
    assert chosen.sum() >= 1


def test_the_contrastive_loss_is_cross_entropy_both_ways() -> None:
    scores = random_scores(3, 6, 2.0)
    slots = torch.stack([torch.randperm(6, generator=torch.Generator().manual_seed(k)) for k in range(3)])
    pieces = slots.argsort(1)
    cross_entropy = torch.nn.functional.cross_entropy
    expected = 0.5 * (
        cross_entropy(scores.flatten(0, 1), slots.flatten())
        + cross_entropy(scores.transpose(1, 2).flatten(0, 1), pieces.flatten())
    )
    found = contrastive_loss(scores, slots, torch.ones(3, 6, dtype=torch.bool))
    torch.testing.assert_close(found, expected)


def test_missing_pieces_do_not_change_the_contrastive_loss() -> None:
    scores, present = random_scores(1, 5, 2.0), torch.tensor([[True, True, True, True, False]])
    slots = torch.arange(5)[None]
    other = scores.clone()
    other[0, 4] = 100.0
    torch.testing.assert_close(
        contrastive_loss(scores, slots, present), contrastive_loss(other, slots, present)
    )
