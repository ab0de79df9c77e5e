"""What data costs: real steps see new puzzles of the size asked for, constant ones always the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from toy import ToyTask

from benchmarks import feeding
from ganzzle.data.batch import PuzzleBatch
from ganzzle.training.config import read_config
from ganzzle.training.loop import Run
from ganzzle.training.task import Backward


def test_by_turns_new_and_the_same(toy_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[PuzzleBatch] = []
    step = ToyTask.step

    def watched(self: ToyTask, batch: PuzzleBatch, backward: Backward, progress: float) -> object:
        seen.append(batch)
        assert progress == 0.5
        return step(self, batch, backward, progress)

    monkeypatch.setattr(ToyTask, "step", watched)
    run = Run(read_config(toy_run / "toy.toml", feeding.QUIET), toy_run / "run")
    row = feeding.measure(run, "2x2", 0.5, steps=2, rounds=2, warmup=1)
    constant = seen[1]
    assert [batch is constant for batch in seen] == [False, True, *[False, False, True, True] * 2]
    assert len({id(batch) for batch in seen}) == 6
    assert len(row.real_ms) == len(row.constant_ms) == 2
    assert row.puzzles == 8


def test_the_size_asked_for_with_the_corruption_of_the_config(toy_run: Path) -> None:
    changes = ["data.corruptions={noise=1.0}", "data.corruption_grids=['4x4']", "data.random_grids=1.0"]
    run = Run(read_config(toy_run / "toy.toml", [*changes, *feeding.QUIET]), toy_run / "run")
    batch = feeding.source_of(run, "3x2").batch(0)
    assert (batch.rows, batch.cols, batch.corruption) == (3, 2, "noise")


def test_the_command_prints_and_keeps_a_row_for_each_size(
    toy_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    feeding.main(toy_run / "toy.toml", ["2x2"], [0.1, 0.9], 2, 3, 1, ["data.jitter=0.0"], toy_run / "results")
    record = json.loads((toy_run / "results" / "feeding.json").read_text())
    assert record["device"] == "cpu"
    assert record["command"].endswith(
        "--grid 2x2 --progress 0.1 --progress 0.9 --steps 2 --rounds 3 --warmup 1 --set data.jitter=0.0"
    )
    assert [row["progress"] for row in record["sizes"]] == [0.1, 0.9]
    assert all(len(row["real_ms"]) == 3 and row["ratio"] > 0 for row in record["sizes"])
    assert capsys.readouterr().out.count("ratio") == 2


def test_the_ratio_is_that_of_the_medians() -> None:
    row = feeding.Row("6x6", 0.3, 64, [11.0, 90.0, 12.0], [10.0, 10.0, 50.0])
    assert row.ratio == pytest.approx(1.2)
    assert "real     12.00 ms" in feeding.describe(row)
