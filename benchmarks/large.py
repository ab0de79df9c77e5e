"""Puzzles of more than 900 pieces: `python -m benchmarks.large --pictures 4`.

Training pictures that were held out, some enlarged first, are solved by `assembler` and by `hybrid`. Accuracies in per
cent are of faces, paintings and photographs: direct, identical pieces interchangeable, and neighbour; seconds are the
mean of a puzzle. A cell is a grid, px of a piece, how much the picture is enlarged, and the corruption.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Sequence

import numpy as np
from PIL import Image

from ganzzle import Puzzle, load_solver, score
from ganzzle.puzzle import Floats, Pixels
from ganzzle.solvers import Solver
from ganzzle.training.calibrate import SETS, held_out_pictures

CELLS = (
    "32x32 10 1 none", "32x32 10 1 erode:1", "32x32 10 1 missing:0.1", "32x32 20 2 erode:2", "32x32 20 2 noise:0.05",
    "44x44 16 2 erode:1", "57x57 12 2 none", "57x57 12 2 erode:1", "57x57 12 2 noise:0.05",
)  # fmt: skip


def cut(picture: Pixels, cell: str, k: int) -> Puzzle:
    """The puzzle of a cell that is made from picture number k."""
    grid, px, times, corruption = cell.split()
    image = Image.fromarray(picture)
    size = image.width * int(times), image.height * int(times)
    enlarged = np.asarray(image.resize(size, Image.Resampling.BICUBIC))
    return Puzzle.from_picture(enlarged, grid, seed=[5, k], piece=int(px), corrupt=corruption)


def measured(solver: Solver, pictures: Sequence[Pixels], cell: str) -> Floats:
    """(3,) mean direct and neighbour accuracy of a set of pictures, and seconds."""
    rows = []
    for k, picture in enumerate(pictures):
        puzzle = cut(picture, cell, k)
        start = time.perf_counter()
        solution = solver.solve(puzzle)
        seconds = time.perf_counter() - start
        found = score(solution)
        rows.append((100 * found.direct_interchangeable, 100 * found.neighbour, seconds))
    return np.mean(rows, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solver", action="append", help="default: assembler and hybrid")
    parser.add_argument("--cell", action="append", help=f'default: "{CELLS[0]}" and {len(CELLS) - 1} others')
    parser.add_argument("--pictures", type=int, default=4, help="of each set, at most 96")
    options = parser.parse_args()
    solvers = [load_solver(name) for name in options.solver or ["assembler", "hybrid"]]
    sets = [held_out_pictures(source, options.pictures) for source in SETS]
    for solver in solvers:
        for corruption in ("none", "erode:1"):
            solver.solve(cut(sets[0][0], f"31x31 8 1 {corruption}", 0))  # kernels are compiled
    for cell in options.cell or CELLS:
        for solver in solvers:
            found = np.array([measured(solver, pictures, cell) for pictures in sets])
            direct, neighbour = (" / ".join(f"{x:5.1f}" for x in found[:, k]) for k in (0, 1))
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(
                f"{cell:24} {solver.name:10} direct {direct}   neighbour {neighbour}   {found[:, 2].mean():6.1f} s   "
                f"{most:.1f} GiB so far",
                flush=True,
            )


if __name__ == "__main__":
    main()
