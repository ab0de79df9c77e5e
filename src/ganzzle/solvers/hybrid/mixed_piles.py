"""Mixed piles by the hybrid: which seams tell the puzzles apart, and which solver puts each of them together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ganzzle.damage.wear import wear_width
from ganzzle.puzzle import GridLike, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.hybrid.mixing import mixed
from ganzzle.solvers.hybrid.rules import CLEAN, LARGEST_HARD, Wear, classical_weight
from ganzzle.solving.mixed import checked_grid, solve_again, solve_separated

if TYPE_CHECKING:
    from ganzzle.board.problem import Problem
    from ganzzle.solvers.hybrid.solver import Hybrid

FEW = 150  # pieces of each puzzle up to which the network's look takes hardly any time


def solve_mixed(
    hybrid: Hybrid, puzzle: Puzzle, count: int, seed: int, grid: GridLike | None
) -> list[Solution]:
    """Solve `count` puzzles mixed in one pile; see `Solver.solve_mixed`.

    Large clean puzzles are tried by the assembler; the network looks at those that leave it doubts. Turned ones are
    told apart by `paikin-tal`.
    """
    if hybrid.rotated:
        from ganzzle.solvers.paikin_tal import PaikinTal

        # Without the rims it is told of, or finds; the network sees them by itself.
        bare = replace(puzzle, rim=max(puzzle.rim, wear_width(puzzle.pieces)))
        apart = PaikinTal(rotated=True).solve_mixed(bare, count, seed, grid)
        return solve_again(hybrid, puzzle, apart, seed)
    from ganzzle.solvers.assembler import Assembler

    each = checked_grid(puzzle, count, grid)
    complete = each is None or len(puzzle) == count * each.slots
    easy = len(puzzle) > FEW * count and complete and Wear.of(puzzle) == CLEAN
    quick = Assembler() if easy else None
    return solve_separated(hybrid, lambda pile: pile_problem(hybrid, pile), puzzle, count, seed, grid, quick)


def pile_problem(hybrid: Hybrid, pile: Puzzle) -> Problem:
    """The seams of all pieces of a pile with a grid: by their pixels, or where these do not tell, by the network."""
    from ganzzle.solvers.assembler import classical_problem

    assert pile.grid is not None
    wear = Wear.of(pile)
    if wear == CLEAN or pile.grid.slots > LARGEST_HARD:
        return classical_problem(pile)
    return seen_problem(hybrid, pile, wear)


def seen_problem(hybrid: Hybrid, pile: Puzzle, wear: Wear) -> Problem:
    """The seams of all pieces of a pile with a grid, by the network and, as its wear allows, by their pixels."""
    from ganzzle.board.problem import make_problem

    assert pile.grid is not None
    _, *seams = hybrid.potentials(pile)
    tables = mixed([pile], [table[None] for table in seams], pile.grid, classical_weight(pile, wear))
    right, down, border = (table[0] for table in tables)
    return make_problem(right, down, pile.grid, border=border)
