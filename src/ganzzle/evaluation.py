"""Measuring solvers: every picture becomes a puzzle for each grid and corruption, and every solver gets the same ones.

A puzzle depends on the seed and the picture's index alone, so a figure does not change with the list of solvers,
grids or workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, TypeGuard

import numpy as np

from ganzzle.corruption import Corruption
from ganzzle.errors import GanzzleError, PuzzleError
from ganzzle.metrics import score
from ganzzle.puzzle import Grid, GridLike, Pixels, Puzzle, crop_middle
from ganzzle.samples import sample_picture
from ganzzle.solvers import Solver, load_solver
from ganzzle.sources import count_pictures, iterate_pictures
from ganzzle.workers import prepare_worker, worker_pool

BATCH = 16  # puzzles handed to a solver together
BATCH_BYTES = 1 << 26  # of their pictures, about, so that many workers hold few
MEASURES = (
    "direct", "direct_interchangeable", "neighbour", "neighbour_interchangeable", "perfect", "perfect_interchangeable",
    "direct_ceiling",
)  # fmt: skip

Batch = tuple[str, list[tuple[int, str, Pixels]]]  # source; index, name and picture of each
Permutations = dict[tuple[str, int], Sequence[int]]  # (picture name without ending, pieces an edge) -> order


@dataclass(frozen=True)
class Plan:
    """What is measured: all grids x corruptions x solvers, by one protocol."""

    grids: tuple[Grid, ...]
    solvers: tuple[str, ...]
    corruptions: tuple[Corruption, ...] = (Corruption(),)
    piece: int = 32
    seed: int = 0
    rotated: bool = False
    native: bool = False  # cut from the middle in the picture's own pixels, instead of resizing
    permutations: Permutations | None = None
    device: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)  # for every solver

    @property
    def cells(self) -> list[tuple[Grid, Corruption]]:
        """Every grid with every corruption."""
        return [(grid, corruption) for grid in self.grids for corruption in self.corruptions]

    def takes(self, name: str) -> bool:
        """Whether a picture is part of this; a permutation file names the pictures it is for."""
        orders = self.permutations
        return orders is None or all((_stem(name), grid.rows) in orders for grid in self.grids)


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


def make_plan(
    grids: GridLike | Sequence[GridLike],
    solvers: str | Sequence[str],
    corruptions: str | Sequence[str],
    **protocol: Any,
) -> Plan:
    """A plan from what people write: "6x6", (6, 9), ["6x6", 8], "noise:0.1" and so on.

    A pair (6, 9) is one grid of 6 rows, as everywhere; a list [6, 9] is two square ones.
    """
    listed = [grids] if isinstance(grids, str | int | np.integer | Grid) or _is_pair(grids) else grids
    slots = tuple(dict.fromkeys(Grid.of(grid) for grid in listed))
    names = (solvers,) if isinstance(solvers, str) else tuple(dict.fromkeys(solvers))
    texts = (corruptions,) if isinstance(corruptions, str) else corruptions
    parsed = tuple(dict.fromkeys(Corruption.parse(text) for text in texts))
    if not slots or not names or not parsed:
        raise PuzzleError("give at least one grid, one solver and one corruption")
    return Plan(slots, names, parsed, **protocol)


def _is_pair(grids: GridLike | Sequence[GridLike]) -> TypeGuard[tuple[int, int]]:
    return (
        isinstance(grids, tuple)
        and len(grids) == 2
        and all(isinstance(side, int | np.integer) for side in grids)
    )


def count_puzzles(images: Sequence[str], plan: Plan, limit: int | None = None) -> int:
    """How many puzzles will be solved, all solvers together."""
    counts = [count_pictures(source, plan.takes) for source in dict.fromkeys(images)]
    pictures = sum(min(count, limit or count) for count in counts)
    return pictures * len(plan.cells) * len(plan.solvers)


def make_puzzle(
    plan: Plan, index: int, name: str, picture: Pixels, grid: Grid, corruption: Corruption
) -> Puzzle:
    """The puzzle of one picture by the plan's protocol; the draw depends on the seed and the index only."""
    permutation = None
    if plan.permutations is not None:
        permutation = _official_order(plan.permutations, name, grid)
    try:
        if plan.native:
            picture = crop_middle(picture, grid, plan.piece)
        return Puzzle.from_picture(
            picture, grid, seed=(plan.seed, index), piece=plan.piece, corrupt=str(corruption), rotated=plan.rotated,
            permutation=permutation, name=name,
        )  # fmt: skip
    except GanzzleError as error:
        raise PuzzleError(f"{name}: {error}") from None


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
        puzzle = Puzzle.from_picture(picture, grid, piece=plan.piece, rotated=plan.rotated)
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


def batches(sources: Sequence[str], plan: Plan, limit: int | None) -> Iterator[Batch]:
    """The pictures of the sources in the portions that are solved together; large ones go one by one."""
    size = max(1, min(BATCH, 20_000 // max(grid.slots for grid in plan.grids)))
    for source in sources:
        batch: list[tuple[int, str, Pixels]] = []
        for index, (name, picture) in enumerate(iterate_pictures(source, limit, plan.takes)):
            batch.append((index, name, picture))
            if len(batch) == size or sum(picture.nbytes for _, _, picture in batch) > BATCH_BYTES:
                yield source, batch
                batch = []
        if batch:
            yield source, batch


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
    if (
        _worker.solvers is None
    ):  # here and not at the start, so that a wrong option is reported like any other error
        _worker.solvers = warm_solvers(_worker.plan)
    return run_batch(_worker.plan, _worker.solvers, batch)


def _official_order(permutations: Permutations, name: str, grid: Grid) -> Sequence[int]:
    if grid.rows != grid.cols or (_stem(name), grid.rows) not in permutations:
        raise PuzzleError(
            f"the permutation file has no row for {name} at {grid}; leave that picture or grid out"
        )
    return permutations[_stem(name), grid.rows]


def _stem(name: str) -> str:
    """29522.webp -> 29522: shards and folders may hold a picture in another format than the official one."""
    return name.rsplit(".", 1)[0]


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
