"""How sure an answer is: the belief in its boards among all that were tried, and what the others are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ganzzle.arrays import Floats
from ganzzle.grid import Grid
from ganzzle.solution import RunnerUp
from ganzzle.solving.boards import Laid
from ganzzle.solving.evidence import Evidence

TEMPER = 4.0  # what the score is divided by: its terms are not independent
WEAK, STRONG = (
    0.2,
    0.6,
)  # shares of the best score there can be below which a board is chance, and above which it is not
NAMED = 3  # runners-up
LEAST = 0.01  # belief in one that is worth a line


def believed(tried: Sequence[Laid], evidence: Evidence) -> float:
    """0..1 how sure the first of all boards that were tried is."""
    reached = tried[0].score / (2 * len(evidence) * evidence.terms.most)
    sound = np.clip((reached - WEAK) / (STRONG - WEAK), 0.05, 1)
    return float(_beliefs(tried)[0] * sound)


def runners_up(tried: Sequence[Laid], pieces: int) -> tuple[RunnerUp, ...]:
    """The likeliest other ways, in words."""
    beliefs = _beliefs(tried)
    different = {laid.grids: belief for laid, belief in reversed(list(zip(tried, beliefs, strict=True)))}
    different.pop(tried[0].grids)
    likely = sorted(different.items(), key=lambda each: -each[1])[:NAMED]
    return tuple(
        RunnerUp(_in_words(grids, pieces), float(belief), _option(grids))
        for grids, belief in likely
        if belief >= LEAST
    )


def _beliefs(tried: Sequence[Laid]) -> Floats:
    """(K,) the share of belief in each of some boards, those that are the same counted once."""
    keys = [tuple(sorted((str(Grid(*b.shape)), b.tobytes()) for b in laid.boards)) for laid in tried]
    first = np.array([keys.index(key) == k for k, key in enumerate(keys)])
    scores = np.array([laid.score for laid in tried])
    weights = np.exp((scores - scores.max()) / TEMPER) * first
    return weights / weights.sum()


def _in_words(grids: Sequence[Grid], pieces: int) -> str:
    """What boards of some grids take a pile of so many pieces for."""
    if len(grids) > 1:
        return f"{len(grids)} puzzles of {' and '.join(map(str, grids))}"
    lost = grids[0].slots - pieces
    return f"{grids[0].rows} rows of {grids[0].cols}" + (f", {lost} lost" if lost > 0 else "")


def _option(grids: Sequence[Grid]) -> str:
    """How to ask for them."""
    return f"--puzzles {len(grids)}" if len(grids) > 1 else f"--grid {grids[0]}"
