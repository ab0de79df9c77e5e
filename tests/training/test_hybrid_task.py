"""What the hybrid network is taught: targets by hand, losses against plain cross entropy, and that it learns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch._dynamo
import torch.nn.functional as F
from torch._dynamo.backends.registry import lookup_backend

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import Damage, make_puzzles
from ganzzle.networks.hybrid import HybridNetwork, HybridSize
from ganzzle.puzzle import Grid
from ganzzle.training.config import ConfigError
from ganzzle.training.relation_losses import relation_losses, true_assignment, true_neighbours
from ganzzle.training.tasks.hybrid import HybridOptions, HybridTask, as_written, hybrid_input
from ganzzle.weights_io import unpack_int8


def batch_of(pictures: torch.Tensor, rows: int, cols: int, seed: int = 0, **damage: object) -> PuzzleBatch:
    draw = torch.Generator().manual_seed(seed)
    return make_puzzles(pictures, rows, cols, Damage(**damage), draw)  # type: ignore[arg-type]


def test_neighbours_by_hand() -> None:
    # slots of pieces 0..5 in a 2x3 grid: the board reads 4 2 0 / 1 5 3, and piece 5 is missing.
    slots = torch.tensor([[2, 3, 1, 5, 0, 4]])
    present = torch.tensor([[True, True, True, True, True, False]])
    right, left, below, above = true_neighbours(slots, present, Grid(2, 3))[:, 0].tolist()
    none = 6
    assert right == [none, none, 0, none, 2, 3]
    assert left == [2, none, 4, none, none, 1]
    assert below == [3, none, none, none, 1, none]
    assert above == [none, 4, none, 0, none, 2]


def test_missing_pieces_share_the_missing_slots() -> None:
    slots = torch.tensor([[1, 0, 3, 2]])
    present = torch.tensor([[True, False, True, False]])
    expected = torch.tensor([[[0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0, 0, 1], [0.5, 0, 0.5, 0]]])
    assert torch.equal(true_assignment(slots, present), expected)


def test_losses_equal_plain_cross_entropy() -> None:
    torch.manual_seed(0)
    network = HybridNetwork(HybridSize(width=64, stages=(1,), edge=32, window=16))
    batch = batch_of(torch.rand(2, 3, 64, 96), 2, 3)
    stages = network(hybrid_input(batch)).stages
    losses = relation_losses(stages, batch.slots, batch.present, Grid(2, 3), 0.5)
    last = stages[-1]
    assert last.slots is not None
    by_piece = F.cross_entropy(last.slots.flatten(0, 1), batch.slots.flatten())
    by_slot = F.cross_entropy(last.slots.transpose(1, 2).flatten(0, 1), batch.slots.argsort(1).flatten())
    assert torch.allclose(losses["slots1"], (by_piece + by_slot) / 2, atol=1e-5)
    neighbours = true_neighbours(batch.slots, batch.present, Grid(2, 3))
    tables = (last.right, last.right.transpose(1, 2), last.down, last.down.transpose(1, 2))
    plain = [
        F.cross_entropy(torch.cat([t, last.border[..., s : s + 1]], 2).flatten(0, 1), neighbours[s].flatten())
        for s, t in enumerate(tables)
    ]
    assert torch.allclose(losses["seams1"], torch.stack(plain).mean(), atol=1e-5)
    assert torch.allclose(losses["total"], losses["seams1"] + losses["slots1"] + 0.5 * losses["seams0"])


@pytest.mark.parametrize(("piece", "wear", "sharp"), [(24, 0, 24), (24, 2, 20), (8, 0, 8), (8, 1, 32)])
def test_small_pieces_are_enlarged_but_their_distances_are_not(piece: int, wear: int, sharp: int) -> None:
    picture = F.interpolate(torch.rand(1, 3, 6, 6), (3 * piece, 3 * piece), mode="bicubic").clamp(0, 1)
    batch = make_puzzles(picture, 3, 3, Damage("erode", erosion=wear), torch.Generator().manual_seed(0))
    given = hybrid_input(batch)
    assert given.sharp is not None
    assert given.pieces.shape[-2:] == (32, 32)
    assert given.sharp.shape[-1] == sharp
    inner = slice(wear, piece - wear)
    enlarged = F.interpolate(batch.pieces[0][..., inner, inner], (32, 32), mode="bilinear")
    assert (given.pieces[0] - enlarged).abs().mean() < 0.02
    with torch.no_grad():
        HybridNetwork(HybridSize(width=64, stages=(1,)))(given)


def test_the_painter_learns_from_pieces_of_enough_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    task = HybridTask(HybridOptions(width=64, stages=(1,), painter=8), torch.device("cpu"))
    painted = []
    monkeypatch.setattr(HybridNetwork, "_paint", lambda *_: painted.append(1) or [])
    for piece in (8, 16):
        batch = batch_of(torch.rand(1, 3, 2 * piece, 2 * piece), 2, 2)
        losses = task.step(batch, lambda loss: loss.backward(), 0.0)
        assert torch.isfinite(losses["total"])
    assert len(painted) == 1


def test_a_small_network_learns_a_few_pictures() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)  # threads that wait for each other are slow on a busy machine
    task = HybridTask(
        HybridOptions(width=64, stages=(1, 1), learning_rate=2e-3, muon_learning_rate=4e-3),
        torch.device("cpu"),
    )
    coarse = torch.rand(4, 3, 7, 7, generator=torch.Generator().manual_seed(5))
    pictures = F.interpolate(coarse, (96, 96), mode="bicubic").clamp(0, 1)
    first = last = 0.0
    for step in range(45):
        batch = batch_of(pictures, 3, 3, seed=step)
        losses = task.step(batch, lambda loss: loss.backward(), step / 45)
        last = float(losses["total"])
        first = first or last
    assert last < 0.35 * first
    tensors, metadata = task.export()
    assert metadata["kind"] == "hybrid"
    network = task.networks["hybrid"]
    for name, value in unpack_int8(tensors).items():
        assert torch.allclose(value, network.state_dict()[name].float(), atol=0.02)


def test_a_painter_is_trained_without_touching_the_tokens() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    task = HybridTask(
        HybridOptions(
            width=64,
            stages=(1, 1),
            painter=16,
            adversarial_start=0.5,
            adversarial_end=0.8,
            discriminator_width=8,
        ),
        torch.device("cpu"),
    )
    network = task.networks["hybrid"]
    assert isinstance(network, HybridNetwork)
    batch = batch_of(torch.rand(2, 3, 64, 96), 2, 3, kind="erode", erosion=3)
    before = {name: p.clone() for name, p in network.named_parameters()}
    first = task.step(batch, lambda loss: loss.backward(), 0.0)
    assert "painter" in first
    assert "adversarial" not in first
    assert {"adversarial", "discriminator"} <= set(task.step(batch, lambda loss: loss.backward(), 0.6))
    assert "adversarial" not in task.step(batch, lambda loss: loss.backward(), 0.8)
    changed = {name for name, p in network.named_parameters() if not torch.equal(p, before[name])}
    assert "painter.enter.weight" in changed
    output = network(hybrid_input(batch))
    assert [p.shape for p in output.pictures] == [(2, 3, 16, 24), (2, 3, 32, 48)]
    network.zero_grad(set_to_none=True)
    torch.stack([p.sum() for p in output.pictures]).sum().backward()
    touched = {name for name, p in network.named_parameters() if p.grad is not None}
    assert touched == {name for name, _ in network.named_parameters() if name.startswith("painter.")}


def test_the_painter_may_learn_in_some_steps_only() -> None:
    task = HybridTask(
        HybridOptions(width=64, stages=(1, 1), painter=16, paint_share=0.5), torch.device("cpu")
    )
    batch = batch_of(torch.rand(1, 3, 64, 96), 2, 3)
    for chance, painted in ((0.1, True), (0.49, True), (0.5, False), (0.9, False)):
        losses = task.step(replace(batch, chance=chance), lambda loss: loss.backward(), 0.9)
        assert ("painter" in losses) == painted


def test_only_the_painter_learns_when_told_so() -> None:
    torch.manual_seed(0)
    config = HybridOptions(width=64, stages=(1,), painter=16, only_painter=True, adversarial_start=0.0)
    task = HybridTask(config, torch.device("cpu"))
    before = {name: value.clone() for name, value in task.networks["hybrid"].state_dict().items()}
    task.step(batch_of(torch.rand(2, 3, 64, 64), 2, 2), lambda loss: loss.backward(), 1.0)
    after = task.networks["hybrid"].state_dict()
    changed = {name for name, value in before.items() if not torch.equal(value, after[name])}
    assert "painter.enter.weight" in changed
    assert all(name.startswith("painter.") for name in changed)
    with pytest.raises(ConfigError, match="needs a painter"):
        HybridTask(HybridOptions(only_painter=True), torch.device("cpu"))


class Counted:
    """A compiler that counts how often what it compiled is used."""

    def __init__(self, backend: str) -> None:
        self.uses = 0
        self._backend = lookup_backend(backend)

    def __call__(self, graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        compiled = self._backend(graph, inputs)  # type: ignore[arg-type]

        def use(*given: Any) -> Any:
            self.uses += 1
            return compiled(*given)

        return use


def test_as_written_uses_nothing_compiled() -> None:
    compiler = Counted("eager")
    double = torch.compile(lambda x: x * 2, backend=compiler)
    uses = []
    for really in (True, False, True, False):  # before it is compiled, and after
        with as_written(really):
            assert double(torch.ones(3)).tolist() == [2, 2, 2]
        uses.append(compiler.uses)
    assert uses == [0, 1, 1, 2]
    double(torch.ones(3))
    assert compiler.uses == 3


@torch._dynamo.config.patch(specialize_float=True)  # else it starts over to find just that, which takes 5 s
def test_a_fused_task_learns_the_same() -> None:
    torch.set_num_threads(1)
    compiler = Counted("aot_eager")  # all of compiling but the writing of kernels
    draw = torch.Generator().manual_seed(0)
    batches = [
        batch_of(torch.rand(2, 3, 96, 96, generator=draw), 3, 3),
        batch_of(torch.rand(2, 3, 64, 64, generator=draw), 2, 2),
        batch_of(torch.rand(3, 3, 96, 128, generator=draw), 3, 4, kind="erode", erosion=3),
    ]
    config = HybridOptions(width=64, heads=8, stages=(1,), exchange=1, painter=0)
    runs = []
    for fused in (False, True):
        torch.manual_seed(0)
        task = HybridTask(config, torch.device("cpu"))
        if fused:
            task.fuse(compiler)  # type: ignore[arg-type]
        runs.append(learnt(task, batches, compiler))
    (plain_losses, plain_changes, none), (losses, changes, uses) = runs
    assert none == [0, 0, 0]
    assert uses[0] >= 1  # the encoder
    assert uses[1] == 0  # few pieces: as written
    assert uses[2] == uses[0]
    assert len(losses) == 3 * 5  # seams of two stages, slots of one, their sum, the picture
    assert losses == pytest.approx(plain_losses, rel=1e-4)
    for step, (one, other) in enumerate(zip(plain_changes, changes, strict=True)):
        assert one.norm() > 0
        assert (one - other).norm() < 1e-3 * one.norm(), f"gradients of step {step}, or the weights"


def learnt(
    task: HybridTask, batches: list[PuzzleBatch], compiler: Counted
) -> tuple[list[float], list[torch.Tensor], list[int]]:
    """All losses; the gradients of each step and how the weights changed in all; uses of compiled code a step."""
    parameters = list(task.networks["hybrid"].parameters())
    before = torch.cat([p.detach().flatten() for p in parameters])
    losses: list[float] = []
    vectors: list[torch.Tensor] = []
    uses: list[int] = []

    def backward(loss: torch.Tensor) -> None:
        loss.backward()
        vectors.append(
            torch.cat([torch.zeros(1) if p.grad is None else p.grad.flatten() for p in parameters])
        )

    for batch in batches:
        known = compiler.uses
        scalars = task.step(batch, backward, 0.0)
        losses += [float(scalars[name]) for name in sorted(scalars)]
        uses.append(compiler.uses - known)
    vectors.append(torch.cat([p.detach().flatten() for p in parameters]) - before)
    return losses, vectors, uses
