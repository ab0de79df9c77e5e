"""The options that the suites share, each written once."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ganzzle.benchmark.engines import Engine
from ganzzle.cli.console import DeviceOption, SeedOption
from ganzzle.recording import recorded

ImagesOption = Annotated[
    list[str],
    typer.Option(
        "--images", metavar="[NAME=]SOURCE", help="A folder, .tar shards or a glob; may be given again."
    ),
]


@dataclass(frozen=True)
class Settings:
    """What every suite can be told."""

    solver: Annotated[
        list[str] | None,
        typer.Option("--solver", metavar="NAME", help="May be given again, also module:Class. Default: all."),
    ] = None
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weights",
            metavar="SOLVER[@NAME][@RxC]=FILE",
            help="Weights for a solver, or only for its puzzles of a source or a grid; may be given again.",
        ),
    ] = None
    seed: SeedOption = 0
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where all of it goes. Default: runs/bench-SUITE."),
    ] = None

    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="DIR", help="Also put the rows into DIR, over those they replace."),
    ] = None

    def folder(self, suite: str, part: str = "") -> Path:
        """Where a suite's outcome goes; as a part of several it has a folder of its own."""
        return (self.out / suite if part else self.out) if self.out else Path(f"runs/bench-{part or suite}")


@dataclass(frozen=True)
class SolvingSettings(Settings):
    """What the suites that predict and score can be told as well."""

    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Use only so many pictures of a source.")
    ] = None
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes that work side by side.")] = 1
    fresh: Annotated[bool, typer.Option("--fresh", help="Solve again what is there already.")] = False
    device: DeviceOption = "auto"
    engine: Annotated[str, typer.Option("--engine", help="local, or ray (extra cluster).")] = "local"
    address: Annotated[
        str | None,
        typer.Option("--address", help="Of a running Ray cluster; without one a local Ray is started."),
    ] = None

    @property
    def place(self) -> Engine:
        """Where the work is done."""
        return Engine(self.engine, self.workers, self.address)


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """For a command(..., settings): every field of its settings becomes an option of the command."""
    parameters = dict(inspect.signature(command, eval_str=True).parameters)
    kind = parameters.pop("settings").annotation
    hints = get_type_hints(kind, include_extras=True)
    options = {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    }
    own = {name: p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, p in parameters.items()}

    def run(**given: Any) -> None:
        settings = kind(**{name: given.pop(name) for name in options})
        command(**given, settings=settings)

    together = own | options
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {name: p.annotation for name, p in together.items()}
    run.__signature__ = inspect.Signature(list(together.values()))  # type: ignore[attr-defined]
    return run


PLACES = ("--out", "--results", "--data", "--workers")  # options that decide where and how fast, not what


def command_line() -> str:
    """The command as it was called, without what only says where things lie."""
    return recorded(sys.argv[1:], PLACES)
