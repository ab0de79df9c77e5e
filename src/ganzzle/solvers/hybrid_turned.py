"""Turned pieces: how they lie to each other, where they go, and which way is up.

Worn and noisy pieces are shown to the network in all four turns (four_ways.py). Others are left to `paikin-tal`, which
is quicker and hardly ever wrong about them; where the board is not sure, the network looks at all turns of these, too.

Such a board tells every piece's turn but for one of the whole picture. Once the pieces lie one way they are a puzzle
like any other, and the network mends what is wrong with it. Which way is up it guesses, unless most pieces lay one way
already: the board is cut anew into a few large pieces whose borders do not meet, and of the ways to hold it the one is
taken in which the network would soonest put these in their slots. That is right for most portraits; of other pictures
it tells little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.networks.edge_encoder import PIECE
from ganzzle.networks.wear import wear_width
from ganzzle.pictures import resize_picture
from ganzzle.puzzle import Grid, Ints, Puzzle, Solution, assemble, cut, turn_pieces
from ganzzle.solvers.base import Solver
from ganzzle.solvers.four_ways import SeenFourWays
from ganzzle.solvers.gallagher import Gallagher
from ganzzle.solvers.hybrid_rules import CLEAN, LARGEST, LARGEST_HARD, Wear
from ganzzle.solvers.paikin_tal import PaikinTal

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid import Hybrid

SURE = 0.98  # mean confidence at which no other board is asked for
MOST = 0.6  # share of the pieces that hardly ever lie one way by chance
ACROSS = 6  # large parts that a square picture is cut into, each way
CUT_OFF = 4  # px of 40 at each border of a large part


@dataclass(frozen=True, eq=False)
class Held:
    """A board as it is held: N pieces with their turns, in the slots of a grid."""

    pieces: Puzzle  # turned upright, the grid known
    placement: Ints  # (N,)
    turns: Ints  # (N,) quarter turns, counter-clockwise, that were given to each piece


def solve_turned(hybrid: Hybrid, puzzle: Puzzle, seed: int) -> Solution:
    """The surest solution of turned pieces, whose grid may be unknown, and which of its four sides is up."""
    wear = Wear.of(puzzle)
    slots = len(puzzle) if puzzle.grid is None else puzzle.grid.slots
    hard = wear != CLEAN or slots > len(puzzle)
    best, most = None, -1.0
    for first in _first_solvers(hybrid, puzzle.piece_size, slots, wear, hard):
        board = first.solve(puzzle, seed)
        held = _upright(hybrid, ways_to_hold(board, keep_grid=puzzle.grid is not None))
        found = replace(hybrid.solve_upright(held.pieces, seed), puzzle=puzzle, turns=held.turns)
        sure = float(found.confidence.mean())
        if sure > most:
            best, most = found, sure
        if most >= SURE:
            break
    assert best is not None
    # Hard pieces that were turned the wrong way were turned to fit: each looks right only as far as all of them do.
    return replace(best, confidence=best.confidence * most) if hard else best


def _first_solvers(
    hybrid: Hybrid, size: tuple[int, int], slots: int, wear: Wear, hard: bool
) -> Iterator[Solver]:
    """Who may tell how pieces of a size lie to each other, the likeliest to be right first."""
    four_ways = size[0] == size[1] and 4 * slots <= (LARGEST_HARD if hard else LARGEST)
    if wear == CLEAN or not four_ways:
        yield PaikinTal(rotated=True)
    yield SeenFourWays(hybrid) if four_ways else Gallagher(rotated=True)


def _upright(hybrid: Hybrid, ways: list[Held]) -> Held:
    """The likeliest way to hold a board: that in which most pieces lie as they came, or else the network's guess."""
    as_they_came = max(ways, key=lambda way: np.count_nonzero(way.turns == 0))
    if np.mean(as_they_came.turns == 0) > MOST:
        return as_they_came
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
    """How likely the network finds large parts of the picture in their places: the sum of the logarithms."""
    slots, *_ = hybrid.potentials(large_parts(held))
    return float(np.diag(slots).sum())


def large_parts(held: Held) -> Puzzle:
    """The picture of a board in about ACROSS x ACROSS pieces that the network knows well, in order.

    Their borders are cut off: with them, they would fit together and fill the frame whichever way they are held.
    """
    rim = wear_width(held.pieces.pieces)
    bottom, right = (side - rim for side in held.pieces.piece_size)
    assert held.pieces.grid is not None
    picture = assemble(held.pieces.pieces[:, rim:bottom, rim:right], held.pieces.grid, held.placement)
    tallness = math.sqrt(picture.shape[0] / picture.shape[1])
    grid = Grid(max(1, round(ACROSS * tallness)), max(1, round(ACROSS / tallness)))
    side = PIECE + 2 * CUT_OFF
    parts = cut(resize_picture(picture, grid.rows * side, grid.cols * side), grid)
    return Puzzle(np.ascontiguousarray(parts[:, CUT_OFF:-CUT_OFF, CUT_OFF:-CUT_OFF]), grid)
