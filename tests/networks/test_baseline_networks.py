"""The networks of the baselines: ResNet-50, hung-perm, PO-LA and its gradient."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from ganzzle.networks.hung_perm import HungPermNetwork, HungPermSize
from ganzzle.networks.po_la import PairCost, PoLaNetwork, PoLaSize, beside_gradient, order_gradient
from ganzzle.networks.resnet import ResNet
from ganzzle.networks.storing import packed, restore
from ganzzle.puzzle import Grid
from ganzzle.weights_io import unpack_int8

SMALL_HUNG_PERM = HungPermSize("2x3", width=4, blocks=[1, 1, 1, 1], embedding=8)
NAMES = ("hung-perm", "hung-perm-hidden", "po-la", "po-la-order", "po-la-linear")
SMALL_PO_LA = PoLaSize("2x3", channels=4, embedding=16, hidden=8, steps=3)


@pytest.fixture(autouse=True)
def seeded() -> None:
    """The same weights every time; more threads only wait for each other."""
    torch.set_num_threads(1)
    torch.manual_seed(0)


def networks() -> list[nn.Module]:
    """One of each, small, for 2x3."""
    sizes = (SMALL_HUNG_PERM, HungPermSize("2x3", 4, [1, 1, 1, 1], 8, hidden=5, own_row=True))
    po_las = (SMALL_PO_LA, replace(SMALL_PO_LA, beside=False), replace(SMALL_PO_LA, steps=0))
    return [*(HungPermNetwork(size) for size in sizes), *(PoLaNetwork(size) for size in po_las)]


def whole(batch: int, count: int) -> Tensor:
    """No piece is missing."""
    return torch.ones(batch, count, dtype=torch.bool)


def test_the_resnet_is_resnet_50() -> None:
    with torch.device("meta"):
        network = ResNet()
        assert network(torch.empty(2, 3, 32, 32)).shape == (2, 2048)
    # 25,557,032 parameters as published, less those of the last layer for 1,000 classes
    assert sum(p.numel() for p in network.parameters()) == 25_557_032 - 2_049_000
    assert sum(isinstance(m, nn.Conv2d) for m in network.modules()) == 1 + 3 * 16 + 4


@pytest.mark.parametrize("network", networks(), ids=NAMES)
def test_the_answer_is_doubly_stochastic_also_with_missing_pieces(network: nn.Module) -> None:
    present = whole(2, 6)
    present[1, 2:4] = False
    pieces = torch.rand(2, 6, 3, 32, 32) * present[:, :, None, None, None]
    plan = network(pieces, present).exp()
    assert plan.shape == (2, 6, 6)
    torch.testing.assert_close(plan.sum(1), torch.ones(2, 6))
    torch.testing.assert_close(plan.sum(2), torch.ones(2, 6), atol=1e-2, rtol=0)
    torch.testing.assert_close(plan[1, 2], plan[1, 3])  # both are free to go where nobody goes


@pytest.mark.parametrize("network", networks(), ids=NAMES)
def test_stored_and_restored(network: nn.Module) -> None:
    pieces, present = torch.rand(4, 6, 3, 32, 32), whole(4, 6)
    for _ in range(20):
        network(pieces, present)  # moves the averages of the batch normalisation
    network.eval()
    before = network(pieces, present)
    stored = unpack_int8(packed(network))
    for value in network.state_dict().values():
        value.zero_()
    restore(network, stored)
    torch.testing.assert_close(network(pieces, present).exp(), before.exp(), atol=5e-3, rtol=0)


@pytest.mark.parametrize("size", [SMALL_HUNG_PERM, replace(SMALL_HUNG_PERM, hidden=16, own_row=True)])
def test_hung_perm_starts_with_all_tiles_alike(size: HungPermSize) -> None:
    """A new network follows the pieces wherever they arrive; one that starts at random does not."""
    pieces, present, order = torch.rand(2, 6, 3, 32, 32), whole(2, 6), torch.tensor([3, 0, 5, 1, 4, 2])
    for alike in (True, False):
        network = HungPermNetwork(replace(size, alike=alike)).eval()
        answer, moved = network(pieces, present), network(pieces[:, order], present[:, order])
        assert torch.allclose(moved, answer[:, order], atol=1e-4) is alike


def plain_cost(plan: Tensor, down: Tensor, across: Tensor, grid: Grid) -> Tensor:
    """The total cost as a sum over all pairs of pieces and all pairs of slots, each axis by the size of a line."""
    row = torch.arange(grid.slots) // grid.cols
    col = torch.arange(grid.slots) % grid.cols
    later_row = torch.sign(row[None, :] - row[:, None]).to(plan)  # (slot of i, slot of j)
    later_col = torch.sign(col[None, :] - col[:, None]).to(plan)
    cost = torch.zeros(())
    for c, sign, line in ((down, later_row, grid.cols), (across, later_col, grid.rows)):
        cost = cost + torch.einsum("bij,bip,bjq,pq->", c, plan, plan, sign) / line
    return cost


@pytest.mark.parametrize("grid", [Grid(2, 3), Grid(3, 2), Grid(1, 5)])
def test_the_gradient_by_cumulative_sums_is_that_of_the_plain_cost(grid: Grid) -> None:
    count = grid.slots
    plan = torch.rand(2, count, count, dtype=torch.float64).softmax(2).requires_grad_()
    down, across = (c - c.transpose(1, 2) for c in torch.randn(2, 2, count, count, dtype=torch.float64))
    (wanted,) = torch.autograd.grad(plain_cost(plan, down, across, grid), plan)
    torch.testing.assert_close(order_gradient(plan, down, across, grid), wanted)


def test_the_gradient_sorts_pieces_by_their_cost() -> None:
    """Piece i should come before j wherever its number is smaller: steps from the uniform plan find that order."""
    from ganzzle.board.assignment import hungarian, log_sinkhorn

    grid, number = Grid(1, 5), torch.tensor([3.0, 0, 4, 1, 2])
    across = torch.sign(number[:, None] - number[None])[None]
    scores = 0.01 * torch.randn(1, 5, 5)
    for _ in range(5):
        scores = scores - order_gradient(log_sinkhorn(scores).exp(), torch.zeros_like(across), across, grid)
    assert hungarian(log_sinkhorn(scores)[0].numpy()).tolist() == number.long().tolist()


def plain_beside_cost(plan: Tensor, down: Tensor, across: Tensor, grid: Grid) -> Tensor:
    """The cost of direct neighbours as a sum over all pairs of slots."""
    row, col = torch.arange(grid.slots) // grid.cols, torch.arange(grid.slots) % grid.cols
    one_down = (row[None] - row[:, None] == 1) & (col[None] == col[:, None])  # (slot of i, slot of j)
    one_right = (row[None] == row[:, None]) & (col[None] - col[:, None] == 1)
    cost = torch.zeros(())
    for c, next_to in ((down, one_down), (across, one_right)):
        cost = cost + torch.einsum("bij,bip,bjq,pq->", c, plan, plan, next_to.to(plan))
    return cost


@pytest.mark.parametrize("grid", [Grid(2, 3), Grid(3, 2), Grid(1, 5)])
def test_the_gradient_by_shifts_is_that_of_the_plain_cost_of_neighbours(grid: Grid) -> None:
    count = grid.slots
    plan = torch.rand(2, count, count, dtype=torch.float64).softmax(2).requires_grad_()
    down, across = torch.randn(2, 2, count, count, dtype=torch.float64)
    (wanted,) = torch.autograd.grad(plain_beside_cost(plan, down, across, grid), plan)
    torch.testing.assert_close(beside_gradient(plan, down, across, grid), wanted)


def test_the_ordering_cost_is_antisymmetric_and_that_of_neighbours_is_not() -> None:
    before, behind = PairCost(8, 4, beside=True)(torch.randn(2, 5, 8))
    torch.testing.assert_close(before, -before.transpose(1, 2))
    assert before.abs().max() > 0
    assert not torch.allclose(behind, -behind.transpose(1, 2), atol=1e-3)
    assert len(PairCost(8, 4, beside=False)(torch.randn(2, 5, 8))) == 1


def test_po_la_follows_the_pieces_wherever_they_arrive() -> None:
    network = PoLaNetwork(SMALL_PO_LA).eval()
    pieces, present = torch.rand(2, 6, 3, 32, 32), whole(2, 6)
    present[0, 1] = False
    order = torch.randperm(6)
    answer, moved = network(pieces, present), network(pieces[:, order], present[:, order])
    torch.testing.assert_close(moved, answer[:, order], atol=1e-4, rtol=1e-4)


def test_the_steps_of_po_la_are_learned() -> None:
    network = PoLaNetwork(SMALL_PO_LA)
    network(torch.rand(2, 6, 3, 32, 32), whole(2, 6))[:, 0, 0].sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
    assert network.log_steps.grad is not None
    assert (network.log_steps.grad != 0).all()


def test_po_la_at_12x12_needs_no_n4_tensor() -> None:
    """144^4 floats would be 1.7 GB a puzzle and axis; the largest tensor kept for the gradient is n x n x hidden."""
    kept: list[int] = []
    network = PoLaNetwork(PoLaSize("12x12", channels=4, embedding=16, hidden=8, steps=1, iterations=2))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.numel()) or t, lambda t: t):
        network(torch.rand(1, 144, 3, 32, 32), whole(1, 144)).sum().backward()
    assert max(kept) <= 144 * 144 * 8
