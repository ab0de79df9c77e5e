"""The long tables: a line for each puzzle and method, with intervals, the published figure, and our difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ganzzle.bench import published
from ganzzle.bench.overview import gap_notes
from ganzzle.bench.plain_tables import DASH, Table
from ganzzle.bench.published import in_order
from ganzzle.bench.results import Absent, Row
from ganzzle.puzzle import Grid
from ganzzle.solvers import SOLVERS

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
    return [_table(*group, groups[group], absent) for group in sorted(groups, key=_place)]


def _place(group: tuple[str, str, bool]) -> tuple[Any, ...]:
    """The paper's sets first, then the classic ones, then whatever else; clean before worn before turned."""
    dataset, worn_grid, rotated = group
    own = [name + published.OWN for name in published.DATASETS]
    known = [*published.DATASETS, *own, *published.CLASSIC_GRIDS]
    return (
        known.index(dataset) if dataset in known else len(known),
        dataset,
        rotated,
        len(worn_grid),
        worn_grid,
    )


def _table(dataset: str, worn_grid: str, rotated: bool, rows: Sequence[Row], absent: Absent) -> Table:
    mine = {(row["solver"], row["grid"], row["corruption"]): row for row in rows}
    puzzles = sorted({(row["grid"], row["corruption"]) for row in rows}, key=_size_and_wear)
    others = _other_methods(dataset, rotated)
    # A row of the paper that was not run is shown for the data sets of results/, not for somebody's own pictures.
    expected = published.METHODS if dataset.removesuffix(published.OWN) in published.DATASETS else ()
    missing = [key[0] for key in absent if key[1] == dataset and key[2:4] in puzzles and key[4] == rotated]
    solvers = in_order([*(row["solver"] for row in rows), *others, *expected, *missing])
    lines, gaps = [], []
    for grid, corruption in puzzles:
        direct, neighbour = _published(dataset, grid, corruption, rotated)
        puzzle = grid if corruption == "none" else f"{grid} {corruption}"
        for solver in solvers:
            row = mine.get((solver, grid, corruption))
            if row is None and solver in others and solver not in direct:
                continue
            label = published.label_of(solver)
            if row is None:
                label = others.get(solver, label)
                otherwise = "not run" if solver in SOLVERS else "published by others"
                why = absent.get((solver, dataset, grid, corruption, rotated), otherwise)
                gaps.append((label, puzzle, why))
                label = f"{label} *"
            figures = _compared(row, direct.get(solver), neighbour.get(solver))
            lines.append((label, puzzle, *_measured(row), *figures))
    name, title = _named(dataset, worn_grid, rotated)
    return Table(name, title, HEAD, tuple(lines), (MEANING, *gap_notes(gaps, len(puzzles))))


def _other_methods(dataset: str, rotated: bool) -> dict[str, str]:
    """Whose published figures for such puzzles stand beside the paper's, and what they are called there."""
    if dataset in published.CLASSIC_GRIDS:
        return published.CLASSIC_METHODS
    return published.ROTATED_METHODS if rotated else {}


def _named(dataset: str, worn_grid: str, rotated: bool) -> tuple[str, str]:
    """The name of a table, for its files, and its title."""
    name, title = f"details-{dataset}", published.title_of(dataset)
    if worn_grid:
        name, title = f"{name}-worn-{worn_grid}", f"{title}, worn pieces, {worn_grid}"
    if rotated:
        name, title = f"{name}-rotated", f"{title}, turned pieces"
    return name, title


def _size_and_wear(puzzle: tuple[str, str]) -> tuple[Any, ...]:
    grid, wear = Grid.of(puzzle[0]), puzzle[1]
    return (
        grid.slots,
        grid.cols,
        published.WEAR.index(wear) if wear in published.WEAR else len(published.WEAR),
        wear,
    )


def _published(
    dataset: str, grid: str, corruption: str, rotated: bool
) -> tuple[dict[str, float], dict[str, float]]:
    """What others reported for a cell, by solver: direct and neighbour."""
    if dataset in published.CLASSIC_GRIDS and corruption == "none":
        pairs = published.CLASSIC_ROTATED if rotated else published.CLASSIC
        there = {solver: pair for (solver, name), pair in pairs.items() if name == dataset}
        return {s: pair[0] for s, pair in there.items()}, {s: pair[1] for s, pair in there.items()}
    if rotated:
        return _column(published.ROTATED.get(dataset, {}), grid) if corruption == "none" else {}, {}
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
        low, high = row.get(f"{name}_interval", (None, None))
        same = row.get(f"{name}_interchangeable", row[name])
        interval = DASH if low is None else f"{low:.2f}-{high:.2f}"
        cells += [f"{row[name]:.2f}", interval, "" if same == row[name] else f"{same:.2f}"]
    return (*cells, f"{row['perfect']:.1f}" if "perfect" in row else DASH)


def _compared(row: Row | None, direct: float | None, neighbour: float | None) -> tuple[str, ...]:
    cells = []
    for name, paper in (("direct", direct), ("neighbour", neighbour)):
        cells.append(DASH if paper is None else f"{paper:.2f}")
        cells.append(DASH if paper is None or row is None else f"{row[name] - paper:+.2f}")
    return tuple(cells)
