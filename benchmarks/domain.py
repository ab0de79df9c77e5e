"""How fast the domain is: 10,000 pieces of 28 px cut, shuffled, corrupted, assembled and scored; the command's start.

    python -m benchmarks.domain

Every step is also given as a ratio to copying the same pixels once, which is what memory speed means here.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from ganzzle.damage.corruption import add_noise, erode, twin_groups
from ganzzle.metrics import score
from ganzzle.puzzle import Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import canonical_order

PIECES_AN_EDGE, PIECE = 100, 28


def measure(repeats: int = 5) -> dict[str, float]:
    """Milliseconds of each step, the best of some repeats."""
    side = PIECES_AN_EDGE * PIECE
    picture = np.random.default_rng(0).integers(0, 256, (side, side, 3), dtype=np.uint8)
    puzzle = Puzzle.from_picture(picture, PIECES_AN_EDGE)
    assert puzzle.truth is not None
    assert puzzle.grid is not None
    solution = Solution(puzzle, puzzle.grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(len(puzzle)))
    steps: dict[str, Callable[[], object]] = {
        "copy the pixels once": lambda: picture.copy(),
        "cut and shuffle": lambda: Puzzle.from_picture(picture, PIECES_AN_EDGE, seed=1),
        "assemble": solution.picture,
        "score": lambda: score(solution),
        "cut, shuffle, assemble and score": lambda: _round_trip(picture),
        "erode": lambda: erode(puzzle.pieces, 2),
        "add noise": lambda: add_noise(puzzle.pieces, 0.1, np.random.default_rng(0)),
        "find identical pieces": lambda: twin_groups(puzzle.pieces),
        "put in canonical order": lambda: canonical_order(puzzle.pieces, 0),
        "ganzzle --help": lambda: subprocess.run(
            [sys.executable, "-m", "ganzzle", "--help"], stdout=subprocess.DEVNULL, check=True
        ),
    }
    return {name: 1000 * min(_seconds(step) for _ in range(repeats)) for name, step in steps.items()}


def _round_trip(picture: np.ndarray) -> None:
    puzzle = Puzzle.from_picture(picture, PIECES_AN_EDGE, seed=2)
    assert puzzle.truth is not None
    assert puzzle.grid is not None
    solution = Solution(puzzle, puzzle.grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(len(puzzle)))
    solution.picture()
    score(solution)


def _seconds(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def main() -> None:
    """Print a line a step."""
    print(f"{PIECES_AN_EDGE**2:,} pieces of {PIECE} px")
    found = measure()
    copy = found["copy the pixels once"]
    for name, milliseconds in found.items():
        print(f"  {name:34} {milliseconds:8.1f} ms {milliseconds / copy:7.1f} copies")


if __name__ == "__main__":
    main()
