"""The rules behind `hybrid`: how worn a puzzle is, how much the classical seams count, and how long to search."""

from __future__ import annotations

from typing import NamedTuple

from ganzzle.damage.wear import is_noisy, wear_width
from ganzzle.puzzle import Puzzle

LEAST = -12.0  # log-potential of what is ruled out
DOUBTFUL = 0.98  # fit below which the classical seams count for a clean puzzle, too

ROUNDS, LEAST_ROUNDS = 100, 12  # of the search at most: for the smaller puzzles, and for the largest
PATIENCE = 16  # rounds in vain after which it ends
THOROUGH = 200  # slots up to which hard puzzles are searched three times as long
LARGEST = 900  # slots up to which the network looks at every puzzle; of larger puzzles it looks at the hard ones only
LARGEST_HARD = 4000  # slots up to which it looks at hard ones; beyond, attention takes gigabytes


class Wear(NamedTuple):
    """What was done to the pieces, as far as it can be seen: px worn off at each border, and whether there is noise."""

    width: int
    noisy: bool

    @classmethod
    def of(cls, puzzle: Puzzle) -> Wear:
        """What is seen of a puzzle."""
        width = wear_width(puzzle.pieces)
        return cls(width, is_noisy(puzzle.pieces, width))


CLEAN = Wear(0, False)


def is_hard(puzzle: Puzzle, wear: Wear) -> bool:
    """Whether pieces are worn, noisy or, where the grid is known, missing: worth a second look."""
    return wear != CLEAN or (puzzle.grid is not None and len(puzzle) < puzzle.grid.slots)


def classical_weight(puzzle: Puzzle, wear: Wear) -> float:
    """How much the classical seams count against the network's; benchmarks/mixing.py shows what they are worth.

    Clean puzzles do without the classical ones. Where pieces are worn or missing both are heard; noise leaves the
    pixels little to say.
    """
    assert puzzle.grid is not None
    if wear.noisy:
        return 0.1
    return 0.5 if wear.width or len(puzzle) < puzzle.grid.slots else 0.0


def search_effort(slots: int, hard: bool) -> tuple[int, int]:
    """How often the assembler takes its best board apart, at most, and how often in a row without a gain. The cost of a
    round grows with the square of the slots; hard puzzles that are not too large are worth many rounds."""
    if hard and slots <= THOROUGH:
        return 3 * ROUNDS, 3 * PATIENCE
    return max(LEAST_ROUNDS, ROUNDS * min(slots, LARGEST) ** 2 // slots**2), PATIENCE
