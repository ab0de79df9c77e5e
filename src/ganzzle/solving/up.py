"""Which way is up, of puzzles whose pieces lay at all angles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ganzzle.drawing.laid import lay_out
from ganzzle.solution import Answer, LaidSolution

UPRIGHT = 20.0  # degrees off upright within which a piece counts as lying upright on its page
SAME = 0.6  # share of the pieces that must lie so for that to be up
SIDE = 256  # px of the longer side at which a picture is looked at


def with_up(answer: Answer) -> Answer:
    """An answer whose pictures are upright: as most pieces lay on their pages, or else as they look."""
    return replace(answer, solutions=tuple(upright(one) for one in answer.laid))


def upright(solution: LaidSolution) -> LaidSolution:
    """A solution turned by quarter turns until it is upright."""
    off = [np.abs((solution.angles - 90 * k + 180) % 360 - 180) <= UPRIGHT for k in range(4)]
    lying = np.mean(off, axis=1)  # turned by 90 * k degrees: k quarter turns clockwise lay them as they lay
    if lying.max() >= SAME:
        return solution.turned(int(lying.argmax()))
    from ganzzle.solvers.hybrid.upright import turns_given

    picture = lay_out(solution, min(1.0, SIDE / max(solution.size))).picture
    return solution.turned(int(turns_given(picture).argmax()))
