"""The baselines learn: tiny models overfit a few pictures and solve the same from their weights file."""

from __future__ import annotations

import dataclasses
import json
import shlex
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from toy import blotches

from ganzzle import Puzzle, load_solver, score
from ganzzle.data.cutting import evaluation_batch
from ganzzle.errors import SolverError
from ganzzle.training.config import ConfigError, read_config
from ganzzle.training.loop import Run
from ganzzle.training.task import build_task
from ganzzle.training.tasks.po_la import permutation_loss, picture_loss

CONFIG = """
[task]
learning_rate = 5e-3
[train]
warmup_steps = 10
checkpoint_minutes = 0
log_steps = 0
cpu = true
[data]
size = 64
validation = 0
pieces_per_step = 64
crop_scale = [1.0, 1.0]
crop_aspect = [1.0, 1.0]
mirror = 0.0
jitter = 0.0
[[data.sets]]
name = "toy"
source = "pictures"
"""
TINY = {
    "hung-perm": [
        "data.grids=['2x2']",
        "train.steps=120",
        "task.size={grid='2x2', width=4, blocks=[1, 1, 1, 1], embedding=16}",
    ],
    "po-la": [
        "data.grids=['3x3']",
        "train.steps=100",
        "task.size={grid='3x3', channels=4, embedding=32, hidden=16, steps=3}",
    ],
}
SIDE = {"hung-perm": 2, "po-la": 3}


