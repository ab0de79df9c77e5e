"""Time and memory: one puzzle at a time and many together, warm, every solver and size in a process of its own."""

from __future__ import annotations

import re
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ganzzle.bench import published
from ganzzle.bench.predicting import unavailable
from ganzzle.bench.predictions import Item
from ganzzle.bench.weights import parse_rules, weights_for
from ganzzle.errors import SolverError
from ganzzle.evaluation import has_network, load_solvers
from ganzzle.protocol import make_puzzle
from ganzzle.provenance import provenance
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.reading.sources import iterate_pictures
from ganzzle.samples import draw_landscape
from ganzzle.solvers import Solver
from ganzzle.workers import worker_pool

PIECE = 32
GRIDS = ("6x6", "10x10", "16x16", "24x24")
TOGETHER = {"cpu": 32 * 36, "cuda": 2048 * 36}  # pieces handed over at once

Row = dict[str, Any]


class Cell(NamedTuple):
    """What is timed together."""

    solver: str
    grid: str
    device: str
    weights: str | None = None


def speed_rows(
    cells: Sequence[Cell],
    *,
    images: str | None,
    puzzles: int,
    seed: int,
    advance: Callable[[int], None] = lambda count: None,
) -> list[Row]:
    """Milliseconds a puzzle (mean and standard deviation), with a network also puzzles a second when there are many,
    and the peak memory of the process with one at a time, a row a cell."""
    rows = []
    # A process a cell, because a peak of memory never goes down again; one at a time, because they are timed.
    for cell in cells:
        killed = f"{cell.solver} was killed at {cell.grid}, perhaps for memory; use smaller grids"
        with worker_pool(1, killed=killed) as pool:
            rows.append(pool.submit(measure, cell, images, puzzles, seed).result())
        advance(1)
    return rows


def speed_cells(
    solvers: Sequence[str], grids: Sequence[str], devices: Sequence[str], weights: Sequence[str] | None = None
) -> list[Cell]:
    """Every solver, grid and device that can be timed; a solver of this package without a network runs on the CPU only.

    A time does not depend on what a network has learned: the weights of any data set do.
    """
    rules = parse_rules(weights, solvers)
    datasets = [*dict.fromkeys([*published.DATASETS, *(rule.dataset for rule in rules if rule.dataset)])]
    items = []
    for solver in solvers:
        for grid in grids:
            with suppress(SolverError):
                items.append(Item(solver, "", "", grid, weights=weights_for(solver, datasets, grid, rules)))
    absent = unavailable(items)
    return [
        Cell(item.solver, item.grid, device, item.weights)
        for device in devices
        for item in items
        if item not in absent and (device == "cpu" or has_network(item.solver))
    ]


def check_devices(names: Sequence[str]) -> None:
    """Refuse what is no device that can be timed."""
    for name in names:
        if name not in TOGETHER:
            raise SolverError(f"there is no device '{name}' to time; there are: {', '.join(TOGETHER)}")


def available_devices() -> list[str]:
    """The CPU, and a GPU where there is one."""
    import torch

    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def measure(cell: Cell, images: str | None, puzzles: int, seed: int) -> Row:
    """Time one cell in this process."""
    item = Item(cell.solver, "", "", cell.grid, piece=PIECE, seed=seed, weights=cell.weights)
    plan = item.plan(cell.device)
    ((size, corruption),) = plan.cells
    ((_, loaded),) = load_solvers(plan)
    made = [
        make_puzzle(plan, index, name, picture, size, corruption)
        for index, (name, picture) in enumerate(_pictures(images, puzzles))
    ]
    for puzzle in made:  # kernels that only some puzzles need are compiled, caches are filled
        loaded.solve(puzzle, seed)
    times = []
    for puzzle in made:
        start = time.perf_counter()
        loaded.solve(puzzle, seed)
        times.append(1000 * (time.perf_counter() - start))
    row = {
        "solver": cell.solver, "grid": cell.grid, "device": cell.device, "puzzles": len(times),
        "ms_mean": round(float(np.mean(times)), 3), "ms_sd": round(float(np.std(times)), 3),
        "peak_mib": round(peak_mib(), 1), "seed": seed, **_origin(cell.device),
    }  # fmt: skip
    return row | _together(loaded, made, cell, seed) if has_network(cell.solver) else row


def _together(solver: Solver, puzzles: Sequence[Puzzle], cell: Cell, seed: int) -> Row:
    """Puzzles a second when many are handed over at once, each in an order of its own; the better of two runs."""
    pieces = TOGETHER[cell.device]
    count = max(2, pieces // len(puzzles[0]))
    rng = np.random.default_rng(seed)
    many = [puzzles[k % len(puzzles)] for k in range(count)]
    many = [puzzle.reorder(rng.permutation(len(puzzle))) for puzzle in many]
    solver.solve_batch(many, seed)
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        solver.solve_batch(many, seed)
        seconds.append(time.perf_counter() - start)
    return {"together": count, "per_second": round(count / min(seconds), 2)}


def _origin(device: str) -> dict[str, str]:
    """The code and the machine, with its GPU where that did the work."""
    origin = provenance()
    if device == "cuda":
        import torch

        origin["machine"] = f"{torch.cuda.get_device_name()}, {origin['machine']}"
    return origin


def peak_mib() -> float:
    """The most memory this process has had, in MiB."""
    status = Path("/proc/self/status")
    if status.is_file():  # getrusage also counts the process it was spawned from
        (peak,) = re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())
        return int(peak) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _pictures(images: str | None, count: int) -> Iterator[tuple[str, Pixels]]:
    """The first pictures of a source, or landscapes drawn by code."""
    if images is not None:
        yield from iterate_pictures(images, count)
        return
    for k in range(count):
        yield f"landscape-{k}", draw_landscape(seed=k)
