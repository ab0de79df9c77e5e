"""The second loop: files of predictions -> rows of scores, with 95 % bootstrap intervals over the puzzles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.bench.predictions import Item, Predictions
from ganzzle.evaluation import MEASURES
from ganzzle.metrics import correct_pieces, score
from ganzzle.puzzle import Floats

RESAMPLES = 1000
BINS = 10  # of the confidence

Row = dict[str, Any]


def score_row(predictions: Predictions) -> Row:
    """One row in the format of `ganzzle evaluate --json`, with the ends of the intervals added. In per cent."""
    item = predictions.item
    scores = [asdict(score(solution)) for solution in predictions.solutions]
    row: Row = {
        "solver": item.solver, "dataset": item.dataset, "source": item.source, "grid": item.grid,
        "corruption": item.corruption, "puzzles": len(scores),
    }  # fmt: skip
    for name in MEASURES:
        values = 100 * np.array([s[name] for s in scores])
        row[name] = round(float(values.mean()), 3)
        row[f"{name}_interval"] = [round(end, 3) for end in bootstrap_interval(values, item.seed)]
    row["ms_per_puzzle"] = round(1000 * float(np.mean(predictions.seconds)), 3)
    return row | {
        "seed": item.seed, "piece": item.piece, "rotated": item.rotated, "native": item.native,
        "permutations": item.permutations is not None, **_weights(item), **predictions.origin,
    }  # fmt: skip


def _weights(item: Item) -> dict[str, str]:
    """The name of the weights and the start of their digest, where there are any."""
    return {"weights": f"{Path(item.weights).stem} {item.stamp[:12]}".strip()} if item.weights else {}


def bootstrap_interval(values: Floats, seed: int, share: float = 0.95) -> tuple[float, float]:
    """(n,) values -> the interval that holds this share of the means of n values drawn with replacement."""
    rng = np.random.default_rng(seed)
    means = values[rng.integers(0, len(values), (RESAMPLES, len(values)))].mean(1)
    low, high = np.quantile(means, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Calibration:
    """How often pieces of a confidence are right, in bins; empty bins are left out."""

    solver: str
    confidence: Floats  # (B,) mean of the bin
    right: Floats  # (B,) share of pieces that are right
    pieces: NDArray[np.int64]  # (B,)

    @property
    def error(self) -> float:
        """The expected calibration error: how far the two are apart, on average over the pieces."""
        return float(np.average(np.abs(self.confidence - self.right), weights=self.pieces))


def calibration(solver: str, predictions: Iterable[Predictions]) -> Calibration:
    """Confidence against truth over all pieces of all these puzzles, file by file."""
    pieces, sure_sum, right_sum = np.zeros(BINS, np.int64), np.zeros(BINS), np.zeros(BINS)
    for solution in (solution for p in predictions for solution in p.solutions):
        sure = solution.confidence
        bins = np.clip((sure * BINS).astype(int), 0, BINS - 1)
        pieces += np.bincount(bins, minlength=BINS)
        sure_sum += np.bincount(bins, sure, BINS)
        right_sum += np.bincount(bins, correct_pieces(solution), BINS)
    used = pieces > 0
    return Calibration(solver, sure_sum[used] / pieces[used], right_sum[used] / pieces[used], pieces[used])
