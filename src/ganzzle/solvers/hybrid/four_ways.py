"""How turned pieces lie to each other, by the seams that the hybrid's network sees.

The network knows pieces that lie one way only. So it is shown every piece in all four turns, as one puzzle of four
times the pieces: put together, that is the picture held four ways, side by side. Who lies beside whom in it tells how
two pieces lie to each other, and `gallagher`'s tree makes a board of what is told of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Grid, Pixels, Puzzle
from ganzzle.seams import SeamCost
from ganzzle.seams.costs import Compare
from ganzzle.seams.tables import pseudo_pieces, turn
from ganzzle.solution import Solution
from ganzzle.solvers.base import Arrangement, Solver, canonical_order
from ganzzle.solvers.gallagher import Gallagher

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

Table = NDArray[np.float32]

STEEP = 0.3  # how fast the cost of a seam falls with the logarithm of its probability
EMPTY = 0.5  # what each empty slot of an unknown grid costs, measured in seams
RUNNER_UP = 0.5  # the tree's confidence in a seam that is as good as the second best one


class SeenFourWays(Solver):
    """`gallagher`'s tree over the seams that the network sees between square pieces in all their turns."""

    name = "hybrid"
    rotated = True

    def __init__(self, hybrid: Hybrid) -> None:
        self.hybrid = hybrid

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange one puzzle, but for a turn of the whole picture."""
        return self._tree(puzzle).arrange(puzzle, seed)

    def solve_in(self, puzzle: Puzzle, grids: Sequence[Grid], seed: int = 0) -> Solution:
        """The solution in the grid whose seams are worth most. The network looks once, and is told the first one."""
        order = canonical_order(puzzle.pieces, seed)
        piles = [Puzzle(puzzle.pieces[order], grid) for grid in grids]
        tree = self._tree(piles[0])
        boards = [
            self.in_arrival_order(Puzzle(puzzle.pieces, pile.grid), order, tree.arrange(pile, seed))
            for pile in piles
        ]
        return max(boards, key=_worth)

    def _tree(self, puzzle: Puzzle) -> Gallagher:
        """A solver for these pieces in this order."""
        costs = np.exp(-STEEP * turned_seams(self.hybrid, puzzle))

        def already_seen(_: Pixels) -> Compare:
            def compare(left: Any, right: Any) -> Table:
                return np.ascontiguousarray(costs[left][:, right])

            return compare

        return Gallagher(SeamCost("seen four ways", already_seen, symmetric=True), rotated=True)


def _worth(board: Solution) -> float:
    """How much more its seams are trusted than those of equally good runners-up would be, added up; less for holes."""
    there = np.zeros(board.grid.slots, bool)
    there[board.placement] = True
    seams = sum(np.count_nonzero(there[pairs].all(1)) for pairs in board.grid.adjacencies())
    holes = board.grid.slots - len(board.puzzle)
    return seams * float(board.confidence.mean() - RUNNER_UP) - EMPTY * holes


def turned_seams(hybrid: Hybrid, puzzle: Puzzle) -> Table:
    """(4N, 4N) log-potentials of pseudo-piece b at the right of a; 4i + k is piece i in its k-th turn.

    Every seam is seen four times, once in each picture, and the mean is taken.
    """
    assert puzzle.grid is not None
    grid = Grid(2 * puzzle.grid.rows, 2 * puzzle.grid.cols)
    # Among four times the pieces, the edges of noisy ones alone are no good judges.
    _, right, down, _ = hybrid.potentials(Puzzle(pseudo_pieces(puzzle.pieces), grid), by_edges=False)
    once, twice, thrice = (turn(np.arange(len(right)), k) for k in (1, 2, 3))
    upside_down = right[np.ix_(twice, twice)].T
    on_their_sides = down[np.ix_(once, once)].T + down[np.ix_(thrice, thrice)]
    mean: Table = (right + upside_down + on_their_sides) / 4
    return mean
