"""Turned pieces: how they lie to each other, where they go, and which way is up.

Worn and noisy pieces are shown to the network in all four turns (four_ways.py). Others are left to `paikin-tal`, which
is quicker and hardly ever wrong about them; where the board is not sure, the network looks at all turns of these, too.

Such a board tells every piece's turn but for one of the whole picture. Which way is up is told by a small network that
looks at the whole (upright.py), unless most pieces lay one way already. Once the pieces lie one way they are a puzzle
like any other, and the hybrid's network mends what is wrong with it. Parts that holes or weak seams cut off may still
lie another way; it tries all of their turns (parts.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.damage.wear import wear_width
from ganzzle.pieces import assemble, turn_pieces
from ganzzle.puzzle import Grid, Ints, Pixels, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import Solver, fit_of
from ganzzle.solvers.gallagher import Gallagher
from ganzzle.solvers.hybrid.confidence import FITTED, made_to_fit
from ganzzle.solvers.hybrid.four_ways import SeenFourWays
from ganzzle.solvers.hybrid.parts import LARGEST_SETTLED, settled
from ganzzle.solvers.hybrid.rules import CLEAN, LARGEST_HARD, Wear, is_hard
from ganzzle.solvers.hybrid.upright import turns_given
from ganzzle.solvers.paikin_tal import PaikinTal

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

SURE = 0.98  # fit at which no other board is asked for
MOST = 0.6  # if a larger share of the pieces lies one way, that is not by chance


@dataclass(frozen=True, eq=False)
class Held:
    """A board as it is held: N pieces with their turns, in the slots of a grid."""

    pieces: Puzzle  # turned upright, the grid known
    placement: Ints  # (N,)
    turns: Ints  # (N,) quarter turns, counter-clockwise, that were given to each piece
    turn: int  # those of the whole board, included in these


def solve_turned(hybrid: Hybrid, puzzle: Puzzle, seed: int, grids: Sequence[Grid] = ()) -> Solution:
    """The surest solution of turned pieces, and which of its four sides is up. An unknown grid is one of `grids`."""
    wear = Wear.of(puzzle)
    slots = max(grid.slots for grid in ([puzzle.grid] if puzzle.grid else grids))
    found: Solution | None = None
    for first in _first_solvers(hybrid, puzzle.piece_size, slots, wear):
        board = first.solve(puzzle, seed) if puzzle.grid else first.solve_in(puzzle, grids, seed)
        held = _upright(ways_to_hold(board, keep_grid=puzzle.grid is not None))
        trial = _solved(hybrid, puzzle, held.pieces, held.turns, seed)
        if found is None or fit_of(trial) > fit_of(found):
            found = trial
        if fit_of(found) >= SURE:
            break
    assert found is not None
    if fit_of(found) < SURE and found.grid.slots <= LARGEST_SETTLED:
        # Not before the board is chosen: one that was turned to fit looks surer than it is.
        turns = settled(hybrid, Puzzle(puzzle.pieces, found.grid), found.turns, seed)
        if not np.array_equal(turns, found.turns):
            upright = Puzzle(turn_pieces(puzzle.pieces, turns), found.grid)
            found = _solved(hybrid, puzzle, upright, turns, seed)
    if not is_hard(puzzle, wear):
        return found
    confidence = made_to_fit(found.confidence)  # hard pieces that lie the wrong way were turned to fit
    return replace(found, confidence=confidence, fit=fit_of(found) ** FITTED)


def _solved(hybrid: Hybrid, puzzle: Puzzle, upright: Puzzle, turns: Ints, seed: int) -> Solution:
    """The solution of a puzzle whose pieces lie upright after some quarter turns (N,)."""
    return replace(hybrid.solve_upright(upright, seed), puzzle=puzzle, turns=turns)


def _first_solvers(hybrid: Hybrid, size: tuple[int, int], slots: int, wear: Wear) -> Iterator[Solver]:
    """Who may tell how pieces of a size lie to each other, the likeliest to be right first."""
    four_ways = size[0] == size[1] and 4 * slots <= LARGEST_HARD
    if wear == CLEAN or not four_ways:
        yield PaikinTal(rotated=True)
    yield SeenFourWays(hybrid) if four_ways else Gallagher(rotated=True)


def _upright(ways: list[Held]) -> Held:
    """The likeliest way to hold a board: that in which most pieces lie as they came, or else what looks upright."""
    as_they_came = max(ways, key=lambda way: np.count_nonzero(way.turns == 0))
    if np.mean(as_they_came.turns == 0) > MOST:
        return as_they_came
    given = turns_given(picture_of(ways[0]))
    return max(ways, key=lambda way: given[-way.turn % 4])


def upright_turn(pieces: Puzzle, placement: Ints, turns: Ints) -> int:
    """The quarter turns that bring a board upright, of pieces in slots (N,) that were all given some turns (N,)."""
    assert pieces.grid is not None
    none = np.zeros(len(turns))
    board = Solution(Puzzle(pieces.pieces), pieces.grid, placement, np.zeros(len(turns), np.int64), none)
    ways = ways_to_hold(board, keep_grid=False)
    as_they_came = max(ways, key=lambda way: np.count_nonzero((way.turns + turns) % 4 == 0))
    if np.mean((as_they_came.turns + turns) % 4 == 0) > MOST:
        return as_they_came.turn
    said = {way.turn: turns_given(picture_of(way)) for way in ways}  # by all of them together
    return max(said, key=lambda turn: float(sum(given[(other - turn) % 4] for other, given in said.items())))


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
        ways.append(Held(Puzzle(turn_pieces(pieces, turns), Grid(*laid.shape)), placement, turns, turn))
    return ways


def picture_of(held: Held) -> Pixels:
    """What is seen of a board: without worn rims, and with holes of the mean colour."""
    rim = wear_width(held.pieces.pieces)
    bottom, right = (side - rim for side in held.pieces.piece_size)
    pieces, grid = held.pieces.pieces[:, rim:bottom, rim:right], held.pieces.grid
    assert grid is not None
    slots = np.empty((grid.slots, *pieces.shape[1:]), np.uint8)
    slots[:] = pieces.mean((0, 1, 2)).round()
    slots[held.placement] = pieces
    return assemble(slots, grid, np.arange(grid.slots))
