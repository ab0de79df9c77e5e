"""What a second, mirrored look brings `ganzzle`: direct accuracy on training pictures that were held out, and time.

`python -m benchmarks.ganzzle_looks --weights art --source "art/train-*.tar"` prints, for each grid, the accuracy from
one look and from two, the gain with its standard error over pictures, and the median time of a puzzle solved alone, the
two by turns.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from ganzzle import Puzzle, score
from ganzzle.puzzle import Floats, Pixels
from ganzzle.solvers.ganzzle import Ganzzle
from ganzzle.training.calibrate import held_out_pictures

GRIDS = ("2x2", "4x4", "6x6", "8x8", "10x10", "12x12")


def compare(solvers: list[Ganzzle], pictures: list[Pixels], grid: str) -> tuple[Floats, Floats]:
    """(pictures, solvers) direct accuracy in per cent, and milliseconds, of each puzzle solved alone."""
    direct, times = np.zeros((2, len(pictures), len(solvers)))
    for k, picture in enumerate(pictures):
        puzzle = Puzzle.from_picture(picture, grid, seed=[7, k], piece=32)
        for j, solver in enumerate(solvers):
            start = time.perf_counter()
            solution = solver.solve(puzzle)
            times[k, j] = 1000 * (time.perf_counter() - start)
            direct[k, j] = 100 * score(solution).direct
    return direct, times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", default="art", help="an embedded name or a file")
    parser.add_argument("--source", default="art/train-*.tar")
    parser.add_argument("--pictures", type=int, default=96, help="at most 96")
    parser.add_argument("--grid", action="append", help="default: " + ", ".join(GRIDS))
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    solvers = [Ganzzle(options.weights, options.device, looks=looks) for looks in (1, 2)]
    pictures = held_out_pictures(options.source, options.pictures)
    print(f"{options.weights}, {len(pictures)} held-out pictures of {options.source}")
    print(f"{'':6} {'one look':>9} {'two':>7} {'gain':>15} {'ms, one':>8} {'two':>5}")
    for grid in options.grid or GRIDS:
        direct, times = compare(solvers, pictures, grid)
        gain = direct[:, 1] - direct[:, 0]
        error = gain.std() / len(gain) ** 0.5
        (one, two), (fast, slow) = direct.mean(0), np.median(times, 0)
        print(
            f"{grid:6} {one:9.2f} {two:7.2f} {gain.mean():+7.2f} +- {error:.2f} {fast:8.0f} {slow:5.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
