"""How often pictures count as noisy: `python -m benchmarks.noise` prints the share for clean and for noisy puzzles.

Every row is one set of training pictures in one kind of puzzle; clean and worn ones should have 0 %, others 100 %.
The threshold `NOISY` in networks/wear.py lies between the two.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from ganzzle.data.reading import data_root, decode_all, encoded_pictures
from ganzzle.puzzle import Grid, Pixels, Puzzle, crop_middle
from ganzzle.solvers.hybrid_rules import Wear
from ganzzle.training.calibrate import SETS

OWN = " own pixels"
CELLS = (
    "6x6 none", "10x10 none", "20x20 none", f"6x6 none{OWN}", "6x6 erode:2", "6x6 noise:0.025", "10x10 noise:0.025",
    f"6x6 noise:0.025{OWN}", "6x6 noise:0.05", "6x6 noise:0.1", "6x6 noise:0.2", "6x6 erode:5+noise:0.05",
    "6x6 missing:0.3+noise:0.025",
)  # fmt: skip


def some_pictures(source: str, count: int) -> Iterator[Pixels]:
    """Pictures of a set, spread evenly over it."""
    encoded = encoded_pictures(source, data_root())
    chosen = np.linspace(0, len(encoded) - 1, min(count, len(encoded))).astype(int)
    for _, picture in decode_all([encoded[i] for i in chosen], lambda picture, _: picture):
        if picture is not None:
            yield picture


def is_seen_as_noisy(picture: Pixels, cell: str, seed: int) -> bool | None:
    """Whether the puzzle of a picture counts as noisy; None where the picture is too small for it."""
    grid, corruption = cell.removesuffix(OWN).split()
    if cell.endswith(OWN):
        size = Grid.of(grid)
        if picture.shape[0] < 32 * size.rows or picture.shape[1] < 32 * size.cols:
            return None
        picture = crop_middle(picture, size, 32)
    return Wear.of(Puzzle.from_picture(picture, grid, seed=[3, seed], piece=32, corrupt=corruption)).noisy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=150, help="of each set")
    options = parser.parse_args()
    for source in SETS:
        seen: dict[str, list[bool]] = {cell: [] for cell in CELLS}
        for k, picture in enumerate(some_pictures(source, options.pictures)):
            for cell in CELLS:
                noisy = is_seen_as_noisy(picture, cell, k)
                if noisy is not None:
                    seen[cell].append(noisy)
        for cell, answers in seen.items():
            print(
                f"{source:20} {cell:30} {len(answers):4} puzzles {100 * np.mean(answers):6.1f} %", flush=True
            )


if __name__ == "__main__":
    main()
