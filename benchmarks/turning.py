"""How often classical seams want to turn a right board: `python -m benchmarks.turning`, on training pictures.

For every set and grid: the true boards that would gain energy if they began at another row or column, and the largest
gains. `CLEARLY` in solvers/hybrid_turning.py lies above all of them but those of a picture in a black frame: black
pieces fit one another so well that a border beside them seems unlikely.
"""

from __future__ import annotations

import argparse

from benchmarks.noise import some_pictures
from ganzzle.assembler.turning import best_turn
from ganzzle.puzzle import Puzzle
from ganzzle.solvers.hybrid import classical_tables
from ganzzle.training.calibrate import SETS

GRIDS = ("6x6", "10x10", "20x20")


def gain(puzzle: Puzzle) -> float:
    """What the best turn of the true board gains, in nats; 0 if it lies best as it is."""
    assert puzzle.grid is not None
    assert puzzle.truth is not None
    right, down, border = (table[0] for table in classical_tables([puzzle], puzzle.grid))
    return best_turn(puzzle.truth.placement, right, down, puzzle.grid, border).gain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=100, help="of each set")
    options = parser.parse_args()
    for grid in GRIDS:
        for source in SETS:
            pictures = enumerate(some_pictures(source, options.pictures))
            gains = [gain(Puzzle.from_picture(p, grid, seed=[5, k], piece=32)) for k, p in pictures]
            largest = sorted((g for g in gains if g > 0), reverse=True)
            print(
                f"{grid:6} {source:20} {len(gains)} boards, {len(largest)} turned",
                *(f"{g:.1f}" for g in largest[:5]),
            )


if __name__ == "__main__":
    main()
