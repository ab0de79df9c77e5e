"""Accuracy on other kinds of pictures than the sets hold: `python -m benchmarks.kinds --pictures 16`.

Training pictures that were held out, made grey, tinted, drawn, turned and so on. A row is a kind; its cells have three
figures, for faces, paintings and photographs: direct accuracy in per cent, identical pieces interchangeable. Several
`--weights` are solved side by side. A cell may name the px of a piece: `--kind as_it_is --cell "16x16 none 8"`.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image
from scipy import ndimage

from benchmarks.noise import drawn
from ganzzle import Puzzle, score
from ganzzle.puzzle import Pixels
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.training.calibrate import SETS, held_out_pictures

CELLS = ("8x8 none", "8x8 erode:2", "8x8 noise:0.1", "6x6 missing:0.3", "6x6 erode:5")

Kind = Callable[[Pixels], Pixels]


def grey(picture: Pixels) -> Pixels:
    """Without colours, (H, W, 3) -> the same, as all kinds."""
    return np.asarray(Image.fromarray(picture).convert("L").convert("RGB"))


def sepia(picture: Pixels) -> Pixels:
    """In one warm colour."""
    return (grey(picture) * (1.1, 0.9, 0.7)).round().clip(0, 255).astype(np.uint8)


def tones(picture: Pixels) -> Pixels:
    """In four levels of every channel, after a median filter."""
    return (ndimage.median_filter(picture, (5, 5, 1)) // 64 * 85).astype(np.uint8)


def two_tones(picture: Pixels) -> Pixels:
    """Black where it is darker than its median, else white."""
    smooth = ndimage.gaussian_filter(grey(picture).astype(np.float32), (1.5, 1.5, 0))
    return np.where(smooth > np.median(smooth), 255, 0).astype(np.uint8)


def lines(picture: Pixels) -> Pixels:
    """Dark lines on white paper."""
    return drawn(picture, tones=0, ink=6)


def negative(picture: Pixels) -> Pixels:
    """Light and dark exchanged."""
    return 255 - picture


def pale(picture: Pixels) -> Pixels:
    """With a fifth of the contrast."""
    return (100 + 0.2 * picture).astype(np.uint8)


def dark(picture: Pixels) -> Pixels:
    """With a gamma of 2.5."""
    return (255 * (picture / 255) ** 2.5).astype(np.uint8)


def upside_down(picture: Pixels) -> Pixels:
    """Standing on its head."""
    return np.ascontiguousarray(picture[::-1])


def on_its_side(picture: Pixels) -> Pixels:
    """Turned by a quarter."""
    return np.ascontiguousarray(np.rot90(picture))


def blurred(picture: Pixels) -> Pixels:
    """Out of focus."""
    return ndimage.gaussian_filter(picture, (2.5, 2.5, 0))


def squeezed(picture: Pixels) -> Pixels:
    """As a JPEG file of quality 20."""
    return as_jpeg(picture, quality=20)


def as_jpeg(picture: Pixels, quality: int) -> Pixels:
    """What is left of a picture (H, W, 3) that was stored as JPEG."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


def as_it_is(picture: Pixels) -> Pixels:
    """Nothing is done to it."""
    return picture


KINDS: tuple[Kind, ...] = (
    as_it_is, grey, sepia, tones, two_tones, lines, negative, pale, dark, upside_down, on_its_side, blurred, squeezed,
)  # fmt: skip


def accuracy(solver: Hybrid, pictures: Sequence[Pixels], cell: str) -> float:
    """Mean direct accuracy of the pictures' puzzles in a cell such as "8x8 erode:2", or "8x8 erode:1 16" for 16 px."""
    grid, corruption, *px = cell.split()
    puzzles = [
        Puzzle.from_picture(p, grid, seed=[5, k], piece=int(px[0]) if px else 32, corrupt=corruption)
        for k, p in enumerate(pictures)
    ]
    return float(np.mean([100 * score(s).direct_interchangeable for s in solver.solve_batch(puzzles)]))


def main() -> None:
    names = {kind.__name__: kind for kind in KINDS}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", action="append", help="a file, or the name of embedded ones: hybrid")
    parser.add_argument("--kind", action="append", choices=names, help="default: all")
    parser.add_argument(
        "--cell", action="append", help='e.g. "8x8 erode:2", or "8x8 none 16" for 16 px; default: all'
    )
    parser.add_argument("--pictures", type=int, default=16, help="of each set, at most 96")
    options = parser.parse_args()
    solvers = [Hybrid(weights) for weights in options.weights or ["hybrid"]]
    sets = [held_out_pictures(source, options.pictures) for source in SETS]
    cells = options.cell or CELLS
    print("|", " | ".join(["kind", "weights", *cells]), "|")
    print("|" + "---|" * (2 + len(cells)))
    for name in options.kind or names:
        changed = [[names[name](picture) for picture in pictures] for pictures in sets]
        for number, solver in enumerate(solvers, 1):
            found = [" ".join(f"{accuracy(solver, some, cell):.1f}" for some in changed) for cell in cells]
            print("|", " | ".join([name.replace("_", " "), str(number), *found]), "|", flush=True)


if __name__ == "__main__":
    main()
