"""How often pictures count as noisy: `python -m benchmarks.noise` prints the share for clean and for noisy puzzles.

Every row is one set of training pictures in one kind of puzzle; clean and worn ones should have 0 %, others 100 %.
The thresholds `NOISY` and `REPEATED` in wear.py lie between the two. Drawn pictures have 2 to 6 coloured
tones, every other one lines, too; dithered ones have six levels of every channel.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import torch
from PIL import Image

from ganzzle.data.drawings import as_drawings
from ganzzle.data.reading import data_root, decode_all, encoded_pictures
from ganzzle.pieces import crop_middle, fit
from ganzzle.puzzle import Grid, Pixels, Puzzle
from ganzzle.solvers.hybrid.rules import Wear
from ganzzle.training.calibrate import SETS

OWN, DRAWN, DITHERED = " own pixels", " drawn", " dithered"
CELLS = (
    "6x6 none", "10x10 none", "20x20 none", f"6x6 none{OWN}", "6x6 erode:2", "6x6 noise:0.025", "10x10 noise:0.025",
    f"6x6 noise:0.025{OWN}", "6x6 noise:0.05", "6x6 noise:0.1", "6x6 noise:0.2", "6x6 erode:5+noise:0.05",
    "6x6 missing:0.3+noise:0.025", f"6x6 none{DRAWN}", f"12x12 none{DRAWN}", f"6x6 erode:2{DRAWN}",
    f"6x6 missing:0.3{DRAWN}", f"6x6 none{DITHERED}", f"6x6 erode:2{DITHERED}", f"6x6 noise:0.02{DRAWN}",
    f"12x12 noise:0.025{DRAWN}", f"6x6 noise:0.2{DRAWN}", f"6x6 noise:0.025{DITHERED}",
)  # fmt: skip


def some_pictures(source: str, count: int) -> Iterator[Pixels]:
    """Pictures of a set, spread evenly over it."""
    encoded = encoded_pictures(source, data_root())
    chosen = np.linspace(0, len(encoded) - 1, min(count, len(encoded))).astype(int)
    for _, picture in decode_all([encoded[i] for i in chosen], lambda picture, _: picture):
        if picture is not None:
            yield picture


def drawn(picture: Pixels, tones: int, ink: int) -> Pixels:
    """A picture (H, W, 3) in a few coloured tones, or on white paper without any, with lines where there is ink."""
    drawing = torch.tensor([[tones], [ink], [1]], dtype=torch.float32)
    pixels = torch.from_numpy(picture.astype(np.float32)).permute(2, 0, 1)[None]
    return as_drawings(pixels, drawing)[0].permute(1, 2, 0).byte().contiguous().numpy()


def dithered(picture: Pixels) -> Pixels:
    """A picture (H, W, 3) in six levels of every channel, the rounding errors handed on to the pixels beside."""
    few = Image.fromarray(picture).convert("P", palette=Image.Palette.WEB, dither=Image.Dither.FLOYDSTEINBERG)
    return np.asarray(few.convert("RGB"))


def is_seen_as_noisy(picture: Pixels, cell: str, seed: int) -> bool | None:
    """Whether the puzzle of a picture counts as noisy; None where the picture is too small for it."""
    grid, corruption = cell.split()[:2]
    if cell.endswith(OWN):
        size = Grid.of(grid)
        if picture.shape[0] < 32 * size.rows or picture.shape[1] < 32 * size.cols:
            return None
        picture = crop_middle(picture, size, 32)
    elif cell.endswith(DRAWN):
        picture = drawn(fit(picture, Grid.of(grid), 32), tones=2 + seed % 5, ink=seed % 2 * 5)
    elif cell.endswith(DITHERED):
        picture = dithered(fit(picture, Grid.of(grid), 32))
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
