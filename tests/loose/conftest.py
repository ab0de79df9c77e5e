"""A puzzle whose pieces are laid apart, as in a scan."""

from __future__ import annotations

import pytest

from ganzzle.loose.scatter import scattered
from ganzzle.puzzle import Puzzle


@pytest.fixture
def puzzle(draw):
    """Twelve pieces of 60 px."""
    return Puzzle.from_picture(draw(180, 240, 5), "3x4", seed=2)


@pytest.fixture
def laid(puzzle):
    """The same, laid apart at all angles."""
    return scattered(puzzle, 3)
