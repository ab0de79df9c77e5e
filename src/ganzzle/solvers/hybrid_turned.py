"""Turned pieces: the classical solvers find how they lie to each other, the network which way is up, and where they go.

A classical board tells every piece's turn but for one of the whole picture. Once the pieces lie one way they are a
puzzle like any other, and the network mends what the classical seams got wrong. Which way is up it guesses, unless most
pieces lay one way already: of the ways to hold the board it takes the one whose pieces, without their borders, it would
soonest put in their slots. That is right for most portraits; of other pictures it tells little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.puzzle import Grid, Ints, Puzzle, Solution, turn_pieces
from ganzzle.solvers.base import Solver
from ganzzle.solvers.gallagher import Gallagher
from ganzzle.solvers.hybrid_rules import LARGEST
from ganzzle.solvers.paikin_tal import PaikinTal

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid import Hybrid

SURE = 0.95  # mean confidence at which no other board is asked for
MOST = 0.6  # share of the pieces that hardly ever lie one way by chance


@dataclass(frozen=True, eq=False)
class Held:
    """A board as it is held: N pieces with their turns, in the slots of a grid."""

    pieces: Puzzle  # turned upright, the grid known
    placement: Ints  # (N,)
    turns: Ints  # (N,) quarter turns, counter-clockwise, that were given to each piece


def solve_turned(hybrid: Hybrid, puzzle: Puzzle, seed: int) -> Solution:
    """The surest solution of turned pieces, whose grid may be unknown, and which of its four sides is up."""
    best, most = None, -1.0
    for first in (PaikinTal(rotated=True), Gallagher(rotated=True)):
        found = _solve_upright(hybrid, first, puzzle, seed)
        sure = float(found.confidence.mean())
        if sure > most:
            best, most = found, sure
        if most >= SURE:
            break
    assert best is not None
    return best


def _solve_upright(hybrid: Hybrid, first: Solver, puzzle: Puzzle, seed: int) -> Solution:
    board = first.solve(puzzle, seed)
    held = _upright(hybrid, ways_to_hold(board, keep_grid=puzzle.grid is not None))
    solution = hybrid.solve_upright(held.pieces, seed)
    return replace(solution, puzzle=puzzle, turns=held.turns)


def _upright(hybrid: Hybrid, ways: list[Held]) -> Held:
    """The likeliest way to hold a board: that in which most pieces lie as they came, or else the network's guess."""
    as_they_came = max(ways, key=lambda way: np.count_nonzero(way.turns == 0))
    if np.mean(as_they_came.turns == 0) > MOST:
        return as_they_came
    if len(ways[0].turns) > LARGEST:
        return ways[0]
    return max(ways, key=lambda way: _at_home(hybrid, way))


def ways_to_hold(board: Solution, keep_grid: bool) -> list[Held]:
    """The board itself, then turned as a whole: by quarter turns where pieces and grid allow it, else by a half."""
    pieces, grid = board.puzzle.pieces, board.grid
    square = pieces.shape[1] == pieces.shape[2]
    quarter = square and (grid.rows == grid.cols or not keep_grid)
    cells = np.full(grid.slots, -1)
    cells[board.placement] = np.arange(len(pieces))
    ways = []
    for turn in range(4) if quarter else (0, 2):
        laid = np.rot90(cells.reshape(grid.rows, grid.cols), turn)
        flat = laid.ravel()
        placement = np.empty(len(pieces), np.int64)
        placement[flat[flat >= 0]] = np.flatnonzero(flat >= 0)
        turns = (board.turns + turn) % 4
        ways.append(Held(Puzzle(turn_pieces(pieces, turns), Grid(*laid.shape)), placement, turns))
    return ways


def _at_home(hybrid: Hybrid, held: Held) -> float:
    """How likely the network finds the middles of the pieces in their slots: the sum of the logarithms.

    With their borders, pieces fit together and fill the frame whichever way they are held.
    """
    height, width = held.pieces.piece_size
    top, left = height // 4, width // 4
    middles = held.pieces.pieces[:, top : height - top, left : width - left]
    slots, *_ = hybrid.potentials(replace(held.pieces, pieces=np.ascontiguousarray(middles)))
    return float(slots[np.arange(len(held.placement)), held.placement].sum())
