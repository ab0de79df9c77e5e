"""The README's tables from results/: `python -m ganzzle.benchmark.readme README.md results`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ganzzle.benchmark import published
from ganzzle.benchmark.tables import DASH, Table, to_markdown
from ganzzle.errors import GanzzleError

MARKED = re.compile(r"(<!-- numbers: begin[^\n]*-->\n).*?(<!-- numbers: end -->)", re.DOTALL)
NEEDED = (
    "solver",
    "source",
    "grid",
    "corruption",
    "puzzles",
    "direct",
    "neighbour",
)  # of a row of an evaluation

Row = dict[str, Any]
Key = tuple[str, str, str, str, bool]  # solver, data set, grid, corruption, rotated


def read_results(folder: Path) -> dict[Key, Row]:
    """The rows of every evaluation in a folder; of two of the same thing the one with more puzzles counts."""
    found: dict[Key, Row] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            content = json.loads(path.read_text())
        except ValueError as error:
            raise GanzzleError(
                f"{path} is not JSON ({error}); write it with ganzzle evaluate --json"
            ) from None
        rows = content.get("rows", []) if isinstance(content, dict) else []
        for row in rows:
            if all(key in row for key in NEEDED):
                key = key_of(row)
                if row.get("native") and key[1] not in published.CLASSIC_SETS:
                    continue  # cut without resizing: easier or harder, but not the paper's protocol
                if key not in found or row["puzzles"] >= found[key]["puzzles"]:
                    found[key] = row | {"file": path.name}
    return found


def key_of(row: Row) -> Key:
    """What a row is about."""
    dataset = row.get("dataset") or published.dataset_of(row["source"])
    return row["solver"], dataset, row["grid"], row["corruption"], bool(row.get("rotated", False))


def readme_tables(results: dict[Key, Row]) -> list[Table]:
    """Clean, worn, turned and classic puzzles, as far as there are results."""
    tables = [_clean(results, dataset) for dataset in published.DIRECT]
    tables += [
        _worn(results, dataset, grid) for dataset in published.WORN for grid in (published.WORN_GRID, "10x10")
    ]
    tables += [_classic(results, rotated) for rotated in (False, True)]
    return [table for table in tables if table is not None]


def update_readme(text: str, results: dict[Key, Row]) -> str:
    """The README with its numbers replaced."""
    if len(MARKED.findall(text)) != 1:
        raise GanzzleError(
            "the README needs one pair of the markers <!-- numbers: begin --> and <!-- numbers: end -->"
        )
    body = "\n".join(to_markdown(table) for table in readme_tables(results))
    return MARKED.sub(lambda match: match[1] + body + match[2], text)


def _clean(results: dict[Key, Row], dataset: str) -> Table | None:
    ours = {(k[0], k[2]): r for k, r in results.items() if k[1] == dataset and k[3] == "none" and not k[4]}
    title = f"Direct accuracy, {published.DATASETS[dataset]}"
    return _beside_paper(f"clean-{dataset}", title, published.GRIDS, ours, published.DIRECT[dataset])


def _worn(results: dict[Key, Row], dataset: str, grid: str) -> Table | None:
    paper = published.WORN[dataset] if grid == published.WORN_GRID else {}
    ours = {
        (k[0], k[3]): r
        for k, r in results.items()
        if k[1:3] == (dataset, grid) and k[3] != "none" and not k[4]
    }
    title = f"Direct accuracy, worn pieces, {grid}, {published.DATASETS[dataset]}"
    return _beside_paper(f"worn-{dataset}-{grid}", title, published.WEAR, ours, paper)


def _beside_paper(
    name: str, title: str, columns: Sequence[str], ours: dict[tuple[str, str], Row], paper: published.Figures
) -> Table | None:
    """A row a method: ours, and the paper's figure in brackets. None when there is nothing of ours."""
    measured = [key for key in ours if key[1] in columns]
    if not measured:
        return None
    known = {column for _, column in [*paper, *measured]}
    columns = [column for column in columns if column in known]
    solvers = in_order(solver for solver, _ in [*paper, *measured])
    rows = []
    for solver in solvers:
        cells = [_cell(ours.get((solver, column)), paper.get((solver, column))) for column in columns]
        rows.append((published.label_of(solver), *cells))
    note = (
        f"In per cent; in brackets the figure of the GANzzle paper, a dash where there is none. "
        f"{_origin([ours[key] for key in measured])}"
    )
    return Table(name, title, ("method", *columns), tuple(rows), (note,))


def _cell(row: Row | None, paper: float | None) -> str:
    ours = DASH if row is None else f"{row['direct']:.2f}"
    if paper is None:
        return ours
    return f"({paper:.2f})" if row is None else f"{ours} ({paper:.2f})"


def _classic(results: dict[Key, Row], rotated: bool) -> Table | None:
    sets = published.CLASSIC_GRIDS
    ours = {
        (k[0], k[1]): r
        for k, r in results.items()
        if sets.get(k[1]) == k[2] and k[3] == "none" and k[4] is rotated
    }
    if not ours:
        return None
    others = published.CLASSIC_ROTATED if rotated else published.CLASSIC
    rows = []
    for method in dict.fromkeys(method for method, _ in others):
        cells = [_pair(*others[method, s]) if (method, s) in others else DASH for s in sets]
        rows.append((f"{published.CLASSIC_METHODS[method]}, published", *cells))
    for solver in in_order(solver for solver, _ in ours):
        pairs = [ours.get((solver, s)) for s in sets]
        cells = [DASH if r is None else _pair(r["direct"], r["neighbour"]) for r in pairs]
        rows.append((published.label_of(solver), *cells))
    name, title = ("classic-rotated", ", turned pieces") if rotated else ("classic", "")
    note = f"Direct / neighbour accuracy in per cent, pieces of 28 px. {_origin(list(ours.values()))}"
    head = ("method", *(published.CLASSIC_SETS[s] for s in sets))
    return Table(name, f"Classic benchmarks{title}", head, tuple(rows), (note,))


def _pair(direct: float, neighbour: float) -> str:
    return f"{direct:.1f} / {neighbour:.1f}"


def in_order(solvers: Iterable[str]) -> list[str]:
    """The paper's rows first, then ours, then whoever else."""
    names = [*published.METHODS, *published.OURS]
    return sorted(set(solvers), key=lambda s: (names.index(s) if s in names else len(names), s))


def _origin(rows: Sequence[Row]) -> str:
    """How many puzzles, and where the rows are kept."""
    counts = sorted({row["puzzles"] for row in rows})
    puzzles = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    files = ", ".join(f"`results/{name}`" for name in sorted({row["file"] for row in rows if "file" in row}))
    return f"{puzzles} puzzles a cell" + (f", from {files}." if files else ".")


def main(readme: str, folder: str) -> None:
    """Rewrite the README's numbers in place."""
    path = Path(readme)
    path.write_text(update_readme(path.read_text(), read_results(Path(folder))))


if __name__ == "__main__":
    main(*sys.argv[1:])
