"""`ganzzle evaluate`: solvers x pictures x grids x corruptions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ganzzle.cli.console import check_outputs, how_many, print_table, progress, tell, warn, write_json
from ganzzle.cli.options import (
    AddressOption,
    DeviceOption,
    EngineOption,
    ForceOption,
    FreshOption,
    JsonOption,
    LimitOption,
    PieceOption,
    RotateOption,
    SeedOption,
    WeightsOption,
    WorkersOption,
)


def evaluate(
    images: Annotated[
        list[str],
        typer.Option(
            "--images", metavar="SOURCE", help="A folder of pictures, .tar shards, or a glob; repeatable."
        ),
    ],
    grid: Annotated[list[str], typer.Option("--grid", metavar="RxC", help="Rows x columns; repeatable.")],
    solver: Annotated[
        list[str] | None,
        typer.Option(
            "--solver", metavar="NAME", help="A solver, also module:Class; repeatable. Default: the best."
        ),
    ] = None,
    corrupt: Annotated[
        list[str] | None,
        typer.Option(
            "--corrupt",
            metavar="WHAT",
            help="none, missing:0.1, noise:0.05, erode:2, uneven:0.03; repeatable.",
        ),
    ] = None,
    piece: PieceOption = 32,
    native: Annotated[
        bool, typer.Option("--native", help="Do not resize; cut the pieces from the middle of the picture.")
    ] = False,
    rotated: RotateOption = False,
    permutations: Annotated[
        str | None,
        typer.Option(
            "--permutations",
            metavar="FILE",
            help="Official permutations; pictures that are not in it are skipped.",
        ),
    ] = None,
    limit: LimitOption = None,
    workers: WorkersOption = 1,
    engine: EngineOption = "local",
    address: AddressOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Keep every score there, so that a run that was stopped goes on where it was.",
        ),
    ] = None,
    fresh: FreshOption = False,
    weights: WeightsOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Measure solvers on the same puzzles, by the paper's protocol. Accuracies are in per cent.

    Every picture is resized to PIECE px a slot, cut, shuffled by the seed and corrupted once; all solvers see the same
    puzzles. "same" counts identical pieces as interchangeable.
    """
    from ganzzle.data.permutations import read_permutations
    from ganzzle.engines import Engine
    from ganzzle.evaluation import evaluate as measure
    from ganzzle.journal import Journal
    from ganzzle.protocol import count_puzzles, make_plan
    from ganzzle.solvers import default_solver

    check_outputs(force, json, inputs=[*_files_of(images), permutations, weights])
    solvers, corruptions = solver or [default_solver()], corrupt or ["none"]
    protocol: dict[str, Any] = {
        "piece": piece, "seed": seed, "rotated": rotated, "native": native, "device": device,
        "options": {} if weights is None else {"weights": weights},
        "permutations": None if permutations is None else read_permutations(Path(permutations)),
    }  # fmt: skip
    plan = make_plan(grid, solvers, corruptions, **protocol)
    worker = Engine(engine, workers, address)
    journal = None if out is None else Journal(out / "evaluate.jsonl", lambda line: not fresh)
    if journal is not None and journal.lines:
        kept = how_many(len(journal.lines), "part")
        warn(f"{out} keeps {kept} of earlier measurements; --fresh solves everything again")
    with progress("solving", count_puzzles(images, plan, limit)) as advance:
        rows = measure(
            images,
            grid,
            solvers,
            corruptions=corruptions,
            limit=limit,
            engine=worker,
            journal=journal,
            advance=advance,
            **protocol,
        )
    write_json(json, {"rows": rows}, force)
    if json != "-":
        _print_rows(rows)


def _files_of(images: list[str]) -> list[Path]:
    """The files of all sources."""
    from ganzzle.reading.sources import source_files

    return [file for source in images for file in source_files(source)]


def _print_rows(rows: list[dict[str, Any]]) -> None:
    """One table a source; its name stands above it, because a long one would squeeze the figures."""
    columns = {
        "solver": "solver", "grid": "grid", "corruption": "corruption", "puzzles": "puzzles", "direct": "direct",
        "direct_interchangeable": "same", "neighbour": "neighbour", "perfect": "perfect", "ms_per_puzzle": "ms",
    }  # fmt: skip
    for source in dict.fromkeys(row["source"] for row in rows):
        mine = [row for row in rows if row["source"] == source]
        cells = [
            [f"{row[key]:.2f}" if isinstance(row[key], float) else str(row[key]) for key in columns]
            for row in mine
        ]
        tell(source)
        print_table(list(columns.values()), cells)
