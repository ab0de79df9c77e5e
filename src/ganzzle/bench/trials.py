"""`ganzzle bench piles`: piles of every kind through the public door, a line for each, and the table of them."""

from __future__ import annotations

import itertools
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from ganzzle.bench.judge import SURE, Found, judge
from ganzzle.bench.outcome import write_tables, write_text
from ganzzle.bench.pile_kinds import KINDS, MadePile, check_kind, make_pile
from ganzzle.bench.plain_tables import Table, to_markdown
from ganzzle.bench.results import a_line_each, short_source
from ganzzle.cli.bench_options import SolvingSettings, command_line
from ganzzle.cli.console import print_table, progress
from ganzzle.data.reading import Encoded, encoded_pictures
from ganzzle.data.validation import SETS, held_out
from ganzzle.errors import GanzzleError
from ganzzle.journal import Journal
from ganzzle.pile import Pile
from ganzzle.provenance import provenance
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.reading.pictures import decode_picture
from ganzzle.solvers import Solver, default_solver, load_solver

HELD_OUT = "held-out:"  # starts the name of a training set of which only the held-out pictures are meant
PILES = 30  # of a kind
MEANING = (
    f"Right: at least 99 % of the pile's own pieces in place, identical ones interchangeable, and no stranger among "
    f"them. Sure: {SURE:.0%} or more, of a piece, or of an answer on average. CPU seconds a pile; the grid is not told."
)
HEAD = (
    "kind",
    "piles",
    "right, %",
    "wrong and sure, %",
    "pieces wrong and sure",
    "of pieces",
    "refused",
    "CPU s",
)


@dataclass(frozen=True)
class Trial:
    """One pile to be made and solved."""

    kind: str
    index: int
    sources: tuple[str, ...]
    solver: str
    weights: str | None = None
    device: str = "auto"
    seed: int = 0

    @property
    def key(self) -> str:
        """A text that is the same for the same pile and solver."""
        digest = blake2b(repr(self).encode(), digest_size=4).hexdigest()
        return f"{self.solver} {self.kind} {self.index} {digest}"


def run_piles(kinds: Sequence[str] | None, images: Sequence[str] | None, settings: SolvingSettings) -> None:
    """Solve what is missing, then print and store the table."""
    engine = settings.make_engine()
    sources = tuple(images or (HELD_OUT + name for name in SETS))
    trials = _trials(kinds or KINDS, sources, settings)
    for source in sources:
        pictures_of(source)  # a wrong one is refused before any work
    out = settings.folder("piles")
    wanted = {trial.key for trial in trials}
    journal = Journal(out / "piles.jsonl", lambda line: not (settings.fresh and line["key"] in wanted))
    todo = [trial for trial in trials if trial.key not in journal]
    print(f"{len(todo)} of {len(trials)} piles to solve", flush=True)
    with progress("solving", len(todo)) as advance:
        for _, line in engine.run(try_pile, todo):
            journal.add(line)
            advance(1)
    rows = rows_of([journal.lines[trial.key] for trial in trials])
    table = table_of(rows)
    write_tables(out, [table])
    print_table(list(table.head), [list(row) for row in table.rows])
    print(MEANING)
    if settings.results:
        origin = {"command": command_line(), **provenance()}
        store_rows(settings.results, rows, [short_source(source) for source in sources], origin)


def _trials(kinds: Sequence[str], sources: tuple[str, ...], settings: SolvingSettings) -> list[Trial]:
    for kind in kinds:
        check_kind(kind)
    rules = dict(text.partition("=")[::2] for text in settings.weights or ())
    return [
        Trial(kind, index, sources, solver, rules.get(solver), settings.device, settings.seed)
        for solver in settings.solver or [default_solver()]
        for index in range(settings.limit or PILES)
        for kind in dict.fromkeys(kinds)
    ]


def try_pile(trial: Trial) -> dict[str, Any]:
    """Make a pile, solve it and judge the answer: a line of the journal."""
    pile = pile_of(trial)
    solver = _solver(trial.solver, trial.weights, trial.device, pile.said_turned)
    start, error = time.process_time(), ""
    try:
        boards = answer(solver, pile)
    except GanzzleError as refused:
        boards, error = [], str(refused)
    seconds = time.process_time() - start
    verdict = judge(pile, boards)
    return {
        "key": trial.key, "kind": trial.kind, "index": trial.index, "solver": trial.solver,
        "grids": [str(grid) for grid in pile.grids], "found": [str(board.grid) for board in boards],
        "piece": pile.pieces.shape[1], "pieces": len(pile), **asdict(verdict), "error": error,
        "cpu_seconds": round(seconds, 3), "commit": provenance()["commit"],
    }  # fmt: skip


