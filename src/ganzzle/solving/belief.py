"""How sure an answer is: how far its boards are ahead of all others that were tried and how well their pieces hold
together, and what the others are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ganzzle.arrays import Floats, Ints
from ganzzle.grid import Grid
from ganzzle.solution import RunnerUp
from ganzzle.solving.boards import Laid, cropped
from ganzzle.solving.evidence import Evidence
from ganzzle.solving.score import ties

TEMPER = 4.0  # what the score is divided by: its terms are not independent
LOW = 0.1  # the quantile of the pieces that stands for the badly tied ones
# What each of `signs` takes from the log-odds that a board is right, and what these are without any; fitted by
# `python -m benchmarks.sureness --piles 20` on held-out training pictures.
WEIGHTS = (2.12, 1.41, 3.64, 3.6, 1.67)
ODDS = 5.35
NAMED = 3  # runners-up
LEAST = 0.01  # belief in one that is worth a line


def believed(tried: Sequence[Laid], evidence: Evidence) -> float:
    """0..1 how sure the first of all boards that were tried is."""
    return float(1 / (1 + np.exp(-ODDS + signs(tried, evidence) @ WEIGHTS)))


def signs(tried: Sequence[Laid], evidence: Evidence) -> Floats:
    """(5,) what speaks against the first of some boards, each 0..1: belief in the others, what its seams lack of the
    best there could be on average, at the pieces tied worst and at the very worst, and the share of lost and left
    pieces."""
    best, pieces = tried[0], len(evidence)
    held = np.concatenate([ties(evidence.terms, board) for board in best.boards])
    inside, slots = len(held), sum(grid.slots for grid in best.grids)
    lacks = 1 - np.clip([held.mean(), np.quantile(held, LOW), held.min()], 0, 1)
    missing = (slots - inside + pieces - inside) / pieces
    return np.array([1 - _beliefs(tried, evidence.twins)[0], *lacks, min(missing, 1.0)])


def runners_up(tried: Sequence[Laid], evidence: Evidence) -> tuple[RunnerUp, ...]:
    """The likeliest other ways, in words."""
    beliefs = _beliefs(tried, evidence.twins)
    different = {laid.grids: belief for laid, belief in reversed(list(zip(tried, beliefs, strict=True)))}
    different.pop(tried[0].grids)
    likely = sorted(different.items(), key=lambda each: -each[1])[:NAMED]
    return tuple(
        RunnerUp(_in_words(grids, len(evidence)), float(belief), _option(grids))
        for grids, belief in likely
        if belief >= LEAST
    )


def _beliefs(tried: Sequence[Laid], twins: Ints) -> Floats:
    """(K,) the share of belief in each of some boards, those that look the same counted once: pieces with equal
    numbers in `twins` (N,) stand in for each other."""
    looks = np.append(twins, -1)  # an empty slot is -1, the last
    keys = [
        tuple(sorted((board.shape, looks[board].tobytes()) for board in map(cropped, laid.boards)))
        for laid in tried
    ]
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
