"""What a second, mirrored look brings the hybrid: direct accuracy on training pictures that were held out, and time.

`python -m benchmarks.looks --pictures 96` prints, for each cell and set, the accuracy from one look, from the mirrored
look alone, and from both, averaged in three ways; then the gain of each way over all corrupted cells with its standard
error over pictures; then what two looks cost, by turns in the same run. The solver averages probabilities.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np
import torch

from benchmarks.held_out import assembled_accuracy, measured
from ganzzle import Puzzle
from ganzzle.board.by_pixels import piece_potentials
from ganzzle.networks.relations import Prediction
from ganzzle.puzzle import Floats
from ganzzle.samples import draw_landscape
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.rules import Wear, classical_weight
from ganzzle.solvers.hybrid.sight import (
    LEAST,
    mirror_back,
    potentials,
    prepare,
    two_looks,
    with_mirrored,
)
from ganzzle.training.calibrate import SETS

WAYS = ("one", "mirrored", "logits", "potentials", "probabilities")
CELLS = (
    "6x6 erode:5", "6x6 erode:2", "6x6 noise:0.2", "6x6 noise:0.1", "6x6 missing:0.3", "10x10 erode:5",
    "12x12 none", "6x6 erode:1", "10x10 erode:2", "6x6 missing:0.2+noise:0.1",
)  # fmt: skip


@torch.inference_mode()
def looks(solver: Hybrid, puzzle: Puzzle, wear: Wear) -> list[list[np.ndarray]]:
    """Log-potentials (slots, right, down, border) of one puzzle, in every way."""
    given, count = prepare([puzzle], wear, solver.device), len(puzzle)
    last = solver.eyes.network(with_mirrored(given)).stages[-1]
    slots, right, down, border = (x.float() for x in last)
    seen = Prediction(slots[:1], right[:1], down[:1], border[:1])
    mirrored = mirror_back(Prediction(slots[1:], right[1:], down[1:], border[1:]), given.grid)
    assert mirrored.slots is not None
    mean = Prediction(
        0.5 * (slots[:1] + mirrored.slots),
        0.5 * (right[:1] + mirrored.right),
        0.5 * (down[:1] + mirrored.down),
        0.5 * (border[:1] + mirrored.border),
    )
    one, other = potentials(seen, count), potentials(mirrored, count)
    both = [0.5 * (a + b) for a, b in zip(one, other, strict=True)]
    ways = (one, other, potentials(mean, count), both, two_looks(last, given.grid, count))
    return [[table[0].cpu().numpy() for table in tables] for tables in ways]


def accuracies(solver: Hybrid, puzzle: Puzzle) -> list[float]:
    """Direct accuracy (identical pieces interchangeable) of one puzzle in every way, in per cent."""
    assert puzzle.grid is not None
    wear = Wear.of(puzzle)
    weight = classical_weight(puzzle, wear)
    classical = [table.clip(LEAST, 0) for table in piece_potentials(puzzle.pieces, puzzle.grid)]
    found = []
    for slots, *seams in looks(solver, puzzle, wear):
        mixed = [a + weight * b for a, b in zip(seams, classical, strict=True)]
        found.append(assembled_accuracy(puzzle, solver.slot_weight * slots, mixed))
    return found


def print_gains(by_set: dict[str, list[Floats]]) -> None:
    """Mean gain over one look of all cells (pictures, ways) of every set; a picture counts once for the error."""
    means = [np.mean([cell - cell[:, :1] for cell in cells], 0) for cells in by_set.values()]
    gain = np.mean([m.mean(0) for m in means], 0)
    error = np.sqrt(sum(m.var(0, ddof=1) / len(m) for m in means)) / len(means)
    for way, g, e in zip(WAYS[1:], gain[1:], error[1:], strict=True):
        print(f"corrupted cells, {way} against one look: {g:+.2f} +- {e:.2f}")


def print_costs(solver: Hybrid, repeats: int = 9) -> None:
    """Time to wait for a puzzle solved with one look and with two, by turns."""
    other = Hybrid(device=solver.device.type, looks=1)
    for grid in ("6x6", "12x12"):
        puzzle = Puzzle.from_picture(draw_landscape(seed=1), grid, seed=1, piece=32, corrupt="erode:2")
        times = []
        for _ in range(repeats + 1):
            start = time.perf_counter()
            other.solve(puzzle)
            middle = time.perf_counter()
            solver.solve(puzzle)
            times.append((middle - start, time.perf_counter() - middle))
        one, two = np.array(times[1:]).T
        ratio = np.median(two / one)
        print(f"{grid} erode:2: {1000 * one.min():.0f} ms, {1000 * two.min():.0f} ms; ratio {ratio:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=48, help="of each set, 2 to 96; 0: only the time")
    parser.add_argument("--cell", action="append", help='e.g. "10x10 erode:2"; default: all')
    options = parser.parse_args()
    solver = Hybrid()
    print(f"{'':46}", *(f"{way:>13}" for way in WAYS))
    by_set: dict[str, list[Floats]] = {}
    for cell in (options.cell or CELLS) if options.pictures else ():
        for source in SETS:
            rows = measured(cell, source, options.pictures, partial(accuracies, solver))
            print(f"{cell:25} {source:20}", *(f"{x:13.2f}" for x in rows.mean(0)), flush=True)
            if not cell.endswith("none"):
                by_set.setdefault(source, []).append(rows)
    if by_set:
        print_gains(by_set)
    print_costs(solver)


if __name__ == "__main__":
    main()
