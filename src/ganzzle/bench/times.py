"""The table of times: ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ganzzle.bench import published
from ganzzle.bench.plain_tables import DASH, Table
from ganzzle.bench.published import in_order
from ganzzle.puzzle import Grid

HEAD = ("method", "grid", "device", "ms a puzzle", "ms, paper", "difference", "batched, a second", "peak MiB")

Row = dict[str, Any]


def times_table(rows: Sequence[Row], grid: str | None = None) -> Table:
    """A line a method, grid (or one grid alone) and device; at 6x6 the paper's time and our difference to it."""
    lines = []
    for solver in in_order([*(row["solver"] for row in rows), *published.METHODS]):
        mine = [row for row in rows if row["solver"] == solver and grid in (None, row["grid"])]
        for row in sorted(mine, key=lambda row: (row["device"], Grid.of(row["grid"]).slots)):
            lines.append((published.label_of(solver), row["grid"], row["device"], *_figures(row)))
        if not mine and solver in published.METHODS:
            label, paper = f"{published.label_of(solver)} *", _paper(solver)
            lines.append((label, published.WORN_GRID, DASH, DASH, paper, DASH, DASH, DASH))
    counts = sorted({row["puzzles"] for row in rows if "puzzles" in row})
    puzzles = f"{counts[0]}" if len(counts) == 1 else " to ".join(map(str, counts[:1] + counts[-1:]))
    notes = [
        f"Mean +- standard deviation over {puzzles} puzzles, one at a time, warm. Peak: memory of the whole process, "
        "libraries included. Batched: puzzles a second when so many are handed over at once. Paper: over 24 puzzles, "
        "on its own machine.",
        *dict.fromkeys(f"{row['device']}: {row['machine']}." for row in rows if row.get("machine")),
    ]
    if any(line[0].endswith(" *") for line in lines):
        notes.append("* not run, or there are no weights for it here.")
    return Table("speed", "Time and memory", HEAD, tuple(lines), tuple(notes))


def _figures(row: Row) -> tuple[str, ...]:
    ours, paper, difference = f"{row['ms_mean']:.1f} +- {row['ms_sd']:.1f}", DASH, DASH
    if row["grid"] == published.WORN_GRID and row["solver"] in published.TIMES:
        paper = _paper(row["solver"])
        difference = f"{row['ms_mean'] - published.TIMES[row['solver']][0]:+.1f}"
    together = f"{row['per_second']:.4g} of {row['together']}" if "per_second" in row else DASH
    return ours, paper, difference, together, f"{row['peak_mib']:.0f}"


def _paper(solver: str) -> str:
    if solver not in published.TIMES:
        return DASH
    mean, deviation = published.TIMES[solver]
    return f"{mean:.1f} +- {deviation:.1f}"
