"""What classical seam costs add to the hybrid's seams: direct accuracy on training pictures that were held out.

`python -m benchmarks.mixing --pictures 32` prints, for each kind of wear, the accuracy with the classical potentials
mixed in by several weights. `mixture` of the hybrid was chosen by it.
"""

from __future__ import annotations

import argparse

import numpy as np

from ganzzle import Puzzle, score
from ganzzle.assembler import assemble_pieces
from ganzzle.assembler.classical import piece_potentials
from ganzzle.puzzle import Solution
from ganzzle.solvers.hybrid import LEAST, Hybrid
from ganzzle.training.calibrate import SETS, held_out_pictures

WEIGHTS = (
    (1.0, 0.0),
    (0.7, 0.3),
    (0.35, 0.65),
    (1.0, 1.0),
)  # of the network's seams and of the classical ones
CELLS = (
    "6x6 erode:1", "6x6 erode:2", "6x6 erode:5", "6x6 noise:0.1", "6x6 missing:0.3", "10x10 erode:2", "10x10 erode:5",
    "10x10 noise:0.1", "10x10 missing:0.3", "12x12 none", "18x24 erode:1",
)  # fmt: skip


def accuracies(solver: Hybrid, puzzle: Puzzle) -> list[float]:
    """Direct accuracy (identical pieces interchangeable) of one puzzle for every weight, in per cent."""
    assert puzzle.grid is not None
    slots, right, down, border = solver.potentials(puzzle)
    classical = [table.clip(LEAST, 0) for table in piece_potentials(puzzle.pieces, puzzle.grid)]
    found = []
    for ours, theirs in WEIGHTS:
        tables = [ours * a + theirs * b for a, b in zip((right, down, border), classical, strict=True)]
        assembly = assemble_pieces(tables[0], tables[1], puzzle.grid, solver.slot_weight * slots, tables[2])
        count = len(puzzle)
        solution = Solution(
            puzzle, puzzle.grid, assembly.placement, np.zeros(count, np.int64), np.ones(count)
        )
        found.append(100 * score(solution).direct_interchangeable)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=32, help="of each set")
    parser.add_argument("--cell", action="append", help='e.g. "10x10 erode:2"; default: all')
    options = parser.parse_args()
    solver = Hybrid()
    print("weights of the network's and the classical seams:", *WEIGHTS)
    for cell in options.cell or CELLS:
        grid, corruption = cell.split()
        for source in SETS:
            pictures = held_out_pictures(source, options.pictures)
            rows = [
                accuracies(solver, Puzzle.from_picture(p, grid, seed=[7, k], piece=32, corrupt=corruption))
                for k, p in enumerate(pictures)
            ]
            print(f"{cell:18} {source:20}", *(f"{x:6.2f}" for x in np.mean(rows, 0)), flush=True)


if __name__ == "__main__":
    main()
