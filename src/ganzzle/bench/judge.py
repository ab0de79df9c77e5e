"""Whether the answer to a pile is right, and how sure it was of what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.bench.pile_kinds import MadePile
from ganzzle.grid import Grid
from ganzzle.puzzle import Floats, Ints

RIGHT = 0.99  # share of the pile's own pieces that lie in place when an answer is right
SURE = 0.9  # confidence from which on a piece, or the mean of an answer, counts as sure


@dataclass(frozen=True, eq=False)
class Found:
    """One board of an answer."""

    pieces: Ints  # (n,) which of the pile
    grid: Grid
    placement: Ints  # (n,) slots
    turns: Ints  # (n,)
    confidence: Floats  # (n,)


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth."""

    right: bool
    own: int  # pieces that belong to the puzzles, each once
    in_place: int
    placed: int  # pieces on boards
    strangers: int  # of these belong to no puzzle
    wrong_and_sure: int  # pieces on boards, not in place, of which it was sure
    sure: float  # mean confidence of the pieces on boards, 0 without any


def judge(pile: MadePile, boards: Sequence[Found]) -> Verdict:
    """Compare the boards of an answer with the truth of its pile.

    Identical pieces stand in for each other; a board may be shifted as a whole, since empty rows at its rim say
    nothing; and where pieces were said to be turned, it may be turned as a whole. Of one puzzle only one board counts.
    """
    own = len(set(zip(pile.puzzle.tolist(), pile.slot.tolist(), strict=True)) - {(-1, -1)})
    fits = {(b, k): _in_place(pile, boards[b], k) for b in range(len(boards)) for k in range(len(pile.grids))}
    in_place = [np.zeros(len(board.pieces), bool) for board in boards]
    while fits:
        b, k = max(fits, key=lambda pair: int(fits[pair].sum()))
        in_place[b] = fits[b, k]
        fits = {pair: fit for pair, fit in fits.items() if pair[0] != b and pair[1] != k}
    right = np.concatenate([np.zeros(0, bool), *in_place])
    pieces = np.concatenate([np.zeros(0, np.int64), *(board.pieces for board in boards)])
    confidence = np.concatenate([np.zeros(0), *(board.confidence for board in boards)])
    strangers = int((pile.puzzle[pieces[~right]] < 0).sum())
    return Verdict(
        right=bool(right.sum() >= RIGHT * own and strangers == 0 and len(right) <= own),
        own=own,
        in_place=int(right.sum()),
        placed=len(right),
        strangers=strangers,
        wrong_and_sure=int((confidence[~right] >= SURE).sum()),
        sure=round(float(confidence.mean()), 4) if len(confidence) else 0.0,
    )


def _in_place(pile: MadePile, board: Found, number: int) -> NDArray[np.bool_]:
    """(n,) which pieces of a board lie where those of puzzle `number` belong, in the turn that suits it best."""
    turns = range(4) if pile.said_turned else range(1)
    return max((_after(pile, board, number, turn) for turn in turns), key=lambda right: int(right.sum()))


def _after(pile: MadePile, board: Found, number: int, turn: int) -> NDArray[np.bool_]:
    """`_in_place` after the board has been turned counter-clockwise, and then shifted to where most pieces belong."""
    rows, cols = board.grid.rows, board.grid.cols
    row, col = np.divmod(board.placement, cols)
    for _ in range(turn):
        row, col, rows, cols = cols - 1 - col, row, cols, rows
    grid = pile.grids[number]
    look_of_slot = np.full(grid.slots, -1)
    of_it = pile.puzzle == number
    look_of_slot[pile.slot[of_it]] = pile.look[of_it]
    belongs = of_it[board.pieces]
    if not belongs.any():
        return np.zeros(len(row), bool)
    true_row, true_col = np.divmod(pile.slot[board.pieces], grid.cols)
    moves = np.stack([row - true_row, col - true_col])[:, belongs]
    (down, across), counts = np.unique(moves, axis=1, return_counts=True)
    most = int(counts.argmax())
    row, col = row - down[most], col - across[most]
    inside = (row >= 0) & (row < grid.rows) & (col >= 0) & (col < grid.cols)
    there = look_of_slot[np.where(inside, row * grid.cols + col, 0)]
    upright = (board.turns + turn - pile.turns[board.pieces]) % pile.period[board.pieces] == 0
    return inside & (there == pile.look[board.pieces]) & upright
