"""Puzzles that `hybrid` calls obvious: how many, whether it is ever wrong about them, and the time that saves.

    python -m benchmarks.obvious

Training pictures: nothing here was trained on them. "Wrong" counts boards that are not the true one, pieces that look
the same interchangeable, for the log-odds that must hold every part of a board; the solver asks for `HELD`. Times are
those of a puzzle alone, warm, with and without the shortcut by turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import partial
from itertools import islice

import numpy as np

from benchmarks.kinds import KINDS
from ganzzle import Puzzle, score
from ganzzle.board.by_pixels import piece_potentials
from ganzzle.board.certain import certain_board
from ganzzle.cores import cores
from ganzzle.data.reading import Encoded, data_root, encoded_pictures
from ganzzle.puzzle import Grid, Pixels
from ganzzle.reading.pictures import decode_picture
from ganzzle.solution import Solution
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.obvious import HELD, obvious_board
from ganzzle.solvers.hybrid.rules import CLEAN, Wear
from ganzzle.training.calibrate import SETS, held_out_pictures
from ganzzle.workers import prepare_worker, worker_pool

GRIDS = ("5x5", "6x6", "8x8", "10x10", "12x12", "16x16")
LEAST = (0.0, 1.0, 2.0, HELD, 8.0)
TIMED = ("6x6", "8x8", "12x12", "20x20")
MOST_PX = 384  # of a side: larger grids have smaller pieces


def judged(kind: str, grids: Sequence[str], numbered: tuple[int, Encoded]) -> np.ndarray:
    """(grids, LEAST, 2) whether the puzzles of one picture are obvious, and whether they are wrong."""
    number, encoded = numbered
    change = {each.__name__: each for each in KINDS}[kind]
    picture = change(decode_picture(encoded.read(), encoded.where))
    found = np.zeros((len(grids), len(LEAST), 2), np.int64)
    for k, grid in enumerate(grids):
        puzzle = cut(picture, grid, number)
        if Wear.of(puzzle) != CLEAN:
            continue
        right, down, _ = piece_potentials(puzzle.pieces, Grid.of(grid))
        for j, least in enumerate(LEAST):
            board = certain_board(right, down, least)
            if board is None:
                break  # nor would it be held more firmly
            still, sure = np.zeros(len(puzzle), np.int64), np.ones(len(puzzle))
            solution = Solution(puzzle, board.grid, board.placement, still, sure)
            solved = board.grid == puzzle.grid and score(solution).direct_interchangeable == 1
            found[k, j] = 1, not solved
    return found


def cut(picture: Pixels, grid: str, number: int) -> Puzzle:
    """A puzzle of a picture, of 32 px pieces or smaller ones."""
    return Puzzle.from_picture(
        picture, grid, seed=[11, number], piece=min(32, MOST_PX // max(Grid.of(grid).rows, 1))
    )


def count(kind: str, grids: Sequence[str], pictures: int) -> None:
    """Print a row for each grid: obvious ones, and wrong ones among them."""
    for source in SETS:
        encoded = encoded_pictures(source, data_root())
        step = max(1, len(encoded) // pictures) if pictures else 1
        some = list(islice(enumerate(encoded), 0, None, step))
        with worker_pool(cores(), prepare_worker, (cores(),), killed="a worker was killed") as pool:
            found = sum(pool.map(partial(judged, kind, grids), some, chunksize=16), np.zeros(1, np.int64))
        for grid, row in zip(grids, found, strict=True):
            cells = " | ".join(f"{wrong} of {obvious}" for obvious, wrong in row)
            print(f"| {kind} | {source.split('/')[0]} | {grid} | {len(some)} | {cells} |", flush=True)


def times(pictures: int) -> None:
    """Print the mean milliseconds of a puzzle, with the shortcut and without."""
    solvers = [Hybrid(device="cpu", quick=quick) for quick in (True, False)]
    samples = [picture for source in SETS for picture in held_out_pictures(source, pictures)]
    print("\n| grid | obvious | ms | ms without | times faster |\n|---|---|---|---|---|")
    for grid in TIMED:
        puzzles = [cut(picture, grid, number) for number, picture in enumerate(samples)]
        taken = np.zeros((len(puzzles), 2))
        for k, puzzle in enumerate(puzzles):
            for j, solver in enumerate(solvers):
                if k == 0:
                    solver.solve(puzzle)
                start = time.perf_counter()
                solver.solve(puzzle)
                taken[k, j] = 1000 * (time.perf_counter() - start)
        easy = np.mean([obvious_board(puzzle) is not None for puzzle in puzzles])
        quick, slow = taken.mean(0)
        print(f"| {grid} | {100 * easy:.0f} % | {quick:.1f} | {slow:.1f} | {slow / quick:.1f} |", flush=True)


def main() -> None:
    names = [kind.__name__ for kind in KINDS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", action="append", choices=names, help="default: all")
    parser.add_argument("--grid", action="append", help=f"default: {', '.join(GRIDS)}")
    parser.add_argument("--pictures", type=int, default=0, help="about so many of each set; default: all")
    parser.add_argument("--timed", type=int, default=8, help="held-out pictures of each set that are timed")
    options = parser.parse_args()
    print("| kind | set | grid | puzzles |", " | ".join(f"wrong, held by {least:g}" for least in LEAST), "|")
    print("|---" * (4 + len(LEAST)) + "|")
    for kind in options.kind or names:
        count(kind, options.grid or GRIDS, options.pictures)
    if options.timed:
        times(options.timed)


if __name__ == "__main__":
    main()
