"""A board of bare pieces by what the network sees of them with several gaps.

Nobody knows the gap to a pixel, pieces may lie off the middle of their slots, and where little is seen each gap
misleads the network in its own way. So what it says with the likeliest gap and with those beside it is averaged, as
probabilities, and one board is made of that: right more often than with any one gap, and less sure where it is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ganzzle.puzzle import Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import canonical_order
from ganzzle.solvers.hybrid.rules import Wear
from ganzzle.solvers.hybrid.sight import Sight
from ganzzle.solving.gaps import opened

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

BESIDE = 2  # gaps to each side of the likeliest one that are heard with it


def solve_blended(hybrid: Hybrid, puzzle: Puzzle, gaps: Sequence[float], seed: int) -> Solution:
    """The solution of upright bare pieces of known grid; its gap is the one of `gaps` with which slots are clearest."""
    order = canonical_order(puzzle.pieces, seed)
    hidden = Puzzle(puzzle.pieces[order], puzzle.grid)
    shown = [opened(replace(hidden, gap=gap)) for gap in gaps]
    sights = [hybrid.eyes.look([one], Wear.of(one)) for one in shown]
    for sight in sights:
        sight.wait()
    clear = [
        float(sight.tensors[0].max(2).values.mean()) for sight in sights
    ]  # how surely pieces have a slot
    best = max(range(len(gaps)), key=clear.__getitem__)
    near = sights[max(0, best - BESIDE) : best + BESIDE + 1]
    said = zip(*(sight.tensors[:4] for sight in near), strict=True)
    mean = tuple(torch.logsumexp(torch.stack(each), 0) - math.log(len(near)) for each in said)
    sight = Sight(sights[best].grid, sights[best].wear, (*mean, sights[best].tensors[4]))
    (arrangement,) = hybrid.arrange_seen([shown[best]], sight, slice(0, 1), seed)
    return replace(hybrid.in_arrival_order(puzzle, order, arrangement), gap=gaps[best])
