"""Measuring solvers: every picture becomes a puzzle for each grid and corruption, the same one for every solver."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from ganzzle.damage.corruption import Corruption
from ganzzle.data.splits import stem
from ganzzle.engines import Engine
from ganzzle.errors import PuzzleError
from ganzzle.journal import Journal
from ganzzle.metrics import score
from ganzzle.protocol import Batch, Plan, batches, make_plan, make_puzzle
from ganzzle.puzzle import Grid, GridLike, Puzzle
from ganzzle.reading.sources import source_digest
from ganzzle.samples import sample_picture
from ganzzle.solvers import SOLVERS, Solver, load_solver
from ganzzle.weights_files import weights_digest

Cell: TypeAlias = tuple[Grid, Corruption, str]  # with the solver

MEASURES = (
    "direct", "direct_interchangeable", "neighbour", "neighbour_interchangeable", "perfect", "perfect_interchangeable",
    "direct_ceiling",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """One solver on one batch of one cell."""

    source: str
    first: int  # index of the first picture of the batch
    solver: str
    grid: Grid
    corruption: Corruption
    scores: list[dict[str, float]]  # one a puzzle
    seconds: float

    @property
    def where(self) -> tuple[str, Grid, Corruption, str]:
        """The row that it belongs to."""
        return self.source, self.grid, self.corruption, self.solver


@dataclass(frozen=True)
class Portion:
    """What one worker is given at a time: a batch, and the cells and solvers that it is to be measured with."""

    plan: Plan
    batch: Batch
    todo: tuple[Cell, ...]


def evaluate(
    images: str | Sequence[str],
    grids: GridLike | Sequence[GridLike],
    solvers: str | Sequence[str],
    *,
    corruptions: str | Sequence[str] = ("none",),
    limit: int | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    journal: Journal | None = None,
    advance: Callable[[int], None] = lambda count: None,
    **protocol: Any,
) -> list[dict[str, Any]]:
    """Measure solvers on pictures; one row for each source x grid x corruption x solver, accuracies in per cent.

    `images`: folders, tar shards or globs; `limit`: pictures a source; `protocol`: the fields of `Plan` (piece, seed,
    rotated, native, permutations, device, options); `engine` does the work, by default in `workers` processes;
    what `journal` has is not done again; `advance` is called with the number of puzzles solved.
    """
    if limit is not None and limit < 1:
        raise PuzzleError(f"limit is the number of pictures of a source, at least 1, not {limit}")
    plan = make_plan(grids, solvers, corruptions, **protocol)
    sources = [images] if isinstance(images, str) else list(dict.fromkeys(images))
    rows: dict[tuple[Any, ...], list[Outcome]] = {}

    def take(outcome: Outcome) -> None:
        rows.setdefault(outcome.where, []).append(outcome)
        advance(len(outcome.scores))

    portions = _portions(batches(sources, plan, limit), plan, journal, take)
    for portion, outcomes in (engine or Engine("local", workers)).run(solve_portion, portions, _wants_gpu):
        for outcome in outcomes:
            if journal is not None:
                journal.add(_line(portion.plan, portion.batch, outcome))
            take(outcome)
    return [
        _row(plan, sorted(rows[source, grid, corruption, solver], key=lambda outcome: outcome.first))
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


def solve_portion(portion: Portion) -> list[Outcome]:
    """Cut, solve, time and score a batch of pictures in every cell and by every solver that is asked for."""
    plan, (source, pictures) = portion.plan, portion.batch
    loaded = dict(_kept_warm(pickle.dumps(replace(plan, grids=(), corruptions=(), permutations=None))))
    outcomes = []
    for (grid, corruption), group in groupby(portion.todo, key=lambda one: one[:2]):
        puzzles = [
            make_puzzle(plan, index, name, picture, grid, corruption) for index, name, picture in pictures
        ]
        for _, _, name in group:
            start = time.perf_counter()
            solutions = loaded[name].solve_batch(puzzles, plan.seed)
            seconds = time.perf_counter() - start
            scores = [asdict(score(solution)) for solution in solutions]
            outcomes.append(Outcome(source, pictures[0][0], name, grid, corruption, scores, seconds))
    return outcomes


@lru_cache(maxsize=1)  # a process works on one plan at a time
def _kept_warm(plan: bytes) -> list[tuple[str, Solver]]:
    """The warm solvers of a pickled plan; of its grids and orders they know nothing."""
    return warm_solvers(pickle.loads(plan))


def has_network(solver: str) -> bool:
    """Whether a solver has a network, as far as it is known."""
    return solver not in SOLVERS or bool(SOLVERS[solver].weights)


def _wants_gpu(portion: Portion) -> bool:
    return portion.plan.device != "cpu" and any(has_network(solver) for *_, solver in portion.todo)


def _portions(
    found: Iterator[Batch], plan: Plan, journal: Journal | None, take: Callable[[Outcome], None]
) -> Iterator[Portion]:
    """A portion for each batch of which something is to be done; what the journal has is taken at once."""
    cells = [(grid, corruption, solver) for grid, corruption in plan.cells for solver in plan.solvers]
    for batch in found:
        own, todo = _plan_of(plan, batch), []
        for cell in cells:
            line = None if journal is None else journal.lines.get(_key(own, batch, cell))
            if line is None:
                todo.append(cell)
            else:
                grid, corruption, solver = cell
                first = batch[1][0][0]
                take(Outcome(batch[0], first, solver, grid, corruption, line["scores"], line["seconds"]))
        if todo:
            yield Portion(own, batch, tuple(todo))


def _plan_of(plan: Plan, batch: Batch) -> Plan:
    """The plan with the orders of this batch alone: those of all pictures would travel with each."""
    if plan.permutations is None:
        return plan
    names = {stem(name) for _, name, _ in batch[1]}
    return replace(
        plan, permutations={key: order for key, order in plan.permutations.items() if key[0] in names}
    )


def _key(plan: Plan, batch: Batch, cell: Cell) -> str:
    """A text that is the same for the same puzzles and solver."""
    source, pictures = batch
    grid, corruption, solver = cell
    weights = plan.options.get("weights")
    decides = [
        asdict(replace(plan, grids=(), solvers=(), corruptions=(), device="")),
        source_digest(source),
        weights_digest(str(weights)) if weights is not None else "",
        [(index, name) for index, name, _ in pictures],
    ]
    digest = blake2b(repr(decides).encode(), digest_size=8).hexdigest()
    return f"{solver} {grid} {corruption} {source} {pictures[0][0]} {digest}"


def _line(plan: Plan, batch: Batch, outcome: Outcome) -> dict[str, Any]:
    """What is kept of an outcome."""
    key = _key(plan, batch, (outcome.grid, outcome.corruption, outcome.solver))
    return {"key": key, "scores": outcome.scores, "seconds": outcome.seconds}


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
