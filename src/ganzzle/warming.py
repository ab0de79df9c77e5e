"""`python -m ganzzle.warming`: has all kernels compiled and kept, so that no solve waits for the compiler."""

from __future__ import annotations

from dataclasses import replace

from ganzzle.puzzle import Puzzle
from ganzzle.samples import sample_picture
from ganzzle.solvers import SOLVERS, load_solver

SOLVED_WITH = ("hybrid", "assembler", "paikin-tal", "gallagher", "pomeranz")
CORRUPTIONS = ("none", "erode:5", "missing:0.2", "noise:0.3")
GRID = 6


def main() -> None:
    """Solve small puzzles of every kind with every solver that has kernels; the answers are not looked at."""
    picture = sample_picture("landscape")
    kinds = [Puzzle.from_picture(picture, GRID, seed=0, corrupt=corrupt) for corrupt in CORRUPTIONS]
    turned = Puzzle.from_picture(picture, GRID, seed=0, rotated=True)
    for name in SOLVED_WITH:
        for puzzle in kinds:
            load_solver(name).solve(puzzle)
        load_solver(name).solve(replace(kinds[0], grid=None))
        if SOLVERS[name].rotated:
            load_solver(name, rotated=True).solve(turned)


if __name__ == "__main__":
    main()
