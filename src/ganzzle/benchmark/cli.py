"""`ganzzle bench`: the paper's evaluation, the classic sets, and speed, each as one command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ganzzle.benchmark.options import ImagesOption, Settings, SolvingSettings, command_line, with_settings
from ganzzle.benchmark.predictions import Item
from ganzzle.cli.console import print_table, progress

app = typer.Typer(
    add_completion=False, help="Make the paper's tables and figures, and those of the classic sets."
)


@app.command(epilog="Example: ganzzle bench paper --images faces=CelebA-HQ-img/ --limit 100 --workers 2")
@with_settings
def paper(
    images: ImagesOption,
    grid: Annotated[
        list[str] | None, typer.Option("--grid", metavar="RxC", help="Clean puzzles. Default: 2x2 to 12x12.")
    ] = None,
    worn_grid: Annotated[
        list[str] | None,
        typer.Option("--worn-grid", metavar="RxC", help="Worn puzzles. Default: 6x6, 10x10."),
    ] = None,
    corrupt: Annotated[
        list[str] | None,
        typer.Option(
            "--corrupt", metavar="WHAT", help="Their wear. Default: the paper's nine; none: no worn puzzles."
        ),
    ] = None,
    rotated: Annotated[bool, typer.Option(help="Also 6x6 and 10x10 puzzles of turned pieces.")] = True,
    piece: Annotated[
        int, typer.Option("--piece", min=1, metavar="PX", help="Side of a piece in pixels.")
    ] = 32,
    *,
    settings: SolvingSettings,
) -> None:
    """The paper's evaluation: clean, worn and turned puzzles, every solver there is, beside the published figures.

    A source is known by its path (.../faces/test-000.tar) or by a name given to it (faces=pictures/); "faces" is the
    paper's PuzzleCelebA, "art" its PuzzleWikiArts. Stopped and started again, it goes on where it was.
    """
    from ganzzle.benchmark.suites import Cells, chosen_solvers, paper_items, with_weights

    wear = tuple(c for c in corrupt if c != "none") if corrupt else Cells.wear
    cells = Cells(
        tuple(grid or Cells.clean), tuple(worn_grid or Cells.worn), wear, Cells.rotated if rotated else ()
    )
    solvers = chosen_solvers(settings.solver)
    items = paper_items(images, solvers, cells, piece=piece, limit=settings.limit, seed=settings.seed)
    items = with_weights(items, settings.weights)
    _run("The paper's evaluation", items, settings.folder("paper"), settings)


@app.command(epilog="Example: ganzzle bench classic --images sets/mit432.tar --images sets/bgu805.tar")
@with_settings
def classic(
    images: ImagesOption,
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="The size of a set that is not known by its name."),
    ] = None,
    rotated: Annotated[bool, typer.Option(help="Also with turned pieces.")] = True,
    *,
    settings: SolvingSettings,
) -> None:
    """The classic sets: 28 px pieces cut from the pictures' own pixels, beside the published figures.

    Known by name, or by a name given to them (mit432=pictures/): mit432, mcgill540, bgu805. Others need --grid.
    """
    from ganzzle.benchmark.suites import chosen_solvers, classic_items, with_weights

    solvers = chosen_solvers(settings.solver)
    items = classic_items(
        images, solvers, grid=grid, rotated=rotated, limit=settings.limit, seed=settings.seed
    )
    items = with_weights(items, settings.weights)
    _run("The classic benchmarks", items, settings.folder("classic"), settings)


@app.command(epilog="Example: ganzzle bench speed --solver hybrid --grid 6x6 --grid 12x12")
@with_settings
def speed(
    images: Annotated[
        str | None,
        typer.Option("--images", metavar="SOURCE", help="Pictures. Default: landscapes drawn by code."),
    ] = None,
    grid: Annotated[
        list[str] | None, typer.Option("--grid", metavar="RxC", help="May be given again.")
    ] = None,
    puzzles: Annotated[int, typer.Option("--puzzles", min=1, help="Puzzles of each size.")] = 24,
    device: Annotated[
        list[str] | None,
        typer.Option("--device", help="cpu, cuda; may be given again. Default: what there is."),
    ] = None,
    *,
    settings: Settings,
) -> None:
    """Time and memory: one puzzle at a time, warm, each solver and size in a process of its own."""
    import json

    from ganzzle.benchmark import figures
    from ganzzle.benchmark.outcome import write_tables, write_text
    from ganzzle.benchmark.report import html_report
    from ganzzle.benchmark.scoring import provenance
    from ganzzle.benchmark.speed import GRIDS, speed_cells, speed_rows, speed_table

    solvers, grids, devices = loadable(settings.solver), grid or list(GRIDS), device or _devices()
    with progress("timing", len(speed_cells(solvers, grids, devices))) as advance:
        rows = speed_rows(
            solvers, grids, devices, images=images, puzzles=puzzles, seed=settings.seed, advance=advance
        )
    out, origin, table = settings.folder("speed"), provenance(command_line()), speed_table(rows)
    write_text(out / "rows.json", json.dumps({**origin, "rows": rows}, indent=1) + "\n")
    write_tables(out / "tables", [table])
    path = figures.save_figure(figures.time_figure(rows), out / "figures", "time")
    page = html_report(
        "Time and memory", origin, [table], [], [(path, "Time over pieces, both logarithmic.")]
    )
    write_text(out / "report.html", page)
    print_table(list(table.head), [list(row) for row in table.rows])
    print(f"wrote {out / 'report.html'}")


def loadable(names: Sequence[str] | None) -> list[str]:
    """The solvers that were named and can be loaded; all that can be, when none was named."""
    from ganzzle.benchmark.predicting import unavailable
    from ganzzle.benchmark.suites import chosen_solvers

    chosen = chosen_solvers(names)
    absent = unavailable([Item(name, "", "", "3x3") for name in chosen])
    return [name for name in chosen if (name, False) not in absent]


def _run(title: str, items: list[Item], out: Path, settings: SolvingSettings) -> None:
    """Predict what is missing, then score and show everything."""
    from ganzzle.benchmark.outcome import Run, write_outcome
    from ganzzle.benchmark.predicting import count_puzzles, missing_items, unavailable
    from ganzzle.benchmark.scoring import provenance

    engine = settings.place  # a wrong one is refused before any work
    absent = unavailable(items, settings.device)
    able = [item for item in items if (item.solver, item.rotated) not in absent]
    run = Run(title, able, out, absent, provenance(command_line()))
    todo = missing_items(able, run.folder, settings.fresh)
    total = count_puzzles(todo)
    print(f"{total} puzzles to solve; {len(able) - len(todo)} of {len(able)} files are there already")
    with progress("solving", total) as advance:
        engine.predict(todo, run.folder, settings.device, advance)
    for table in write_outcome(run):
        print(f"\n{table.title}")
        print_table(list(table.head), [list(row) for row in table.rows])
    for name, reason in dict.fromkeys((name, reason) for (name, _), reason in absent.items()):
        print(f"{name}: {reason}")
    print(f"wrote {out / 'report.html'}")


def _devices() -> list[str]:
    import torch

    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
