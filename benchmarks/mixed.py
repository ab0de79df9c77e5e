"""Several puzzles in one pile, by `hybrid` and `paikin-tal`: `python -m benchmarks.mixed`.

Pairs of training photographs and of the classic MIT set, bags of two to five puzzles of the classic BGU set, and piles
of a face, a painting and a photograph that were held out, clean, worn and noisy; their grid known or not. Writes
results/mixed.json after every row; benchmarks/classical.py says where the data is expected.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.classical import CLASSIC, DATA, ROOT, circumstances
from benchmarks.pomeranz import PHOTOS, cut
from ganzzle import load_solver
from ganzzle.puzzle import Ints, Pixels, Puzzle
from ganzzle.reading.sources import iterate_pictures
from ganzzle.solution import Solution
from ganzzle.solvers import Solver
from ganzzle.training.calibrate import SETS, held_out_pictures

Bag = Sequence[Puzzle]

SOLVERS = ("paikin-tal", "hybrid")
BAGS = 3
LARGEST_BAG = 5
HELD_OUT = 12
FIRST_PHOTO = 820
RESULT = ROOT / "results" / "mixed.json"


def main() -> None:
    """Measure all bags."""
    known = circumstances()
    solvers = [load_solver(name) for name in SOLVERS]
    for solver in solvers:
        for corruption in ("none", "erode:2", "noise:0.1"):
            solve_bag(solver, held_out(corruption, 1)[0], True)  # kernels are compiled
    rows = []
    for source, bags in sources():
        for solver in solvers:
            for given in (True, False):
                if given and len({puzzle.grid for puzzle in bags[0]}) > 1:
                    continue  # only a grid that all puzzles share can be given
                found = [solve_bag(solver, bag, given) for bag in bags]
                about = {"solver": solver.name, "source": source, "puzzles": len(bags[0])}
                rows.append({**about, "grid_known": given, **summary(found)})
                print(json.dumps(rows[-1]), flush=True)
                RESULT.write_text(json.dumps({**known, "rows": rows}, indent=1) + "\n")


def sources() -> Iterator[tuple[str, list[Bag]]]:
    """What is mixed, and bags of it."""
    for corruption in ("none", "erode:2", "noise:0.1"):
        yield f"held out, 6x6, {corruption}", held_out(corruption, HELD_OUT)
    photos = (picture for _, picture in islice(iterate_pictures(DATA / PHOTOS), FIRST_PHOTO, None))
    wide = list(islice((p for p in photos if p.shape[:2] == (328, 437)), 2 * BAGS))
    yield f"{PHOTOS}, 16x21", in_bags([cut(picture, 20, k) for k, picture in enumerate(wide)], 2)
    parts = [picture[: 20 * 12, : 20 * 16] if k % 2 else picture for k, picture in enumerate(wide)]
    yield (
        f"{PHOTOS}, 16x21 and 12x16",
        in_bags([cut(picture, 20, k) for k, picture in enumerate(parts)], 2),
    )
    yield "classic/mit432.tar", in_bags(classic("mit432", 2 * BAGS), 2)
    whole = classic("bgu805", None)
    for count in range(2, LARGEST_BAG + 1):
        chosen = [np.random.default_rng([count, k]).choice(len(whole), count, False) for k in range(BAGS)]
        yield "classic/bgu805.tar", [[whole[i] for i in bag] for bag in chosen]


def held_out(corruption: str, count: int) -> list[Bag]:
    """A face, a painting and a photograph in every bag."""
    sets: list[list[Pixels]] = [held_out_pictures(source, count) for source in SETS]
    return [
        [
            Puzzle.from_picture(picture, (6, 6), seed=[k, n], piece=32, corrupt=corruption)
            for n, picture in enumerate(pictures)
        ]
        for k, pictures in enumerate(zip(*sets, strict=True))
    ]


def classic(name: str, limit: int | None) -> list[Puzzle]:
    """The first puzzles of a classic set."""
    pictures = islice(iterate_pictures(DATA / "classic" / f"{name}.tar"), limit)
    return [Puzzle.from_picture(picture, CLASSIC[name], seed=k) for k, (_, picture) in enumerate(pictures)]


def in_bags(puzzles: list[Puzzle], count: int) -> list[Bag]:
    """The first `count` of them, the next, and so on."""
    return [puzzles[k : k + count] for k in range(0, len(puzzles), count)]


def solve_bag(solver: Solver, bag: Bag, grid_known: bool) -> dict[str, float]:
    """Mix a bag, solve it, and count the pieces in the right puzzle, and in the right slot of it."""
    which = np.repeat(np.arange(len(bag)), [len(puzzle) for puzzle in bag])
    mix = np.random.default_rng(0).permutation(len(which))
    which = which[mix]
    slots = np.concatenate([_truth(puzzle) for puzzle in bag])[mix]
    pile = Puzzle(np.concatenate([puzzle.pieces for puzzle in bag])[mix])
    spent = time.process_time()
    solutions = solver.solve_mixed(pile, len(bag), grid=bag[0].grid if grid_known else None)
    spent = time.process_time() - spent
    together = direct = 0
    for owner, solution in _owners(solutions, which):
        own, right = _right(solution, bag[owner], which == owner, slots)
        together, direct = together + own, direct + right
    return {"right_puzzle": together / len(pile), "direct": direct / len(pile), "cpu_seconds": spent}


def _truth(puzzle: Puzzle) -> Ints:
    assert puzzle.truth is not None
    return puzzle.truth.placement


def _owners(solutions: Sequence[Solution], which: Ints) -> list[tuple[int, Solution]]:
    """The puzzle that most pieces of a solution are of. Of two solutions of one puzzle only the better counts."""
    best: dict[int, tuple[int, Solution]] = {}
    for solution in solutions:
        counts = np.bincount(which[solution.pieces])
        owner, own = int(counts.argmax()), int(counts.max())
        if owner not in best or own > best[owner][0]:
            best[owner] = own, solution
    return [(owner, solution) for owner, (_, solution) in best.items()]


def _right(solution: Solution, puzzle: Puzzle, belongs: np.ndarray, slots: Ints) -> tuple[int, int]:
    """How many pieces belong to a puzzle, and how many of them lie right.

    An unknown grid has no first row: the shift that is right for most pieces counts.
    """
    pieces = solution.pieces
    own = belongs[pieces]
    assert puzzle.grid is not None
    down = solution.placement // solution.grid.cols - slots[pieces] // puzzle.grid.cols
    right = solution.placement % solution.grid.cols - slots[pieces] % puzzle.grid.cols
    shifts = Counter(zip(down[own].tolist(), right[own].tolist(), strict=True))
    most = shifts.most_common(1)[0][1]
    return int(own.sum()), shifts[0, 0] if solution.grid == puzzle.grid else most


def summary(found: list[dict[str, float]]) -> dict[str, Any]:
    """Means, accuracies in per cent."""
    means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    return {
        "piles": len(found),
        "right_puzzle": round(100 * means["right_puzzle"], 2),
        "direct": round(100 * means["direct"], 2),
        "cpu_seconds": round(means["cpu_seconds"], 2),
    }


if __name__ == "__main__":
    main()
