"""GANzzle learns: a tiny model overfits eight pictures, survives saving and loading, and refuses bad weights."""

from __future__ import annotations

from dataclasses import replace
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
from ganzzle.puzzle import Grid
from ganzzle.solvers.ganzzle import mean_of_looks
from ganzzle.training.card import card_text
from ganzzle.training.config import read_config
from ganzzle.training.export import ExportError
from ganzzle.training.loop import Run
from ganzzle.training.tasks.ganzzle import GanzzleTask

CONFIG = """
name = "tiny"
[task]
kind = "ganzzle"
grow = [0.0, 0.02, 0.04, 0.3]
hungarian_start = 0.2
adversarial_start = 0.6
adversarial_pictures = 2
discriminator_width = 4
average = 0.9
learning_rate = 3e-3
muon_learning_rate = 5e-3
validate_grids = ["3x3"]
[task.size]
width = 32
convolutions = 1
mixers = 1
memory = 4
heads = 4
blocks = 1
embedding = 32
[train]
steps = 120
warmup_steps = 10
checkpoint_minutes = 0
log_steps = 10
cpu = true
[data]
size = 96
validation = 0
grids = ["3x3"]
pieces_per_step = 72
crop_scale = [1.0, 1.0]
crop_aspect = [1.0, 1.0]
mirror = 0.0
jitter = 0.0
[[data.sets]]
name = "toy"
source = "pictures"
"""


NAME = "ganzzle.solvers.ganzzle:Ganzzle"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run on eight pictures, and the weights it exported."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "pictures").mkdir()
    for k in range(8):
        Image.fromarray(blotches(k)).save(folder / "pictures" / f"{k}.png")
    (folder / "tiny.toml").write_text(CONFIG)
    run = Run(read_config(folder / "tiny.toml", [f"data.root='{folder}'"]), folder / "run")
    outcome = run.train()
    return run, run.export(outcome.scores)[0]


def test_a_tiny_model_overfits_eight_pictures(trained: tuple[Run, Path]) -> None:
    run, _ = trained
    pictures = {"toy": run.source.pictures}
    assert run.task.validate(pictures) == {"toy 3x3": 100.0}


def test_the_mental_image_resembles_the_picture(trained: tuple[Run, Path]) -> None:
    run, _ = trained
    batch = evaluation_batch(run.source.pictures, 3, 3)
    with torch.no_grad():
        _, imagined = run.task.average(batch.pieces, batch.present, 3, 3)  # type: ignore[attr-defined]
    target = torch.nn.functional.adaptive_avg_pool2d(batch.picture, 64)
    error = (imagined.pictures[-1] - target).square().mean()
    assert error < 0.7 * target.var()


def test_a_saved_and_loaded_model_gives_the_same_placement(trained: tuple[Run, Path]) -> None:
    _, path = trained
    # Mirror images were no part of this training.
    solvers = [load_solver(NAME, weights=path, device="cpu", looks=1) for _ in range(2)]
    puzzles = [Puzzle.from_picture(blotches(k), 3, seed=k, piece=32) for k in range(8)]
    first, second = (solver.solve_batch(puzzles) for solver in solvers)
    assert np.mean([score(s).direct for s in first]) == 1.0
    for one, other in zip(first, second, strict=True):
        assert (one.placement == other.placement).all()
        assert one.mental_image is not None
        assert ((one.confidence >= 0) & (one.confidence <= 1)).all()


def test_missing_pieces_and_other_piece_sizes(trained: tuple[Run, Path]) -> None:
    _, path = trained
    solver = load_solver(NAME, weights=path, device="cpu", looks=1)
    puzzle = Puzzle.from_picture(blotches(1), 3, seed=1, piece=32, corrupt="missing:0.3")
    found = solver.solve(puzzle)
    assert len(found.placement) == 6
    assert len(set(found.placement.tolist())) == 6
    larger = Puzzle.from_picture(blotches(2), 3, seed=1, piece=48)
    assert score(solver.solve(larger)).direct == 1.0