def pile_of(trial: Trial) -> MadePile:
    """The pile of a trial: a source in turn, and of it a picture in turn, with those that follow it."""
    rng = np.random.default_rng([trial.seed, zlib.crc32(trial.kind.encode()), trial.index])
    turn, source = divmod(trial.index, len(trial.sources))
    return make_pile(trial.kind, _pictures_from(trial.sources[source], turn), rng)


def answer(solver: Solver, pile: MadePile) -> list[Found]:
    """The boards of the answer that a user gets."""
    from ganzzle.solving.loop import solve

    said = Pile(pile.pieces, puzzles=pile.said_puzzles, turned=pile.said_turned or None)
    solutions = solve(said, solver).solutions
    return [
        Found(
            one.members,
            one.grid, one.placement, one.turns, one.confidence,
        )
        for one in solutions
    ]  # fmt: skip


@lru_cache(maxsize=2)
def _solver(name: str, weights: str | None, device: str, rotated: bool) -> Solver:
    options = {"rotated": True} if rotated else {}
    solver = load_solver(name, device=device, **options, **({} if weights is None else {"weights": weights}))
    picture = np.random.default_rng(0).integers(0, 256, (96, 96, 3), dtype=np.uint8)
    solver.solve(Puzzle.from_picture(picture, 3))  # warm: what is compiled once is nobody's time
    return solver


@lru_cache(maxsize=16)
def pictures_of(source: str) -> list[Encoded]:
    """The pictures of a folder, a shard, a glob, or those held out of a training set."""
    if source.startswith(HELD_OUT):
        return held_out(source.removeprefix(HELD_OUT))
    return encoded_pictures(source, Path())


def _pictures_from(source: str, first: int) -> Iterator[Pixels]:
    """The pictures of a source from one of them on, round and round."""
    pictures = pictures_of(source)
    for k in itertools.count(first):
        one = pictures[k % len(pictures)]
        yield decode_picture(one.read(), one.where)


def rows_of(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines of piles -> a row for each solver and kind."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in lines:
        groups.setdefault((line["solver"], line["kind"]), []).append(line)
    return [_row(solver, kind, some) for (solver, kind), some in groups.items()]


def _row(solver: str, kind: str, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    wrong = [line for line in lines if not line["right"]]
    return {
        "solver": solver,
        "kind": kind,
        "piles": len(lines),
        "right": sum(line["right"] for line in lines),
        "wrong_and_sure": sum(line["sure"] >= SURE for line in wrong),
        "pieces_wrong_and_sure": sum(line["wrong_and_sure"] for line in lines),
        "pieces": sum(line["placed"] for line in lines),
        "refused": sum(bool(line["error"]) for line in lines),
        "cpu_seconds": round(float(np.mean([line["cpu_seconds"] for line in lines])), 3),
    }


def table_of(rows: Sequence[dict[str, Any]]) -> Table:
    """A line a kind, and one of them all, solver by solver."""
    cells: list[tuple[str, ...]] = []
    for solver in dict.fromkeys(row["solver"] for row in rows):
        mine = [row for row in rows if row["solver"] == solver]
        counts = ("piles", "right", "wrong_and_sure", "pieces_wrong_and_sure", "pieces", "refused")
        whole = {name: sum(row[name] for row in mine) for name in counts}
        seconds = np.average([row["cpu_seconds"] for row in mine], weights=[row["piles"] for row in mine])
        cells += [_cells(row) for row in [*mine, {"kind": f"all, {solver}", "cpu_seconds": seconds, **whole}]]
    return Table("piles", "Piles as people have them", HEAD, tuple(cells), (MEANING,))


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    piles = row["piles"]
    shares = (f"{100 * row[name] / piles:.0f} ({row[name]})" for name in ("right", "wrong_and_sure"))
    rest = (str(row[name]) for name in ("pieces_wrong_and_sure", "pieces", "refused"))
    return (row["kind"], str(piles), *shares, *rest, f"{row['cpu_seconds']:.2f}")


def store_rows(
    folder: Path, rows: Sequence[dict[str, Any]], sources: Sequence[str], origin: dict[str, str]
) -> None:
    """Write piles.json and piles.md into a folder of results."""
    about = {"command": origin["command"], "commit": origin["commit"], "machine": origin["machine"]}
    record = {"about": [about | {"sources": list(sources)}], "rows": list(rows)}
    write_text(folder / "piles.json", a_line_each(record))
    write_text(folder / "piles.md", to_markdown(table_of(rows)))
