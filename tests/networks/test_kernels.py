"""The kernels for a CPU give what the steps in torch give."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.damage.wear_kernels import least_eigenvalue
from ganzzle.networks import many_pieces
from ganzzle.networks.borders import all_distances, border_strips, seam_distances
from ganzzle.networks.edge_encoder import gelu, gelu_for, half_window_pixels, joined_gelu, window_pixels
from ganzzle.networks.linear import Linear, best_packing

some_sides = st.integers(8, 40)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 2), st.integers(1, 9), some_sides, some_sides, st.integers(0, 99))
def test_distances(batch: int, count: int, height: int, width: int, seed: int) -> None:
    pieces = random(batch, count, 3, height, width, seed=seed)
    pieces[:, 0] = 0.5  # a flat one
    right, left, lower, upper = border_strips(pieces)
    across, downward = all_distances(pieces)
    assert torch.allclose(across, seam_distances(right, left), atol=1e-4)
    assert torch.allclose(downward, seam_distances(lower, upper), atol=1e-4)


@torch.inference_mode()
def test_distances_of_many_pieces() -> None:
    pieces = random(2, 120, 3, 16, 16)
    right, left, _, _ = border_strips(pieces)
    assert torch.allclose(all_distances(pieces)[0], seam_distances(right, left), atol=1e-4)


@torch.inference_mode()
@pytest.mark.parametrize("side", [0, 2])
def test_distances_in_parts(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_pieces, "ROWS", 7)  # the last part is smaller
    pieces = random(20, 3, 16, 12)
    expected = all_distances(pieces[None])[side // 2][0]
    for parts in (many_pieces._parts_on_cpu, many_pieces._parts_on_gpu):
        rows, features = zip(*parts(pieces, side, None), strict=True)
        assert [r.start for r in rows] == [0, 7, 14]
        assert torch.allclose(torch.cat(features), expected, atol=1e-4)
    weighed = many_pieces.weighed_in_parts(lambda x: x.sum(-1, keepdim=True), pieces, side)
    assert torch.allclose(weighed, expected.sum(-1), atol=1e-3)


def test_pixels_along_the_edges() -> None:
    pieces = random(2, 3, 3, 32, 32) * 2 - 1
    assert torch.equal(half_window_pixels(pieces), window_pixels(pieces).bfloat16())


@pytest.mark.skipif(best_packing(torch.device("cpu")) is None, reason="no oneDNN here")
def test_gelu() -> None:
    x = torch.linspace(-30, 30, 6000).reshape(2, 30, 100)
    following = Linear(100, 1)
    assert torch.equal(gelu_for(following, x), gelu(x))
    following.pack(torch.bfloat16)
    half = gelu_for(following, x)
    assert half.dtype == torch.bfloat16
    assert torch.allclose(half.float(), gelu(x), rtol=2**-8, atol=1e-5)


@torch.inference_mode()
def test_joined_features_of_candidates() -> None:
    ours, theirs = (random(2, 5, 48, seed=s).mul(8).sub(4).bfloat16() for s in (1, 2))
    rows = torch.randint(0, 10, (2 * 5 * 3,), generator=torch.Generator().manual_seed(3))
    joined = joined_gelu(ours, theirs, rows)
    expected = joined_gelu(ours.float(), theirs.float(), rows)
    assert joined.shape == expected.shape == (10, 3, 48)
    assert joined.dtype == torch.bfloat16
    assert torch.allclose(joined.float(), expected, rtol=2**-8, atol=1e-5)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(-3, 3))
def test_the_least_eigenvalue_is_numpys(seed: int, scale: float) -> None:
    mixed = np.random.default_rng(seed).normal(size=(3, 3)) * [[10**scale], [1.0], [1.0]]
    matrix = mixed @ mixed.T
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix.tolist()
    assert least_eigenvalue(xx, yy, zz, xy, yz, xz) == pytest.approx(
        np.linalg.eigvalsh(matrix)[0], abs=1e-7 * matrix.trace()
    )
