"""What cuts along a codec's blocks cost: `python -m benchmarks.blocks --pictures 24`.

Training pictures that were held out are stored as JPEG, which works in blocks of 8 px, and cut without resizing: along
the blocks, and some pixels aside. Direct accuracy in per cent, identical pieces interchangeable.
"""

from __future__ import annotations

import argparse

import numpy as np
from PIL import Image

from benchmarks.kinds import as_jpeg
from ganzzle import Puzzle, load_solver, score
from ganzzle.puzzle import Pixels
from ganzzle.training.calibrate import SETS, held_out_pictures

ASIDE = 4  # px
SIDE = 352  # px of the smallest picture that holds every cut


def cut_out(picture: Pixels, side: int, offset: int, quality: int) -> Pixels:
    """A square of `side` px of a picture that was stored as JPEG; too small ones are enlarged before."""
    if min(picture.shape[:2]) < side + ASIDE:
        picture = np.asarray(Image.fromarray(picture).resize((SIDE, SIDE)))
    return as_jpeg(picture, quality)[offset : offset + side, offset : offset + side]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solver", action="append", help="default: hybrid and assembler")
    parser.add_argument(
        "--cut", action="append", help="a square grid and px of a piece; default: 10x10:32 and 20x20:16"
    )
    parser.add_argument("--quality", type=int, default=75)
    parser.add_argument("--pictures", type=int, default=24, help="of each set, at most 96")
    options = parser.parse_args()
    solvers = [load_solver(name) for name in options.solver or ["hybrid", "assembler"]]
    sets = [held_out_pictures(source, options.pictures) for source in SETS]
    for cut in options.cut or ["10x10:32", "20x20:16"]:
        grid, px = cut.split(":")
        side = int(px) * int(grid.split("x")[0])
        for offset in (0, ASIDE):
            puzzles = [
                [
                    Puzzle.from_picture(
                        cut_out(p, side, offset, options.quality), grid, seed=[5, k], piece=int(px)
                    )
                    for k, p in enumerate(pictures)
                ]
                for pictures in sets
            ]
            for solver in solvers:
                found = [
                    np.mean([100 * score(s).direct_interchangeable for s in solver.solve_batch(some)])
                    for some in puzzles
                ]
                print(
                    f"{cut:9} {offset} px aside {solver.name:10}", *(f"{x:6.2f}" for x in found), flush=True
                )


if __name__ == "__main__":
    main()
