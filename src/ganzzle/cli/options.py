"""The options that several commands have, each written once."""

from __future__ import annotations

from typing import Annotated

import typer

JsonOption = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the result as JSON; - prints it to stdout."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random draws.")]

SolverOption = Annotated[
    str | None,
    typer.Option("--solver", metavar="NAME", help="A name from ganzzle solvers. Default: the best."),
]
DeviceOption = Annotated[str, typer.Option("--device", help="auto, cpu or cuda, for solvers with a network.")]
WeightsOption = Annotated[
    str | None,
    typer.Option("--weights", metavar="NAME|FILE", help="Other weights, for solvers with a network."),
]

PieceOption = Annotated[int, typer.Option("--piece", min=1, metavar="PX", help="Side of a piece in pixels.")]
RotateOption = Annotated[
    bool, typer.Option("--rotated", help="Turn every piece at random; one that is not square by half turns.")
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Use only this many pictures of each source.")
]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, help="Processes that run in parallel.")]
EngineOption = Annotated[str, typer.Option("--engine", help="local, or ray (needs the extra cluster).")]
AddressOption = Annotated[
    str | None,
    typer.Option("--address", metavar="HOST:PORT", help="A running Ray cluster. Default: start a local one."),
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Solve everything again.")]
