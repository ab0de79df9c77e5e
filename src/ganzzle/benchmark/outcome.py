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
from ganzzle.benchmark.report import Section, html_report
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
    sections = [
        Section(
            published.DATASETS.get(dataset) or published.CLASSIC_SETS.get(dataset, dataset),
            [table for table in overview if dataset in table.name.split("-")],
            _curves(run, rows, dataset) + _galleries(run, dataset),
        )
        for dataset in dict.fromkeys(item.dataset for item in run.items)
    ]
    classic = [table for table in overview if table.name.startswith("classic")]
    sections = [Section("All sets", classic), *sections, Section("Confidence", (), _calibration(run))]
    write_text(run.out / "report.html", html_report(run.title, _summary(rows), run.origin, sections, details))
    return rows, overview or details


def _summary(rows: Sequence[Row]) -> str:
    """What was done, in a sentence."""
    solvers = published.in_order(row["solver"] for row in rows)
    sources = ", ".join(dict.fromkeys(row["dataset"] for row in rows))
    puzzles = sum(row["puzzles"] for row in rows)
    return (
        f"{puzzles:,} puzzles solved, of {sources}, by {', '.join(map(published.label_of, solvers))}. "
        "Published figures stand in brackets beside ours."
    )


def write_times(rows: Sequence[Row], out: Path, origin: dict[str, str]) -> Table:
    """The same for times; gives their table."""
    table = times_table(rows)
    write_text(out / "rows.json", json.dumps({**origin, "rows": rows}, indent=1) + "\n")
    write_tables(out / "tables", [table])
    shown = []
    if rows:
        path = curves.save_figure(curves.time_figure(rows), out / "figures", "time")
        shown = [(path, "Time over pieces, both logarithmic.")]
    summary = "One puzzle at a time, warm, each solver and size in a process of its own."
    page = html_report("Time and memory", summary, origin, [Section("Times", [table], shown)], [])
    write_text(out / "report.html", page)
    return table


def write_tables(folder: Path, tables: Sequence[Table]) -> None:
    """Every table as Markdown, CSV and LaTeX."""
    for table in tables:
        for ending, write in WRITERS.items():
            write_text(folder / f"{table.name}{ending}", write(table))


def write_text(path: Path, text: str) -> None:
    """Write a file, all of it or nothing, over what was there."""
    write_whole(path, lambda file: file.write(text.encode()), force=True)


def _curves(run: Run, rows: Sequence[Row], dataset: str) -> Shown:
    shown: Shown = []
    folder = run.out / "figures"
    if figure := curves.accuracy_over_grid(rows, dataset):
        path = curves.save_figure(figure, folder, f"accuracy-{dataset}")
        caption = (
            "Direct accuracy over grid size, on an axis stretched towards 100 %; bars are 95 % intervals."
        )
        shown.append((path, caption))
    for grid in dict.fromkeys(row["grid"] for row in rows if row["corruption"] != "none"):
        if figure := curves.accuracy_over_wear(rows, dataset, grid):
            path = curves.save_figure(figure, folder, f"wear-{dataset}-{grid}")
            shown.append((path, f"Direct accuracy over wear, {grid}; bars are 95 % intervals."))
    return shown


def _calibration(run: Run) -> Shown:
    upright = [item for item in run.items if not item.rotated]
    calibrations = [
        calibration(solver, (read_predictions(run.file_of(i)) for i in upright if i.solver == solver))
        for solver in dict.fromkeys(item.solver for item in upright)
    ]
    if not calibrations:
        return []
    path = curves.save_figure(curves.calibration_figure(calibrations), run.out / "figures", "calibration")
    caption = (
        "Confidence and truth, over all pieces of all upright puzzles: on the diagonal nine in ten pieces of "
        f"confidence 0.9 are right. Points of fewer than {curves.FEW_PIECES} pieces are left out."
    )
    return [(path, caption)]


def _galleries(run: Run, dataset: str) -> Shown:
    shown: Shown = []
    folder = run.out / "figures"
    clean = [i for i in run.items if i.dataset == dataset and i.corruption == "none" and not i.rotated]
    if not clean:
        return shown
    answers = {item: read_predictions(run.file_of(item)) for item in clean}
    telling = galleries.telling_puzzle(list(answers.values()))
    puzzles = {
        0: ("solved", "The first puzzle"),
        telling: ("telling", "The puzzle on which the solvers differ most"),
    }
    if telling == 0:
        puzzles = {0: ("solved", "The first puzzle")}
    for index, (name, what) in puzzles.items():
        solved = {(i.solver, i.grid): galleries.one_solution(p, index) for i, p in answers.items()}
        path = curves.save_figure(galleries.solved_gallery(solved), folder, f"{name}-{dataset}")
        shown.append((path, f"{what}; wrongly placed pieces are framed."))
    for solver in dict.fromkeys(item.solver for item in clean):
        item = next((i for i in clean if i.solver == solver and i.grid == published.WORN_GRID), None)
        item = item or next(i for i in clean if i.solver == solver)
        if figure := galleries.mental_gallery(answers[item]):
            path = curves.save_figure(figure, folder, f"mental-{solver.replace(':', '-')}-{dataset}")
            shown.append((path, f"Mental images of {published.label_of(solver)}, {item.grid}."))
    return shown
