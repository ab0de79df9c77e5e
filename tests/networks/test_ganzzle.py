"""What must hold for GANzzle's networks whatever their weights."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from ganzzle.networks.discriminator import Discriminator
from ganzzle.networks.ganzzle import GanzzleNetwork, GanzzleSize, pixel_similarity

SMALL = GanzzleSize(width=32, convolutions=1, mixers=1, memory=4, heads=4, blocks=1, embedding=16)


@pytest.fixture
def network() -> GanzzleNetwork:
    torch.manual_seed(0)
    return GanzzleNetwork(SMALL).eval()


def pile(count: int, batch: int = 2) -> torch.Tensor:
    return torch.rand(batch, count, 3, 32, 32, generator=torch.Generator().manual_seed(count))


@torch.no_grad()
def test_the_latent_does_not_depend_on_the_order(network: GanzzleNetwork) -> None:
    pieces, present = pile(12), torch.ones(2, 12, dtype=torch.bool)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1))
    one = network.latent(network.encode(pieces, 3, 4), present).vector()
    other = network.latent(network.encode(pieces[:, order], 3, 4), present).vector()
    assert one.std() > 0.01
    torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_the_matrix_follows_the_order(network: GanzzleNetwork) -> None:
    pieces, present = pile(12), torch.ones(2, 12, dtype=torch.bool)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1))
    scores, _ = network(pieces, present, 3, 4)
    shuffled, _ = network(pieces[:, order], present, 3, 4)
    assert scores.shape == (2, 12, 12)
    torch.testing.assert_close(scores[:, order], shuffled, atol=1e-3, rtol=1e-3)


@torch.no_grad()
def test_missing_pieces_count_for_nothing(network: GanzzleNetwork) -> None:
    pieces = pile(9)
    present = torch.ones(2, 9, dtype=torch.bool)
    present[:, 6:] = False
    scores, imagined = network(pieces, present, 3, 3)
    alone, imagined_alone = network(pieces[:, :6], torch.ones(2, 6, dtype=torch.bool), 3, 3)
    torch.testing.assert_close(scores[:, :6], alone, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(imagined.pictures[-1], imagined_alone.pictures[-1], atol=1e-3, rtol=1e-3)


@torch.no_grad()
def test_the_latent_does_not_depend_on_the_number_of_copies(network: GanzzleNetwork) -> None:
    pieces = pile(6)
    once = network.latent(network.encode(pieces, 2, 3), torch.ones(2, 6, dtype=torch.bool)).vector()
    twice = network.encode(torch.cat([pieces, pieces], 1), 2, 3)
    torch.testing.assert_close(
        once, network.latent(twice, torch.ones(2, 12, dtype=torch.bool)).vector(), atol=1e-4, rtol=1e-4
    )


@torch.no_grad()
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 5), (4, 2), (13, 7)])
def test_any_grid_has_a_picture_at_every_scale(network: GanzzleNetwork, rows: int, cols: int) -> None:
    count = rows * cols
    scores, imagined = network(pile(count, 1), torch.ones(1, count, dtype=torch.bool), rows, cols)
    assert scores.shape == (1, count, count)
    assert torch.isfinite(scores).all()
    assert [p.shape for p in imagined.pictures] == [(1, 3, s, s) for s in (8, 16, 32, 64)]


@torch.no_grad()
def test_without_the_mental_image_the_slots_know_nothing_of_the_pieces() -> None:
    torch.manual_seed(0)
    blind = GanzzleNetwork(replace(SMALL, imagine=False)).eval()
    pictures = [blind(pile(4) * k, torch.ones(2, 4, dtype=torch.bool), 2, 2)[1].pictures[-1] for k in (0, 1)]
    torch.testing.assert_close(pictures[0], pictures[1])


@torch.no_grad()
def test_pixels_alone_find_the_slots_of_a_perfect_picture(network: GanzzleNetwork) -> None:
    pieces = pile(4, 1)
    _, imagined = network(pieces, torch.ones(1, 4, dtype=torch.bool), 2, 2)
    whole = torch.cat(
        [torch.cat([pieces[0, 0], pieces[0, 1]], 2), torch.cat([pieces[0, 2], pieces[0, 3]], 2)], 1
    )
    imagined.pictures[-1][0] = whole
    assert pixel_similarity(pieces, imagined, 2, 2)[0].argmax(1).tolist() == [0, 1, 2, 3]


def test_the_discriminator_judges_every_scale_and_sees_them_all() -> None:
    torch.manual_seed(0)
    discriminator = Discriminator(scales=3, width=8)
    pictures = [torch.rand(2, 3, s, s, requires_grad=True) for s in (8, 16, 32)]
    logits = discriminator(pictures)
    assert [one.shape for one in logits] == [(2, 1, 4, 4), (2, 1, 8, 8), (2, 1, 16, 16)]
    gradients = torch.autograd.grad(logits[0].sum(), pictures)
    assert all(g.abs().sum() > 0 for g in gradients)
