"""The two forms of `pomeranz`, as published and the default, side by side: `python -m benchmarks.pomeranz`.

Forms and their constants were compared on training photographs ("held out" from every set that is reported); the
classic sets are measured for the record. Writes results/classical-pomeranz-forms.json; benchmarks/classical.py says
where the data is expected.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.classical import CLASSIC, DATA, ROOT, circumstances
from ganzzle.metrics import Score, score
from ganzzle.puzzle import Grid, Pixels, Puzzle
from ganzzle.reading.sources import iterate_pictures
from ganzzle.solvers import Solver, load_solver

FORMS: dict[str, dict[str, Any]] = {"as published": {"plain": True}, "default": {}}
PHOTOS = "photos/train-000.tar"
HELD_OUT = ((28, 400), (20, 440), (14, 480))  # piece, first photograph
MEASURES = ("direct", "direct_interchangeable", "neighbour", "neighbour_interchangeable")


def main() -> None:
    """Measure both forms on everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=40, help="pictures a set")
    parser.add_argument("--held-out-only", action="store_true", help="leave out the classic sets")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "classical-pomeranz-forms.json")
    chosen = parser.parse_args()
    known = circumstances()
    rows = []
    for form, options in FORMS.items():
        solver = load_solver("pomeranz", **options)
        for source, puzzles in sources(chosen.limit, classic=not chosen.held_out_only):
            rows.append({"solver": "pomeranz", "form": form, "source": source, **measure(solver, puzzles)})
            print(json.dumps(rows[-1]), flush=True)
    chosen.out.write_text(json.dumps({**known, "rows": rows}, indent=1) + "\n")


def sources(limit: int, classic: bool) -> Iterator[tuple[str, list[Puzzle]]]:
    """What is solved: photographs cut into pieces of several sizes, then the classic sets."""
    for piece, start in HELD_OUT:
        pictures = islice(iterate_pictures(DATA / PHOTOS), start, start + limit)
        yield f"{PHOTOS}, {piece} px", [cut(picture, piece, k) for k, (_, picture) in enumerate(pictures)]
    for name, grid in CLASSIC.items() if classic else ():
        pictures = islice(iterate_pictures(DATA / "classic" / f"{name}.tar"), limit)
        yield (
            f"classic/{name}.tar",
            [Puzzle.from_picture(p, grid, seed=k) for k, (_, p) in enumerate(pictures)],
        )


def cut(picture: Pixels, piece: int, seed: int) -> Puzzle:
    """As many whole pieces as the picture holds, at its own resolution."""
    grid = Grid(picture.shape[0] // piece, picture.shape[1] // piece)
    return Puzzle.from_picture(picture[: grid.rows * piece, : grid.cols * piece], grid, seed=seed)


def measure(solver: Solver, puzzles: list[Puzzle]) -> dict[str, Any]:
    """Mean scores in per cent, and CPU time a puzzle."""
    solver.solve(puzzles[0])  # compile
    spent = time.process_time()
    scores: list[Score] = [score(solver.solve(puzzle)) for puzzle in puzzles]
    spent = time.process_time() - spent
    means = {name: round(100 * float(np.mean([getattr(s, name) for s in scores])), 2) for name in MEASURES}
    return {
        "puzzles": len(puzzles),
        "pieces": round(float(np.mean([len(puzzle) for puzzle in puzzles]))),
        **means,
        "cpu_ms_per_puzzle": round(1000 * spent / len(puzzles), 1),
    }


if __name__ == "__main__":
    main()
