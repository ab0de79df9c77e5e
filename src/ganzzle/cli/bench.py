"""`ganzzle bench`: the paper's evaluation, the classic sets, and speed, each as one command; `all` is all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ganzzle.cli.bench_options import ImagesOption, Settings, SolvingSettings, with_settings
from ganzzle.cli.options import PieceOption

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Reproduce the paper's tables and figures, and the classic benchmarks.",
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
            help="Corruption of the worn puzzles; repeatable. Default: the paper's nine. none: no worn puzzles.",
        ),
    ] = None,
    rotated: Annotated[bool, typer.Option(help="Also puzzles of turned pieces, 6x6 to 12x12.")] = True,
    piece: PieceOption = 32,
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
    from ganzzle.bench.running import run_suite
    from ganzzle.bench.suites import Cells, chosen_solvers, paper_items, with_permutations

    wear = tuple(c for c in corrupt if c != "none") if corrupt else Cells.wear
    cells = Cells(
        tuple(grid or Cells.clean), tuple(worn_grid or Cells.worn), wear, Cells.rotated if rotated else ()
    )
    solvers = chosen_solvers(settings.solver)
    items = paper_items(images, solvers, cells, piece=piece, limit=settings.limit, seed=settings.seed)
    run_suite("paper", with_permutations(items, permutations), settings)


@app.command(epilog="Example: ganzzle bench classic --images sets/mit432.tar --images sets/bgu805.tar")
@with_settings
def classic(
    images: ImagesOption,
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="Grid of a set that is not recognised."),
    ] = None,
    rotated: Annotated[bool, typer.Option(help="Also with turned pieces.")] = True,
    *,
    settings: SolvingSettings,
) -> None:
    """The classic sets: 28 px pieces cut without resizing, beside the published figures.

    mit432, mcgill540 and bgu805 are recognised by their path or by a name (mit432=pictures/). Others need --grid.
    """
    from ganzzle.bench.running import run_suite
    from ganzzle.bench.suites import chosen_solvers, classic_items

    solvers, limit, seed = chosen_solvers(settings.solver), settings.limit, settings.seed
    items = classic_items(images, solvers, grid=grid, rotated=rotated, limit=limit, seed=seed)
    run_suite("classic", items, settings)


@app.command(epilog="Example: ganzzle bench speed --solver hybrid --grid 6x6 --grid 12x12")
@with_settings
def speed(
    images: Annotated[
        str | None,
        typer.Option(
            "--images", metavar="SOURCE", help="Pictures to time. Default: landscapes drawn by code."
        ),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid", metavar="RxC", help="Sizes to time; repeatable. Default: 6x6, 10x10, 16x16, 24x24."
        ),
    ] = None,
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
    from ganzzle.bench.running import run_speed

    run_speed(settings, images=images, grids=grid, puzzles=puzzles, devices=device)


@app.command(epilog="Example: ganzzle bench piles --kind lost+worn --kind two-unsaid --limit 6 --workers 2")
@with_settings
def piles(
    images: Annotated[
        list[str] | None,
        typer.Option(
            "--images",
            metavar="SOURCE",
            help="A folder of pictures, .tar shards or a glob; repeatable, taken in turn. Default: the pictures of the "
            "training shards in $GANZZLE_DATA that no network was trained on.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help="Steps joined by +, as lost+worn; repeatable. Default: all kinds."
        ),
    ] = None,
    *,
    settings: SolvingSettings,
) -> None:
    """Piles as people have them, 30 of a kind or --limit, solved as `ganzzle solve` would, their grid not told.

    Says how often all was right, and how often the answer was sure and wrong. A run that was stopped continues where it
    was.
    """
    from ganzzle.bench.trials import run_piles

    run_piles(kind, images, settings)


@app.command(
    epilog="Example: ganzzle bench field --images shards/art/test-000.tar --protocol jpwleg3 --limit 50"
)
@with_settings
def field(
    images: ImagesOption,
    protocol: Annotated[
        list[str] | None,
        typer.Option(
            "--protocol", metavar="NAME", help="lsej10-5, jpwleg3, imagenet3-1 ...; repeatable. Default: all."
        ),
    ] = None,
    *,
    settings: SolvingSettings,
) -> None:
    """Bare pieces with gaps between them, by the protocols of newer work, beside what was published.

    No rim tells the gap, and only the grid is known. A run that was stopped continues where it was.
    """
    from ganzzle.bench.field import run_field

    run_field(protocol, images, settings)


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
    the first 100 pictures of a source, all others all pictures. Times are taken at the end, one solver at a time: leave
    the machine alone then. The rows go to --results, by default results/.
    """
    from ganzzle.bench.running import run_all

    run_all(data, suite, replace(settings, results=settings.results or Path("results")))
