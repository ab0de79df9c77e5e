"""Pieces that do not belong to a pile, and are to be left over: `python -m benchmarks.foreign`.

Training pictures that were held out, each with pieces of others among its own, clean and worn; the grid given and not.
A row counts the piles of which the right pieces were left over, those of which wrong ones were, and those that were
refused because it was not clear, or, of unknown grid, solved with all their pieces. Piles without any such piece, whole
or with some lost, are to keep all they have (`--foreign 0`, `--lost 3`).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from ganzzle import Puzzle, load_solver
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, Ints, Pixels
from ganzzle.solvers import Solver
from ganzzle.solving.piles import solve_pile
from ganzzle.training.calibrate import SETS, held_out_pictures

GRIDS = ("4x4", "6x6", "10x10")
CORRUPTIONS = ("none", "erode:1")
FOREIGN = (1, 2, 3)


def with_foreign(
    pictures: Sequence[Pixels], own: int, grid: Grid, corruption: str, foreign: int, lost: int = 0
) -> tuple[Puzzle, Ints]:
    """A pile of one picture with so many pieces of other ones, and without some of its own; which do not belong."""
    rng = np.random.default_rng([3, own, foreign, lost])
    others = rng.choice(np.delete(np.arange(len(pictures)), own), foreign)
    puzzles = [
        Puzzle.from_picture(pictures[k], grid, seed=[5, own, n], piece=32, corrupt=corruption)
        for n, k in enumerate([own, *others])
    ]
    pieces = np.concatenate([puzzles[0].pieces[lost:], *(puzzle.pieces[:1] for puzzle in puzzles[1:])])
    order = rng.permutation(len(pieces))
    return Puzzle(pieces[order]), np.flatnonzero(order >= grid.slots - lost)


def outcome(solver: Solver, pile: Puzzle, foreign: Ints, grid: Grid | None) -> str:
    """What became of a pile whose grid is given or not: "right", "wrong", "refused" or "kept all"."""
    try:
        found = solve_pile(solver, pile, grid=grid)
    except PuzzleError:
        return "refused"
    left = found.left_over
    if left is None:
        return "kept all" if len(foreign) else "right"
    return "right" if np.array_equal(left, foreign) else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--grid", action="append", help=f"default: {', '.join(GRIDS)}")
    parser.add_argument("--corrupt", action="append", help=f"default: {', '.join(CORRUPTIONS)}")
    parser.add_argument("--foreign", action="append", type=int, help="pieces of other pictures")
    parser.add_argument("--lost", type=int, default=0, help="pieces that are gone")
    parser.add_argument("--pictures", type=int, default=12, help="of each set, at most 96")
    parser.add_argument("--unknown", action="store_true", help="measure piles of unknown grid alone")
    options = parser.parse_args()
    pictures = [picture for source in SETS for picture in held_out_pictures(source, options.pictures)]
    solver = load_solver("hybrid")
    cells = product(
        options.grid or GRIDS, options.corrupt or CORRUPTIONS, options.foreign or FOREIGN, (True, False)
    )
    for text, corruption, foreign, given in cells:
        if given and (options.unknown or not foreign or options.lost):
            continue
        grid, counts, seconds = Grid.of(text), Counter[str](), []
        for own in range(len(pictures)):
            pile, strange = with_foreign(pictures, own, grid, corruption, foreign, options.lost)
            start = time.perf_counter()
            counts[outcome(solver, pile, strange, grid if given else None)] += 1
            seconds.append(time.perf_counter() - start)
        what = f"{text:>6} {corruption:8} {foreign} foreign, {options.lost} lost, {'given' if given else 'found':5}"
        print(f"{what} {dict(counts.most_common())}  {np.median(seconds):.2f} s", flush=True)


if __name__ == "__main__":
    main()
