"""The shortest table: the default solver beside the best published figure and the best other method here."""

from __future__ import annotations

from collections.abc import Iterable

from ganzzle.bench import published
from ganzzle.bench.plain_tables import DASH, Table
from ganzzle.bench.published import Figures, label_of
from ganzzle.bench.results import Results

SOLVER = "hybrid"
NAMES = {"faces": "faces", "art": "paintings", "photos": "photographs"}
CLEAN = ("6x6", "12x12")
WEAR = {
    "missing:0.3": "30 % missing",
    "noise:0.2": "noise of 0.2",
    "erode:2": "2 px worn off",
    "erode:5": "5 px worn off",
}

Named = tuple[float, str]  # a figure and whose it is


def glance_table(results: Results) -> Table | None:
    """Direct accuracy of a few kinds of puzzles; None without any of ours."""
    lines = []
    for dataset, name in NAMES.items():
        paper = published.DIRECT.get(dataset, {})
        for grid in CLEAN:
            lines.append(_line(results, f"{name}, {grid}", (dataset, grid, "none", False), _of(paper, grid)))
        paper = published.WORN.get(dataset, {})
        for wear, words in WEAR.items():
            cell = dataset, published.WORN_GRID, wear, False
            lines.append(_line(results, f"{name}, {published.WORN_GRID}, {words}", cell, _of(paper, wear)))
        paper, grid = published.ROTATED.get(dataset, {}), published.ROTATED_GRIDS[-1]
        cell = dataset, grid, "none", True
        lines.append(_line(results, f"{name}, {grid}, pieces turned", cell, _of(paper, grid)))
    for dataset, name in published.CLASSIC_SETS.items():
        others = [
            (direct, published.CLASSIC_METHODS[method])
            for (method, one), (direct, _) in published.CLASSIC.items()
            if one == dataset
        ]
        lines.append(_line(results, name, (dataset, published.CLASSIC_GRIDS[dataset], "none", False), others))
    shown = tuple(line for line in lines if line is not None)
    if not shown:
        return None
    head = ("pieces in place, per cent", "best published", "best other method here", SOLVER)
    note = (
        "Strict: identical pieces are not interchangeable. The paper's Gallagher gets better with noise, which ours "
        "does not; ties between flat pieces may have been credited there."
    )
    return Table("glance", "At a glance", head, shown, (note,))


def _line(
    results: Results, name: str, cell: tuple[str, str, str, bool], paper: Iterable[Named]
) -> tuple[str, ...] | None:
    """A row of the table, None where the solver was not measured."""
    row = results.rows.get((SOLVER, *cell))
    if row is None:
        return None
    others = [
        (found["direct"], label_of(key[0]))
        for key, found in results.rows.items()
        if key[1:] == cell and key[0] in published.METHODS
    ]
    return name, _best(paper), _best(others), f"{row['direct']:.2f}"


def _of(figures: Figures, column: str) -> list[Named]:
    return [(figure, label_of(solver)) for (solver, one), figure in figures.items() if one == column]


def _best(figures: Iterable[Named]) -> str:
    """The highest figure and whose it is."""
    best = max(figures, default=None)
    return DASH if best is None else f"{best[0]:.2f} ({best[1]})"
