"""Obvious puzzles: where the pixels leave no doubt, nothing has to be imagined.

Most clean puzzles are like that. Their seams are compared by pixels alone, in a fraction of the time that the network
takes to look at the pieces; if the board is certain (`assembler/certain.py`), it is the answer. The mental image is
painted only when somebody asks for it, and until then the network is not even loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.cores import cores
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import Arrangement, canonical_order
from ganzzle.solvers.hybrid.rules import CLEAN, LARGEST, Wear

if TYPE_CHECKING:
    from ganzzle.board.certain import CertainBoard
    from ganzzle.solvers.hybrid.solver import Hybrid

HELD = 4.0  # log-odds that must hold every part of the board (benchmarks/obvious.py)
FEWEST = 25  # pieces: fewer have too few seams to contradict a wrong one


def arrange_obvious(hybrid: Hybrid, puzzles: Sequence[Puzzle]) -> list[Arrangement | None]:
    """The arrangements of those puzzles of known grid that are obvious."""

    def one(puzzle: Puzzle) -> Arrangement | None:
        board = obvious_board(puzzle)
        return None if board is None or board.grid != puzzle.grid else _arrangement(hybrid, puzzle, board)

    if len(puzzles) < 2:
        return [one(puzzle) for puzzle in puzzles]
    with ThreadPoolExecutor(min(cores(), len(puzzles))) as pool:
        return list(pool.map(one, puzzles))


def solve_obvious(hybrid: Hybrid, puzzle: Puzzle, seed: int) -> Solution | None:
    """The solution of a puzzle of unknown grid, if it is obvious."""
    order = canonical_order(puzzle.pieces, seed)
    hidden = Puzzle(puzzle.pieces[order], Grid.that_fit(len(puzzle))[0])
    board = obvious_board(hidden)
    if board is None:
        return None
    arrangement = _arrangement(hybrid, replace(hidden, grid=board.grid), board)
    found = hybrid.in_arrival_order(replace(puzzle, grid=board.grid), order, arrangement)
    return replace(found, puzzle=puzzle)


def obvious_board(puzzle: Puzzle) -> CertainBoard | None:
    """The board of clean pieces that fill their grid, or one of another shape, if there is no doubt about it."""
    assert puzzle.grid is not None
    if not FEWEST <= len(puzzle) == puzzle.grid.slots <= LARGEST or Wear.of(puzzle) != CLEAN:
        return None
    from ganzzle.board.by_pixels import piece_potentials
    from ganzzle.board.certain import certain_board

    right, down, _ = piece_potentials(puzzle.pieces, puzzle.grid)
    return certain_board(right, down, HELD)


def _arrangement(hybrid: Hybrid, puzzle: Puzzle, board: CertainBoard) -> Arrangement:
    """A certain board of a puzzle, as solvers report it."""
    confidence = 1 / (1 + np.exp(-board.held))
    paint = cache(lambda: hybrid.imagine(puzzle))  # once, even if copies of the solution are asked
    return Arrangement(board.placement, None, confidence, paint, board.order, 1.0)
