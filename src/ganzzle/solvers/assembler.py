"""The assembler on seam costs alone: no network, no training on pictures, the best of the classical solvers here."""

from __future__ import annotations

import numpy as np

from ganzzle.assembler import Assembly, assemble_candidates, assemble_pieces
from ganzzle.assembler.classical import large_potentials, piece_potentials
from ganzzle.assembler.problem import Problem, make_large_problem, make_problem
from ganzzle.puzzle import Floats, GridLike, Puzzle, Solution
from ganzzle.solvers.base import Arrangement, Solver
from ganzzle.solvers.mixed import solve_separated

LARGEST_TABLE = 4000  # pieces; beyond them only the best neighbours of every side are kept
# Fitted on training pictures: how often a piece with a given margin lies right.
HALF_SURE, STEEPNESS = 1.76, 1.39


class Assembler(Solver):
    """Merges pieces by MGC and L1 costs and searches for the placement whose seams are most likely as a whole.

    `rounds` and `patience` say how long the search goes on (see `assemble_pieces`); `seconds` ends it earlier, at the
    price that the answer may then depend on the machine.
    """

    name = "assembler"

    def __init__(self, rounds: int = 100, patience: int = 16, seconds: float | None = None) -> None:
        self.rounds = rounds
        self.patience = patience
        self.seconds = seconds

    def solve_mixed(
        self, puzzle: Puzzle, count: int, seed: int = 0, grid: GridLike | None = None
    ) -> list[Solution]:
        """Solve `count` puzzles mixed in one pile; see `Solver.solve_mixed`."""
        return solve_separated(self, classical_problem, puzzle, count, seed, grid)

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        assert puzzle.grid is not None
        if len(puzzle) > LARGEST_TABLE:
            candidates = large_potentials(puzzle.pieces, puzzle.grid)
            return arrangement_of(
                assemble_candidates(
                    candidates, puzzle.grid, seed=seed,
                    rounds=min(self.rounds, 10), patience=min(self.patience, 4), seconds=self.seconds,
                )
            )  # fmt: skip
        right, down, border = piece_potentials(puzzle.pieces, puzzle.grid)
        assembly = assemble_pieces(
            right, down, puzzle.grid, border=border, seed=seed,
            rounds=self.rounds, patience=self.patience, seconds=self.seconds,
        )  # fmt: skip
        return arrangement_of(assembly)


def classical_problem(pile: Puzzle) -> Problem:
    """The seams of all pieces of a pile that has a grid, by their pixels."""
    assert pile.grid is not None
    if len(pile) > LARGEST_TABLE:
        return make_large_problem(large_potentials(pile.pieces, pile.grid), pile.grid)
    right, down, border = piece_potentials(pile.pieces, pile.grid)
    return make_problem(right, down, pile.grid, border=border)


def arrangement_of(assembly: Assembly) -> Arrangement:
    """An assembly as solvers report it."""
    return Arrangement(
        placement=assembly.placement,
        confidence=confidence_of(assembly.margin),
        order=assembly.order,
        details={"energy": assembly.energy},
    )


def confidence_of(margin: np.ndarray) -> Floats:
    """(N,) margins, 0 and above -> confidences between 0 and 1."""
    return 1 / (1 + np.exp(-STEEPNESS * (np.log1p(margin.astype(np.float64)) - HALF_SURE)))
