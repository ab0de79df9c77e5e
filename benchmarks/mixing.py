"""What classical seam costs add to the hybrid's seams: direct accuracy on training pictures that were held out.

`python -m benchmarks.mixing --pictures 32` prints, for each kind of wear, the accuracy with the classical potentials
mixed in by several weights. `classical_weight` of the hybrid was chosen by it.
"""

from __future__ import annotations

import argparse
from functools import partial

from benchmarks.held_out import assembled_accuracy, measured
from ganzzle import Puzzle
from ganzzle.board.by_pixels import piece_potentials
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.confidence import board_fit
from ganzzle.solvers.hybrid.rules import DOUBTFUL, LEAST
from ganzzle.training.calibrate import SETS

WEIGHTS = (0.0, 0.1, 0.3, 0.6, 1.0)  # of the classical seams; the network's count 1
CELLS = (
    "6x6 erode:1", "6x6 erode:2", "6x6 erode:5", "6x6 noise:0.1", "6x6 missing:0.3", "10x10 erode:2", "10x10 erode:5",
    "10x10 noise:0.1", "10x10 missing:0.3", "12x12 none", "18x24 erode:1",
)  # fmt: skip


def accuracies(solver: Hybrid, slot_weight: float, doubtful: bool, puzzle: Puzzle) -> list[float]:
    """Direct accuracy of one puzzle for every weight, in per cent; none where only doubtful ones are asked for."""
    assert puzzle.grid is not None
    slots, *seams = solver.potentials(puzzle)
    if doubtful and board_fit(solver.judge([puzzle])[0].evidence) >= DOUBTFUL:
        return []
    classical = [table.clip(LEAST, 0) for table in piece_potentials(puzzle.pieces, puzzle.grid)]
    return [
        assembled_accuracy(
            puzzle,
            slot_weight * slots,
            [a + weight * b for a, b in zip(seams, classical, strict=True)],
        )
        for weight in WEIGHTS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=32, help="of each set")
    parser.add_argument("--cell", action="append", help='e.g. "10x10 erode:2"; default: all')
    parser.add_argument("--doubtful", action="store_true", help="only puzzles the solver is not sure of")
    parser.add_argument("--slot-weight", type=float, help="of the piece-slot matrix; default: the solver's")
    options = parser.parse_args()
    solver = Hybrid()
    slot_weight = solver.slot_weight if options.slot_weight is None else options.slot_weight
    print("weights of the classical seams:", *WEIGHTS)
    for cell in options.cell or CELLS:
        for source in SETS:
            rows = measured(
                cell, source, options.pictures, partial(accuracies, solver, slot_weight, options.doubtful)
            )
            means = rows.mean(0) if len(rows) else ()
            print(f"{cell:18} {source:20} {len(rows):3}", *(f"{x:6.2f}" for x in means), flush=True)


if __name__ == "__main__":
    main()
