"""`ganzzle bench field`: the protocols with gaps, our rows beside the published ones."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from ganzzle.bench.field_protocols import PROTOCOLS, check_protocol
from ganzzle.bench.outcome import write_tables, write_text
from ganzzle.bench.plain_tables import Table, to_markdown
from ganzzle.bench.published import DATASETS, dataset_of, label_of
from ganzzle.bench.results import a_line_each, short_source
from ganzzle.cli.bench_options import SolvingSettings, command_line
from ganzzle.cli.console import print_table, progress
from ganzzle.data.reading import encoded_pictures
from ganzzle.journal import Journal
from ganzzle.metrics import score
from ganzzle.provenance import provenance
from ganzzle.puzzle import Puzzle
from ganzzle.reading.pictures import decode_picture
from ganzzle.solvers import Solver, default_solver, load_solver

HEAD = ("protocol", "who", "pictures", "puzzles", "PA", "AA", "SRA", "sure", "gap found, %", "CPU s")
MEASURES = ("perfect", "direct", "neighbour", "sure", "gap", "cpu_seconds")
MEANING = (
    "PA: puzzles solved whole, AA: pieces in place, SRA: neighbours kept, all in per cent, identical pieces "
    "interchangeable; sure: mean confidence; nothing but the grid is told. Published rows are of other pictures."
)


@dataclass(frozen=True)
class FieldTrial:
    """One picture in one protocol."""

    protocol: str
    source: str
    index: int
    solver: str
    weights: str | None = None
    device: str = "auto"
    seed: int = 0

    @property
    def key(self) -> str:
        """A text that is the same for the same puzzle and solver."""
        digest = blake2b(repr(self).encode(), digest_size=4).hexdigest()
        return f"{self.solver} {self.protocol} {self.index} {digest}"


def run_field(protocols: Sequence[str] | None, images: Sequence[str], settings: SolvingSettings) -> None:
    """Solve what is missing, then print and store the table."""
    names = list(dict.fromkeys(protocols or PROTOCOLS))
    for name in names:
        check_protocol(name)
    rules = dict(text.partition("=")[::2] for text in settings.weights or ())
    counts = {source: len(encoded_pictures(source, Path())) for source in dict.fromkeys(images)}
    trials = [
        FieldTrial(name, source, index, solver, rules.get(solver), settings.device, settings.seed)
        for solver in settings.solver or [default_solver()]
        for source, count in counts.items()
        for index in range(min(count, settings.limit or count))
        for name in names
    ]
    out = settings.folder("field")
    wanted = {trial.key for trial in trials}
    journal = Journal(out / "field.jsonl", lambda key: not (settings.fresh and key in wanted))
    todo = [trial for trial in trials if trial.key not in journal]
    print(f"{len(todo)} of {len(trials)} puzzles to solve", flush=True)
    with progress("solving", len(todo)) as advance:
        for _, line in settings.make_engine().run(try_protocol, todo):
            journal.add(line)
            advance(1)
    rows = rows_of([journal.lines[trial.key] for trial in trials])
    table = table_of(rows)
    write_tables(out, [table])
    print_table(list(table.head), [list(row) for row in table.rows])
    print(MEANING)
    if settings.results:
        origin = {"command": command_line(), **provenance()}
        about = {key: origin[key] for key in ("command", "commit", "machine")}
        record = {"about": [about | {"sources": [short_source(source) for source in counts]}], "rows": rows}
        write_text(settings.results / "field.json", a_line_each(record))
        write_text(settings.results / "field.md", to_markdown(table))


def puzzle_of(trial: FieldTrial) -> Puzzle:
    """The puzzle of a trial: drawn by the seed, the protocol and the picture alone."""
    one = _pictures(trial.source)[trial.index]
    rng = np.random.default_rng([trial.seed, zlib.crc32(trial.protocol.encode()), trial.index])
    return PROTOCOLS[trial.protocol].make(decode_picture(one.read(), one.where), rng)


def try_protocol(trial: FieldTrial) -> dict[str, Any]:
    """Make a puzzle, solve it and score it: a line of the journal."""
    puzzle = puzzle_of(trial)
    solver = _solver(trial.solver, trial.weights, trial.device)
    start = time.process_time()
    solution = solver.solve(puzzle)
    seconds = time.process_time() - start
    accuracy = score(solution)
    return {
        "key": trial.key, "protocol": trial.protocol, "source": trial.source, "index": trial.index,
        "solver": trial.solver, "perfect": accuracy.perfect_interchangeable,
        "direct": round(accuracy.direct_interchangeable, 5),
        "neighbour": round(accuracy.neighbour_interchangeable, 5), "sure": round(float(solution.confidence.mean()), 4),
        "gap": solution.gap, "cpu_seconds": round(seconds, 3), "commit": provenance()["commit"],
    }  # fmt: skip


@lru_cache(maxsize=4)
def _pictures(source: str) -> Any:
    return encoded_pictures(source, Path())


@lru_cache(maxsize=2)
def _solver(name: str, weights: str | None, device: str) -> Solver:
    return load_solver(name, device=device, **({} if weights is None else {"weights": weights}))


def rows_of(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines of puzzles -> a row for each protocol, solver and source, in the order of the protocols."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for line in lines:
        groups.setdefault((line["protocol"], line["solver"], line["source"]), []).append(line)
    rows = []
    for (protocol, solver, source), some in groups.items():
        means = {name: float(np.mean([line[name] for line in some])) for name in MEASURES}
        shares = {
            name: round(100 * means[name], 2) for name in ("perfect", "direct", "neighbour", "sure", "gap")
        }
        rows.append(
            {
                "protocol": protocol, "solver": solver, "source": short_source(source), "puzzles": len(some), **shares,
                "direct_error": round(196 * float(np.std([line["direct"] for line in some])) / len(some) ** 0.5, 2),
                "cpu_seconds": round(means["cpu_seconds"], 3),
            }
        )  # fmt: skip
    order = list(PROTOCOLS)
    return sorted(rows, key=lambda row: order.index(row["protocol"]))


def table_of(rows: Sequence[dict[str, Any]]) -> Table:
    """Protocol by protocol, the published rows and then ours."""
    cells: list[tuple[str, ...]] = []
    for name in dict.fromkeys(row["protocol"] for row in rows):
        protocol = PROTOCOLS[name]
        for one in protocol.published:
            measures = (_cell(value) for value in (one.perfect, one.direct, one.neighbour))
            cells.append((protocol.title, one.by, one.note or "its own", "", *measures, "", "", ""))
        for row in rows:
            if row["protocol"] == name:
                pictures = DATASETS.get(dataset_of(row["source"]), row["source"])
                measures = (_cell(row[key]) for key in ("perfect", "direct", "neighbour", "sure", "gap"))
                who, count = label_of(row["solver"]), str(row["puzzles"])
                cells.append((protocol.title, who, pictures, count, *measures, f"{row['cpu_seconds']:.2f}"))
    return Table("field", "Pieces with gaps that nobody tells", HEAD, tuple(cells), (MEANING,))


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
