"""Lines of the table at a glance on what people have: jigsaws, shredded pages, pieces with gaps; from results/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ganzzle.bench.plain_tables import DASH

Line = tuple[str, str, str, str]  # what, the best published, the best other method here, ours

SHREDS = {
    "marques": ("shredded pages, rectangles, neighbours", "96.78 (deep network, 60 pages)"),
    "isri": ("shredded pages, torn strips, neighbours", "97.69 (deep network, 20 pages)"),
    "isri-scans": ("shredded pages, scans of their sheets, neighbours", DASH),
}
GAPS = {
    "lsej10-2": ("10x10, 2 px lost, no rim", "86.7 (RG-LNS)"),
    "lsej10-5": ("10x10, 5 px lost, no rim", "59.8 (RG-LNS)"),
    "jpwleg5": ("5x5, 12 px gaps, no rim", "72.1 (PuzLM)"),
    "jpwleg3": ("3x3, 48 px gaps, no rim", "91.9 (PuzLM)"),
}
PICTURES = {"photos": "photographs", "art": "paintings"}


def real_lines(folder: Path) -> list[Line]:
    """The lines that the files of a folder of results have figures for."""
    return [*_jigsaws(_rows(folder / "jigsaws.json")), *_shreds(_rows(folder / "shreds.json")),
            *_gaps(_rows(folder / "field.json"))]  # fmt: skip


def _rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of results; none where it is not there."""
    if not path.is_file():
        return []
    found = json.loads(path.read_text())
    rows: list[dict[str, Any]] = found if isinstance(found, list) else found["rows"]
    return rows


def _jigsaws(rows: list[dict[str, Any]]) -> list[Line]:
    """Real jigsaws: the share of all their pieces that lie right."""
    real = [row for row in rows if "drawn" not in row["name"]]
    if not real:
        return []
    sizes = sorted(row["pieces"] for row in real)
    share = 100 * sum(row["placed"] for row in real) / sum(sizes)
    what = f"cardboard jigsaws, {len(real)} of {sizes[0]} to {sizes[-1]} pieces"
    return [(what, DASH, DASH, f"{share:.2f}")]


def _shreds(rows: list[dict[str, Any]]) -> list[Line]:
    """Real shredded pages: right neighbours, and those of strips whose borders show any ink."""
    lines = []
    for row in rows:
        if row["set"] in SHREDS:
            what, published = SHREDS[row["set"]]
            ours = f"{row['strict']:.2f} ({row['decidable']:.2f} where ink tells)"
            lines.append((f"{what}, {row['pages']} pages", published, DASH, ours))
    return lines


def _gaps(rows: list[dict[str, Any]]) -> list[Line]:
    lines = []
    for row in rows:
        known, source = GAPS.get(row["protocol"]), row["source"].split("/")[0]
        if known and source in PICTURES and row["solver"] == "hybrid":
            lines.append((f"{PICTURES[source]}, {known[0]}", known[1], DASH, f"{row['direct']:.2f}"))
    return lines
