"""Recorded runs of the hybrid's network on a GPU against plain ones: one small puzzle at a time.

    python -m benchmarks.graphs

Puzzles are solved by turns, in both ways; the placements must be the same.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from ganzzle import Puzzle
from ganzzle.samples import draw_landscape
from ganzzle.solution import Solution
from ganzzle.solvers.hybrid import Hybrid

CELLS = ("6x6 none", "6x6 erode:2", "6x6 noise:0.1", "10x10 none", "12x12 none")


def solved(solver: Hybrid, puzzle: Puzzle) -> tuple[Solution, float]:
    """The answer, and the milliseconds it took."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    solution = solver.solve(puzzle)
    return solution, 1000 * (time.perf_counter() - start)


def compare(recorded: Hybrid, plain: Hybrid, cell: str, count: int) -> str:
    """A line for one kind of puzzle."""
    grid, corrupt = cell.split()
    puzzles = [
        Puzzle.from_picture(draw_landscape(seed=k), grid, seed=k, piece=32, corrupt=corrupt)
        for k in range(count)
    ]
    for _ in range(3):  # seen, recorded, repeated
        for solver in (recorded, plain):
            solver.solve(puzzles[0])
    times: list[tuple[float, float]] = []
    different = 0
    for puzzle in puzzles:
        (one, quick), (two, slow) = solved(recorded, puzzle), solved(plain, puzzle)
        times.append((quick, slow))
        different += not np.array_equal(one.placement, two.placement)
    quick, slow = np.median(np.array(times), 0)
    return f"  {cell}: {quick:.2f} ms recorded, {slow:.2f} ms plain; {different} of {count} placements differ"


def main() -> None:
    """Print a line for each kind of puzzle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=int, default=30)
    count = parser.parse_args().puzzles
    if not torch.cuda.is_available():
        raise SystemExit("this needs a GPU")
    recorded, plain = Hybrid(device="cuda"), Hybrid(device="cuda", graphs=False)
    print(f"\nMedian of {count} puzzles, one at a time, {torch.cuda.get_device_name()}")
    for cell in CELLS:
        print(compare(recorded, plain, cell, count))


if __name__ == "__main__":
    main()