def test_with_two_looks_a_mirrored_puzzle_gets_the_mirrored_placement(trained: tuple[Run, Path]) -> None:
    _, path = trained
    solver = load_solver(NAME, weights=path, device="cpu", looks=2)
    puzzles = [Puzzle.from_picture(blotches(k, 192), (2, 3), seed=k, piece=32) for k in range(4)]
    mirrored = [replace(p, pieces=np.ascontiguousarray(p.pieces[:, :, ::-1])) for p in puzzles]
    for one, other in zip(solver.solve_batch(puzzles), solver.solve_batch(mirrored), strict=True):
        row, column = np.divmod(one.placement, 3)
        assert (other.placement == row * 3 + 2 - column).all()
        np.testing.assert_allclose(other.confidence, one.confidence, atol=0.03)
    with pytest.raises(SolverError, match="looks is 1 or 2"):
        load_solver(NAME, weights=path, looks=3)


def test_two_looks_are_averaged_slot_by_slot() -> None:
    # One puzzle with one piece, 2 x 3 slots; then its mirror image.
    scores = torch.arange(12.0).reshape(2, 1, 6)
    expected = torch.tensor([[[0 + 8, 1 + 7, 2 + 6, 3 + 11, 4 + 10, 5 + 9]]]) / 2
    assert torch.equal(mean_of_looks(scores, Grid(2, 3)), expected)


def test_the_card_says_where_the_weights_come_from(trained: tuple[Run, Path], tmp_path: Path) -> None:
    _, path = trained
    text = card_text(path)
    assert "# tiny" in text
    assert "- toy: 8 training pictures.\n" in text
    assert "Their licence decides" in text
    assert "120 steps" in text
    (tmp_path / "other.safetensors").write_bytes(b"no weights")
    with pytest.raises(ExportError, match="no record"):
        card_text(tmp_path / "other.safetensors")


def test_bad_weights_are_refused_with_a_reason(trained: tuple[Run, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    _, path = trained
    cut = tmp_path / "cut.safetensors"
    cut.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(SolverError, match="not a whole safetensors file"):
        load_solver(NAME, weights=cut)
    tensors = load_file(path)
    save_file(tensors, tmp_path / "other.safetensors", {"kind": "hybrid"})
    with pytest.raises(SolverError, match="of kind 'hybrid'"):
        load_solver(NAME, weights=tmp_path / "other.safetensors")
    save_file(tensors, tmp_path / "size.safetensors", {"kind": "ganzzle", "size": '{"width": 64}'})
    with pytest.raises(SolverError, match="does not fit"):
        load_solver(NAME, weights=tmp_path / "size.safetensors")
    tensors["generator.positions"] = torch.full_like(tensors["generator.positions"].float(), torch.nan)
    save_file(tensors, tmp_path / "nan.safetensors", {"kind": "ganzzle"})
    with pytest.raises(SolverError, match="not numbers"):
        load_solver(NAME, weights=tmp_path / "nan.safetensors")
    with pytest.raises(SolverError, match="no embedded weights"):
        load_solver(NAME, weights="martian")


def test_fused_blocks_learn_the_same(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    for k in range(8):
        Image.fromarray(blotches(k)).save(tmp_path / "pictures" / f"{k}.png")
    (tmp_path / "tiny.toml").write_text(CONFIG)
    settings = [
        f"data.root='{tmp_path}'",
        "train.steps=4",
        "data.grids=['3x3', '2x2']",
        "task.hungarian_start=0.0",
    ]
    losses = []
    for name in ("plain", "fused"):
        run = Run(read_config(tmp_path / "tiny.toml", settings), tmp_path / name)
        assert isinstance(run.task, GanzzleTask)
        if name == "fused":
            run.task.fuse("aot_eager")  # all of compiling but the writing of kernels
        seen: list[float] = []
        step = run.task.step

        def watched(*given: Any, step: Any = step, seen: list[float] = seen) -> dict[str, torch.Tensor]:
            scalars: dict[str, torch.Tensor] = step(*given)
            seen.extend(float(scalars[key]) for key in sorted(scalars))
            return scalars

        run.task.step = watched  # type: ignore[method-assign]
        run.train()
        losses.append(seen)
    assert len(losses[0]) > 8
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
