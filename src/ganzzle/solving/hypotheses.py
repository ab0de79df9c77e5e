"""What a pile of tiles may be, and how likely that is before anything is seen of its seams."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ganzzle.arrays import Ints
from ganzzle.grid import Grid
from ganzzle.solving.score import Terms

# Log-priors: what a lost piece, a stranger, a turned piece among upright ones and another puzzle cost, and what the
# first of each kind costs beside that. They are round numbers, chosen by hand with a look at piles of held-out training
# pictures (`ganzzle bench piles`); nothing was fitted, and nobody has counted how often real piles are so.
LOST, STRANGER, TURNED, PUZZLE = -1.5, -1.0, -2.0, -4.0
FIRST = -1.5
SLENDER = 0.6  # deviation of the logarithm of a picture's width by its height
UNLIKE = 0.5  # the same of how many pieces puzzles of one pile have
LOST_SHARE = 1 / 4  # of the pieces that are left may be lost, of up to LOST_MANY of them
LOST_FEW, LOST_MANY = 4, 100  # and so many of any number


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One way a pile may be."""

    grids: tuple[Grid, ...]  # of each puzzle
    members: tuple[Ints, ...]  # (n,) the pieces of each
    turned: bool = False  # whether pieces lie at other turns than in the picture
    gap: float = 0.0  # share of a tile's shorter side that is lost at each of its borders

    @property
    def puzzles(self) -> int:
        """How many puzzles the pile is made of."""
        return len(self.grids)

    def log_prior(self, pieces: int, size: tuple[int, int]) -> float:
        """How likely that is of a pile of so many pieces of a height and width."""
        inside = sum(len(some) for some in self.members)
        lost = sum(grid.slots for grid in self.grids) - inside
        return (
            prior_of_few(lost, LOST)
            + prior_of_few(pieces - inside, STRANGER)
            + PUZZLE * (self.puzzles - 1)
            + sum(prior_of_shape(grid, size) for grid in self.grids)
            + prior_of_sizes([len(some) for some in self.members])
        )


def prior_of_few(count: int, each: float) -> float:
    """The log-prior of so many pieces that something happened to."""
    return each * count + FIRST if count else 0.0


def prior_of_sizes(pieces: Sequence[int]) -> float:
    """The log-prior of puzzles with so many pieces each, beside that of puzzles with equally many."""
    unlike = np.log(np.maximum(pieces, 1) / max(1, *pieces)) / UNLIKE
    return -float((unlike**2).sum()) / 2


def prior_of_shape(grid: Grid, size: tuple[int, int]) -> float:
    """The log-prior of a picture of a grid of pieces with a height and width, beside that of a square one."""
    slender = math.log(grid.cols * size[1] / (grid.rows * size[0])) / SLENDER
    return -(slender**2) / 2


def grids_of(pieces: int, known: Grid | None = None) -> list[Grid]:
    """The grids that so many pieces may have, some lost: any that they fill, and of those with empty slots none that
    could be a row or column shorter and still hold them all as well."""
    if known is not None:
        return [known]
    most = pieces + max(LOST_FEW, int(LOST_SHARE * min(pieces, LOST_MANY)))
    longest = math.isqrt(pieces) * 3 + 2
    full = Grid.that_fit(pieces)
    roomy = [
        Grid(rows, cols)
        for rows in range(1, longest + 1)
        for cols in range(max(1, -(-pieces // rows)), most // rows + 1)
        if max(rows, cols) <= 3 * min(rows, cols)
    ]
    return list(dict.fromkeys([*full, *roomy]))


def propose(
    pieces: int, size: tuple[int, int], grids: Sequence[Grid], terms: Terms, part: tuple[Ints, Ints]
) -> Iterator[tuple[float, Grid]]:
    """Grids for pieces of a size, likeliest first, and the most that a board of each could be worth. `part`, (n,) and
    (n,) across and down, is what the seams put together without any frame; a grid is likely if it holds much of it, and
    if it has about as many rows and columns as there are pieces with a border."""
    borders = np.exp(terms.border - terms.most / 2).sum(0).reshape(2, 2).mean(1)  # rows, columns

    def rank(grid: Grid) -> float:
        lost = max(grid.slots - pieces, 0)
        off = abs(math.log(grid.rows / max(borders[0], 1))) + abs(math.log(grid.cols / max(borders[1], 1)))
        held = most_held(*part, grid) if len(part[0]) else 0
        return 2 * terms.most * held - pieces * off + prior_of_shape(grid, size) + prior_of_few(lost, LOST)

    for grid in sorted(grids, key=rank, reverse=True):
        yield most_worth(grid, pieces, size, terms.most), grid


def most_worth(grid: Grid, pieces: int, size: tuple[int, int], most: float) -> float:
    """What no board of a grid can exceed: all seams and borders of its pieces are sure, and empty slots lie where they
    cost least."""
    lost = max(grid.slots - pieces, 0)
    sure = 2 * most * pieces
    return sure + prior_of_shape(grid, size) + prior_of_few(lost, LOST)


def most_held(x: Ints, y: Ints, grid: Grid) -> int:
    """How many of the places (n,), (n,) across and down lie inside a grid that is laid where it holds most."""
    taken = np.zeros((np.ptp(y) + 1, np.ptp(x) + 1), np.int64)
    taken[y - y.min(), x - x.min()] = 1
    total = np.pad(taken, ((1, 0), (1, 0))).cumsum(0).cumsum(1)  # above and left of each corner
    rows, cols = min(grid.rows, taken.shape[0]), min(grid.cols, taken.shape[1])
    inside = total[rows:, cols:] - total[:-rows, cols:] - total[rows:, :-cols] + total[:-rows, :-cols]
    return int(inside.max())
