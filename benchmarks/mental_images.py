"""The figure of docs/hybrid.md: piles, mental images, solutions and originals, of pictures that packages carry.

`python -m benchmarks.mental_images docs/mental-images.jpg` needs matplotlib (a portrait) and scikit-image (an
astronaut, a cup of coffee; all of them in the public domain); the landscape is drawn by code.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from ganzzle import Puzzle, load_solver, score
from ganzzle.demo import Round, overview
from ganzzle.puzzle import Pixels
from ganzzle.reading.pictures import read_picture, resize_picture
from ganzzle.samples import SIZE, sample_names, sample_picture
from ganzzle.solvers import Solver

GRID = "8x8"
WEAR = ("none", "erode:2", "missing:0.2", "erode:5")  # one for each picture, in turn


def pictures() -> Iterator[Pixels]:
    """Square pictures (480, 480, 3), as far as the packages are installed."""
    for name in sample_names():
        yield sample_picture(name)
    package = find_spec("skimage")
    if package is not None and package.origin is not None:
        for name in ("astronaut.png", "coffee.png"):
            picture = read_picture(Path(package.origin).parent / "data" / name)
            side = min(picture.shape[:2])
            left = (picture.shape[1] - side) // 2
            yield resize_picture(picture[:side, left : left + side], SIZE, SIZE)


def solved(picture: Pixels, wear: str, solver: Solver) -> Round:
    """One row of the figure."""
    puzzle = Puzzle.from_picture(picture, GRID, seed=0, piece=32, corrupt=wear)
    start = time.perf_counter()
    solution = solver.solve(puzzle)
    return Round(picture, solution, score(solution), time.perf_counter() - start)


def main(path: str) -> None:
    """Write the figure."""
    solver = load_solver("hybrid")
    shown = list(pictures())
    solved(shown[0], "none", solver)  # warm
    rounds = [solved(picture, WEAR[k % len(WEAR)], solver) for k, picture in enumerate(shown)]
    Image.fromarray(overview(rounds)).save(path, quality=85)


if __name__ == "__main__":
    main(*sys.argv[1:])