@dataclasses.dataclass(frozen=True)
class Trained:
    """A run that is over, and its weights."""

    kind: str
    run: Run
    weights: Path

    @property
    def side(self) -> int:
        """Its puzzles are side x side."""
        return SIDE[self.kind]

    def puzzle(self, seed: int, **changes: object) -> Puzzle:
        """A puzzle of one of the pictures it was trained on."""
        return Puzzle.from_picture(blotches(seed), self.side, seed=seed, **{"piece": 32, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=sorted(TINY))
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A tiny model trained on four pictures."""
    torch.set_num_threads(1)
    kind, folder = str(request.param), tmp_path_factory.mktemp(str(request.param))
    (folder / "pictures").mkdir()
    for k in range(4):
        Image.fromarray(blotches(k)).save(folder / "pictures" / f"{k}.png")
    (folder / "tiny.toml").write_text(CONFIG)
    changes = [f"data.root='{folder}'", f"task.kind={kind}", *TINY[kind]]
    run = Run(read_config(folder / "tiny.toml", changes), folder / "run")
    return Trained(kind, run, run.export(run.train().scores)[0])


def test_a_tiny_model_overfits_four_pictures(trained: Trained) -> None:
    scores = trained.run.task.validate({"toy": trained.run.source.pictures})
    assert scores == {f"toy {trained.side}x{trained.side}": 100.0}


def test_the_solver_does_what_was_trained(trained: Trained) -> None:
    one, two = (load_solver(trained.kind, weights=trained.weights, device="cpu") for _ in range(2))
    puzzles = [trained.puzzle(k) for k in range(4)]
    first, second = one.solve_batch(puzzles), two.solve_batch(puzzles)
    assert np.mean([score(s).direct for s in first]) == 1
    assert first[0].solver == trained.kind
    for a, b in zip(first, second, strict=True):
        assert (a.placement == b.placement).all()
        assert (a.confidence == b.confidence).all()
        assert a.confidence.mean() > 0.5
    larger = one.solve(trained.puzzle(1, piece=40))
    assert score(larger).direct == 1


def test_the_order_of_arrival_is_of_no_use(trained: Trained) -> None:
    solver = load_solver(trained.kind, weights=trained.weights, device="cpu")
    puzzle = trained.puzzle(2)
    order = np.random.default_rng(0).permutation(len(puzzle))
    one, two = solver.solve(puzzle), solver.solve(puzzle.reorder(order))
    assert (two.placement == one.placement[order]).all()


def test_missing_pieces_leave_slots_empty(trained: Trained) -> None:
    solver = load_solver(trained.kind, weights=trained.weights, device="cpu")
    puzzle = trained.puzzle(1, corrupt="missing:0.3")
    placement = solver.solve(puzzle).placement
    assert len(placement) == len(puzzle) < trained.side**2
    assert len(set(placement.tolist())) == len(puzzle)


def test_on_a_cpu_every_thread_takes_puzzles_of_its_own(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = load_solver(trained.kind, weights=trained.weights, device="cpu")
    puzzles = [trained.puzzle(k) for k in range(200)]
    wanted = solver.solve_batch(puzzles)
    seen: list[tuple[int, int]] = []
    network = solver.network  # type: ignore[attr-defined]

    def watched(pieces: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
        seen.append((threading.get_ident(), torch.get_num_threads()))
        answer: torch.Tensor = network(pieces, present)
        return answer

    monkeypatch.setattr(solver, "network", watched)
    torch.set_num_threads(2)
    try:
        found = solver.solve_batch(puzzles)
        solver.solve(puzzles[0])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert {threads for _, threads in seen} == {1}
    assert seen[-1][0] == threading.get_ident()
    assert threading.get_ident() not in {thread for thread, _ in seen[:-1]}
    for one, two in zip(wanted, found, strict=True):
        assert (one.placement == two.placement).all()


def test_other_grids_are_refused_and_an_unknown_one_is_the_model_s(trained: Trained) -> None:
    solver = load_solver(trained.kind, weights=trained.weights, device="cpu")
    own = f"{trained.side}x{trained.side}"
    with pytest.raises(
        SolverError, match=f"are for {own} puzzles, and this one is 4x4; give weights trained for 4x4"
    ):
        solver.solve(Puzzle.from_picture(blotches(0), 4, seed=0))
    unknown = dataclasses.replace(trained.puzzle(3), grid=None)
    solution = solver.solve(unknown)
    assert str(solution.grid) == own
    assert score(solution).direct == 1
    five = dataclasses.replace(Puzzle.from_picture(blotches(0), (1, 5), seed=0), grid=None)
    with pytest.raises(SolverError, match="this one has 5 pieces"):
        solver.solve(five)


def test_evaluate_takes_a_solver_of_one_size(trained: Trained, command: Callable[..., Any]) -> None:
    pictures = trained.weights.parent.parent / "pictures"
    grid = f"{trained.side}x{trained.side}"
    ran = command(
        "evaluate", "--images", pictures, "--grid", grid, "--solver", trained.kind,
        "--weights", trained.weights, "--device", "cpu", "--json", "-",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    (row,) = json.loads(ran.out)["rows"]
    assert (row["puzzles"], row["direct"]) == (4, 100.0)


def test_weights_of_another_kind_are_refused(trained: Trained) -> None:
    other = next(kind for kind in TINY if kind != trained.kind)
    with pytest.raises(SolverError, match=f"of kind '{trained.kind}', but '{other}' is needed"):
        load_solver(other, weights=trained.weights)


@pytest.mark.parametrize("kind", ["hung-perm", "po-la"])
def test_missing_weights_come_with_the_command_that_makes_them(kind: str) -> None:
    name = f"{kind}-art-3"
    with pytest.raises(SolverError) as refused:
        load_solver(kind, weights=name)
    said = str(refused.value)
    assert f"pass --weights runs/{name}/{name}.safetensors" in said
    command = said.split("`")[1]
    program, verb, config, *options = shlex.split(command)
    assert (program, verb) == ("ganzzle", "train")
    read = read_config(config, [text for text in options if text != "--set"])
    assert (read.name, read.data.grids, read.task["size"]["grid"]) == (name, ["3x3"], "3x3")
    with pytest.raises(SolverError, match=r"no embedded weights 'nothing'.* give a .safetensors file"):
        load_solver(kind, weights="nothing")


def test_the_embedded_weights_of_po_la_are_chosen_by_their_pictures() -> None:
    puzzle = Puzzle.from_picture(blotches(0, 192), 6, seed=0)
    answers = {
        weights: load_solver("po-la", device="cpu", **({"weights": weights} if weights else {})).solve(puzzle)
        for weights in ("", "faces", "art", "po-la-art-6")
    }
    assert (answers["faces"].confidence == answers[""].confidence).all()
    assert (answers["art"].confidence == answers["po-la-art-6"].confidence).all()
    assert not (answers["art"].confidence == answers["faces"].confidence).all()
    with pytest.raises(SolverError, match="no embedded weights 'hung-perm-art-6'; train them"):
        load_solver("hung-perm", weights="art")


def test_data_of_another_size_than_the_network_is_refused(trained: Trained) -> None:
    batch = evaluation_batch(trained.run.source.pictures, 2, 4)
    with pytest.raises(ConfigError, match=r"data.grids has 2x4; give both the same size"):
        trained.run.task.step(batch, torch.Tensor.backward, 0.0)


def test_the_map_of_all_vectors_of_hung_perm_learns_slowly() -> None:
    size = {"grid": "2x2", "width": 4, "blocks": [1, 1, 1, 1], "embedding": 8}
    task = build_task({"kind": "hung-perm", "lr": 0.02, "matrix_lr": 0.05, "size": size}, torch.device("cpu"))
    (network,), (adam,) = task.networks.values(), task.optimizers.values()
    rates = {id(p): group["lr"] for group in adam.param_groups for p in group["params"]}
    for name, parameter in network.named_parameters():
        assert rates.pop(id(parameter)) == pytest.approx(0.001 if name.startswith("matrix") else 0.02), name
    assert not rates


def test_the_losses_of_po_la_vanish_at_the_truth() -> None:
    pictures = torch.from_numpy(np.stack([blotches(k) for k in range(2)])).permute(0, 3, 1, 2)
    batch = evaluation_batch(pictures, 3, 3, "missing:0.2")
    truth = torch.zeros(2, 9, 9).scatter_(2, batch.slots[:, :, None], 1.0)
    right, wrong = truth.clamp(min=1e-9).log(), torch.full((2, 9, 9), -np.log(9))
    assert permutation_loss(right, batch.slots, batch.present) == 0
    assert picture_loss(right, batch, 16) < 1e-8
    assert permutation_loss(wrong, batch.slots, batch.present) == pytest.approx(np.log(9), rel=1e-5)
    assert picture_loss(wrong, batch, 16) > 1e-3


@pytest.mark.parametrize("grid", ["2x2", "12x12"])
@pytest.mark.parametrize("name", ["hung-perm-faces", "hung-perm-art", "po-la-faces", "po-la-art"])
def test_the_configs_make_a_model_of_every_size(name: str, grid: str) -> None:
    changes = [f"task.size.grid={grid}", f"data.grids=['{grid}']", f"name={name}-x"]
    if name.startswith("hung-perm"):
        changes.append("task.size.hidden=2048")
    config = read_config(name, changes)
    assert config.name == f"{name}-x"
    assert config.data.grids == [grid]
    with torch.device("meta"):
        task = build_task(config.task, torch.device("meta"))
    (network,) = task.networks.values()
    assert str(network.grid) == grid
