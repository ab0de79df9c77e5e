"""The assembler on seam costs alone: no network, no training on pictures, the best of the classical solvers here."""

from __future__ import annotations

import numpy as np

from ganzzle.board import Assembly, assemble_candidates, assemble_pieces
from ganzzle.board.by_pixels import large_potentials, piece_potentials
from ganzzle.damage.corruption import twin_groups
from ganzzle.puzzle import Floats, GridLike, Ints, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import Arrangement, Solver, check_number

LARGEST_TABLE = 4000  # pieces; beyond them only the best neighbours of every side are kept
# How often a piece lies right, by its margin, and how often a board does, by its energy a piece: fitted on held-out
# training pictures, 4x4 to 32x32, clean, worn, noisy and incomplete.
PIECE_FIT, BOARD_FIT = (1.79, -0.86), (1.62, 7.13)


class Assembler(Solver):
    """Merges pieces by MGC and L1 costs and searches for the placement whose seams are most likely as a whole.

    `rounds` and `patience` say how long the search goes on (see `assemble_pieces`); `seconds` ends it earlier, at the
    price that the answer may then depend on the machine.
    """

    name = "assembler"
    compares = True

    def __init__(self, rounds: int = 100, patience: int = 16, seconds: float | None = None) -> None:
        check_number("rounds", rounds, 0)
        check_number("patience", patience, 0)
        if seconds is not None:
            check_number("seconds", seconds, 0, whole=False)
        self.rounds = rounds
        self.patience = patience
        self.seconds = seconds

    def solve_mixed(
        self, puzzle: Puzzle, count: int, seed: int = 0, grid: GridLike | None = None
    ) -> list[Solution]:
        """Solve `count` puzzles mixed in one pile; see `Solver.solve_mixed`."""
        from ganzzle.solving.tiles import solve_several

        return solve_several(self, puzzle, count, seed, grid)

    def _solve_unknown_grid(self, puzzle: Puzzle, seed: int) -> Solution:
        """Find what the pile is, too."""
        from ganzzle.solving.tiles import solve_alone

        return solve_alone(self, puzzle, seed)

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        assert puzzle.grid is not None
        twins = twin_groups(puzzle.pieces)
        if len(puzzle) > LARGEST_TABLE:
            candidates = large_potentials(puzzle.pieces, puzzle.grid)
            return arrangement_of(
                assemble_candidates(
                    candidates, puzzle.grid, twins=twins, seed=seed,
                    rounds=min(self.rounds, 10), patience=min(self.patience, 4), seconds=self.seconds,
                ),
                twins,
            )  # fmt: skip
        right, down, border = piece_potentials(puzzle.pieces, puzzle.grid)
        assembly = assemble_pieces(
            right, down, puzzle.grid, border=border, twins=twins, seed=seed,
            rounds=self.rounds, patience=self.patience, seconds=self.seconds,
        )  # fmt: skip
        return arrangement_of(assembly, twins)


def arrangement_of(assembly: Assembly, twins: Ints) -> Arrangement:
    """An assembly as solvers report it; `twins` (N,) has equal numbers for pieces that look the same."""
    # Twins share what is likely at about two seams a piece, and it does not matter which of them lies there.
    shared = 2 * float(np.log(np.bincount(twins)[twins]).sum())
    return Arrangement(
        placement=assembly.placement,
        confidence=confidence_of(assembly.margin, min(assembly.energy + shared, 0.0)),
        order=assembly.order,
    )


def confidence_of(margin: np.ndarray, energy: float) -> Floats:
    """(N,) margins, 0 and above, and the energy of the board, at most 0 -> (N,) confidences between 0 and 1."""
    piece = PIECE_FIT[0] * np.log1p(margin.astype(np.float64)) + PIECE_FIT[1]
    board = BOARD_FIT[0] * energy / len(margin) + BOARD_FIT[1]
    sure: Floats = 1 / ((1 + np.exp(-piece)) * (1 + np.exp(-board)))
    return sure
