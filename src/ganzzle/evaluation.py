"""Measuring solvers: every picture becomes a puzzle for each grid and corruption, the same one for every solver."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

from ganzzle.damage.corruption import Corruption
from ganzzle.errors import PuzzleError
from ganzzle.metrics import score
from ganzzle.protocol import Batch, Plan, batches, make_plan, make_puzzle
from ganzzle.puzzle import Grid, GridLike, Puzzle
from ganzzle.samples import sample_picture
from ganzzle.solvers import Solver, load_solver
from ganzzle.workers import prepare_worker, worker_pool

MEASURES = (
    "direct", "direct_interchangeable", "neighbour", "neighbour_interchangeable", "perfect", "perfect_interchangeable",
    "direct_ceiling",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """One solver on one batch of one cell."""

    source: str
    solver: str
    grid: Grid
    corruption: Corruption
    scores: list[dict[str, float]]  # one a puzzle
    seconds: float


def evaluate(
    images: str | Sequence[str],
    grids: GridLike | Sequence[GridLike],
    solvers: str | Sequence[str],
    *,
    corruptions: str | Sequence[str] = ("none",),
    limit: int | None = None,
    workers: int = 1,
    advance: Callable[[int], None] = lambda count: None,
    **protocol: Any,
) -> list[dict[str, Any]]:
    """Measure solvers on pictures; one row for each source x grid x corruption x solver, accuracies in per cent.

    `images`: folders, tar shards or globs; `limit`: pictures a source; `protocol`: the fields of `Plan` (piece, seed,
    rotated, native, permutations, device, options); `advance` is called with the number of puzzles solved.
    """
    if limit is not None and limit < 1:
        raise PuzzleError(f"limit is the number of pictures of a source, at least 1, not {limit}")
    plan = make_plan(grids, solvers, corruptions, **protocol)
    sources = [images] if isinstance(images, str) else list(dict.fromkeys(images))
    outcomes: dict[tuple[Any, ...], list[Outcome]] = {}
    for outcome in _outcomes(batches(sources, plan, limit), plan, workers):
        outcomes.setdefault((outcome.source, outcome.grid, outcome.corruption, outcome.solver), []).append(
            outcome
        )
        advance(len(outcome.scores))
    return [
        _row(plan, outcomes[source, grid, corruption, solver])
        for source in sources
        for grid, corruption in plan.cells
        for solver in plan.solvers
    ]


def load_solvers(plan: Plan) -> list[tuple[str, Solver]]:
    """Every solver of the plan."""
    options = dict(plan.options) | ({"rotated": True} if plan.rotated else {})
    return [(name, load_solver(name, device=plan.device, **options)) for name in plan.solvers]


def warm_solvers(plan: Plan) -> list[tuple[str, Solver]]:
    """Every solver of the plan, warm: compiled and loaded before anything is timed."""
    loaded = load_solvers(plan)
    # A puzzle like those to come, and not a tiny one, which some solvers treat in a way of their own.
    picture = sample_picture("landscape")
    for _, solver in loaded:
        grid = solver.only_grid or 6
        solver.load()
        for corrupt in (None, "noise:0.1"):  # an easy puzzle does not need all that a hard one does
            puzzle = Puzzle.from_picture(
                picture, grid, piece=plan.piece, rotated=plan.rotated, corrupt=corrupt
            )
            for count in (1, 2):  # some take several together in another way
                solver.solve_batch([puzzle] * count)
    return loaded


def run_batch(plan: Plan, solvers: Sequence[tuple[str, Solver]], batch: Batch) -> list[Outcome]:
    """Cut, solve, time and score one batch of pictures in every cell of the plan."""
    source, pictures = batch
    outcomes = []
    for grid, corruption in plan.cells:
        puzzles = [
            make_puzzle(plan, index, name, picture, grid, corruption) for index, name, picture in pictures
        ]
        for name, solver in solvers:
            start = time.perf_counter()
            solutions = solver.solve_batch(puzzles, plan.seed)
            seconds = time.perf_counter() - start
            scores = [asdict(score(solution)) for solution in solutions]
            outcomes.append(Outcome(source, name, grid, corruption, scores, seconds))
    return outcomes


def _outcomes(batches: Iterator[Batch], plan: Plan, workers: int) -> Iterator[Outcome]:
    if workers <= 1:
        solvers = None
        for batch in batches:  # the first pictures are read before anything is loaded: they may be damaged
            solvers = solvers or warm_solvers(plan)
            yield from run_batch(plan, solvers, batch)
        return
    killed = "a worker process was killed, perhaps for memory; use fewer --workers"
    with worker_pool(workers, _start_worker, (plan, workers), killed=killed) as pool:
        for future in _in_order(pool, batches, workers + 1):
            yield from future.result()


def _in_order(pool: Executor, batches: Iterator[Batch], ahead: int) -> Iterator[Future[list[Outcome]]]:
    """Submit batches a little ahead of what is asked for, so that few pictures are in memory at a time."""
    waiting = [pool.submit(_work, batch) for batch in islice(batches, ahead)]
    while waiting:
        yield waiting.pop(0)
        waiting += [pool.submit(_work, batch) for batch in islice(batches, 1)]


@dataclass
class _Worker:
    """What a worker process keeps; there is one in each, and nothing is shared."""

    plan: Plan | None = None
    solvers: list[tuple[str, Solver]] | None = None


_worker = _Worker()


def _start_worker(plan: Plan, workers: int) -> None:
    prepare_worker(workers)
    _worker.plan = plan


def _work(batch: Batch) -> list[Outcome]:
    assert _worker.plan is not None
    if _worker.solvers is None:  # not at the start, so that a wrong option is reported like any other error
        _worker.solvers = warm_solvers(_worker.plan)
    return run_batch(_worker.plan, _worker.solvers, batch)


def _row(plan: Plan, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Every batch of one solver in one cell -> what is reported of it."""
    scores = [s for outcome in outcomes for s in outcome.scores]
    seconds = sum(outcome.seconds for outcome in outcomes)
    return {
        "solver": outcomes[0].solver,
        "source": outcomes[0].source,
        "grid": str(outcomes[0].grid),
        "corruption": str(outcomes[0].corruption),
        "puzzles": len(scores),
        **{name: round(100 * float(np.mean([s[name] for s in scores])), 3) for name in MEASURES},
        "ms_per_puzzle": round(1000 * seconds / len(scores), 3),
        "seed": plan.seed,
        "piece": plan.piece,
        "rotated": plan.rotated,
        "native": plan.native,
        "permutations": plan.permutations is not None,
    }
