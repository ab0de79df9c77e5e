"""A puzzle whose pieces are laid apart, as in a scan."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.puzzle import Puzzle
from ganzzle.samples.scatter import scattered
from ganzzle.solution import Solution


@pytest.fixture
def puzzle(draw):
    """Twelve pieces of 60 px."""
    return Puzzle.from_picture(draw(180, 240, 5), "3x4", seed=2)


@pytest.fixture
def laid(puzzle):
    """The same, laid apart at all angles."""
    return scattered(puzzle, 3)


@pytest.fixture
def solved(puzzle):
    """Where each of the loose pieces goes that were found, by the truth; `mental_image` is what a solver imagines."""

    def solution(laid, loose, mental_image=None):
        owner = np.hypot(*(loose.corners.mean(1)[:, None] - laid.middles).transpose(2, 0, 1)).argmin(1)
        turns = -np.rint((laid.angles[owner] + loose.angles) / 90).astype(np.int64) % 4
        slots, pile = puzzle.truth.placement[owner], loose.puzzle()
        return Solution(pile, puzzle.grid, slots, turns, np.ones(len(pile)), mental_image)

    return solution
