"""The long tables: a line for each puzzle and method, with intervals, the published figure, and our difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ganzzle.benchmark import published
from ganzzle.benchmark.readme import in_order
from ganzzle.benchmark.tables import DASH, Table
from ganzzle.solvers import SOLVERS

Row = dict[str, Any]
Absent = Mapping[tuple[str, bool], str]  # (solver, rotated) -> why it has no rows

HEAD = (
    "method", "puzzle", "puzzles", "direct", "95 %", "same", "neighbour", "95 %", "same", "perfect", "direct, paper",
    "difference", "neighbour, paper", "difference",
)  # fmt: skip
MEANING = (
    "In per cent, with 95 % bootstrap intervals over puzzles. Same: pixel-identical pieces count as interchangeable; "
    "empty where that changes nothing. Perfect: puzzles solved whole. Paper: as published; a dash where it has none."
)


def detail_tables(rows: Sequence[Row], absent: Absent) -> list[Table]:
    """For each data set: clean puzzles, each grid of worn ones, turned ones; as far as there are rows."""
    groups: dict[tuple[str, str, bool], list[Row]] = {}
    for row in rows:
        worn_grid = "" if row["corruption"] == "none" else row["grid"]
        groups.setdefault((row["dataset"], worn_grid, row["rotated"]), []).append(row)
    return [_table(*group, members, absent) for group, members in groups.items()]


def _table(dataset: str, worn_grid: str, rotated: bool, rows: Sequence[Row], absent: Absent) -> Table:
    mine = {(row["solver"], row["grid"], row["corruption"]): row for row in rows}
    classic = dataset in published.CLASSIC_GRIDS
    expected = published.CLASSIC_METHODS if classic else published.METHODS
    missing = [solver for solver, turned in absent if turned == rotated]
    solvers = in_order([*(row["solver"] for row in rows), *expected, *missing])
    lines, notes = [], {MEANING: None}
    for grid, corruption in dict.fromkeys((row["grid"], row["corruption"]) for row in rows):
        direct, neighbour = _published(dataset, grid, corruption, rotated)
        for solver in solvers:
            row = mine.get((solver, grid, corruption))
            label = published.CLASSIC_METHODS.get(solver) if classic and row is None else None
            label = (label or published.label_of(solver)) + ("" if row else " *")
            puzzle = grid if corruption == "none" else f"{grid} {corruption}"
            figures = _compared(row, direct.get(solver), neighbour.get(solver))
            lines.append((label, puzzle, *_measured(row), *figures))
            if row is None:
                notes[f"* {label.removesuffix(' *')}: {_reason(solver, rotated, absent)}."] = None
    name, title = dataset, published.DATASETS.get(dataset) or published.CLASSIC_SETS.get(dataset, dataset)
    if worn_grid:
        name, title = f"{name}-worn-{worn_grid}", f"{title}, worn pieces, {worn_grid}"
    if rotated:
        name, title = f"{name}-rotated", f"{title}, turned pieces"
    return Table(f"details-{name}", title, HEAD, tuple(lines), tuple(notes))


def _reason(solver: str, rotated: bool, absent: Absent) -> str:
    if (solver, rotated) in absent:
        return absent[solver, rotated]
    return "not run" if solver in SOLVERS else "there is no such solver with weights here"


def _published(
    dataset: str, grid: str, corruption: str, rotated: bool
) -> tuple[dict[str, float], dict[str, float]]:
    """What others reported for a cell, by solver: direct and neighbour."""
    if dataset in published.CLASSIC_GRIDS and corruption == "none":
        pairs = published.CLASSIC_ROTATED if rotated else published.CLASSIC
        there = {solver: pair for (solver, name), pair in pairs.items() if name == dataset}
        return {s: pair[0] for s, pair in there.items()}, {s: pair[1] for s, pair in there.items()}
    if rotated:
        return {}, {}
    if corruption == "none":
        columns = published.DIRECT.get(dataset, {}), published.NEIGHBOUR.get(dataset, {})
        return _column(columns[0], grid), _column(columns[1], grid)
    worn = published.WORN.get(dataset, {}) if grid == published.WORN_GRID else {}
    return _column(worn, corruption), {}


def _column(figures: published.Figures, column: str) -> dict[str, float]:
    return {solver: figure for (solver, where), figure in figures.items() if where == column}


def _measured(row: Row | None) -> tuple[str, ...]:
    if row is None:
        return (DASH,) * 8
    cells = [str(row["puzzles"])]
    for name in ("direct", "neighbour"):
        low, high = row[f"{name}_interval"]
        same = row[f"{name}_interchangeable"]
        cells += [f"{row[name]:.2f}", f"{low:.2f}-{high:.2f}", "" if same == row[name] else f"{same:.2f}"]
    return (*cells, f"{row['perfect']:.1f}")


def _compared(row: Row | None, direct: float | None, neighbour: float | None) -> tuple[str, ...]:
    cells = []
    for name, paper in (("direct", direct), ("neighbour", neighbour)):
        cells.append(DASH if paper is None else f"{paper:.2f}")
        cells.append(DASH if paper is None or row is None else f"{row[name] - paper:+.2f}")
    return tuple(cells)
