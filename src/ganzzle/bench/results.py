"""The folder results/: one file for each suite and solver, rows put in place of older ones of the same puzzles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ganzzle.bench import published
from ganzzle.bench.predictions import Item
from ganzzle.errors import GanzzleError
from ganzzle.files import write_whole

Row = dict[str, Any]
Key = tuple[str, str, str, str, bool]  # solver, data set, grid, corruption, rotated
Absent = dict[Key, str]  # why there is no row

# What the row of an evaluation has.
NEEDED = ("solver", "source", "grid", "corruption", "puzzles", "direct", "neighbour")


@dataclass
class Results:
    """What a folder of results holds."""

    rows: dict[Key, Row] = field(default_factory=dict)
    absent: Absent = field(default_factory=dict)
    times: list[Row] = field(default_factory=list)  # of `ganzzle bench speed`, each with its machine


def read_results(folder: Path) -> Results:
    """Every row in a folder; of two of the same puzzles the one with more of them counts, else the later file's."""
    found = Results()
    for path in sorted(folder.glob("*.json")):
        content = _read(path)
        for row in content.get("rows", []):
            if "ms_mean" in row:
                found.times.append(row)
            elif all(key in row for key in NEEDED):
                key = key_of(row)
                # Cut without resizing, or with colours that differ: measured, but not by the paper's protocol.
                beyond = row.get("native") or "uneven" in row["corruption"]
                if beyond and key[1] in published.DATASETS:
                    continue
                if key not in found.rows or row["puzzles"] >= found.rows[key]["puzzles"]:
                    found.rows[key] = row | {"dataset": key[1], "rotated": key[4]}
        found.absent |= {key_of(entry): entry["reason"] for entry in content.get("absent", [])}
    return found


def key_of(row: Row) -> Key:
    """What a row is about."""
    dataset = row.get("dataset") or published.dataset_of(row["source"])
    return row["solver"], dataset, row["grid"], row["corruption"], bool(row.get("rotated", False))


def keys_of(absent: Mapping[Item, str]) -> Absent:
    """Items that could not be done -> the same by what their rows would be about."""
    return {(i.solver, i.dataset, i.grid, i.corruption, i.rotated): why for i, why in absent.items()}


def store_results(
    folder: Path, suite: str, rows: Sequence[Row], absent: Absent, origin: Mapping[str, str]
) -> list[Path]:
    """Put the rows of a run into SUITE-SOLVER.json; rows of other puzzles stay as they are."""
    solvers = dict.fromkeys([row["solver"] for row in rows] + [key[0] for key in absent])
    return [
        _store(
            folder / f"{suite}-{_file_name(solver)}.json",
            [row | {"source": short_source(row["source"])} for row in rows if row["solver"] == solver],
            {key: why for key, why in absent.items() if key[0] == solver},
            origin,
            key_of,
        )
        for solver in solvers
    ]


def store_times(folder: Path, rows: Sequence[Row], origin: Mapping[str, str]) -> list[Path]:
    """Put the rows of `ganzzle bench speed` into speed-DEVICE.json, in place of older ones of the same cells."""
    return [
        _store(
            folder / f"speed-{device}.json",
            [row for row in rows if row["device"] == device],
            {},
            origin,
            lambda row: (row["solver"], row["grid"]),
        )
        for device in dict.fromkeys(row["device"] for row in rows)
    ]


def short_source(source: str) -> str:
    """What a source is, not where it lies: its last two names."""
    return "/".join([part for part in source.replace("\\", "/").split("/") if part][-2:])


def _store(
    path: Path, rows: Sequence[Row], absent: Absent, origin: Mapping[str, str], key: Callable[[Row], Any]
) -> Path:
    before = _read(path) if path.exists() else {}
    new = {key(row) for row in rows}
    kept = [row for row in before.get("rows", []) if key(row) not in new]
    measured = new | {key(row) for row in kept}  # a row stays where its solver cannot take part this time
    absent = {about: why for about, why in absent.items() if about not in measured}
    gaps = [entry for entry in before.get("absent", []) if key(entry) not in measured | set(absent)]
    commands = [*(before.get("commands", []) if kept or gaps else []), origin["command"]]
    names = ("solver", "dataset", "grid", "corruption", "rotated")
    gaps += [dict(zip(names, about, strict=True)) | {"reason": why} for about, why in absent.items()]
    record = {
        "commands": list(dict.fromkeys(commands)),
        "rows": _sorted([*kept, *rows]),
        "absent": _sorted(gaps),
    }
    write_whole(path, lambda file: file.write(a_line_each(record).encode()), force=True)
    return path


def _sorted(rows: Iterable[Row]) -> list[Row]:
    """By data set, turned or not, size and wear, so that a repeated run changes figures and not their order."""

    def place(row: Row) -> tuple[Any, ...]:
        wear = row.get("corruption", "none")
        order = published.WEAR.index(wear) if wear in published.WEAR else -1
        slots = [int(side) for side in row["grid"].split("x")]
        return row["solver"], row.get("dataset", ""), row.get("rotated", False), slots, order, wear

    return sorted(rows, key=place)


def a_line_each(record: Mapping[str, Sequence[Any]]) -> str:
    """JSON with every entry of every list on a line of its own."""
    parts = []
    for name, entries in record.items():
        lines = ",\n".join(f"  {json.dumps(entry)}" for entry in entries)
        parts.append(f' "{name}": [\n{lines}\n ]' if entries else f' "{name}": []')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text())
    except ValueError as error:
        raise GanzzleError(f"{path} is not JSON ({error}); make it again with ganzzle bench") from None
    return content if isinstance(content, dict) else {}


def _file_name(solver: str) -> str:
    return re.sub(r"[^\w.-]+", "-", solver)
