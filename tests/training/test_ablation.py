"""The ablation: seven runs at equal steps, and a record of how each ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import torch
import typer

from benchmarks import ablation
from benchmarks.side_by_side import Job, Ran
from ganzzle.training.config import read_config
from ganzzle.training.task import build_task

TINY = "task.size={width=32, convolutions=1, mixers=1, memory=4, heads=4, blocks=1, embedding=32}"


def changes_of(job: Job) -> list[str]:
    """What follows each --set."""
    return [after for word, after in zip(job.command, job.command[1:], strict=False) if word == "--set"]


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that were run; all end well but the last."""
    seen: list[Job] = []

    def run_jobs(jobs: Iterable[Job], out: Path, parallel: int, limit: float) -> Iterator[Ran]:
        seen.extend(jobs)
        assert (parallel, limit) == (2, 30.0)
        yield Ran(seen[-1].name, out, 1.0, problem="exit status 2: no pictures")
        for k, job in enumerate(seen[:-1]):
            scores = json.dumps({"faces 2x2": 99.0, "faces 6x6": 50.0 + k, "faces 6x6 noise:0.2": 1.0})
            yield Ran(job.name, out, 1.0, {"scores": scores, "steps": "8", "minutes": "0.50"})

    monkeypatch.setattr(ablation, "run_jobs", run_jobs)
    return seen


def test_the_record_says_how_each_ended(
    jobs: list[Job], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit):  # as one has failed
        ablation.main(8, 2, 0.5, ["train.seed=3"], tmp_path / "runs", tmp_path / "results")
    record = json.loads((tmp_path / "results" / "ablation.json").read_text())
    assert (record["steps"], record["seed"]) == (8, 3)
    assert record["command"] == "python -m benchmarks.ablation --steps 8 --parallel 2 --set train.seed=3"
    assert {"commit", "machine"} <= record.keys()
    assert [run["direct"] for run in record["runs"]] == [50, 51, 52, 53, 54, 55, None]
    assert record["runs"][1]["changes"] == list(ablation.PARTS[1].changes)
    assert record["runs"][6]["problem"] == "exit status 2: no pictures"
    lines = capsys.readouterr().out.splitlines()
    assert "| all parts | 50.0 | 8 | 0.5 |" in lines
    assert "| all parts, all sizes in one model | exit status 2: no pictures | 0 | 0.0 |" in lines


def test_all_have_the_same_steps_and_the_part_is_gone(jobs: list[Job], tmp_path: Path) -> None:
    with pytest.raises(typer.Exit):
        ablation.main(8, 2, 0.5, [], tmp_path / "runs", tmp_path / "results")
    configs = {job.name: read_config(job.command[4], changes_of(job)) for job in jobs}
    assert len(configs) == 7
    for name, config in configs.items():
        assert config.name == name
        assert (config.train.steps, config.train.max_minutes, config.train.fuse) == (8, 0.0, False)
        assert config.data.pieces_per_step == 64 * 36
        assert config.task["validate_grids"] == ["6x6"]
    assert configs["no-image"].task["size"] == {"imagine": False}
    assert configs["no-judge"].task["adversarial"] == 0
    assert configs["all"].data.grids == ["6x6"]
    assert len(configs["all-sizes"].data.grids) == 6


def test_every_part_is_an_option_of_the_task() -> None:
    for part in ablation.PARTS:
        config = read_config(part.config, [TINY, *ablation.COMMON, *part.changes])
        build_task(config.task, torch.device("cpu"))


def test_an_old_run_is_not_mixed_in(jobs: list[Job], tmp_path: Path) -> None:
    (tmp_path / "runs" / "all").mkdir(parents=True)
    with pytest.raises(typer.BadParameter, match="another --out"):
        ablation.main(8, 2, 0.5, [], tmp_path / "runs", tmp_path / "results")
    assert not jobs
