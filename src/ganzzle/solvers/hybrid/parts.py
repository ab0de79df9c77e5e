"""Which way the parts of a board lie that its seams do not tie together.

Holes, wear and noise cut a board of turned pieces into parts. How the pieces of a part lie to each other is known; how
two parts do is not, where no seam between them tells. But the network knows pictures that lie one way, so every part
other than the largest is shown to it in all its turns, and keeps the one in which its pieces find their places best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ganzzle.pieces import turn_pieces
from ganzzle.puzzle import Floats, Grid, Ints, Puzzle
from ganzzle.solvers.base import canonical_order
from ganzzle.solvers.hybrid.confidence import board_fit

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

Table = NDArray[np.float32]

LARGEST_SETTLED = 200  # slots up to which parts are turned: in every round the network looks up to four times
TIED = np.log(0.4)  # log-potential of a seam that ties two pieces together
ROUNDS, PATIENCE = 8, 2  # of turning parts: at most, and in a row without a gain


@dataclass(frozen=True, eq=False)
class Laid:
    """What is seen of pieces that were turned and put together."""

    turns: Ints  # (N,) quarter turns, counter-clockwise, given to each piece
    part: Ints  # (N,) the part each piece belongs to, numbered from 0
    support: Floats  # (N,) what speaks for each piece's place: log P(slot) and mean log P(seam)
    fit: float  # how well all fit together


def settled(hybrid: Hybrid, puzzle: Puzzle, turns: Ints, seed: int) -> Ints:
    """(N,) the turns of the pieces, after parts other than the largest were turned as long as that made the board
    surer. `puzzle` is of known grid, `turns` (N,) the quarter turns to begin with."""
    rng = np.random.default_rng(seed)
    height, width = puzzle.piece_size
    quarters = (1, 2, 3) if height == width else (2,)
    (best,) = _lay(hybrid, puzzle, [turns], seed)
    vain = 0
    for number in range(ROUNDS):
        if vain == PATIENCE or best.part.max() == 0:
            break
        # First all parts by one turn: they may be right but for the largest. Then each by a turn of its own.
        steps = _steps(best.part, quarters, rng if number else None)
        boards = [best, *_lay(hybrid, puzzle, [(best.turns + step) % 4 for step in steps], seed)]
        turns = _best_turns(best.part, boards)
        vain += 1
        if not np.array_equal(turns, best.turns):
            (trial,) = _lay(hybrid, puzzle, [turns], seed)
            if trial.fit > best.fit:
                best, vain = trial, 0
    return best.turns


def _lay(hybrid: Hybrid, puzzle: Puzzle, ways: Sequence[Ints], seed: int) -> list[Laid]:
    """The pieces turned in some ways, (N,) each, and put together."""
    piles = [turn_pieces(puzzle.pieces, turns) for turns in ways]
    orders = [canonical_order(pieces, seed) for pieces in piles]
    shown = [Puzzle(pieces[order], puzzle.grid) for pieces, order in zip(piles, orders, strict=True)]
    boards = []
    for turns, order, found in zip(ways, orders, hybrid.judge(shown, seed), strict=True):
        back = np.argsort(order)
        part = parts(found.assembly.placement, found.right, found.down, shown[0].grid)
        support = found.evidence[:, 1] + found.evidence[:, 2]
        boards.append(Laid(turns, part[back], support[back], float(board_fit(found.evidence))))
    return boards


def parts(placement: Ints, right: Table, down: Table, grid: Grid | None) -> Ints:
    """(N,) the number of the part that each piece belongs to, from 0: seams (N, N), (N, N) that are likely tie."""
    assert grid is not None
    count = len(placement)
    at = np.full(grid.slots, -1)
    at[placement] = np.arange(count)
    ties = []
    for seams, slots in zip((right, down), grid.adjacencies(), strict=True):
        first, second = at[slots[(at[slots] >= 0).all(1)]].T
        tied = seams[first, second] > TIED
        ties.append((first[tied], second[tied]))
    first, second = np.concatenate(ties, axis=1)
    number = np.arange(count)
    while True:  # the least number goes from tie to tie
        least = number.copy()
        np.minimum.at(least, first, number[second])
        np.minimum.at(least, second, number[first])
        if np.array_equal(least, number):
            return np.unique(number, return_inverse=True)[1].astype(np.int64)
        number = least


def _steps(part: Ints, quarters: Sequence[int], rng: np.random.Generator | None) -> Ints:
    """(K, N) quarter turns to try, none for the largest part; by `rng` every part sees the K in an order of its own."""
    steps = np.tile(np.array(quarters)[:, None], part.max() + 1)
    if rng is not None:
        steps = rng.permuted(steps, axis=0)
    steps[:, np.bincount(part).argmax()] = 0
    return steps[:, part]


def _best_turns(part: Ints, boards: Sequence[Laid]) -> Ints:
    """(N,) every part as it was turned on the board that supports it most."""
    support = np.stack([np.bincount(part, board.support) for board in boards])
    best = support.argmax(0)[part]
    turns: Ints = np.stack([board.turns for board in boards])[best, np.arange(len(part))]
    return turns
