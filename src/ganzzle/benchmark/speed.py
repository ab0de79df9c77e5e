"""Time and memory: one puzzle at a time, warm, every solver and size in a process of its own."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

import numpy as np

from ganzzle.benchmark import published
from ganzzle.benchmark.predictions import Item
from ganzzle.benchmark.readme import in_order
from ganzzle.benchmark.tables import DASH, Table
from ganzzle.errors import GanzzleError
from ganzzle.evaluation import load_solvers, make_puzzle
from ganzzle.pictures import iterate_pictures
from ganzzle.puzzle import Pixels
from ganzzle.samples import draw_landscape
from ganzzle.solvers import SOLVERS

PIECE = 32
GRIDS = ("6x6", "10x10", "16x16", "24x24")

Row = dict[str, Any]


def speed_rows(
    solvers: Sequence[str],
    grids: Sequence[str],
    devices: Sequence[str],
    *,
    images: str | None,
    puzzles: int,
    seed: int,
    advance: Callable[[int], None] = lambda count: None,
) -> list[Row]:
    """Milliseconds a puzzle (mean and standard deviation) and the peak memory of the process, a row a cell."""
    rows = []
    cells = speed_cells(solvers, grids, devices)
    # A process a cell, because a peak of memory never goes down again; one at a time, because they are timed.
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for cell in cells:
            try:
                rows.append(pool.submit(measure, *cell, images, puzzles, seed).result())
            except BrokenProcessPool:
                raise GanzzleError(
                    f"{cell[0]} was killed at {cell[1]}, perhaps for memory; use smaller grids"
                ) from None
            advance(1)
    return rows


def speed_cells(
    solvers: Sequence[str], grids: Sequence[str], devices: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Every (solver, grid, device); a solver of this package that has no network runs on the CPU only."""
    return [
        (solver, grid, device)
        for solver in solvers
        for device in devices
        if device == "cpu" or solver not in SOLVERS or SOLVERS[solver].weights
        for grid in grids
    ]


def measure(solver: str, grid: str, device: str, images: str | None, puzzles: int, seed: int) -> Row:
    """Time one cell in this process."""
    plan = Item(solver, "", "", grid, piece=PIECE, seed=seed).plan(device)
    ((size, corruption),) = plan.cells
    ((_, loaded),) = load_solvers(plan)
    times = []
    for index, (name, picture) in enumerate(_pictures(images, puzzles)):
        puzzle = make_puzzle(plan, index, name, picture, size, corruption)
        if index == 0:
            loaded.solve(
                puzzle, seed
            )  # what depends on the size is compiled and allocated before the clock runs
        start = time.perf_counter()
        loaded.solve(puzzle, seed)
        times.append(1000 * (time.perf_counter() - start))
    return {
        "solver": solver, "grid": grid, "device": device, "puzzles": len(times),
        "ms_mean": round(float(np.mean(times)), 3), "ms_sd": round(float(np.std(times)), 3),
        "peak_mib": round(peak_mib(), 1), "seed": seed,
    }  # fmt: skip


def peak_mib() -> float:
    """The most memory this process has had, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def speed_table(rows: Sequence[Row]) -> Table:
    """Ours, and for 6x6 the paper's."""
    lines = []
    for solver in in_order([*(row["solver"] for row in rows), *published.TIMES]):
        mine = [row for row in rows if row["solver"] == solver]
        for row in mine:
            time_text = f"{row['ms_mean']:.1f} +- {row['ms_sd']:.1f}"
            paper = _paper(solver) if row["grid"] == published.WORN_GRID else DASH
            label = published.label_of(solver)
            lines.append((label, row["grid"], row["device"], time_text, paper, f"{row['peak_mib']:.0f}"))
        if not mine:
            lines.append(
                (f"{published.label_of(solver)} *", published.WORN_GRID, DASH, DASH, _paper(solver), DASH)
            )
    head = ("method", "grid", "device", "ms a puzzle", "ms, paper", "peak MiB")
    notes = (
        "Mean and standard deviation over puzzles, one at a time, warm. Peak: the whole process, libraries included. "
        "Paper: on its own machine.",
        "* not run, or there is no such solver with weights here.",
    )
    return Table("speed", "Time and memory", head, tuple(lines), notes)


def _paper(solver: str) -> str:
    if solver not in published.TIMES:
        return DASH
    mean, deviation = published.TIMES[solver]
    return f"{mean:.1f} +- {deviation:.1f}"


def _pictures(images: str | None, count: int) -> Iterator[tuple[str, Pixels]]:
    """The first pictures of a source, or landscapes drawn by code."""
    if images is not None:
        yield from iterate_pictures(images, count)
        return
    for k in range(count):
        yield f"landscape-{k}", draw_landscape(seed=k)
