"""The short tables: a row a method, a column a puzzle, ours beside the published figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ganzzle.bench import published
from ganzzle.bench.plain_tables import DASH, Table
from ganzzle.bench.published import in_order
from ganzzle.bench.results import Key, Results, Row
from ganzzle.bench.times import times_table

WORN_GRIDS = (published.WORN_GRID, "10x10")
NOT_RUN = "not run"

Figures = published.Figures
Cell = tuple[str, str, str, bool]  # data set, grid, corruption, rotated


def overview_tables(results: Results) -> list[Table]:
    """Clean (direct and neighbour), larger, worn, turned, classic puzzles, and times, as far as there are results."""
    tables = []
    for measure, figures in (("direct", published.DIRECT), ("neighbour", published.NEIGHBOUR)):
        for dataset, label in published.DATASETS.items():
            name, title = f"{measure}-{dataset}", f"{measure.capitalize()} accuracy, {label}"
            clean = {grid: (dataset, grid, "none", False) for grid in published.GRIDS}
            tables.append(_accuracies(results, name, title, clean, figures.get(dataset, {}), measure))
    for dataset, label in published.DATASETS.items():
        title = f"Direct accuracy, larger puzzles and pictures that are not resized, {label}"
        tables.append(_accuracies(results, f"beyond-{dataset}", title, _beyond(dataset), {}))
    for dataset, label in published.DATASETS.items():
        for grid in WORN_GRIDS:
            paper = published.WORN.get(dataset, {}) if grid == published.WORN_GRID else {}
            name, title = f"worn-{dataset}-{grid}", f"Direct accuracy, worn pieces, {grid}, {label}"
            worn = {wear: (dataset, grid, wear, False) for wear in published.WEAR}
            tables.append(_accuracies(results, name, title, worn, paper))
    for dataset, label in published.DATASETS.items():
        name, title = f"rotated-{dataset}", f"Direct accuracy, turned pieces, {label}"
        turned = {grid: (dataset, grid, "none", True) for grid in published.ROTATED_GRIDS}
        tables.append(_accuracies(results, name, title, turned, published.ROTATED.get(dataset, {})))
    tables += [_classic(results, rotated) for rotated in (False, True)]
    if results.times:
        tables.append(times_table(results.times, published.WORN_GRID))
    return [table for table in tables if table is not None]


def _beyond(dataset: str) -> dict[str, Cell]:
    """Columns of what the paper does not have."""
    larger = {grid: (dataset, grid, "none", False) for grid in published.LARGER_GRIDS}
    own = {
        f"{grid}, not resized": (dataset + published.OWN, grid, "none", False) for grid in published.OWN_GRIDS
    }
    return larger | own


def gap_notes(gaps: Sequence[tuple[str, str, str]], puzzles: int) -> list[str]:
    """(method, puzzle, reason) of every empty cell of ours -> who lacks what and why; `puzzles`: how many there are."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for method, puzzle, reason in gaps:
        lacking.setdefault((method, reason), []).append(puzzle)
    methods: dict[tuple[str, str], list[str]] = {}
    for (method, reason), missing in lacking.items():
        where = "" if len(missing) == puzzles else f", {', '.join(missing)}"
        methods.setdefault((where, reason), []).append(method)
    return [f"* {', '.join(names)}{where}: {reason}." for (where, reason), names in methods.items()]


