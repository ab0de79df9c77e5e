"""What a run tells: the progress line, TensorBoard's scalars and pictures, validation."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from ganzzle.training import loop
from ganzzle.training.config import read_config
from ganzzle.training.loop import Run
from ganzzle.training.reporting import _per_cent
from ganzzle.training.schedule import Clock


def shown(text: str, terminal: bool) -> list[str]:
    """What a reader sees of a run's messages; on a terminal all lines, also those that were replaced."""
    lines = text.replace("\r\033[K", "\n").split("\n") if terminal else text.split("\n")
    return [line.strip() for line in lines if line]


@pytest.mark.parametrize("by_clock", [False, True])
@pytest.mark.parametrize("terminal", [False, True])
def test_the_end_is_said_once(
    toy_run: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    by_clock: bool,
) -> None:
    monkeypatch.setattr(Clock, "seconds", property(lambda clock: 0.1 * clock.step))
    ticks = iter(range(1000))
    monkeypatch.setattr("ganzzle.training.reporting.time.monotonic", lambda: float(next(ticks)))
    length = "train.max_minutes=0.02" if by_clock else "train.steps=12"
    run = Run(read_config(toy_run / "toy.toml", [length, "train.log_steps=5"]), toy_run / "run")
    run.reporter.terminal = terminal
    run.train()
    lines = shown(capsys.readouterr().err, terminal)
    progress = [line for line in lines if " % " in line]
    assert len(progress) == 12
    assert [line.startswith("100.0 %") for line in progress] == [False] * 11 + [True]
    assert all("loss" in line for line in progress)  # also before any were recorded
    assert "step 12" in progress[-1]
    after = lines[lines.index(progress[-1]) + 1 :]
    assert [line.split(" at ")[0] for line in after] == [
        "validating on 4 pictures of toy (set 1 of 1)",
        "validation",
    ]


def test_lines_that_are_replaced_do_not_wrap(
    toy_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    reporter = Run(read_config(toy_run / "toy.toml"), toy_run / "run").reporter
    capsys.readouterr()
    for reporter.terminal in (True, False):
        reporter.doing("x" * 100)
    assert capsys.readouterr().err == "\r\033[K" + "x" * 29 + "x" * 100 + "\n"


def test_progress_is_rounded_down() -> None:
    assert [_per_cent(x) for x in (0, 0.99996, 1)] == ["  0.0 %", " 99.9 %", "100.0 %"]


@pytest.mark.parametrize("log_steps", [0, 5])
@pytest.mark.parametrize("image_steps", [0, 6])
def test_scalars_and_pictures_are_switched_off_apart(toy_run: Path, log_steps: int, image_steps: int) -> None:
    settings = [f"train.log_steps={log_steps}", f"train.image_steps={image_steps}"]
    Run(read_config(toy_run / "toy.toml", settings), toy_run / "run").train()
    events = EventAccumulator(str(toy_run / "run" / "tensorboard"), {"images": 0, "scalars": 0})
    if log_steps or image_steps:
        events.Reload()
    else:
        assert not (toy_run / "run" / "tensorboard").exists()
    tags = events.Tags()
    assert bool(tags["images"]) == bool(image_steps)
    assert {tag.split("/")[0] for tag in tags["scalars"]} == ({"train", "validation"} if log_steps else set())
    assert ('"loss"' in (toy_run / "run" / "log.jsonl").read_text()) == bool(log_steps)


def test_a_short_training_on_a_cpu_validates_on_few_pictures(
    toy_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "FEWEST_VALIDATED", 1)
    seen: list[int] = []

    def validate(pictures: dict[str, torch.Tensor]) -> dict[str, float]:
        seen.append(len(pictures["toy"]))
        return {}

    run = Run(
        read_config(toy_run / "toy.toml", ["train.steps=24", "train.validate_steps=2"]), toy_run / "run"
    )
    monkeypatch.setattr(run.task, "validate", validate)
    run.train()
    assert seen[0] == 1
    assert sorted(seen) == seen
    assert seen[-1] == 4  # all there are
