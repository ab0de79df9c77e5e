"""The classical solvers on the classic sets, faces and art: `python -m benchmarks.classical gallagher`.

Writes results/classical-NAME.json: the rows of `ganzzle evaluate`, with the commit, the machine and what was run. The
research data is expected at GANZZLE_DATA, or at shared/data beside the checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from ganzzle.evaluation import evaluate

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("GANZZLE_DATA", ROOT.parent / "shared" / "data"))
CLASSIC = {"mit432": "18x24", "mcgill540": "20x27", "bgu805": "23x35"}
CORRUPTIONS = (
    "missing:0.1", "missing:0.2", "missing:0.3", "noise:0.05", "noise:0.1", "noise:0.2",
    "erode:1", "erode:2", "erode:5",
)  # fmt: skip


def main() -> None:
    """Measure one solver on everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("solver")
    parser.add_argument("--limit", type=int, help="pictures a set")
    parser.add_argument("--rotated", action="store_true", help="also the classic sets with turned pieces")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    known = circumstances()  # before the work: the code that runs is the one loaded now
    rows = measure(chosen.solver, chosen.limit, chosen.rotated)
    out = chosen.out or ROOT / "results" / f"classical-{chosen.solver}.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({**known, "rows": rows}, indent=1) + "\n")


def measure(solver: str, limit: int | None, rotated: bool) -> list[dict[str, Any]]:
    """All rows of one solver; sources are named by what they are, not by where they lie."""
    rows: list[dict[str, Any]] = []

    def add(source: str, grids: list[str], **protocol: Any) -> None:
        for row in evaluate(str(DATA / source), grids, solver, limit=limit, **protocol):
            rows.append({**row, "source": source, "rotated": protocol.get("rotated", False)})
            print(json.dumps(rows[-1]), flush=True)

    for name, grid in CLASSIC.items():
        add(f"classic/{name}.tar", [grid], piece=28, native=True)
        if rotated:
            add(f"classic/{name}.tar", [grid], piece=28, native=True, rotated=True)
    for name in ("faces", "art"):
        add(f"{name}/test-000.tar", ["6x6", "8x8", "10x10", "12x12"])
    add("faces/test-000.tar", ["6x6"], corruptions=CORRUPTIONS)
    return rows


def circumstances() -> dict[str, str]:
    """The commit and the machine a figure was taken on."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    return {
        "commit": commit,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
    }


if __name__ == "__main__":
    main()