def _accuracies(
    results: Results,
    name: str,
    title: str,
    columns: Mapping[str, Cell],
    paper: Figures,
    measure: str = "direct",
) -> Table | None:
    """A row a method; rows and columns without any figure are left out. None without rows of ours."""
    rows = {key: row for key, row in results.rows.items() if key[1:] in columns.values()}
    if not rows:
        return None
    measured = {key[1:] for key in rows}
    published_columns = {column for _, column in paper}
    shown = {c: cell for c, cell in columns.items() if cell in measured or c in published_columns}
    turned = any(rotated for *_, rotated in shown.values())
    expected = [] if turned else list(published.METHODS)  # few can turn pieces; a note is enough
    solvers = in_order([*expected, *(key[0] for key in rows), *(solver for solver, _ in paper)])
    lines, gaps = [], []
    for solver in solvers:
        label = published.label_of(solver)
        found = {column: rows.get((solver, *cell)) for column, cell in shown.items()}
        missing = [column for column, row in found.items() if row is None]
        if missing and solver not in published.ROTATED_METHODS:
            gaps += [(label, c, results.absent.get((solver, *shown[c]), NOT_RUN)) for c in missing]
            label += " *"
        cells = [_cell(row, paper.get((solver, c)), measure) for c, row in found.items()]
        if any(cell != DASH for cell in cells):
            lines.append((label, *cells))
    for column, cell in shown.items():
        others = in_order(s for s, *rest in results.absent if tuple(rest) == cell and s not in solvers)
        gaps += [(published.label_of(s), column, results.absent[s, *cell]) for s in others]
    brackets = "in brackets the published figure, " if paper else ""
    legend = f"In per cent; {brackets}a dash where there is none; bold: the best of ours. {_count(list(rows.values()))}"
    return Table(name, title, ("method", *shown), tuple(lines), (legend, *gap_notes(gaps, len(shown))), True)


def _cell(row: Row | None, paper: float | None, measure: str) -> str:
    ours = DASH if row is None else f"{row[measure]:.2f}"
    return ours if paper is None else f"{ours} ({paper:.2f})"


def _classic(results: Results, rotated: bool) -> Table | None:
    sets = published.CLASSIC_GRIDS
    ours: dict[tuple[str, str], Row] = {
        (key[0], key[1]): row
        for key, row in results.rows.items()
        if sets.get(key[1]) == key[2] and key[3] == "none" and key[4] is rotated
    }
    if not ours:
        return None
    others = published.CLASSIC_ROTATED if rotated else published.CLASSIC
    lines = []
    for method in dict.fromkeys(method for method, _ in others):
        cells = [_pair(*others[method, s]) if (method, s) in others else DASH for s in sets]
        lines.append((f"{published.CLASSIC_METHODS[method]}, published", *cells))
    gaps = []
    for solver in in_order(solver for solver, _ in ours):
        rows = [ours.get((solver, s)) for s in sets]
        cells = [DASH if row is None else _pair(row["direct"], row["neighbour"]) for row in rows]
        missing = [s for s, row in zip(sets, rows, strict=True) if row is None]
        gaps += [
            (published.label_of(solver), published.CLASSIC_SETS[s], _why(results, solver, s, rotated))
            for s in missing
        ]
        lines.append((published.label_of(solver) + (" *" if missing else ""), *cells))
    there = {solver for solver, _ in ours}
    for (solver, dataset, _, _, turned), why in results.absent.items():
        if dataset in sets and turned is rotated and solver not in there:
            gaps.append((published.label_of(solver), published.CLASSIC_SETS[dataset], why))
    name, title = ("classic-rotated", ", turned pieces") if rotated else ("classic", "")
    legend = (
        "Direct / neighbour accuracy in per cent, pieces of 28 px; bold: the highest direct one. "
        f"{_count(list(ours.values()))}"
    )
    head = ("method", *(published.CLASSIC_SETS[s] for s in sets))
    notes = (legend, *gap_notes(gaps, len(sets)))
    return Table(name, f"Classic benchmarks{title}", head, tuple(lines), notes, True)


def _why(results: Results, solver: str, dataset: str, rotated: bool) -> str:
    key: Key = (solver, dataset, published.CLASSIC_GRIDS[dataset], "none", rotated)
    return results.absent.get(key, NOT_RUN)


def _pair(direct: float, neighbour: float) -> str:
    return f"{direct:.1f} / {neighbour:.1f}"


def _count(rows: Sequence[Row]) -> str:
    """How many puzzles there are."""
    counts = sorted({row["puzzles"] for row in rows})
    puzzles = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{puzzles} puzzles a cell."
