"""Two puzzles in one pile, by `paikin-tal`: `python -m benchmarks.mixed`.

Pairs of photographs (held out: not of any set that is reported elsewhere) and of the classic MIT set, their grid known
or not. Writes results/classical-mixed.json; benchmarks/classical.py says where the data is expected.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.classical import CLASSIC, DATA, ROOT, circumstances
from benchmarks.pomeranz import PHOTOS, cut
from ganzzle.puzzle import Ints, Puzzle, Solution
from ganzzle.solvers.paikin_tal import PaikinTal
from ganzzle.sources import iterate_pictures

Pair = tuple[Puzzle, Puzzle]

PAIRS = 5
FIRST_PHOTO = 820
RESULT = ROOT / "results" / "classical-mixed.json"


def main() -> None:
    """Measure all pairs."""
    known = circumstances()
    rows = []
    for source, pairs in sources():
        for given in (True, False):
            if given and pairs[0][0].grid != pairs[0][1].grid:
                continue  # only a grid that all puzzles share can be given
            found = [solve_pair(pair, given) for pair in pairs]
            rows.append({"solver": "paikin-tal", "source": source, "grid_known": given, **summary(found)})
            print(json.dumps(rows[-1]), flush=True)
    RESULT.write_text(json.dumps({**known, "rows": rows}, indent=1) + "\n")


def sources() -> Iterator[tuple[str, list[Pair]]]:
    """Pairs of puzzles: photographs of one grid, photographs of different grids, the classic set."""
    photos = (picture for _, picture in islice(iterate_pictures(DATA / PHOTOS), FIRST_PHOTO, None))
    wide = list(islice((p for p in photos if p.shape[:2] == (328, 437)), 2 * PAIRS))
    yield f"{PHOTOS}, 16x21", in_pairs([cut(picture, 20, k) for k, picture in enumerate(wide)])
    parts = [picture[: 20 * 12, : 20 * 16] if k % 2 else picture for k, picture in enumerate(wide)]
    yield f"{PHOTOS}, 16x21 and 12x16", in_pairs([cut(picture, 20, k) for k, picture in enumerate(parts)])
    mit = islice(iterate_pictures(DATA / "classic" / "mit432.tar"), 2 * PAIRS)
    puzzles = [Puzzle.from_picture(picture, CLASSIC["mit432"], seed=k) for k, (_, picture) in enumerate(mit)]
    yield "classic/mit432.tar", in_pairs(puzzles)


def in_pairs(puzzles: list[Puzzle]) -> list[Pair]:
    """The first with the second, the third with the fourth, and so on."""
    return list(zip(puzzles[::2], puzzles[1::2], strict=True))


def solve_pair(pair: Pair, grid_known: bool) -> dict[str, float]:
    """Mix a pair, solve it, and count the pieces in the right puzzle, and in the right slot of it."""
    which = np.repeat([0, 1], [len(puzzle) for puzzle in pair])
    mix = np.random.default_rng(0).permutation(len(which))
    which = which[mix]
    slots = np.concatenate([_truth(puzzle) for puzzle in pair])[mix]
    pile = Puzzle(np.concatenate([puzzle.pieces for puzzle in pair])[mix])
    spent = time.process_time()
    solutions = PaikinTal().solve_mixed(pile, 2, grid=pair[0].grid if grid_known else None)
    spent = time.process_time() - spent
    counted = [_right(solution, pair, which, slots) for solution in solutions]
    together, direct = np.sum(counted, axis=0) / len(which)
    return {"right_puzzle": together, "direct": direct, "cpu_seconds": spent}


def _truth(puzzle: Puzzle) -> Ints:
    assert puzzle.truth is not None
    return puzzle.truth.placement


def _right(solution: Solution, pair: Pair, which: Ints, slots: Ints) -> tuple[int, int]:
    """How many pieces belong to the puzzle that most pieces are of, and how many lie right there.

    An unknown grid has no first row: the shift that is right for most pieces counts.
    """
    pieces = solution.details["pieces"]
    owner = int(np.bincount(which[pieces]).argmax())
    own = which[pieces] == owner
    grid = pair[owner].grid
    assert grid is not None
    down = solution.placement // solution.grid.cols - slots[pieces] // grid.cols
    right = solution.placement % solution.grid.cols - slots[pieces] % grid.cols
    shifts = Counter(zip(down[own].tolist(), right[own].tolist(), strict=True))
    return int(own.sum()), shifts.most_common(1)[0][1]


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
