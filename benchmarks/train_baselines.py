"""Train the neural baselines side by side on one machine: `python -m benchmarks.train_baselines`.

One process a model, at most `--parallel` at a time, each with its log in `--out`. One that fails or hangs does not stop
the others. The pictures are decoded once, into `--out`/decoded. After every model `--out`/baselines.json is written
again: how each run ended, how long it was, its scores on held-out training pictures, and for `ganzzle bench` where its
weights lie.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.side_by_side import Job, Ran, run_jobs, train_command

# How a kind is told the grid of its puzzles.
KINDS = {
    "po-la": "task.size.grid={}",
    "hung-perm": "task.size.grid={}",
    "ganzzle-single": "task.validate_grids=['{}']",
}
SETS, SIZES = ("faces", "art"), (2, 4, 6, 8, 10, 12)
# One linear map of all vectors would have 256 million weights at 10x10 and 764 million at 12x12.
LARGE = {"hung-perm": ["task.size.hidden=512", "task.size.own_row=true"]}
START_MINUTES = 5.0  # for reading pictures, the last validation and the export, before a run counts as hung


@dataclass(frozen=True)
class Model:
    """One model to train."""

    kind: str
    pictures: str
    side: int

    @property
    def name(self) -> str:
        """Its name, and that of its weights."""
        return f"{self.kind}-{self.pictures}-{self.side}"

    def command(self, out: Path, minutes: float, changes: Sequence[str], export: Path | None) -> list[str]:
        """The command that trains it."""
        grid = f"{self.side}x{self.side}"
        large = LARGE.get(self.kind, []) if self.side > 8 else []
        changes = [KINDS[self.kind].format(grid), f"data.grids=['{grid}']", *large, *changes]
        command = train_command(f"{self.kind}-{self.pictures}", self.name, changes, out)
        command += ["--max-minutes", str(minutes)]
        return command + (["--export-dir", str(export)] if export else [])


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    name: str
    weights: str  # what `ganzzle bench --weights` takes; empty where there are none
    scores: dict[str, float]  # direct accuracy on held-out training pictures
    steps: int
    minutes: float  # of training
    seconds: float  # of the whole process
    mib: float  # of the weights
    problem: str = ""


def outcome(model: Model, ran: Ran) -> Ended:
    """What the weights say about their training; without them, why there are none."""
    seconds = round(ran.seconds, 1)
    if ran.problem:
        return Ended(model.name, "", {}, 0, 0.0, seconds, 0.0, ran.problem)
    return Ended(
        model.name,
        f"{model.kind}@{model.pictures}@{model.side}x{model.side}={ran.weights}",
        json.loads(ran.record["scores"]),
        int(ran.record["steps"]),
        float(ran.record["minutes"]),
        seconds,
        round(ran.weights.stat().st_size / 2**20, 2),
    )


def train_all(jobs: Iterable[tuple[Model, list[str]]], out: Path, parallel: int, limit: float) -> list[Ended]:
    """Train them, so many at a time, and keep the record up to date."""
    commands = {model: command for model, command in jobs}
    models = {model.name: model for model in commands}
    ended: list[Ended] = []
    for ran in run_jobs([Job(m.name, command) for m, command in commands.items()], out, parallel, limit):
        one = outcome(models[ran.name], ran)
        ended.append(one)
        record = json.dumps({"models": [asdict(e) for e in sorted(ended, key=lambda e: e.name)]}, indent=1)
        (out / "baselines.json").write_text(record + "\n", encoding="utf-8")
        scores = ", ".join(f"{name} {value:.2f}" for name, value in one.scores.items())
        typer.echo(f"{one.name}: {one.problem or f'{one.steps} steps in {one.minutes} min, {scores}'}")
    return ended


def main(
    kind: Annotated[
        list[str] | None, typer.Option(help="po-la, hung-perm, ganzzle-single; repeatable.")
    ] = None,
    pictures: Annotated[list[str] | None, typer.Option(help="faces, art; repeatable.")] = None,
    size: Annotated[list[int] | None, typer.Option(help="Pieces of a side; repeatable.")] = None,
    minutes: Annotated[float, typer.Option(help="Training time of each model.")] = 2.0,
    parallel: Annotated[int, typer.Option(min=1, help="Models at a time.")] = 4,
    out: Annotated[Path, typer.Option(help="Folder of the runs.")] = Path("runs"),
    change: Annotated[
        list[str] | None, typer.Option("--set", help="As of `ganzzle train`, for all models; repeatable.")
    ] = None,
    export_dir: Annotated[Path | None, typer.Option(help="Also write weights here, in small parts.")] = None,
    export_size: Annotated[list[int] | None, typer.Option(help="Only of these sizes. Default: 6.")] = None,
) -> None:
    """Train every kind for every set of pictures and every size.

    Example: python -m benchmarks.train_baselines --kind po-la --pictures faces --minutes 2 --parallel 6
    """
    models = [
        Model(k, p, s)
        for k in kind or KINDS
        for p in pictures or SETS
        for s in sorted(size or SIZES, reverse=True)
    ]
    out = out.resolve()
    exported = export_dir.resolve() if export_dir else None
    jobs = [
        (m, m.command(out, minutes, change or [], exported if m.side in (export_size or [6]) else None))
        for m in models
    ]
    ended = train_all(jobs, out, parallel, 60 * (minutes + START_MINUTES))
    typer.echo("for ganzzle bench: " + " ".join(f"--weights {e.weights}" for e in ended if e.weights))
    if any(e.problem for e in ended):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
