"""The hybrid network: it must not care about arrival order, batch mates or the grid's shape."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch

from ganzzle.networks.hybrid import HybridInput, HybridNetwork, HybridSize, mental_image, shrink
from ganzzle.networks.linear import best_packing, pack_linears
from ganzzle.networks.relations import FLOOR, Relations, attention_bias, seam_log_probs, slot_neighbours
from ganzzle.puzzle import Grid
from ganzzle.training.starting import fill

SMALL = HybridSize(width=64, heads=8, stages=(1, 1), edge=32, window=16)


@pytest.fixture(scope="module")
def network() -> HybridNetwork:
    torch.manual_seed(0)
    network = HybridNetwork(SMALL).eval()
    torch.nn.init.normal_(network.first_look.verdict.weight)  # it starts silent; here it must speak
    return network


def given(batch: int, grid: Grid, seed: int = 0, side: int = 32) -> HybridInput:
    draw = torch.Generator().manual_seed(seed)
    pieces = torch.rand(batch, grid.slots, 3, 32, 32, generator=draw)
    present = torch.rand(batch, grid.slots, generator=draw) > 0.2
    sharp = torch.rand(batch, grid.slots, 3, side, side, generator=draw)
    return HybridInput(pieces, present, grid, torch.zeros(batch), sharp)


@torch.inference_mode()
def test_reordering_the_pieces_reorders_the_answer(network: HybridNetwork) -> None:
    x = given(2, Grid(3, 4))
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1))
    assert x.sharp is not None
    y = HybridInput(x.pieces[:, order], x.present[:, order], x.grid, x.wear, x.sharp[:, order])
    a, b = network(x), network(y)
    first, second = a.stages[-1], b.stages[-1]
    both = x.present[:, order]
    possible = both[:, :, None] & both[:, None, :]
    assert torch.allclose(first.slots[:, order], second.slots, atol=1e-4)
    assert torch.allclose(first.border[:, order], second.border, atol=1e-4)
    difference = (first.right[:, order][:, :, order] - second.right).abs()
    assert difference[possible].max() < 1e-3
    assert torch.allclose(a.thumbs[-1], b.thumbs[-1], atol=1e-4)


@torch.inference_mode()
def test_a_trained_network_says_the_same_with_one_more_exchange() -> None:
    torch.manual_seed(0)
    trained, larger = (HybridNetwork(replace(SMALL, exchange=k)).eval() for k in (1, 2))
    assert trained.encoder.exchange is not None
    for parameter in trained.encoder.exchange.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    new = fill(larger, trained.state_dict())
    assert new is not None
    assert all(name.startswith("encoder.exchange.blocks.1.") for name in new)
    x = given(1, Grid(2, 3))
    assert torch.allclose(larger(x).stages[-1].right, trained(x).stages[-1].right, atol=1e-4)
    clear = HybridNetwork(replace(SMALL, exchange=1)).eval()
    fill(clear, {n: v for n, v in trained.state_dict().items() if ".exchange." not in n})
    assert not torch.allclose(clear(x).stages[-1].right, trained(x).stages[-1].right, atol=1e-2)


@torch.inference_mode()
def test_batch_mates_do_not_matter(network: HybridNetwork) -> None:
    x = given(3, Grid(2, 5))
    assert x.sharp is not None
    alone = HybridInput(x.pieces[1:2], x.present[1:2], x.grid, x.wear[1:2], x.sharp[1:2])
    together, single = network(x).stages[-1].slots, network(alone).stages[-1].slots
    assert torch.allclose(together[1:2], single, atol=1e-4)


@pytest.mark.parametrize("grid", [Grid(1, 1), Grid(1, 7), Grid(5, 1), Grid(2, 2), Grid(6, 9)])
@pytest.mark.parametrize("side", [8, 28, 40])
@torch.inference_mode()
def test_any_grid_and_piece_size(network: HybridNetwork, grid: Grid, side: int) -> None:
    output = network(given(1, grid, side=side))
    assert len(output.stages) == 3
    for stage in output.stages[1:]:
        assert stage.slots.shape == stage.right.shape == stage.down.shape == (1, grid.slots, grid.slots)
        assert all(torch.isfinite(t).all() for t in stage)
    assert mental_image(output.thumbs[-1], grid).shape == (1, 3, 8 * grid.rows, 8 * grid.cols)


@torch.inference_mode()
def test_flat_pieces_give_finite_logits(network: HybridNetwork) -> None:
    grid = Grid(3, 3)
    flat = torch.full((1, 9, 3, 32, 32), 0.5)
    output = network(HybridInput(flat, torch.ones(1, 9, dtype=torch.bool), grid, torch.zeros(1)))
    assert all(torch.isfinite(t).all() for t in output.stages[-1])


@pytest.mark.skipif(best_packing(torch.device("cpu")) is None, reason="no oneDNN here")
@pytest.mark.parametrize("form", ["float", "half", "half as on a GPU"])
@torch.inference_mode()
def test_packed_networks_agree_with_the_plain_one(
    network: HybridNetwork, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = copy.deepcopy(network)
    if form == "half as on a GPU":
        monkeypatch.setattr(torch.ops.mkldnn, "_reorder_linear_weight", lambda weight, _: weight)
    pack_linears(packed, torch.float32 if form == "float" else torch.bfloat16)
    assert not list(packed.encoder.token.parameters())
    close = 1e-3 if form == "float" else 0.5
    for grid in (Grid(3, 4), Grid(3, 4), Grid(2, 2)):  # twice the same: what is kept of a grid is used
        x = given(2, grid)
        plain, fast = network(x), packed(x)
        possible = x.present[:, :, None] & x.present[:, None, :]
        for name in ("right", "down"):
            difference = getattr(plain.stages[-1], name) - getattr(fast.stages[-1], name)
            assert difference[possible].abs().max() < close
        assert plain.stages[-1].slots is not None
        assert fast.stages[-1].slots is not None
        assert (plain.stages[-1].slots - fast.stages[-1].slots).abs().max() < close
        assert torch.allclose(plain.thumbs[-1], fast.thumbs[-1].float(), atol=0.05)


def test_seam_probabilities_are_shared_with_none() -> None:
    seam = torch.randn(2, 4, 4)
    after, before = torch.randn(2, 4), torch.randn(2, 4)
    _, none_after, none_before = seam_log_probs(seam, after, before)
    rows = torch.cat([seam, after[..., None]], 2).softmax(2)
    assert torch.allclose(none_after.exp(), rows[..., -1])
    assert torch.allclose(none_before.exp(), torch.cat([seam, before[:, None]], 1).softmax(1)[:, -1])


def test_slots_look_at_their_neighbours() -> None:
    bias = slot_neighbours(Grid(2, 3), torch.device("cpu"), torch.float32)
    right, left, below, above = ((side == 0).nonzero().tolist() for side in bias)
    assert right == [[0, 1], [1, 2], [2, 2], [3, 4], [4, 5], [5, 5]]
    assert left == [[0, 0], [1, 0], [2, 1], [3, 3], [4, 3], [5, 4]]
    assert below == [[0, 3], [1, 4], [2, 5], [3, 3], [4, 4], [5, 5]]
    assert above == [[0, 0], [1, 1], [2, 2], [3, 0], [4, 1], [5, 2]]


@torch.inference_mode()
def test_bias_is_never_below_the_floor(network: HybridNetwork) -> None:
    x = given(2, Grid(3, 3))
    stage = network(x).stages[-1]
    bias = attention_bias(Relations(stage, x.grid, torch.float32), 8)
    assert bias.shape == (2, 8, 18, 18)
    assert bias.min() >= FLOOR
    assert bias.max() <= 0


def test_thumbnails_join_into_the_picture() -> None:
    pieces = torch.rand(1, 6, 3, 32, 32)
    picture = mental_image(shrink(pieces, 8), Grid(2, 3))
    assert torch.allclose(picture[0, :, 8:16, 16:24], shrink(pieces, 8)[0, 5])
