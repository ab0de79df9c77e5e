"""`ganzzle bench`: the paper's evaluation, the classic sets, and speed, each as one command; `all` is all three."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ganzzle.benchmark.options import ImagesOption, Settings, SolvingSettings, command_line, with_settings
from ganzzle.cli.console import print_table, progress

if TYPE_CHECKING:
    from ganzzle.benchmark.predictions import Item
    from ganzzle.benchmark.tables import Table

app = typer.Typer(
    add_completion=False, help="Reproduce the paper's tables and figures, and the classic benchmarks."
)


@app.command(epilog="Example: ganzzle bench paper --images faces=CelebA-HQ-img/ --limit 100 --workers 2")
@with_settings
def paper(
    images: ImagesOption,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid", metavar="RxC", help="Grids of clean puzzles; repeatable. Default: 2x2 to 12x12."
        ),
    ] = None,
    worn_grid: Annotated[
        list[str] | None,
        typer.Option(
            "--worn-grid", metavar="RxC", help="Grids of worn puzzles; repeatable. Default: 6x6, 10x10."
        ),
    ] = None,
    corrupt: Annotated[
        list[str] | None,
        typer.Option(
            "--corrupt",
            metavar="WHAT",
            help="Their corruption; repeatable. Default: the paper's nine. none: no worn puzzles.",
        ),
    ] = None,
    rotated: Annotated[bool, typer.Option(help="Also puzzles of turned pieces, 6x6 to 12x12.")] = True,
    piece: Annotated[
        int, typer.Option("--piece", min=1, metavar="PX", help="Side of a piece in pixels.")
    ] = 32,
    permutations: Annotated[
        list[str] | None,
        typer.Option(
            "--permutations",
            metavar="[NAME=]FILE",
            help="Official permutations of one source or of all; pictures that are not in it are skipped.",
        ),
    ] = None,
    *,
    settings: SolvingSettings,
) -> None:
    """The paper's evaluation: clean, worn and turned puzzles, all solvers, beside the published figures.

    A source is recognised by its path (.../faces/test-000.tar) or by a name (faces=pictures/): "faces" is the paper's
    PuzzleCelebA, "art" its PuzzleWikiArts. A run that was stopped continues where it was.
    """
    from ganzzle.benchmark.suites import Cells, chosen_solvers, paper_items, with_permutations

    wear = tuple(c for c in corrupt if c != "none") if corrupt else Cells.wear
    cells = Cells(
        tuple(grid or Cells.clean), tuple(worn_grid or Cells.worn), wear, Cells.rotated if rotated else ()
    )
    solvers = chosen_solvers(settings.solver)
    items = paper_items(images, solvers, cells, piece=piece, limit=settings.limit, seed=settings.seed)
    _run("paper", with_permutations(items, permutations), settings)


@app.command(epilog="Example: ganzzle bench classic --images sets/mit432.tar --images sets/bgu805.tar")
@with_settings
def classic(
    images: ImagesOption,
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="The grid of any other set."),
    ] = None,
    rotated: Annotated[bool, typer.Option(help="Also with turned pieces.")] = True,
    *,
    settings: SolvingSettings,
) -> None:
    """The classic sets: 28 px pieces cut without resizing, beside the published figures.

    mit432, mcgill540 and bgu805 are recognised by their path or by a name (mit432=pictures/). Others need --grid.
    """
    from ganzzle.benchmark.suites import chosen_solvers, classic_items

    solvers, limit, seed = chosen_solvers(settings.solver), settings.limit, settings.seed
    items = classic_items(images, solvers, grid=grid, rotated=rotated, limit=limit, seed=seed)
    _run("classic", items, settings)


@app.command(epilog="Example: ganzzle bench speed --solver hybrid --grid 6x6 --grid 12x12")
@with_settings
def speed(
    images: Annotated[
        str | None,
        typer.Option(
            "--images", metavar="SOURCE", help="Pictures to time. Default: landscapes drawn by code."
        ),
    ] = None,
    grid: Annotated[list[str] | None, typer.Option("--grid", metavar="RxC", help="Repeatable.")] = None,
    puzzles: Annotated[int, typer.Option("--puzzles", min=1, help="Puzzles of each size.")] = 24,
    device: Annotated[
        list[str] | None,
        typer.Option("--device", help="cpu or cuda; repeatable. Default: what this machine has."),
    ] = None,
    *,
    settings: Settings,
) -> None:
    """Time and memory: one puzzle at a time, warm, each solver and size in its own process.

    Solvers with a network are also timed on many puzzles at once.
    """
    _time(images, grid, puzzles, device, settings)


@app.command("all", epilog="Example: GANZZLE_DATA=shards ganzzle bench all --workers 2")
@with_settings
def everything(
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            metavar="DIR",
            envvar="GANZZLE_DATA",
            help="Holds faces/test*.tar, art/test*.tar, photos/test*.tar and classic/*.tar, or some of them.",
        ),
    ],
    suite: Annotated[
        list[str] | None,
        typer.Option("--suite", help="paper, beyond, classic or speed; repeatable. Default: all."),
    ] = None,
    *,
    settings: SolvingSettings,
) -> None:
    """All the numbers of results/: every suite on the test shards, with every solver that can take part.

    What is solved already is not solved again; --suite and --solver replace only their own rows. Worn 10x10 puzzles use
    the first 100 pictures of a source, those larger than 12x12 the first 60, all others all pictures. Times are taken
    at the end, one solver at a time: leave the machine alone then.
    """
    from ganzzle.benchmark.suites import (
        beyond_items,
        chosen_solvers,
        classic_items,
        results_items,
        sources_in,
    )

    solvers, limit, seed = chosen_solvers(settings.solver), settings.limit, settings.seed
    suites = _checked_suites(suite)
    settings = replace(settings, results=settings.results or Path("results"))
    images = {name: sources_in(data, name) for name in suites if name in TITLES}  # all, before any work
    if "paper" in suites:
        _run("paper", results_items(images["paper"], solvers, limit=limit, seed=seed), settings, "all/paper")
    if "beyond" in suites:
        items = beyond_items(images["beyond"], solvers, limit=limit, seed=seed)
        _run("beyond", items, settings, "all/beyond")
    if "classic" in suites:
        items = classic_items(images["classic"], solvers, grid=None, rotated=True, limit=limit, seed=seed)
        _run("classic", items, settings, "all/classic")
    if "speed" in suites:
        _time(None, None, 24, None, settings, "all/speed")


def _checked_suites(names: list[str] | None) -> list[str]:
    from ganzzle.errors import GanzzleError

    known = ["paper", "beyond", "classic", "speed"]
    for name in names or ():
        if name not in known:
            raise GanzzleError(f"there is no suite '{name}'; there are: {', '.join(known)}")
    return names or known


TITLES = {
    "paper": "The paper's evaluation",
    "beyond": "Beyond the paper: larger puzzles, pictures that are not resized",
    "classic": "The classic benchmarks",
}


def _run(suite: str, items: list[Item], settings: SolvingSettings, folder: str = "") -> None:
    """Predict what is missing, then score and show everything."""
    from ganzzle.benchmark.outcome import Run, write_outcome
    from ganzzle.benchmark.predicting import count_puzzles, missing_items, unavailable
    from ganzzle.benchmark.results import keys_of, store_results
    from ganzzle.benchmark.suites import with_weights

    engine = settings.place  # a wrong one is refused before any work
    items, absent = with_weights(items, settings.weights)
    absent |= unavailable(items, settings.device)
    able = [item.stamped() for item in items if item not in absent]
    run = Run(TITLES[suite], able, settings.folder(suite, folder), keys_of(absent), _origin())
    todo = missing_items(able, run.folder, settings.fresh)
    total = count_puzzles(todo)
    print(
        f"{total} puzzles to solve; {len(able) - len(todo)} of {len(able)} files are there already",
        flush=True,
    )
    with progress("solving", total) as advance:
        engine.predict(todo, run.folder, settings.device, advance)
    rows, tables = write_outcome(run)
    _print_tables(tables)
    older = sum(row["commit"] != run.origin["commit"] for row in rows)
    if older:
        print(
            f"{older} of {len(rows)} rows were solved by the code of other commits; --fresh solves them again"
        )
    if settings.results:
        store_results(settings.results, suite, rows, run.absent, run.origin)
    print(f"wrote {run.out / 'report.html'}")


def _time(
    images: str | None,
    grids: list[str] | None,
    puzzles: int,
    devices: list[str] | None,
    settings: Settings,
    folder: str = "",
) -> None:
    """Time every solver, then show it."""
    from ganzzle.benchmark.outcome import write_times
    from ganzzle.benchmark.results import store_times
    from ganzzle.benchmark.speed import GRIDS, available_devices, check_devices, speed_cells, speed_rows
    from ganzzle.benchmark.suites import chosen_solvers

    check_devices(devices or [])
    solvers, out = chosen_solvers(settings.solver), settings.folder("speed", folder)
    cells = speed_cells(solvers, grids or GRIDS, devices or available_devices(), settings.weights)
    with progress("timing", len(cells)) as advance:
        rows = speed_rows(cells, images=images, puzzles=puzzles, seed=settings.seed, advance=advance)
    origin = _origin()
    _print_tables([write_times(rows, out, origin)])
    if settings.results:
        store_times(settings.results, rows, origin)
    print(f"wrote {out / 'report.html'}")


def _origin() -> dict[str, str]:
    from ganzzle.provenance import provenance

    return {"command": command_line(), **provenance()}


def _print_tables(tables: list[Table]) -> None:
    for table in tables:
        print(f"\n{table.title}")
        print_table(list(table.head), [list(row) for row in table.rows])
        for note in table.notes[1:]:
            print(note)
