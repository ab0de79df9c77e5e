"""`ganzzle batch`: a folder of piles, a line of JSON for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ganzzle.cli.console import how_many, progress, tell, warn
from ganzzle.cli.limits import MEGAPIXELS, MegapixelsOption, TimeLimitOption
from ganzzle.cli.options import (
    AddressOption,
    DeviceOption,
    EngineOption,
    FreshOption,
    SeedOption,
    SolverOption,
    WeightsOption,
)
from ganzzle.pile import MOST_PUZZLES


def batch(
    piles: Annotated[
        Path, typer.Argument(metavar="PILES", help="A folder of piles: each a folder, or a picture.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Gets answers.jsonl, and NAME-solved.png of each.")
    ],
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="Of every pile. Default: found from the pieces."),
    ] = None,
    puzzles: Annotated[
        int | None,
        typer.Option("--puzzles", min=1, max=MOST_PUZZLES, metavar="K", help="Puzzles mixed in every pile."),
    ] = None,
    rotated: Annotated[
        bool, typer.Option("--rotated", help="Pieces may have been turned by quarter turns.")
    ] = False,
    pictures: Annotated[bool, typer.Option(help="Also write the solved pictures.")] = True,
    solver: SolverOption = None,
    weights: WeightsOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    megapixels: MegapixelsOption = MEGAPIXELS,
    limit: TimeLimitOption = None,
    workers: Annotated[
        int, typer.Option("--workers", min=0, help="Processes that run in parallel; 0: one per core.")
    ] = 0,
    engine: EngineOption = "local",
    address: AddressOption = None,
    fresh: FreshOption = False,
) -> None:
    """Solve many piles, on all cores or on a cluster. A run that was stopped goes on where it was.

    Each pile has a line in answers.jsonl: "pile", its name, and the keys of ganzzle solve --json; or "error", where it
    cannot be solved, or not within --time-limit. Piles that took too long are tried again the next time, and so are
    those that have changed, or that are to be solved in another way.
    """
    from ganzzle.cli.many import ANSWERS, Order, Wishes, check_wishes, find_piles, solve_order
    from ganzzle.cores import cores
    from ganzzle.engines import Engine
    from ganzzle.journal import Journal
    from ganzzle.memory import bytes_there
    from ganzzle.solvers import default_solver
    from ganzzle.solvers.devices import is_cpu

    hand_out = Engine(engine, workers or cores(), address)
    there = bytes_there() if is_cpu(device) else None
    share = None if there is None else there // hand_out.workers
    wishes = Wishes(
        solver or default_solver(),
        weights,
        grid,
        puzzles,
        rotated or None,
        seed,
        device,
        limit,
        megapixels,
        share,
    )
    orders = [Order(path, out if pictures else None, wishes) for path in find_piles(piles, out)]
    check_wishes(wishes)
    journal = Journal(out / ANSWERS, lambda line: not fresh and not line.get("again"), light=True)
    todo = [order for order in orders if order.key() not in journal]
    tell(f"{len(todo)} of {how_many(len(orders), 'pile')} to solve")
    failed = 0
    with progress("solving", len(todo)) as advance:
        for _, line in hand_out.run(solve_order, todo, lambda order: order.wants_gpu):
            journal.add(line)
            failed += "error" in line
            advance(1)
    if failed:
        warn(f"{how_many(failed, 'pile')} could not be solved; {ANSWERS} says why")
    tell(f"wrote {journal.path}")
