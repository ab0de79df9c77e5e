"""The suites of `ganzzle bench` from their settings to what they print: solve or time, score, show, store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ganzzle.bench.outcome import Run, write_outcome, write_times
from ganzzle.bench.plain_tables import Table
from ganzzle.bench.predicting import count_puzzles, missing_items, predict, unavailable
from ganzzle.bench.predictions import Item
from ganzzle.bench.results import keys_of, store_results, store_times
from ganzzle.bench.speed import GRIDS, available_devices, check_devices, speed_cells, speed_rows
from ganzzle.bench.suites import (
    beyond_items,
    chosen_solvers,
    classic_items,
    results_items,
    sources_in,
    with_weights,
)
from ganzzle.cli.bench_options import Settings, SolvingSettings, command_line
from ganzzle.cli.console import how_many, print_table, progress
from ganzzle.errors import GanzzleError
from ganzzle.provenance import provenance

TITLES = {
    "paper": "The paper's evaluation",
    "beyond": "Beyond the paper: larger puzzles, pictures that are not resized",
    "classic": "The classic benchmarks",
}
SUITES = (*TITLES, "speed")


def run_suite(suite: str, items: Sequence[Item], settings: SolvingSettings, within: str = "") -> None:
    """Solve what is missing, then score and show everything; `within`: the command it is a part of."""
    engine = settings.make_engine()  # a wrong one is refused before any work
    items, absent = with_weights(items, settings.weights)
    absent |= unavailable(items, settings.device)
    able = [item.stamped() for item in items if item not in absent]
    run = Run(TITLES[suite], able, settings.folder(suite, within), keys_of(absent), _origin())
    todo = missing_items(able, run.folder, settings.fresh)
    total = count_puzzles(todo)
    print(
        f"{how_many(total, 'puzzle')} to solve; {len(able) - len(todo)} of {len(able)} files are there already",
        flush=True,
    )
    with progress("solving", total) as advance:
        predict(todo, run.folder, device=settings.device, engine=engine, advance=advance)
    rows, tables = write_outcome(run)
    _print_tables(tables)
    older = sum(row["commit"] != run.origin["commit"] for row in rows)
    if older:
        print(
            f"{older} of {len(rows)} rows were solved by the code of other commits; --fresh solves them again"
        )
    stored = store_results(settings.results, suite, rows, run.absent, run.origin) if settings.results else []
    _print_written([*stored, run.out / "report.html"])


def run_speed(
    settings: Settings,
    *,
    images: str | None = None,
    grids: Sequence[str] | None = None,
    puzzles: int = 24,
    devices: Sequence[str] | None = None,
    within: str = "",
) -> None:
    """Time every solver, then show it."""
    check_devices(devices or ())
    solvers, out = chosen_solvers(settings.solver), settings.folder("speed", within)
    grids, devices = list(dict.fromkeys(grids or GRIDS)), list(dict.fromkeys(devices or available_devices()))
    cells = speed_cells(solvers, grids, devices, settings.weights)
    with progress("timing", len(cells)) as advance:
        rows = speed_rows(cells, images=images, puzzles=puzzles, seed=settings.seed, advance=advance)
    origin = _origin()
    _print_tables([write_times(rows, out, origin)])
    stored = store_times(settings.results, rows, origin) if settings.results else []
    _print_written([*stored, out / "report.html"])


def run_all(data: Path, suites: Sequence[str] | None, settings: SolvingSettings) -> None:
    """The named suites, or all, on the test shards in a folder."""
    suites = suites or SUITES
    for suite in suites:
        if suite not in SUITES:
            raise GanzzleError(f"there is no suite '{suite}'; there are: {', '.join(SUITES)}")
    solvers, limit, seed = chosen_solvers(settings.solver), settings.limit, settings.seed
    images = {suite: sources_in(data, suite) for suite in suites if suite in TITLES}  # all, before any work
    if "paper" in suites:
        items = results_items(images["paper"], solvers, limit=limit, seed=seed)
        run_suite("paper", items, settings, within="all")
    if "beyond" in suites:
        items = beyond_items(images["beyond"], solvers, limit=limit, seed=seed)
        run_suite("beyond", items, settings, within="all")
    if "classic" in suites:
        items = classic_items(images["classic"], solvers, grid=None, rotated=True, limit=limit, seed=seed)
        run_suite("classic", items, settings, within="all")
    if "speed" in suites:
        run_speed(settings, within="all")


def _origin() -> dict[str, str]:
    return {"command": command_line(), **provenance()}


def _print_tables(tables: Sequence[Table]) -> None:
    for table in tables:
        print(f"\n{table.title}")
        print_table(list(table.head), [list(row) for row in table.rows])
        for note in table.notes[1:]:
            print(note)


def _print_written(paths: Sequence[Path]) -> None:
    for path in paths:
        print(f"wrote {path}")
