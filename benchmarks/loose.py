"""Loose pieces in scans and photographs: `python -m benchmarks.loose --pictures 8`.

Training pictures that were held out are cut, and their pieces laid apart at all angles on a sheet of paper. That is
scanned or photographed in several ways. Of faces, paintings and photographs together: in how many pictures all pieces
were found; and where they were, the direct accuracy of `hybrid` in per cent (identical pieces interchangeable, the
whole picture turned as it likes), its mean confidence, and the seconds to find and to solve. Nobody tells the grid.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from benchmarks.kinds import as_jpeg
from ganzzle import Puzzle, load_solver, score
from ganzzle.arrays import Floats, Pixels
from ganzzle.errors import PuzzleError
from ganzzle.reading.loose import Loose, find_loose
from ganzzle.reading.loose.straight import homography, mapped
from ganzzle.samples.scatter import Scattered, scattered
from ganzzle.solvers import Solver
from ganzzle.solving.piles import solve_pile
from ganzzle.training.calibrate import SETS, held_out_pictures

LIGHT = 0.15  # share by which it differs from one side to the other
SHADOW = 0.05, 0.04, 0.35  # how far off and how soft, in sides of a piece, and the share of light it takes
TILTED = 0.04  # share of a side by which corners move in perspective
NOISE = 0.01


class Taken(NamedTuple):
    """A picture that was taken of scattered pieces, and the perspective (3, 3) it was taken in."""

    picture: Pixels
    mapping: Floats


def scanned(laid: Scattered, piece: int) -> Taken:
    """As it is."""
    return Taken(laid.picture, np.eye(3))


def noisy(picture: Pixels) -> Pixels:
    """With the noise of a camera."""
    noise = np.random.default_rng(0).normal(0, 255 * NOISE, picture.shape)
    return np.clip(picture + noise, 0, 255).round().astype(np.uint8)


def unevenly_lit(picture: Pixels) -> Pixels:
    """Lighter on the right, and darker at the top and at the bottom."""
    height, width = picture.shape[:2]
    x, y = np.linspace(-1, 1, width)[None, :, None], np.linspace(-1, 1, height)[:, None, None]
    return np.clip(0.9 * picture * (1 + LIGHT * (x - 0.6 * y**2)), 0, 255).round().astype(np.uint8)


def with_shadows(laid: Scattered, piece: int) -> Pixels:
    """Pieces that lie a little above the ground."""
    off, soft, dark = SHADOW
    covered = (laid.picture != np.array(laid.ground)).any(2).astype(np.float32)
    shadow = gaussian_filter(np.roll(covered, (round(off * piece),) * 2, (0, 1)), soft * piece) * (
        1 - covered
    )
    return (laid.picture * (1 - dark * shadow[..., None])).round().astype(np.uint8)


def tilted(picture: Pixels, ground: tuple[int, int, int]) -> Taken:
    """Seen from the side."""
    height, width = picture.shape[:2]
    begin = np.array([(0.0, 0.0), (width, 0), (width, height), (0, height)])
    end = begin + np.array([(TILTED, TILTED), (-TILTED / 2, 0), (0, -TILTED), (0, 0)]) * (width, height)
    source = homography(end, begin).ravel()[:8].tolist()
    seen = Image.fromarray(picture).transform(
        (width, height), Image.Transform.PERSPECTIVE, source, Image.Resampling.BICUBIC, fillcolor=ground
    )
    return Taken(np.asarray(seen), homography(begin, end))


def photographed(laid: Scattered, piece: int) -> Taken:
    """All of that at once, stored as JPEG."""
    seen = tilted(with_shadows(laid, piece), laid.ground)
    return Taken(as_jpeg(noisy(unevenly_lit(seen.picture)), 85), seen.mapping)


WAYS: dict[str, Callable[[Scattered, int], Taken]] = {
    "scan": scanned,
    "JPEG of quality 80": lambda laid, _: Taken(as_jpeg(laid.picture, 80), np.eye(3)),
    "noise of 0.01": lambda laid, _: Taken(noisy(laid.picture), np.eye(3)),
    "uneven light": lambda laid, _: Taken(unevenly_lit(laid.picture), np.eye(3)),
    "shadows": lambda laid, piece: Taken(with_shadows(laid, piece), np.eye(3)),
    "perspective": lambda laid, _: tilted(laid.picture, laid.ground),
    "all of that": photographed,
}


def with_truth(puzzle: Puzzle, laid: Scattered, mapping: Floats, found: Loose) -> Puzzle | None:
    """The puzzle of the pieces that were found, with its truth; None if they are not those that were laid."""
    middles = mapped(mapping, laid.middles)
    nearest = np.hypot(*(found.corners.mean(1)[:, None] - middles).transpose(2, 0, 1)).argmin(1)
    if sorted(nearest) != list(range(len(puzzle))):
        return None
    quarters = np.rint((laid.angles[nearest] + found.angles) / 90).astype(np.int64)
    return replace(
        puzzle.reorder(nearest).rotate(-quarters), pieces=found.puzzle().pieces, rim=found.rim, grid=None
    )


def measured(solver: Solver, picture: Pixels, grid: str, piece: int, way: str, k: int) -> Floats | None:
    """(4,) accuracy, confidence (in per cent), seconds to find and to solve; None if pieces were not found."""
    puzzle = Puzzle.from_picture(picture, grid, seed=[5, k], piece=piece, rotated=True)
    laid = scattered(puzzle, [6, k])
    taken = WAYS[way](laid, piece)
    start = time.perf_counter()
    try:
        found = find_loose(taken.picture)
    except PuzzleError:
        return None
    finding = time.perf_counter() - start
    pile = None if found is None else with_truth(puzzle, laid, taken.mapping, found)
    if pile is None:
        return None
    start = time.perf_counter()
    solution = solve_pile(solver, pile)
    solving = time.perf_counter() - start
    right = score(solution).direct_interchangeable if solution.grid.slots == len(pile) else 0.0
    return np.array([100 * right, 100 * solution.confidence.mean(), finding, solving])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=8, help="of each set, at most 96")
    parser.add_argument("--grid", default="6x6", metavar="RxC")
    parser.add_argument("--piece", type=int, default=80, metavar="PX", help="side of a piece in the scan")
    parser.add_argument("--way", action="append", choices=list(WAYS), help="default: all of them")
    options = parser.parse_args()
    solver = load_solver(rotated=True)
    print("| | all pieces found | direct | sure | s to find | s to solve |\n|---|---|---|---|---|---|")
    for way in options.way or WAYS:
        rows = [
            measured(solver, picture, options.grid, options.piece, way, k)
            for source in SETS
            for k, picture in enumerate(held_out_pictures(source, options.pictures))
        ]
        good = [row for row in rows if row is not None]
        means = " | ".join(f"{each:.1f}" for each in np.mean(good, 0)) if good else "- | - | - | -"
        print(f"| {way} | {len(good)} of {len(rows)} | {means} |", flush=True)


if __name__ == "__main__":
    main()
