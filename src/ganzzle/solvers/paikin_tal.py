"""`paikin-tal`: greedy best-first placement by border compatibility."""

from __future__ import annotations

import numpy as np

from ganzzle.puzzle import Grid, Ints, Puzzle
from ganzzle.seams import find_cost
from ganzzle.solvers.base import Arrangement, Solver
from ganzzle.solvers.paikin_grow import BUDDIES_FIRST, Board, Frame, empty_board, grow, put
from ganzzle.solvers.paikin_repair import piece_fit, repair, shift, total_fit
from ganzzle.solvers.paikin_seams import Seams, find_seams, mutual

STARTS = 3


class PaikinTal(Solver):
    """Paikin & Tal."""

    def __init__(self, cost: str = "l1-lab", rotated: bool = False, rounds: int | None = None) -> None:
        find_cost(cost)
        self.cost = cost
        self.rotated = rotated
        self.rounds = rounds

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange a puzzle of known grid."""
        count = len(puzzle)
        assert puzzle.grid is not None
        if count == 1:
            return Arrangement(np.zeros(1, np.int64), confidence=np.ones(1), order=np.zeros(1, np.int64))
        seams = find_seams(puzzle.pieces, self.cost, self.rotated)
        square = puzzle.piece_size[0] == puzzle.piece_size[1]
        frame = Frame(puzzle.grid.rows, puzzle.grid.cols, self.rotated and square, 1)
        board = max(
            (self._grown(seams, frame, int(start)) for start in start_faces(seams)[:STARTS]),
            key=lambda b: total_fit(seams, b),
        )
        rounds = self.rounds if self.rounds is not None else 60
        board = repair(seams, frame, board, rounds, np.random.default_rng(seed))
        return self._arrangement(seams, board, puzzle.grid)

    def _grown(self, seams: Seams, frame: Frame, start: int) -> Board:
        board = empty_board(seams, frame)
        put(seams, board, start, (board.cell.shape[0] - 1) // 2, (board.lane - 1) // 2)
        grow(seams, board, frame, BUDDIES_FIRST, -2.0)
        shift(seams, board)
        return board

    def _arrangement(self, seams: Seams, board: Board, grid: Grid) -> Arrangement:
        row, col = board.row - board.box[0, 0], board.col - board.box[0, 2]
        turns = board.face % 4 if self.rotated else np.zeros_like(board.face)
        height, width = board.box[0, 1] - board.box[0, 0] + 1, board.box[0, 3] - board.box[0, 2] + 1
        if height > grid.rows or width > grid.cols:
            # the picture came out on its side: give all of it a quarter turn
            row, col, turns = width - 1 - col, row, (turns + 1) % 4
            height, width = width, height
        row, col = row + (grid.rows - height) // 2, col + (grid.cols - width) // 2
        return Arrangement(
            placement=row.astype(np.int64) * grid.cols + col,
            turns=turns.astype(np.int64),
            confidence=np.clip(piece_fit(seams, board), 0, 1).astype(np.float64),
            order=board.order.astype(np.int64),
            details={"seam_fit": float(total_fit(seams, board))},
        )


def start_faces(seams: Seams) -> Ints:
    """Faces from the most to the least distinctive neighbourhood."""
    has = seams.buddy >= 0
    all_sides = has.all(0)
    deep = (has & all_sides[np.maximum(seams.buddy, 0)]).sum(0)
    fit = np.zeros(has.shape[1])
    for r in range(4):
        for a in np.nonzero(has[r])[0]:
            fit[a] += mutual(seams, r, a, seams.buddy[r, a])
    key = 100.0 * has.sum(0) + 10.0 * deep + fit
    step = len(seams.owner) // (int(seams.owner[-1]) + 1)  # turned faces of one piece are equally good
    return np.argsort(-key[::step], kind="stable") * step
