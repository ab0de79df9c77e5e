"""From files of predictions to everything a run leaves behind: rows, tables, figures, the report."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ganzzle.bench import published
from ganzzle.bench.details import detail_tables
from ganzzle.bench.overview import overview_tables
from ganzzle.bench.plain_tables import WRITERS, Table
from ganzzle.bench.predictions import Item, read_predictions
from ganzzle.bench.report import Section, html_report
from ganzzle.bench.results import Absent, Results, Row, key_of
from ganzzle.bench.rows import score_row
from ganzzle.bench.times import times_table
from ganzzle.files import write_whole


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
    figures = _illustrations()
    files, folder = {item: run.file_of(item) for item in run.items}, run.out / "figures"
    sections = [
        Section(
            published.title_of(dataset),
            [table for table in overview if dataset in table.name.split("-")],
            figures.data_figures(rows, files, dataset, folder) if figures else (),
        )
        for dataset in dict.fromkeys(item.dataset for item in run.items)
    ]
    classic = [table for table in overview if table.name.startswith("classic")]
    confidence = figures.confidence_figures(files, folder) if figures else ()
    sections = [Section("All sets", classic), *sections, Section("Confidence", (), confidence)]
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
    figures = _illustrations()
    shown = figures.time_figures(rows, out / "figures") if figures else ()
    summary = "One puzzle at a time, warm, each solver and size in a process of its own."
    page = html_report("Time and memory", summary, origin, [Section("Times", [table], shown)], [])
    write_text(out / "report.html", page)
    return table


def _illustrations() -> Any:
    """The module that draws; None where matplotlib is not installed: a machine that only measures does without."""
    try:
        return importlib.import_module("ganzzle.bench.illustrations")
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("matplotlib"):
            raise
        print("matplotlib is not installed (pip install 'ganzzle[bench]'), so there are no figures")
        return None


def write_tables(folder: Path, tables: Sequence[Table]) -> None:
    """Every table as Markdown, CSV and LaTeX."""
    for table in tables:
        for ending, write in WRITERS.items():
            write_text(folder / f"{table.name}{ending}", write(table))


def write_text(path: Path, text: str) -> None:
    """Write a file, all of it or nothing, over what was there."""
    write_whole(path, lambda file: file.write(text.encode()), force=True)
