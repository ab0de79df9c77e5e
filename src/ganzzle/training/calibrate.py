"""`python -m ganzzle.training.calibrate`: fit the hybrid's confidence on held-out training pictures.

Half of the pictures fit the weights that `solvers/hybrid/confidence.py` holds, the other half tells how well they do:
the expected calibration error, clean and corrupted, over 15 bins. A piece is right where it belongs, or one that looks
the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ganzzle.damage.corruption import twins_of
from ganzzle.data.reading import decode_all
from ganzzle.data.validation import SETS, held_out
from ganzzle.puzzle import Floats, Pixels, Puzzle
from ganzzle.solvers.hybrid import Hybrid

LEAST_WEIGHT = 0.01


class Cell(NamedTuple):
    """A kind of puzzle, and how many pictures of each set are cut into it: large ones take long."""

    grid: str
    corruption: str
    piece: int = 32
    pictures: int = 48


CELLS = (
    Cell("6x6", "none"), Cell("10x10", "none"), Cell("6x6", "noise:0.2"), Cell("6x6", "erode:2"),
    Cell("6x6", "erode:5"), Cell("6x6", "missing:0.3"), Cell("10x10", "erode:2"),
    Cell("6x6", "missing:0.2+noise:0.1"), Cell("8x8", "none", 64, 12), Cell("16x16", "none", 8, 12),
    Cell("20x20", "none", 16, 8), Cell("24x24", "none", 14, 8), Cell("30x30", "none", 11, 4),
    Cell("12x12", "missing:0.2", 16, 12), Cell("16x16", "erode:2", 20, 12), Cell("16x16", "noise:0.05", 20, 12),
    Cell("20x20", "erode:1", 16, 8), Cell("24x24", "erode:1", 14, 6),
)  # fmt: skip


class Judgement(NamedTuple):
    """The M placed pieces of one cell."""

    evidence: Floats  # (M, 5)
    right: np.ndarray  # (M,) whether each lies right


def held_out_pictures(source: str, count: int) -> list[Pixels]:
    """The first pictures of a set that training with seed 0 never saw."""
    decoded = decode_all(held_out(source)[:count], lambda picture, _: picture)
    return [picture for _, picture in decoded if picture is not None]


def gather(solver: Hybrid, pictures: list[Pixels], cell: Cell) -> Judgement:
    """What the solver finds of all pictures, and what speaks for it."""
    evidence, right_place = [], []
    for k, picture in enumerate(pictures):
        puzzle = Puzzle.from_picture(
            picture, cell.grid, seed=[7, k], piece=cell.piece, corrupt=cell.corruption
        )
        assert puzzle.truth is not None
        assert puzzle.grid is not None
        (found,) = solver.judge([puzzle])
        twins, belongs = twins_of(puzzle), np.full(puzzle.grid.slots, -1)
        belongs[puzzle.truth.placement] = twins
        evidence.append(found.evidence)
        right_place.append(belongs[found.assembly.placement] == twins)
    return Judgement(np.concatenate(evidence), np.concatenate(right_place))


def joined(parts: Iterable[Judgement]) -> Judgement:
    """All pieces of some cells."""
    evidence, right = zip(*parts, strict=True)
    return Judgement(np.concatenate(evidence), np.concatenate(right))


def fit(evidence: Floats, right: np.ndarray, weight: Floats | None = None) -> Floats:
    """Logistic regression, (M, 5), (M,) and what each counts (M,) -> (5,) weights; more of any evidence never makes it
    less sure."""
    sign = 2.0 * right - 1

    def loss(weights: Floats) -> float:
        losses = np.logaddexp(0, -sign * (evidence @ weights))
        return float(np.average(losses, weights=weight) + 1e-4 * weights @ weights)

    bounds = [(LEAST_WEIGHT, None)] * (evidence.shape[1] - 1) + [(None, None)]
    weights: Floats = minimize(loss, np.zeros(evidence.shape[1]), bounds=bounds).x
    return weights


def calibration_error(sure: Floats, right: np.ndarray, bins: int = 15) -> float:
    """Mean gap between confidence and accuracy over equal bins, weighted by how many pieces fall into each."""
    which = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [abs(sure[which == b].sum() - right[which == b].sum()) for b in range(bins)]
    return float(np.sum(gaps) / len(sure))


def main() -> None:
    """Fit on the even pictures, test on the odd ones, print the weights. Every cell counts the same."""
    solver = Hybrid()
    pictures = {source: held_out_pictures(source, max(cell.pictures for cell in CELLS)) for source in SETS}
    fitted: list[Judgement] = []
    tested: list[Judgement] = []
    for cell in CELLS:
        for half, found in ((0, fitted), (1, tested)):
            found.append(
                joined(gather(solver, some[half : cell.pictures : 2], cell) for some in pictures.values())
            )
        print(f"{cell.grid} {cell.corruption} {cell.piece} px: done", flush=True)
    weight = np.concatenate([np.full(len(one.right), 1 / len(one.right)) for one in fitted])
    weights = fit(*joined(fitted), weight)
    print("CALIBRATION =", tuple(round(float(w), 3) for w in weights))
    both = list(zip(CELLS, tested, strict=True))
    for cell, one in both:
        print(f"{cell.grid} {cell.corruption} {cell.piece} px: {_report(one, weights)}")
    for clean in (True, False):
        some = joined(one for cell, one in both if (cell.corruption == "none") == clean)
        print(f"{'clean' if clean else 'corrupted'}: {_report(some, weights)}")


def _report(found: Judgement, weights: Floats) -> str:
    sure = 1 / (1 + np.exp(-found.evidence @ weights))
    error, accuracy = calibration_error(sure, found.right), found.right.mean()
    return (
        f"{100 * sure.mean():.1f} % sure, {100 * accuracy:.2f} % right, calibration error {100 * error:.2f} %"
    )


if __name__ == "__main__":
    main()
