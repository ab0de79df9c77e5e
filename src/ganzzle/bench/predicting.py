"""The first loop: every item that has no file yet is solved and written. Killed and started again, it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from glob import escape
from pathlib import Path

from ganzzle.bench import published
from ganzzle.bench.predictions import Item, Predictions, orders_of, write_predictions
from ganzzle.data.permutations import Orders
from ganzzle.engines import Engine
from ganzzle.errors import SolverError
from ganzzle.evaluation import has_network, warm_solvers
from ganzzle.protocol import batches, make_puzzle
from ganzzle.provenance import provenance
from ganzzle.puzzle import Grid
from ganzzle.reading.sources import count_pictures
from ganzzle.solvers import SOLVERS, Solver, load_solver

Advance = Callable[[int], None]


def unavailable(items: Sequence[Item], device: str = "auto") -> dict[Item, str]:
    """Why items cannot be done: no weights, weights for another grid, turned pieces, no official orders.

    Only the solvers of this package and the paper's rows may be missing; one named by its class or
    given weights has to load.
    """
    reasons = {}
    tried: dict[tuple[str, bool, str | None], tuple[str, Grid | None]] = {}
    for item in items:
        key = item.solver, item.rotated, item.weights
        if key not in tried:
            tried[key] = _try_to_load(item, device)
        reason, only_grid = tried[key]
        orders = orders_of(item.permutations)
        if only_grid not in (None, Grid.of(item.grid)):
            reason = f"its weights are for {only_grid}"
        elif orders is not None and not _has_orders(orders, Grid.of(item.grid)):
            reason = f"the permutation file has no {item.grid} puzzles"
        if reason:
            reasons[item] = reason
    return reasons


def _try_to_load(item: Item, device: str) -> tuple[str, Grid | None]:
    """Why a solver cannot take part (empty: it can), and the only grid it is for."""
    try:
        solver = load_solver(item.solver, device=device, **item.options)
    except SolverError as error:
        if item.weights or (item.solver not in SOLVERS and item.solver not in published.METHODS):
            raise
        return str(error), None
    if item.rotated and not solver.takes_turned_pieces():
        return "it does not take turned pieces", None
    return "", solver.only_grid


def _has_orders(orders: Orders, grid: Grid) -> bool:
    return grid.rows == grid.cols and any(edge == grid.rows for _, edge in orders)


def missing_items(items: Sequence[Item], folder: Path, fresh: bool = False) -> list[Item]:
    """The items that still have to be solved. A file's name says all that decides its puzzles."""
    return [item for item in items if fresh or not (folder / item.file_name).is_file()]


def count_puzzles(items: Sequence[Item]) -> int:
    """How many puzzles these items have together."""
    counts: dict[tuple[str, str | None, str], int] = {}
    total = 0
    for item in items:
        key = item.source, item.permutations, item.grid if item.permutations else ""
        if key not in counts:
            counts[key] = count_pictures(item.source, item.plan().takes)
        total += min(counts[key], item.limit or counts[key])
    return total


def predict(
    items: Sequence[Item],
    folder: Path,
    *,
    device: str = "auto",
    engine: Engine | None = None,
    advance: Advance = lambda count: None,
) -> None:
    """Solve items and write a file each; `advance` is called with the number of puzzles solved."""
    for item in items:
        for unfinished in folder.glob(
            f".{escape(item.file_name)}.*"
        ):  # this process was killed while it wrote
            unfinished.unlink(missing_ok=True)
    work = partial(answer_item, device=device)
    on_gpu = partial(wants_gpu, device=device)
    for item, predictions in (engine or Engine()).run(work, items, on_gpu):
        write_predictions(folder / item.file_name, predictions)
        advance(len(predictions.solutions))


def wants_gpu(item: Item, device: str) -> bool:
    """Whether an item's solver may use a GPU: those of this package with weights, and those we do not know."""
    return device != "cpu" and has_network(item.solver)


def answer_item(item: Item, device: str = "auto") -> Predictions:
    """Solve every puzzle of one item."""
    plan = item.plan(device)
    ((grid, corruption),) = plan.cells
    solver = _warm_solver(item.solver, item.rotated, item.piece, item.weights, device)
    predictions = Predictions(item, origin=provenance())
    for _, pictures in batches([item.source], plan, item.limit):
        puzzles = [
            make_puzzle(plan, index, name, picture, grid, corruption) for index, name, picture in pictures
        ]
        start = time.perf_counter()
        solutions = solver.solve_batch(puzzles, item.seed)
        predictions.add(solutions, time.perf_counter() - start)
    return predictions


@lru_cache(maxsize=1)  # items come solver by solver, and a network takes a while to load
def _warm_solver(name: str, rotated: bool, piece: int, weights: str | None, device: str) -> Solver:
    plan = Item(name, "", "", "3x3", rotated=rotated, piece=piece, weights=weights).plan(device)
    ((_, solver),) = warm_solvers(plan)
    return solver
