"""Training the network that tells which way is up."""

from __future__ import annotations

import json

import torch

from ganzzle.data.cutting import evaluation_batch
from ganzzle.networks.storing import restore
from ganzzle.networks.upright import UprightNetwork, UprightSize
from ganzzle.training.task import build_task
from ganzzle.weights_io import unpack_int8


def skies(count: int) -> torch.Tensor:
    """(count, 3, 96, 96) uint8 pictures that are light above and dark below, with noise."""
    ramp = torch.linspace(220, 30, 96)[None, None, :, None]
    noise = 40 * torch.randn(count, 3, 96, 96, generator=torch.Generator().manual_seed(count))
    return (ramp + noise).clamp(0, 255).byte()


def test_it_learns_where_the_sky_is() -> None:
    torch.manual_seed(0)
    size = {"side": 64, "width": 8}
    task = build_task({"kind": "upright", "size": size}, torch.device("cpu"))
    batch = evaluation_batch(skies(8), 2, 2)
    lost = [float(task.step(batch, lambda loss: loss.backward(), 0.0)["turns"]) for _ in range(30)]
    assert lost[-1] < 0.6 * lost[0]
    assert task.validate({"skies": skies(16)}) == {"skies upright": 100.0}
    weights, metadata = task.export()
    network = UprightNetwork(UprightSize(**json.loads(metadata["size"]))).eval()
    restore(network, unpack_int8(weights))
    for turn in range(4):
        given = network(torch.rot90(skies(4) / 255, turn, (2, 3)))
        assert (given.argmax(1) == turn).all()


def test_all_turns_of_a_picture_are_answered_alike() -> None:
    network = UprightNetwork(UprightSize(64, 8)).eval()
    picture = torch.rand(2, 3, 64, 64)
    said = network(picture)
    turned = network(torch.rot90(picture, 1, (2, 3)))
    assert torch.allclose(turned.roll(-1, 1), said, atol=1e-5)
