"""Every use of Ganzzle in a line or two: `python examples/every_use.py [FOLDER]` runs them all on drawn pictures.

Without a folder the files go to a temporary one.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from ganzzle import Pile, Puzzle, Solution, load_solver, score, solve, write_picture
from ganzzle.samples import sample_picture
from ganzzle.samples.jigsaws import jigsaw_pages
from ganzzle.solvers import Arrangement, Solver

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
folder.mkdir(parents=True, exist_ok=True)
photo = write_picture(folder / "photo.png", sample_picture("balloons"), force=True)

# A picture, cut and shuffled by a seed: a puzzle that knows its truth.
puzzle = Puzzle.from_picture(photo, grid=(5, 6), seed=0)
answer = solve(puzzle)
write_picture(folder / "solved.png", answer.picture(), force=True)
print("a picture:", answer.grid, f"{answer.confidence.mean():.0%} sure")

# The same by a named solver, and how right it is; many puzzles at once.
solution: Solution = load_solver("gallagher").solve(puzzle)
print("by gallagher:", f"{score(solution).direct:.0%} in place")
solved = load_solver().solve_batch([Puzzle.from_picture(photo, 4, seed=seed) for seed in range(3)])
print("a batch:", [f"{score(one).direct:.0%}" for one in solved])

# Worn, noisy, incomplete and turned pieces.
worn = Puzzle.from_picture(photo, grid=6, seed=1, piece=48, corrupt="erode:2+missing:0.1")
print("worn, some lost:", f"{score(load_solver().solve(worn)).direct:.0%} in place")
turned = Puzzle.from_picture(photo, grid=4, seed=2, piece=48, rotated=True)
print("turned:", f"{score(load_solver(rotated=True).solve(turned)).direct:.0%} in place")

# A pile as people have it: nothing is known but the pieces.
pile = Pile(puzzle.pieces)
print("a pile:", solve(pile).grid)

# A scrambled picture, and a folder of piece files.
scrambled = write_picture(
    folder / "scrambled.png", np.concatenate(np.split(sample_picture("balloons"), 2)[::-1]), force=True
)
print("a scrambled picture:", Puzzle.from_scrambled(scrambled, grid=(2, 1)).grid)

# Jigsaw pieces with tabs on pages, scanned or photographed.
pages = jigsaw_pages(sample_picture("balloons"), (3, 4), seed=3, pages=2, side=90).pages
jigsaw = solve(Pile.from_scans(pages))
write_picture(folder / "jigsaw.png", jigsaw.picture(), force=True)
print("a jigsaw:", jigsaw.grid, f"{len(jigsaw.left_over)} left over")

# With the picture on the box.
print("with the lid:", solve(replace(Pile(puzzle.pieces), reference=sample_picture("balloons"))).grid)


# A solver of your own: it arranges puzzles of known grid; the rest comes with the base class.
class InOrder(Solver):
    """Lays the pieces in the order they come."""

    name = "in-order"

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        return Arrangement(np.arange(len(puzzle)))


print("one's own:", f"{score(InOrder().solve(puzzle)).direct:.0%} in place")
