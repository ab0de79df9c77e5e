"""`ganzzle train`: parse, run, print."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer


def train(
    config: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG", help="A name such as hybrid, ganzzle-faces or po-la-art, or a TOML file."
        ),
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint in --out.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the run. Default: runs/NAME.")] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a value, e.g. --set train.steps=100. Repeatable."),
    ] = None,
    max_minutes: Annotated[float | None, typer.Option(help="Length of the whole run by the clock.")] = None,
    pause_minutes: Annotated[
        float, typer.Option(help="Pause with a checkpoint after so many minutes, to go on with --resume.")
    ] = 0.0,
    export_dir: Annotated[
        Path | None, typer.Option(help="Also write the weights here, in parts of at most 15 MiB.")
    ] = None,
) -> None:
    """Train a model on one CPU, one GPU or, with `accelerate launch -m` in front, on many."""
    from ganzzle.training.config import read_config
    from ganzzle.training.loop import Run

    settings = read_config(config, overrides or [])
    if max_minutes is not None:
        settings = dataclasses.replace(
            settings, train=dataclasses.replace(settings.train, max_minutes=max_minutes)
        )
    run = Run(settings, out or Path("runs") / settings.name, resume)
    outcome = run.train(pause_minutes)
    if not outcome.finished:
        raise typer.Exit(3)
    for path in run.export(outcome.scores, export_dir):
        typer.echo(f"wrote {path} ({path.stat().st_size / 2**20:.2f} MiB)")
