"""What each part of the GANzzle model brings: `python -m benchmarks.ablation`.

The same run on 6x6 faces with one part taken away, all of them side by side and for the same number of steps. What is
scored are held-out training pictures. `--results`/ablation.json is written again after every run; the folders of the
runs, their logs and the decoded pictures lie in `--out`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from benchmarks.side_by_side import Job, Ran, run_jobs, train_command
from ganzzle.provenance import provenance
from ganzzle.training.config import Config, read_config

ONE_SIZE, ALL_SIZES = "ganzzle-single-faces", "ganzzle-faces"
GRID = "6x6"
NO_JUDGE = "task.adversarial=0.0"
NO_MATCHING = ("task.contrastive=0.0", "task.hungarian=0.0")
COMMON = (
    "train.max_minutes=0",
    "train.fuse=false",
    "train.checkpoint_minutes=0",
    "train.validate_minutes=0",  # at the end only
    f"task.validate_grids=['{GRID}']",
    "task.validate_corruptions=[]",
    "data.pieces_per_step=2304",  # 64 puzzles of 6x6
)


@dataclass(frozen=True)
class Part:
    """One run and what was taken away for it."""

    name: str
    about: str  # its row of the table
    changes: tuple[str, ...] = ()
    config: str = ONE_SIZE


PARTS = (
    Part("all", "all parts"),
    Part("no-image", "without the mental image", ("task.size.imagine=false", "task.pixel=0.0", NO_JUDGE)),
    Part("no-contrastive", "without the contrastive loss", NO_MATCHING[:1]),
    Part("no-hungarian", "without Hungarian attention", NO_MATCHING[1:]),
    Part("no-judge", "without the discriminator", (NO_JUDGE,)),
    Part("pixels-only", "pixels only", (*NO_MATCHING, NO_JUDGE)),
    Part("all-sizes", "all parts, all sizes in one model", (), ALL_SIZES),
)


@dataclass(frozen=True)
class Row:
    """How one run ended."""

    name: str
    about: str
    config: str
    changes: tuple[str, ...]
    direct: float | None  # per cent of the pieces of 6x6 puzzles; None where the run failed
    steps: int = 0
    minutes: float = 0.0  # of training, beside the others
    problem: str = ""


def row_of(part: Part, ran: Ran) -> Row:
    """What the weights say about their training; without them, why there are none."""
    about = (part.name, part.about, part.config, part.changes)
    if ran.problem:
        return Row(*about, None, problem=ran.problem)
    scores: dict[str, float] = json.loads(ran.record["scores"])
    direct = next((score for name, score in scores.items() if name.split()[1:] == [GRID]), None)
    problem = "" if direct is not None else f"no score at {GRID}"
    return Row(*about, direct, int(ran.record["steps"]), float(ran.record["minutes"]), problem)


def table(rows: Sequence[Row]) -> str:
    """The rows in Markdown."""
    lines = [f"| | direct, {GRID} faces | steps | minutes |", "|---|---|---|---|"]
    for row in rows:
        direct = row.problem if row.direct is None else f"{row.direct:.1f}"
        lines.append(f"| {row.about} | {direct} | {row.steps:,} | {row.minutes:.1f} |")
    return "\n".join(lines)


def in_order(rows: Mapping[str, Row]) -> list[Row]:
    """Those that have ended, in the order of the table."""
    return [rows[part.name] for part in PARTS if part.name in rows]


def machine() -> str:
    """The machine, with its GPU where it has one."""
    gpu = f"{torch.cuda.get_device_name()}, " if torch.cuda.is_available() else ""
    return gpu + provenance()["machine"]


def store(path: Path, command: str, config: Config, changes: Sequence[str], rows: Sequence[Row]) -> None:
    """Write what was run, where, and how each run ended."""
    record: dict[str, Any] = {
        "command": command,
        **provenance(),
        "machine": machine(),
        "steps": config.train.steps,
        "seed": config.train.seed,
        "changes": list(changes),
        "scored_on": f"held-out training pictures of the same data, {GRID}",
        "runs": [asdict(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main(
    steps: Annotated[int, typer.Option(min=1, help="Steps of each run.")] = 800,
    parallel: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = len(PARTS),
    minutes_limit: Annotated[float, typer.Option(help="A run that takes longer is ended.")] = 60.0,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="As of `ganzzle train`, for all runs; repeatable.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the runs.")] = Path("runs/ablation"),
    results: Annotated[Path, typer.Option(help="Folder of ablation.json.")] = Path("results"),
) -> None:
    """Train all seven and compare them.

    Example: python -m benchmarks.ablation --steps 800 --parallel 7
    """
    out, target = out.resolve(), results.resolve() / "ablation.json"
    changes = [*COMMON, f"train.steps={steps}", *(change or [])]
    config = read_config(ONE_SIZE, changes)
    if held := [part.name for part in PARTS if (out / part.name).exists()]:
        raise typer.BadParameter(f"{out} holds runs already: {', '.join(held)}; choose another --out")
    words = ["python", "-m", "benchmarks.ablation", "--steps", str(steps), "--parallel", str(parallel)]
    command = shlex.join(words + [word for one in change or [] for word in ("--set", one)])
    jobs = [Job(p.name, train_command(p.config, p.name, [*changes, *p.changes], out)) for p in PARTS]
    parts, rows = {part.name: part for part in PARTS}, dict[str, Row]()
    for ran in run_jobs(jobs, out, parallel, 60 * minutes_limit):
        row = rows[ran.name] = row_of(parts[ran.name], ran)
        store(target, command, config, changes, in_order(rows))
        typer.echo(f"{row.name}: {row.problem or f'{row.direct:.2f} after {row.steps} steps'}")
    typer.echo(table(in_order(rows)))
    if any(row.problem for row in rows.values()):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
