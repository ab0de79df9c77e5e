"""What real data costs a training step: `python -m benchmarks.feeding`.

In one process, by turns: steps with new puzzles, drawn, cut and corrupted as in training, and steps with the same batch
again and again. Both at each size and at two moments of a run, before and after a discriminator has joined.
"""

from __future__ import annotations

import dataclasses
import json
import shlex
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import torch
import typer

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.source import PictureSource
from ganzzle.provenance import provenance
from ganzzle.training.config import read_config
from ganzzle.training.loop import Run
from ganzzle.training.schedule import set_lr

Feed = Callable[[int], PuzzleBatch]  # the batch of a step

QUIET = ("train.log_steps=0", "data.frozen=false")
GRIDS, MOMENTS = ("6x6", "12x12"), (0.3, 0.75)


@dataclass(frozen=True)
class Row:
    """Milliseconds of a step, one figure a round."""

    grid: str
    progress: float  # how far the run is: which parts of the model are trained
    puzzles: int  # of a batch
    real_ms: list[float]
    constant_ms: list[float]

    @property
    def ratio(self) -> float:
        """How many times longer a step with real data takes."""
        return median(self.real_ms) / median(self.constant_ms)


def source_of(run: Run, grid: str) -> PictureSource:
    """The run's pictures as puzzles of one size, corrupted as often as the config says."""
    options = dataclasses.replace(
        run.config.data,
        grids=[grid],
        grid_weights=[],
        corruption_grids=[],
        corruption_grid_weights=[],
        random_grids=0.0,
    )
    return PictureSource(run.source.sets, options, run.options.seed)


def train_steps(run: Run, feed: Feed, progress: float, steps: int) -> float:
    """Milliseconds of a step, over so many steps as the loop does them."""
    wait = torch.cuda.synchronize if run.device.type == "cuda" else lambda: None
    wait()
    start = time.perf_counter()
    for _ in range(steps):
        batch = feed(run.clock.step)
        with run.accelerator.autocast():
            run.reporter.add(run.task.step(batch, run.backward, progress))
        run.clock.step += 1
    wait()
    return 1000 * (time.perf_counter() - start) / steps


def measure(run: Run, grid: str, progress: float, steps: int, rounds: int, warmup: int) -> Row:
    """Real and constant batches by turns, after some steps of each that do not count."""
    source = source_of(run, grid)
    kept = source.batch(0)
    feeds: tuple[Feed, Feed] = (source.batch, lambda step: kept)
    for feed in feeds:
        train_steps(run, feed, progress, warmup)
    times = [[train_steps(run, feed, progress, steps) for feed in feeds] for _ in range(rounds)]
    real, constant = ([round(pair[k], 3) for pair in times] for k in (0, 1))
    return Row(grid, progress, len(kept.pieces), real, constant)


def describe(row: Row) -> str:
    """A row as a line of text."""
    real, constant = median(row.real_ms), median(row.constant_ms)
    return (
        f"{row.grid:>6}  {row.progress:5.0%} of the run  {row.puzzles:4} puzzles  "
        f"real {real:9.2f} ms  constant {constant:9.2f} ms  ratio {row.ratio:.3f}"
    )


def store(path: Path, command: str, run: Run, steps: int, rows: Sequence[Row]) -> None:
    """Write what was measured, and where."""
    cuda = run.device.type == "cuda"
    record = {
        "command": command,
        **provenance(),
        "device": torch.cuda.get_device_name(run.device) if cuda else "cpu",
        "fused": cuda and run.options.fuse,
        "steps_a_round": steps,
        "sizes": [{**asdict(row), "ratio": round(row.ratio, 4)} for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main(
    config: Annotated[str, typer.Option(help="As of `ganzzle train`.")] = "ganzzle-faces",
    grid: Annotated[list[str] | None, typer.Option(help="Repeatable. Default: 6x6, 12x12.")] = None,
    progress: Annotated[
        list[float] | None, typer.Option(help="Moment of the run, 0 to 1; repeatable. Default: 0.3, 0.75.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps of a round.")] = 60,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each kind.")] = 3,
    warmup: Annotated[int, typer.Option(min=1, help="Steps of each kind before the first round.")] = 20,
    change: Annotated[list[str] | None, typer.Option("--set", help="As of `ganzzle train`.")] = None,
    results: Annotated[Path | None, typer.Option(help="Also write feeding.json into this folder.")] = None,
) -> None:
    """Time training steps with real data and with a constant batch.

    Example: python -m benchmarks.feeding --grid 6x6 --grid 12x12 --steps 60 --rounds 3
    """
    grids, moments = grid or list(GRIDS), progress or list(MOMENTS)
    options: dict[str, Sequence[object]] = {
        "config": [config],
        "grid": grids,
        "progress": moments,
        "steps": [steps],
        "rounds": [rounds],
        "warmup": [warmup],
        "set": change or [],
    }
    words = [word for name, values in options.items() for one in values for word in (f"--{name}", str(one))]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(read_config(config, [*(change or []), *QUIET]), Path(folder))
        set_lr(run.task.optimizers.values(), 0.1)  # as it were late in the warm-up: nothing goes astray
        rows: list[Row] = []
        for one in grids:
            for moment in moments:
                rows.append(measure(run, one, moment, steps, rounds, warmup))
                typer.echo(describe(rows[-1]))
                if results:
                    command = shlex.join(["python", "-m", "benchmarks.feeding", *words])
                    store(results / "feeding.json", command, run, steps, rows)


if __name__ == "__main__":
    typer.run(main)
