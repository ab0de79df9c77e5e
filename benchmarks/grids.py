"""How often the unknown grid is found, and how long that takes: `python -m benchmarks.grids`.

Training pictures that were held out, cut in several grids, clean and worn; the solver is told the pieces alone.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ganzzle import Puzzle, load_solver
from ganzzle.puzzle import Grid, Pixels
from ganzzle.solvers import Solver
from ganzzle.training.calibrate import SETS, held_out_pictures

GRIDS = ("3x4", "1x12", "4x9", "6x9", "8x10", "12x12", "16x9", "20x30")
CORRUPTIONS = ("none", "erode:2", "noise:0.1")


def found(solver: Solver, pictures: Sequence[Pixels], grid: str, corruption: str) -> tuple[float, float]:
    """Share of the puzzles whose grid is found, and median seconds of a puzzle."""
    right, seconds = [], []
    for k, picture in enumerate(pictures):
        puzzle = Puzzle.from_picture(picture, grid, seed=[5, k], piece=32, corrupt=corruption)
        start = time.perf_counter()
        solution = solver.solve(replace(puzzle, grid=None, truth=None))
        seconds.append(time.perf_counter() - start)
        right.append(solution.grid == puzzle.grid)
    return float(np.mean(right)), float(np.median(seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solver", action="append", help="default: hybrid")
    parser.add_argument("--grid", action="append", help=f"default: {', '.join(GRIDS)}")
    parser.add_argument("--corrupt", action="append", help=f"default: {', '.join(CORRUPTIONS)}")
    parser.add_argument("--pictures", type=int, default=6, help="of each set, at most 96")
    options = parser.parse_args()
    pictures = [picture for source in SETS for picture in held_out_pictures(source, options.pictures)]
    solvers = [load_solver(name) for name in options.solver or ["hybrid"]]
    for solver in solvers:
        solver.solve(Puzzle.from_picture(pictures[0], "4x4", seed=0, piece=32))  # kernels are compiled
    for grid in options.grid or GRIDS:
        grids = len(Grid.that_fit(Grid.of(grid).slots))
        for corruption in options.corrupt or CORRUPTIONS:
            for solver in solvers:
                share, seconds = found(solver, pictures, grid, corruption)
                print(
                    f"{grid:>6} of {grids:2} {corruption:10} {solver.name:12} found {share:6.1%}  {seconds:7.2f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
