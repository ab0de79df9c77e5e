"""From files of predictions to everything a run leaves behind: rows, tables, figures, the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ganzzle.benchmark import figures as curves
from ganzzle.benchmark import galleries, published
from ganzzle.benchmark.details import detail_tables
from ganzzle.benchmark.overview import overview_tables
from ganzzle.benchmark.predictions import Item, read_predictions
from ganzzle.benchmark.report import html_report
from ganzzle.benchmark.results import Absent, Results, Row, key_of
from ganzzle.benchmark.scoring import calibration, score_row
from ganzzle.benchmark.tables import WRITERS, Table
from ganzzle.benchmark.times import times_table
from ganzzle.pictures import write_whole

Shown = list[tuple[Path, str]]  # figures without ending, and their captions


@dataclass(frozen=True)
class Run:
    """The items of a suite, where their files are, and which solvers could not take part."""

    title: str
    items: Sequence[Item]
    out: Path
    absent: Absent
    origin: dict[str, str]

    @property
    def folder(self) -> Path:
        """Where the predictions are."""
        return self.out / "predictions"

    def file_of(self, item: Item) -> Path:
        """The file of an item's predictions."""
        return self.folder / item.file_name


def write_outcome(run: Run) -> tuple[list[Row], list[Table]]:
    """Score every file and write rows.json, tables/, figures/ and report.html; gives the rows and the short tables."""
    rows = [score_row(read_predictions(run.file_of(item))) for item in run.items]
    overview = overview_tables(Results({key_of(row): row for row in rows}, run.absent))
    details = detail_tables(rows, run.absent)
    write_text(run.out / "rows.json", json.dumps({**run.origin, "rows": rows}, indent=1) + "\n")
    write_tables(run.out / "tables", [*overview, *details])
    shown = _curves(run, rows) + _galleries(run)
    page = html_report(run.title, run.origin, overview, details, shown)
    write_text(run.out / "report.html", page)
    return rows, overview or details


def write_times(rows: Sequence[Row], out: Path, origin: dict[str, str]) -> Table:
    """The same for times; gives their table."""
    table = times_table(rows)
    write_text(out / "rows.json", json.dumps({**origin, "rows": rows}, indent=1) + "\n")
    write_tables(out / "tables", [table])
    path = curves.save_figure(curves.time_figure(rows), out / "figures", "time")
    shown = [(path, "Time over pieces, both logarithmic.")]
    write_text(out / "report.html", html_report("Time and memory", origin, [table], [], shown))
    return table


def write_tables(folder: Path, tables: Sequence[Table]) -> None:
    """Every table as Markdown, CSV and LaTeX."""
    for table in tables:
        for ending, write in WRITERS.items():
            write_text(folder / f"{table.name}{ending}", write(table))


def write_text(path: Path, text: str) -> None:
    """Write a file, all of it or nothing, over what was there."""
    write_whole(path, lambda file: file.write(text.encode()), force=True)


def _curves(run: Run, rows: Sequence[Row]) -> Shown:
    shown: Shown = []
    folder = run.out / "figures"
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        label = published.DATASETS.get(dataset, dataset)
        if figure := curves.accuracy_over_grid(rows, dataset):
            path = curves.save_figure(figure, folder, f"accuracy-{dataset}")
            shown.append((path, f"Direct accuracy over grid size, {label}; bars are 95 % intervals."))
        for grid in dict.fromkeys(row["grid"] for row in rows if row["corruption"] != "none"):
            if figure := curves.accuracy_over_wear(rows, dataset, grid):
                path = curves.save_figure(figure, folder, f"wear-{dataset}-{grid}")
                shown.append((path, f"Direct accuracy over wear, {label}, {grid}; bars are 95 % intervals."))
    upright = [item for item in run.items if not item.rotated]
    calibrations = [
        calibration(solver, (read_predictions(run.file_of(i)) for i in upright if i.solver == solver))
        for solver in dict.fromkeys(item.solver for item in upright)
    ]
    if calibrations:
        path = curves.save_figure(curves.calibration_figure(calibrations), folder, "calibration")
        shown.append((path, "Confidence and truth, over all pieces of all upright puzzles."))
    return shown


def _galleries(run: Run) -> Shown:
    shown: Shown = []
    folder = run.out / "figures"
    for dataset in dict.fromkeys(item.dataset for item in run.items):
        clean = [i for i in run.items if i.dataset == dataset and i.corruption == "none" and not i.rotated]
        if not clean:
            continue
        solved = {
            (i.solver, i.grid): galleries.first_solution(read_predictions(run.file_of(i))) for i in clean
        }
        path = curves.save_figure(galleries.solved_gallery(solved), folder, f"solved-{dataset}")
        shown.append((path, f"The first puzzle, {dataset}; wrongly placed pieces are framed."))
        for solver in dict.fromkeys(item.solver for item in clean):
            item = next((i for i in clean if i.solver == solver and i.grid == published.WORN_GRID), None)
            item = item or next(i for i in clean if i.solver == solver)
            if figure := galleries.mental_gallery(read_predictions(run.file_of(item))):
                path = curves.save_figure(figure, folder, f"mental-{solver.replace(':', '-')}-{dataset}")
                shown.append(
                    (path, f"Mental images of {published.label_of(solver)}, {dataset}, {item.grid}.")
                )
    return shown
