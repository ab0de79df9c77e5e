"""The first loop: every item that has no file yet is solved and written. Killed and started again, it goes on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from ganzzle.benchmark import published
from ganzzle.benchmark.predictions import Item, Predictions, write_predictions
from ganzzle.errors import GanzzleError, SolverError
from ganzzle.evaluation import batches, load_solvers, make_puzzle
from ganzzle.pictures import count_pictures
from ganzzle.solvers import SOLVERS, Solver, load_solver

Advance = Callable[[int], None]


def unavailable(items: Sequence[Item], device: str = "auto") -> dict[tuple[str, bool], str]:
    """Why a solver cannot do its items, by (solver, rotated): no weights, or it does not turn pieces.

    Only the solvers of this package and the paper's rows may be missing; one named by its class or
    given weights has to load.
    """
    reasons = {}
    for item in {(item.solver, item.rotated): item for item in items}.values():
        solver, rotated = item.solver, item.rotated
        try:
            load_solver(solver, device=device, **item.options)
        except SolverError as error:
            if item.weights or (solver not in SOLVERS and solver not in published.METHODS):
                raise
            reasons[solver, rotated] = str(error)
            continue
        if rotated:
            try:
                load_solver(solver, device=device, rotated=True, **item.options)
            except SolverError:
                reasons[solver, rotated] = "it does not take turned pieces"
    return reasons


def missing_items(items: Sequence[Item], folder: Path, fresh: bool = False) -> list[Item]:
    """The items that still have to be solved. A file's name says all that decides its puzzles."""
    return [item for item in items if fresh or not (folder / item.file_name).is_file()]


def count_puzzles(items: Sequence[Item]) -> int:
    """How many puzzles these items have together."""
    counts = {source: count_pictures(source) for source in {item.source for item in items}}
    return sum(min(counts[item.source], item.limit or counts[item.source]) for item in items)


def predict(
    items: Sequence[Item],
    folder: Path,
    *,
    device: str = "auto",
    workers: int = 1,
    advance: Advance = lambda count: None,
) -> None:
    """Solve items and write a file each; `advance` is called with the number of puzzles solved."""
    if workers <= 1:
        for item in items:
            predict_item(item, folder, device, advance)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # Spawned, because torch and numba do not survive a fork once their threads run.
    with ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (workers,)) as pool:
        futures = [pool.submit(predict_item, item, folder, device) for item in items]
        try:
            for future in as_completed(futures):
                advance(future.result())
        except BrokenProcessPool:
            raise GanzzleError(
                "a worker process was killed, perhaps for memory; start it again with fewer --workers and it goes on"
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def predict_item(
    item: Item, folder: Path, device: str = "auto", advance: Advance = lambda count: None
) -> int:
    """Solve one item, write its file, and say how many puzzles it had."""
    predictions = answer_item(item, device, advance)
    write_predictions(folder / item.file_name, predictions)
    return len(predictions.solutions)


def answer_item(item: Item, device: str = "auto", advance: Advance = lambda count: None) -> Predictions:
    """Solve every puzzle of one item."""
    plan = item.plan(device)
    ((grid, corruption),) = plan.cells
    solver = _warm_solver(item.solver, item.rotated, item.piece, item.weights, device)
    predictions = Predictions(item)
    for _, pictures in batches([item.source], plan, item.limit):
        puzzles = [
            make_puzzle(plan, index, name, picture, grid, corruption) for index, name, picture in pictures
        ]
        start = time.perf_counter()
        solutions = solver.solve_batch(puzzles, item.seed)
        predictions.add(solutions, time.perf_counter() - start)
        advance(len(puzzles))
    return predictions


@lru_cache(maxsize=1)  # items come solver by solver, and a network takes a while to load
def _warm_solver(name: str, rotated: bool, piece: int, weights: str | None, device: str) -> Solver:
    plan = Item(name, "", "", "3x3", rotated=rotated, piece=piece, weights=weights).plan(device)
    ((_, solver),) = load_solvers(plan)
    return solver


def _start_worker(workers: int) -> None:
    threads = str(max(1, (os.cpu_count() or 1) // workers))  # the workers share the cores
    os.environ |= {"OMP_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads}
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a stopped worker ends quietly; its parent says so
