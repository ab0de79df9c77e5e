"""What is seen in a pile of tiles whatever it may be, each thing once and only when it is asked for."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.arrays import Ints, Pixels
from ganzzle.board import largest_part
from ganzzle.board.by_pixels import piece_potentials
from ganzzle.board.problem import Problem, Table, make_problem
from ganzzle.damage.corruption import twin_groups
from ganzzle.damage.wear import is_noisy, wear_width
from ganzzle.grid import Grid
from ganzzle.puzzle import Puzzle
from ganzzle.solving.score import Terms, terms_of

if TYPE_CHECKING:
    from ganzzle.solvers.base import Solver

Tables = tuple[Table, ...]  # log-potentials right (N, N), down (N, N), border (N, 4)


BY_PIXELS = 0.4  # how much the pixels at the edges count in the score


class Evidence:
    """The pieces (N, h, w, 3) of a pile as a solver sees them; `counts` says how often what was looked at."""

    def __init__(self, pieces: Pixels, solver: Solver, counts: Counter[str] | None = None) -> None:
        self.pieces = pieces
        self.solver = solver
        self.counts: Counter[str] = Counter() if counts is None else counts

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of a piece in px."""
        return self.pieces.shape[1], self.pieces.shape[2]

    @property
    def sheet(self) -> Puzzle:
        """The pieces in a nearly square grid with a few empty slots, so that any of them may be at the border."""
        cols = max(1, round(math.sqrt(len(self))))
        return Puzzle(self.pieces, Grid(len(self) // cols + 1, cols))

    @cached_property
    def twins(self) -> Ints:
        """(N,) equal numbers for pieces that look the same."""
        return twin_groups(self.pieces)

    @cached_property
    def worn(self) -> int:
        """Px at the rims of the pieces that carry no picture."""
        self.counts["wear"] += 1
        return wear_width(self.pieces)

    @cached_property
    def noisy(self) -> bool:
        """Whether there is noise in the pieces."""
        return is_noisy(self.pieces, self.worn)

    @cached_property
    def classical(self) -> Tables:
        """What the pixels at the edges say."""
        self.counts["costs"] += 1
        sheet = self.sheet
        assert sheet.grid is not None
        return piece_potentials(self.pieces, sheet.grid)

    @cached_property
    def tables(self) -> Tables:
        """What the solver says of all seams and borders."""
        self.counts["looks"] += 1
        seen = self.solver.seams(self.sheet)
        return self.classical if seen is None else seen

    @cached_property
    def terms(self) -> Terms:
        """The same on the scale of the score."""
        both = zip(self.tables, self.classical, strict=True)
        right, down, border = ((1 - BY_PIXELS) * seen + BY_PIXELS * table for seen, table in both)
        return terms_of(right, down, border, self.twins)

    @cached_property
    def problem(self) -> Problem:
        """The same for the assembler, which may lay all pieces in one line."""
        right, down, border = self.tables
        return make_problem(right, down, Grid(1, len(self)), border=border, twins=self.twins)

    @cached_property
    def part(self) -> tuple[Ints, Ints]:
        """(n,), (n,) places across and down of what the seams put together without any frame."""
        return largest_part(*self.tables)

    def of(self, members: Ints) -> Evidence:
        """What is seen of some of the pieces (n,), without looking again."""
        other = Evidence(self.pieces[members], self.solver, self.counts)
        right, down, border = self.tables
        both = np.ix_(members, members)
        vars(other).update(
            tables=(right[both], down[both], border[members]),
            twins=np.unique(self.twins[members], return_inverse=True)[1],
            terms=self.terms.of(members),
        )
        return other
