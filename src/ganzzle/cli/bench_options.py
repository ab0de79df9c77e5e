"""The options that the suites share, each written once."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ganzzle.bench.recording import recorded
from ganzzle.cli.options import (
    AddressOption,
    DeviceOption,
    EngineOption,
    FreshOption,
    LimitOption,
    SeedOption,
    WorkersOption,
)
from ganzzle.engines import Engine

PLACES = ("--out", "--results", "--data", "--workers")  # options that decide where and how fast, not what

ImagesOption = Annotated[
    list[str],
    typer.Option(
        "--images", metavar="[NAME=]SOURCE", help="A folder of pictures, .tar shards or a glob; repeatable."
    ),
]


@dataclass(frozen=True)
class Settings:
    """What every suite can be told."""

    solver: Annotated[
        list[str] | None,
        typer.Option(
            "--solver", metavar="NAME", help="A solver, also module:Class; repeatable. Default: all."
        ),
    ] = None
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weights",
            metavar="SOLVER[@NAME][@RxC]=FILE",
            help="Weights of a solver, or only for its puzzles of one source or grid; repeatable.",
        ),
    ] = None
    seed: SeedOption = 0
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder for all output. Default: runs/bench-SUITE."),
    ] = None
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="DIR", help="Also store the rows in DIR; they replace older ones."),
    ] = None

    def folder(self, suite: str, within: str = "") -> Path:
        """Where a suite's outcome goes; as a part of the command `within` it has a folder of its own in that one's."""
        whole = self.out or Path(f"runs/bench-{within or suite}")
        return whole / suite if within else whole


@dataclass(frozen=True)
class SolvingSettings(Settings):
    """What the suites that predict and score can be told as well."""

    limit: LimitOption = None
    workers: WorkersOption = 1
    fresh: FreshOption = False
    device: DeviceOption = "auto"
    engine: EngineOption = "local"
    address: AddressOption = None

    def make_engine(self) -> Engine:
        """What does the work."""
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


def command_line() -> str:
    """The command as it was called, without what only says where things lie."""
    return recorded(sys.argv[1:], PLACES)
