"""The loop as a user runs it: to the end, killed and resumed, on two processes, with a full disk, by the clock."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from toy import HOLDS

from ganzzle.errors import SolverError
from ganzzle.training import loop
from ganzzle.training.card import card_text
from ganzzle.training.checkpoint import CheckpointError, checkpoints
from ganzzle.training.config import read_config
from ganzzle.training.loop import FolderError, Run
from ganzzle.training.schedule import Clock
from ganzzle.training.starting import fill

HERE = Path(__file__).parent
DRIVER = "import typer; from ganzzle.cli.train import train; typer.run(train)"


def losses(folder: Path) -> dict[int, float]:
    """Loss by step; where a step was done twice, the later one counts."""
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return {e["step"]: e["loss"] for e in entries if "loss" in e}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", DRIVER, *arguments]


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    paths = os.pathsep.join([str(HERE), str(HERE.parents[1] / "src")])
    return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", **(extra or {})}


def test_a_run_learns_validates_and_exports(toy_run: Path) -> None:
    config = read_config(
        toy_run / "toy.toml", ["train.steps=120", "train.log_steps=20", "task.learning_rate=0.03"]
    )
    run = Run(config, toy_run / "run")
    outcome = run.train()
    files = run.export(outcome.scores, toy_run / "parts")
    found = losses(toy_run / "run")
    assert outcome.finished
    assert outcome.step == 120
    assert found[120] < found[20]
    assert outcome.scores["toy 2x2"] > 60
    assert len(checkpoints(toy_run / "run")) == 2
    assert list((toy_run / "run" / "tensorboard").iterdir())
    with safe_open(files[-1], "pt") as file:
        metadata = file.metadata()
        assert all(file.get_tensor(name).dtype == torch.float16 for name in file.keys())  # noqa: SIM118
    assert metadata["kind"] == "toy"
    assert json.loads(metadata["data"]) == {"toy": 20}
    assert json.loads(metadata["config"])["task"]["learning_rate"] == 0.03


def test_killed_and_resumed_equals_uninterrupted(toy_run: Path) -> None:
    settings = [
        "--set",
        "train.steps=150",
        "--set",
        "train.checkpoint_steps=10",
        "--set",
        "train.image_steps=0",
    ]
    start = [str(toy_run / "toy.toml"), *settings, "--out"]
    subprocess.run(
        command(*start, str(toy_run / "whole")), env=environment(), check=True, capture_output=True
    )
    killed = subprocess.Popen(
        command(*start, str(toy_run / "cut")), env=environment({HOLDS: "1"}), stderr=subprocess.DEVNULL
    )
    log = toy_run / "cut" / "log.jsonl"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (log.exists() and log.read_text().count("\n") > 25):
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    before = max(losses(toy_run / "cut"))
    subprocess.run(
        command(*start, str(toy_run / "cut"), "--resume"), env=environment(), check=True, capture_output=True
    )
    assert 25 <= before < 150
    assert losses(toy_run / "cut") == losses(toy_run / "whole")


def test_two_processes_have_the_gradients_of_one_with_twice_the_batch(toy_run: Path) -> None:
    script = toy_run / "gradients.py"
    script.write_text(
        "import sys, torch\n"
        "from pathlib import Path\n"
        "from ganzzle.training.config import read_config\n"
        "from ganzzle.training.loop import Run\n"
        "here, pieces = Path(sys.argv[1]), sys.argv[2]\n"
        "overrides = ['task.dropout=0', 'train.log_steps=0', f'data.pieces_per_step={pieces}']\n"
        "run = Run(read_config(here / 'toy.toml', overrides), here / f'run{pieces}')\n"
        "run._step()\n"
        "flat = torch.cat([p.grad.flatten() for p in run.task.net.parameters()])\n"
        "torch.save((run.world, flat), here / f'{pieces}-{run.accelerator.process_index}.pt')\n"
    )
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    where = environment({"GLOO_SOCKET_IFNAME": "lo"})
    # On a busy machine the two may fail to find each other; wrong gradients are no such failure.
    for _ in range(3):
        both = subprocess.run(
            [*launch, str(script), str(toy_run), "32"], env=where, capture_output=True, text=True
        )
        if both.returncode == 0:
            break
    assert both.returncode == 0, both.stderr
    subprocess.run([sys.executable, str(script), str(toy_run), "64"], env=environment(), check=True)
    one, whole = torch.load(toy_run / "64-0.pt")
    two, first = torch.load(toy_run / "32-0.pt")
    _, second = torch.load(toy_run / "32-1.pt")
    assert (one, two) == (1, 2)
    assert torch.equal(first, second)
    torch.testing.assert_close(first, whole, rtol=1e-4, atol=1e-7)


def test_a_time_budget_ends_with_the_schedule_complete(
    toy_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Clock, "seconds", property(lambda clock: 0.1 * clock.step))
    run = Run(read_config(toy_run / "toy.toml", ["train.max_minutes=0.05"]), toy_run / "run")
    outcome = run.train()
    entries = [json.loads(line) for line in (toy_run / "run" / "log.jsonl").read_text().splitlines()]
    rates = [e["lr"] for e in entries if "lr" in e]
    assert outcome.finished
    assert outcome.step == 30
    assert max(rates) > 0.95
    assert rates[-1] < 0.02


def test_pausing_and_resuming_keeps_the_time_spent(toy_run: Path) -> None:
    config = read_config(toy_run / "toy.toml", ["train.max_minutes=0.03"])
    paused = Run(config, toy_run / "run").train(pause_minutes=0.01)
    resumed = Run(config, toy_run / "run", resume=True)
    assert not paused.finished
    assert resumed.clock.step == paused.step
    assert resumed.clock.elapsed > 0.5
    assert resumed.train().finished


def test_options_changed_for_the_rest_of_a_run_count(
    toy_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Run(
        read_config(toy_run / "toy.toml", ["task.learning_rate=0.01", "train.steps=4"]), toy_run / "run"
    ).train()
    changed = read_config(toy_run / "toy.toml", ["task.learning_rate=0.5", "train.steps=8"])
    resumed = Run(changed, toy_run / "run", resume=True)
    assert "changed since then: task.learning_rate 0.01 -> 0.5" in capsys.readouterr().err
    peaks = {group["lr"] for o in resumed.task.optimizers.values() for group in o.param_groups}
    assert peaks == {0.5}
    assert resumed.train().finished
    after = {group["initial_lr"] for o in resumed.task.optimizers.values() for group in o.param_groups}
    assert after == {0.5}


def test_a_full_disk_keeps_the_last_good_checkpoint(
    toy_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = read_config(toy_run / "toy.toml")
    real = loop.save_checkpoint

    def full_after_first(folder: Path, step: int, state: dict[str, object], keep: int) -> Path:
        if step > 4:
            monkeypatch.setattr(os, "fsync", no_space)
        return real(folder, step, state, keep)

    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(loop, "save_checkpoint", full_after_first)
    run = Run(config, toy_run / "run")
    assert run.train().finished
    assert "No space left on device" in capsys.readouterr().err
    assert [p.name for p in checkpoints(toy_run / "run")] == ["checkpoint-00000004.safetensors"]
    assert not [p for p in (toy_run / "run").iterdir() if p.name.startswith(".")]
    monkeypatch.undo()
    monkeypatch.setenv("GANZZLE_DATA", str(toy_run))
    assert Run(config, toy_run / "run", resume=True).clock.step == 4


def test_a_run_is_not_overwritten_by_accident(toy_run: Path) -> None:
    config = read_config(toy_run / "toy.toml")
    Run(config, toy_run / "run").train()
    with pytest.raises(FolderError, match="--resume"):
        Run(config, toy_run / "run")


def test_processes_agree_on_the_progress_also_where_a_run_is_resumed_between_two_tellings(
    toy_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = read_config(toy_run / "toy.toml", ["train.max_minutes=10", "train.checkpoint_steps=7"])
    monkeypatch.setattr(Clock, "seconds", property(lambda clock: 600.0 * (clock.step >= 7)))
    Run(config, toy_run / "run").train()
    monkeypatch.undo()
    monkeypatch.setenv("GANZZLE_DATA", str(toy_run))
    monkeypatch.setattr(loop.Accelerator, "num_processes", property(lambda accelerator: 2))
    monkeypatch.setattr(loop, "broadcast_object_list", lambda own: [0.25, False])
    resumed = Run(config, toy_run / "run", resume=True)
    assert resumed.clock.step == 7
    assert resumed._advance(stop=False) == 0.25


def test_a_checkpoint_of_another_network_is_refused(toy_run: Path) -> None:
    config = read_config(toy_run / "toy.toml")
    Run(config, toy_run / "run").train()
    baseline = '{kind = "po-la", size = {grid = "2x2", tile = 8, channels = 8}}'
    other = read_config(toy_run / "toy.toml", [f"task={baseline}"])
    with pytest.raises(CheckpointError, match="does not fit this config"):
        Run(other, toy_run / "run", resume=True)


def test_a_damaged_checkpoint_is_refused(toy_run: Path) -> None:
    config = read_config(toy_run / "toy.toml")
    Run(config, toy_run / "run").train()
    (found,) = checkpoints(toy_run / "run")[-1:]
    found.write_bytes(found.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match="no readable checkpoint"):
        Run(config, toy_run / "run", resume=True)


def test_a_run_starts_from_weights_and_says_so(toy_run: Path) -> None:
    first = Run(
        read_config(toy_run / "toy.toml", ["train.steps=120", "task.learning_rate=0.03"]), toy_run / "first"
    )
    weights = first.export(first.train().scores)[0]
    changes = ["train.steps=1", "train.warmup_steps=0", "task.learning_rate=0.0", f"train.start='{weights}'"]
    second = Run(read_config(toy_run / "toy.toml", changes), toy_run / "second")
    outcome = second.train()
    assert outcome.scores["toy 2x2"] > 60
    written = second.export(outcome.scores)[0]
    with safe_open(written, "pt") as file:
        assert json.loads(file.metadata()["started_from"])["steps"] == "120"
    assert "started from weights trained" in card_text(written)


def test_weights_of_another_kind_are_no_start(toy_run: Path) -> None:
    config = read_config(toy_run / "toy.toml", ["train.steps=1", "train.start='hybrid'"])
    with pytest.raises(SolverError, match="kind 'hybrid'"):
        Run(config, toy_run / "run")


def test_filling_keeps_what_is_new_and_leaves_strangers_alone() -> None:
    torch.manual_seed(0)
    old, new = torch.nn.Linear(8, 8), torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 1))
    weights = {f"0.{name}": value for name, value in old.state_dict().items()}
    kept = new[1].weight.clone()
    assert fill(new, weights) == ["1.weight", "1.bias"]
    assert torch.equal(new[0].weight, old.weight)
    assert torch.equal(new[1].weight, kept)
    assert fill(torch.nn.Linear(8, 8), weights) is None
