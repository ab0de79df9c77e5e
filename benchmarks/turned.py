"""Turned pieces, clean and corrupted: `python -m benchmarks.turned --pictures 24`.

Training pictures that were held out are cut into turned pieces and solved by `hybrid`, `paikin-tal` and `gallagher`. A
cell is a grid and a corruption; the solvers are told the grid, unless `--unknown` is given. Of faces, paintings and
photographs: the direct accuracy in per cent, identical pieces interchangeable, the whole picture turned as it likes;
the mean confidence; how often the picture is upright; and the seconds of a puzzle.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from ganzzle import Puzzle, load_solver, score
from ganzzle.puzzle import Floats, Pixels
from ganzzle.solution import Solution
from ganzzle.solvers import Solver
from ganzzle.training.calibrate import SETS, held_out_pictures

CELLS = (
    "6x6 none", "12x12 none", "6x6 missing:0.1", "6x6 missing:0.3", "6x6 noise:0.05", "6x6 noise:0.1", "6x6 noise:0.2",
    "6x6 erode:1", "6x6 erode:2", "6x6 erode:5", "10x10 erode:2", "10x10 noise:0.1",
)  # fmt: skip
PX = 32  # of a piece


def cut(picture: Pixels, cell: str, k: int) -> Puzzle:
    """The puzzle of a cell that is made from picture number k."""
    grid, corruption = cell.split()
    return Puzzle.from_picture(picture, grid, seed=[3, k], piece=PX, rotated=True, corrupt=corruption)


def is_upright(solution: Solution) -> bool:
    """Whether most pieces lie as they do in the picture."""
    assert solution.puzzle.truth is not None
    return bool(np.mean(solution.turns == solution.puzzle.truth.turns) > 0.5)


def measured(solver: Solver, pictures: Sequence[Pixels], cell: str, known: bool) -> Floats:
    """(4,) means over a set of pictures: accuracy, confidence, upright (all in per cent), seconds."""
    rows = []
    for k, picture in enumerate(pictures):
        puzzle = cut(picture, cell, k)
        start = time.perf_counter()
        solution = solver.solve(puzzle if known else Puzzle(puzzle.pieces, truth=puzzle.truth))
        seconds = time.perf_counter() - start
        sure, upright = solution.confidence.mean(), is_upright(solution)
        rows.append((100 * score(solution).direct_interchangeable, 100 * sure, 100 * upright, seconds))
    return np.mean(rows, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solver", action="append", help="default: hybrid, paikin-tal and gallagher")
    parser.add_argument("--cell", action="append", help=f'default: "{CELLS[0]}" and {len(CELLS) - 1} others')
    parser.add_argument("--pictures", type=int, default=24, help="of each set, at most 96")
    parser.add_argument("--unknown", action="store_true", help="the solvers have to find the grid, too")
    options = parser.parse_args()
    names = options.solver or ["hybrid", "paikin-tal", "gallagher"]
    solvers = [load_solver(name, rotated=True) for name in names]
    sets = [held_out_pictures(source, options.pictures) for source in SETS]
    for solver in solvers:
        for cell in ("4x4 none", "4x4 erode:2", "4x4 noise:0.1"):
            solver.solve(cut(sets[0][0], cell, 0))  # kernels are compiled
    for cell in options.cell or CELLS:
        for solver in solvers:
            found = np.array([measured(solver, some, cell, not options.unknown) for some in sets])
            direct, sure, upright = (" / ".join(f"{x:5.1f}" for x in found[:, k]) for k in range(3))
            print(
                f"{cell:16} {solver.name:10} direct {direct}   confidence {sure}   upright {upright}   "
                f"{found[:, 3].mean():5.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
