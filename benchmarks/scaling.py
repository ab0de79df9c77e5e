"""Time and memory of the classical solvers over the number of pieces: `python -m benchmarks.scaling`.

Every measurement runs in a process of its own, so that its peak memory is its own. Pictures are drawn by code: smooth
waves with clouds of detail at all scales, as photographs have. Writes results/classical-scaling.json and .png.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.classical import ROOT, circumstances
from ganzzle import Puzzle, load_solver, score

PIECE = 28
GRIDS = ((10, 10), (18, 24), (23, 35), (50, 66), (100, 100), (123, 185))
SOLVERS = ("gallagher", "pomeranz", "paikin-tal")
RESULT = ROOT / "results" / "classical-scaling"


def draw(height: int, width: int, seed: int = 0) -> np.ndarray:
    """(height, width, 3) uint8: noise at all scales, amplitudes falling as in photographs; some of it over-exposed.

    Pieces in the over-exposed parts are alike, as in a white sky.
    """
    rng = np.random.default_rng(seed)
    picture = np.zeros((height, width, 3), np.float32)
    scale, strength = 4, 1.0
    while scale < 2 * max(height, width):
        small = rng.normal(0, strength, (max(2, height // scale + 2), max(2, width // scale + 2), 3)).astype(
            np.float32
        )
        for channel in range(3):
            layer = Image.fromarray(small[:, :, channel]).resize((width, height), Image.Resampling.BICUBIC)
            picture[:, :, channel] += np.asarray(layer)
        scale, strength = scale * 2, strength * 1.6
    picture -= picture.mean()
    return np.clip(128 + picture * (75 / picture.std()), 0, 255).astype(np.uint8)


def measure(solver: str, rows: int, cols: int) -> dict[str, Any]:
    """Solve one puzzle warm; runs in a fresh process."""
    loaded = load_solver(solver)
    loaded.solve(Puzzle.from_picture(draw(3 * PIECE, 3 * PIECE), 3))  # compile
    puzzle = Puzzle.from_picture(draw(rows * PIECE, cols * PIECE), (rows, cols))
    start, spent = time.perf_counter(), time.process_time()
    solution = loaded.solve(puzzle)
    seconds, spent = time.perf_counter() - start, time.process_time() - spent
    scores = score(solution)
    return {
        "solver": solver,
        "grid": f"{rows}x{cols}",
        "pieces": rows * cols,
        "seconds": round(seconds, 3),
        "cpu_seconds": round(spent, 3),  # over all cores; tells a busy machine from a slow solver
        "peak_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 3),
        "direct": round(100 * scores.direct, 2),
        "direct_interchangeable": round(100 * scores.direct_interchangeable, 2),
        "neighbour": round(100 * scores.neighbour, 2),
        "neighbour_interchangeable": round(100 * scores.neighbour_interchangeable, 2),
    }


def plot(rows: list[dict[str, Any]]) -> None:
    """Time and memory over the number of pieces, log-log."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), constrained_layout=True)
    for axis, key, label in zip(
        axes,
        ("cpu_seconds", "peak_gib"),
        ("CPU seconds, all cores together", "peak memory, GiB"),
        strict=True,
    ):
        for solver in dict.fromkeys(row["solver"] for row in rows):
            points = sorted((row["pieces"], row[key]) for row in rows if row["solver"] == solver)
            axis.loglog(*zip(*points, strict=True), "o-", label=solver)
        axis.set(xlabel="pieces of 28 px", ylabel=label)
        axis.grid(alpha=0.3, which="both")
    counts = np.array([min(r["pieces"] for r in rows), max(r["pieces"] for r in rows)], float)
    last = max((row["pieces"], row["cpu_seconds"]) for row in rows)
    guide = counts**2 * np.log(counts)
    axes[0].loglog(counts, last[1] * guide / guide[-1], "k:", label="N² log N")
    axes[0].legend()
    figure.savefig(RESULT.with_suffix(".png"), dpi=110)


def main() -> None:
    """Measure solvers at all sizes, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=3, metavar=("SOLVER", "ROWS", "COLS"), help="one measurement, printed")
    parser.add_argument("--least", type=int, default=0, help="leave out puzzles of fewer pieces")
    parser.add_argument("--most", type=int, default=22755, help="leave out puzzles of more pieces")
    parser.add_argument("--solver", action="append", help=f"default: {', '.join(SOLVERS)}")
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(chosen.one[0], int(chosen.one[1]), int(chosen.one[2]))))
        return
    for grid in (grid for grid in GRIDS if chosen.least <= grid[0] * grid[1] <= chosen.most):
        for solver in chosen.solver or SOLVERS:
            command = [sys.executable, "-m", "benchmarks.scaling", "--one", solver, *map(str, grid)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            record(json.loads(done.stdout.splitlines()[-1]))
            print(done.stdout.splitlines()[-1], flush=True)


def record(row: dict[str, Any]) -> None:
    """Put one measurement into the result, in the place of an earlier one of the same kind, and draw it again."""
    path = RESULT.with_suffix(".json")
    path.parent.mkdir(exist_ok=True)
    rows = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = [old for old in rows if (old["solver"], old["grid"]) != (row["solver"], row["grid"])]
    rows = sorted([*rows, {**row, **circumstances()}], key=lambda r: (r["pieces"], r["solver"]))
    path.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    plot(rows)


if __name__ == "__main__":
    main()
