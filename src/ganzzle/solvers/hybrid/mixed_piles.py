"""The seams of all pieces of a pile, as the hybrid sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ganzzle.puzzle import Puzzle
from ganzzle.solvers.hybrid.mixing import mixed
from ganzzle.solvers.hybrid.rules import Wear, classical_weight

if TYPE_CHECKING:
    from ganzzle.board.problem import Problem
    from ganzzle.solvers.hybrid.solver import Hybrid


def seen_problem(hybrid: Hybrid, pile: Puzzle, wear: Wear) -> Problem:
    """The seams of all pieces of a pile with a grid, by the network and, as its wear allows, by their pixels."""
    from ganzzle.board.problem import make_problem

    assert pile.grid is not None
    _, *seams = hybrid.potentials(pile)
    tables = mixed([pile], [table[None] for table in seams], pile.grid, classical_weight(pile, wear))
    right, down, border = (table[0] for table in tables)
    return make_problem(right, down, pile.grid, border=border)
