"""`ganzzle train`: parse, run, print."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ganzzle.cli.console import tell

if TYPE_CHECKING:
    from ganzzle.training.config import Config

CPU_PIECES = 1152  # in a step without a GPU, unless the user has chosen


def train(
    config: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG", help="A name such as hybrid, ganzzle-faces or po-la-art, or a TOML file."
        ),
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the last checkpoint in --out.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the run. Default: runs/NAME.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a value of the config, e.g. --set train.steps=100; repeatable.",
        ),
    ] = None,
    max_minutes: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="MINUTES",
            help="Length of the whole run in minutes; 0: as many steps as the config says.",
        ),
    ] = None,
    pause_minutes: Annotated[
        float,
        typer.Option(
            min=0,
            metavar="MINUTES",
            help="Stop with a checkpoint after this many minutes; continue with --resume.",
        ),
    ] = 0.0,
    export_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write the weights here, in parts of at most 15 MiB."),
    ] = None,
) -> None:
    """Train a network on one CPU or GPU, or with `accelerate launch -m ganzzle train ...` on many.

    --out gets checkpoints, log.jsonl, files for TensorBoard and, at the end, the weights: NAME.safetensors.

    Ctrl-C or --pause-minutes stop it with a checkpoint and exit code 3; --resume continues.
    """
    from ganzzle.training.config import naming, read_config, set_by_user
    from ganzzle.training.loop import Run

    settings = read_config(config, overrides or [])
    if max_minutes is not None:
        settings = dataclasses.replace(
            settings, train=dataclasses.replace(settings.train, max_minutes=max_minutes)
        )
    chosen = set_by_user(config, overrides or [], "data.pieces_per_step")
    settings, note = _for_this_machine(settings, chosen)
    with naming(config):
        run = Run(settings, out or Path("runs") / settings.name, resume)
    if note:
        tell(note, err=True)
    outcome = run.train(pause_minutes)
    if not outcome.finished:
        raise typer.Exit(3)
    for path in run.export(outcome.scores, export_dir):
        tell(f"wrote {path} ({path.stat().st_size / 2**20:.2f} MiB)")


def _for_this_machine(settings: Config, chosen: bool) -> tuple[Config, str]:
    """The settings with smaller steps where there is no GPU: those for one take minutes each and tens of gigabytes.
    And what to tell of it.

    `chosen`: the user has set the number of pieces; it is kept, with a warning.
    """
    import torch

    pieces = settings.data.pieces_per_step
    if pieces <= CPU_PIECES or (torch.cuda.is_available() and not settings.train.cpu):
        return settings, ""
    if chosen:
        return settings, (
            f"training on the CPU: steps of {pieces:,} pieces may take minutes and much memory; "
            f"--set data.pieces_per_step={CPU_PIECES} makes them smaller"
        )
    data = dataclasses.replace(settings.data, pieces_per_step=CPU_PIECES)
    return dataclasses.replace(settings, data=data), (
        f"training on the CPU: steps of {CPU_PIECES:,} pieces instead of {pieces:,}; "
        f"--set data.pieces_per_step=N sets another number"
    )
