"""`paikin-tal`: greedy best-first placement by border compatibility (Paikin & Tal, CVPR 2015).

Taken from the publication:

* the asymmetric dissimilarity: the colour at a border continues linearly, L1 in LAB (seam cost "l1-lab");
* compatibility relative to the second best, mutual compatibility, best buddies;
* a start in a distinctive neighbourhood: best buddies on all sides, whose buddies again have buddies on all sides;
* best buddies of placed pieces go first, and compatibilities are renewed among the pieces that are left; the frame
  stays open: the placed pieces may not span more than rows x cols, but where they lie in it is left to the end;
* pieces that are missing, pieces that are turned, a grid that is not known, several puzzles in one pile.

Departures, and why:

* A slot's candidate is judged by its mean compatibility with *all* placed neighbours, and more buddies go before
  fewer: one chance buddy at a border is then no longer enough to be placed first.
* When all pieces lie, whole columns and rows may move to the opposite side of the frame, to where the weakest cut
  becomes the border. A border column that stuck to the opposite side had shifted the whole picture by one.
* Placed pieces are moved after all: rounds of repair take out weak pieces, strips along a border, all but one
  segment, or move a segment to where its buddies lie, and place again, half of the time with the place in the frame
  drawn instead of open; what raises the sum of mutual compatibilities is kept. Greedy placement cannot undo an early
  mistake in a flat region, and nearly always this sum is highest for the true picture.
* Three starts are tried, and one that joins blocks of sure seams everywhere at once (up to 1,500 pieces, none
  turned), for the same reason.
* Compatibilities end at -1 and both costs of a ratio get a little slack, so flat and identical pieces stay finite:
  they have compatibility 0 with each other.
* Several puzzles: the next one is opened when the best fit falls under 0.25 instead of 0.5, because fits are means
  over all neighbours here. When their grid is not known, it is first asked whether all have the same.
* Over 5,000 pieces only the 64 best candidates a side are kept, and found anew among the pieces that are left when
  they run out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Grid, GridLike, Ints, Puzzle
from ganzzle.seams import find_cost
from ganzzle.seams.tables import in_threads
from ganzzle.solution import Solution
from ganzzle.solvers.base import Arrangement, Solver, canonical_order, check_number, without_known_rim
from ganzzle.solvers.paikin_tal.blocks import largest_block
from ganzzle.solvers.paikin_tal.board import Board, Frame
from ganzzle.solvers.paikin_tal.measure import all_mutual, piece_fit, total_fit
from ganzzle.solvers.paikin_tal.pile import Pile
from ganzzle.solvers.paikin_tal.repair import repair, shift
from ganzzle.solvers.paikin_tal.seams import Seams
from ganzzle.solving.mixed import SLENDER, checked_grid, grids_of_each

STARTS = 3
MOST_FOR_BLOCKS = 1500  # pieces; joining blocks looks at all pieces for every seam
NEXT_PUZZLE = 0.25  # a fit under which the next puzzle of a mixed pile is opened
BELIEVED = 0.9  # share of the fit without a frame at which puzzles of one grid are believed
MOST_ROUNDS, LEAST_ROUNDS, PIECES_TO_REPAIR = 160, 6, 120_000


class PaikinTal(Solver):
    """Options: the seam cost by name, whether pieces may be turned, rounds of repair (None: fewer for more pieces)."""

    name = "paikin-tal"

    def __init__(self, cost: str = "l1-lab", rotated: bool = False, rounds: int | None = None) -> None:
        find_cost(cost)
        if rounds is not None:
            check_number("rounds", rounds, 0)
        self.cost = cost
        self.rotated = rotated
        self.rounds = rounds

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange a puzzle of known grid."""
        assert puzzle.grid is not None
        if len(puzzle) == 1:
            sure = np.array([float(puzzle.grid.slots == 1)])  # of several slots it may have any
            return Arrangement(np.zeros(1, np.int64), confidence=sure, order=np.zeros(1, np.int64))
        pile = Pile(puzzle.pieces, self.cost, self.rotated)
        frame = Frame(puzzle.grid.rows, puzzle.grid.cols, self._turnable(puzzle), 1)
        boards = [pile.start(frame, int(face)) for face in start_faces(pile.seams)[:STARTS]]
        if not self.rotated and len(puzzle) <= MOST_FOR_BLOCKS:
            boards.append(largest_block(pile.seams, frame))

        def place(board: Board) -> None:
            pile.place(board, frame)
            shift(pile.seams, board)

        in_threads(place, boards)
        board = max(boards, key=lambda b: total_fit(pile.seams, b))
        board = repair(pile, frame, board, self._rounds(len(puzzle)), np.random.default_rng(seed))
        return self._arrangement(pile.seams, board, 0, puzzle.grid)

    def solve_mixed(
        self, puzzle: Puzzle, count: int, seed: int = 0, grid: GridLike | None = None
    ) -> list[Solution]:
        """Solve `count` puzzles mixed in one pile; see `Solver.solve_mixed`."""
        each = checked_grid(puzzle, count, grid)
        known = each if each is not None and len(puzzle) <= each.slots else None
        puzzle = replace(without_known_rim(puzzle), grid=known)
        order = canonical_order(puzzle.pieces, seed)
        if len(puzzle) == 1:
            alone = self.solve(replace(puzzle, grid=each or Grid(1, 1)), seed)
            return [replace(alone, pieces=order)]
        pile = Pile(puzzle.pieces[order], self.cost, self.rotated)
        if each is not None:
            frame = Frame(each.rows, each.cols, self._turnable(puzzle), count)
            board = self._mixed(pile, frame, self._grow_mixed(pile, frame), seed)
        else:
            each, board = self._mixed_of_unknown_grid(pile, puzzle, count, seed)
        used = [k for k in range(count) if board.box[k, 0] <= board.box[k, 1]]
        return [self._part(puzzle, order, each, pile.seams, board, k) for k in used]

    def _mixed_of_unknown_grid(
        self, pile: Pile, puzzle: Puzzle, count: int, seed: int
    ) -> tuple[Grid | None, Board]:
        """The grid of each puzzle, if all seem to have the same, and the board.

        Without a frame pieces may go anywhere, so such a layout always fits a little better: puzzles of one grid that
        leave no slot empty need not fit quite as well to be believed.
        """
        turnable = self._turnable(puzzle)
        side = SLENDER * int(np.ceil(np.sqrt(len(puzzle))))
        free = Frame(side, side, turnable, count)
        board = self._mixed(pile, free, self._grow_mixed(pile, free), seed)
        grids = grids_of_each(len(puzzle), count)
        frames = [Frame(g.rows, g.cols, turnable, count) for g in grids if g.rows <= g.cols or not turnable]
        if not frames:
            return None, board
        grown = [(frame, self._grow_mixed(pile, frame)) for frame in frames]
        frame, same = max(grown, key=lambda one: total_fit(pile.seams, one[1]))
        same = self._mixed(pile, frame, same, seed)
        if total_fit(pile.seams, same) < BELIEVED * total_fit(pile.seams, board):
            return None, board
        return Grid(frame.rows, frame.cols), same

    def _mixed(self, pile: Pile, frame: Frame, board: Board, seed: int) -> Board:
        return repair(pile, frame, board, self._rounds(len(pile.pieces)), np.random.default_rng(seed))

    def _grow_mixed(self, pile: Pile, frame: Frame) -> Board:
        """Open a new puzzle at the best start that is left whenever nothing fits well any more."""
        starts = start_faces(pile.seams)
        board = pile.start(frame, int(starts[0]))
        for k in range(1, frame.puzzles):
            pile.place(board, frame, threshold=NEXT_PUZZLE)
            left = starts[board.face[pile.seams.owner[starts]] < 0]
            if len(left):
                pile.start(frame, int(left[0]), k, board)
        pile.place(board, frame)
        return board

    def _part(
        self, puzzle: Puzzle, order: Ints, each: Grid | None, seams: Seams, board: Board, k: int
    ) -> Solution:
        """The solution of the k-th puzzle of a mixed pile."""
        here = np.nonzero((board.face >= 0) & (board.col // board.lane == k))[0]
        top, bottom, left, right = board.box[k].tolist()
        grid = each or Grid(bottom - top + 1, right - left + 1)
        arrangement = self._arrangement(seams, board, k, grid)
        placement = self._checked(arrangement.placement[here], len(here), grid)
        turns, confidence = arrangement.turns, arrangement.confidence
        assert turns is not None
        assert confidence is not None
        pieces = order[here]
        placed = board.order[np.isin(board.order, here)]
        return Solution(
            puzzle=replace(puzzle.reorder(pieces), grid=each),
            grid=grid,
            placement=placement,
            turns=turns[here],
            confidence=confidence[here],
            order=np.searchsorted(here, placed),
            solver=self.name,
            pieces=pieces,
        )

    def _turnable(self, puzzle: Puzzle) -> bool:
        """Whether the whole picture may come out on its side."""
        return self.rotated and puzzle.piece_size[0] == puzzle.piece_size[1]

    def _rounds(self, pieces: int) -> int:
        if self.rounds is not None:
            return self.rounds
        return min(max(PIECES_TO_REPAIR // pieces, LEAST_ROUNDS), MOST_ROUNDS)

    def _arrangement(self, seams: Seams, board: Board, k: int, grid: Grid) -> Arrangement:
        """Read the k-th puzzle off the board; pieces of other puzzles get slots without meaning."""
        top, bottom, left, right = board.box[k].tolist()
        row, col = board.row.astype(np.int64) - top, board.col.astype(np.int64) - left
        height, width = bottom - top + 1, right - left + 1
        turns = seams.turn[board.face].astype(np.int64)
        if height > grid.rows or width > grid.cols:
            # The picture came out on its side: give all of it a quarter turn.
            row, col, turns, height, width = width - 1 - col, row, (turns + 1) % 4, width, height
        row, col = row + (grid.rows - height) // 2, col + (grid.cols - width) // 2
        return Arrangement(
            placement=row * grid.cols + col,
            turns=turns,
            confidence=np.clip(piece_fit(seams, board), 0, 1).astype(np.float64),
            order=board.order.astype(np.int64),
        )


def start_faces(seams: Seams) -> Ints:
    """One face of every piece, the most distinctive neighbourhood first."""
    has = seams.buddy >= 0
    all_sides: NDArray[np.bool_] = np.all(has, axis=0)
    buddies_of_buddies = (has & all_sides[np.maximum(seams.buddy, 0)]).sum(0)
    every = np.arange(has.shape[1], dtype=np.int32)
    fit = sum(
        np.where(has[r], all_mutual(seams, r, every, np.maximum(seams.buddy[r], 0)), 0) for r in range(4)
    )
    key = np.asarray(100.0 * has.sum(0) + 10.0 * buddies_of_buddies + fit)
    turns = len(every) // (int(seams.owner[-1]) + 1)  # the turned faces of one piece are equally good
    return np.argsort(-key[::turns], kind="stable") * turns
