"""A pile of pieces with its seams: runs the placer, and finds more candidates when a large puzzle runs out of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ganzzle.puzzle import Ints, Pixels
from ganzzle.seams import SIDES, STEP_X, STEP_Y, find_cost
from ganzzle.seams.kernels import smallest
from ganzzle.seams.tables import TO_THE_RIGHT, in_threads, pseudo_pieces, row_blocks, seen_from, turn
from ganzzle.solvers.paikin_tal.board import Board, Frame, empty_board, put
from ganzzle.solvers.paikin_tal.grow import BUDDIES_FIRST, grow
from ganzzle.solvers.paikin_tal.seams import F32, I32, find_seams

ANY = -2.0  # a threshold under every fit


class Pile:
    """Pieces (N, h, w, 3) and what the placer knows of them."""

    def __init__(self, pieces: Pixels, cost: str, rotated: bool) -> None:
        self.pieces = pieces
        self.cost = find_cost(cost)
        self.rotated = rotated
        self.seams = find_seams(pieces, cost, rotated)

    def start(self, frame: Frame, face: int, puzzle: int = 0, board: Board | None = None) -> Board:
        """Lay a first face in the middle of a puzzle's part of the board."""
        board = board or empty_board(self.seams, frame)
        put(
            self.seams,
            board,
            face,
            (board.cell.shape[0] - 1) // 2,
            (board.lane - 1) // 2 + puzzle * board.lane,
        )
        return board

    def place(
        self,
        board: Board,
        frame: Frame,
        rule: int = BUDDIES_FIRST,
        threshold: float = ANY,
        noise: float = 0.0,
        salt: int = 0,
    ) -> None:
        """Place pieces until all lie, the frames are full, or the best fit falls under the threshold."""
        seams = self.seams
        while True:
            placed = int(board.placed[0])
            if grow(seams, board, frame, rule, threshold, noise, salt) or seams.table.size:
                return
            if board.placed[0] == len(board.face) or (board.placed[0] == placed and seams is not self.seams):
                return
            # Every candidate of the open slots is taken: look again, among the pieces that are left.
            ids, costs = self._candidates_left(board)
            seams = seams._replace(ids=ids, costs=costs)
            board.skip[:] = 0

    def _candidates_left(self, board: Board) -> tuple[I32, F32]:
        """New lists for the faces that still ask: pieces that are left, and placed faces with an open side."""
        owner = self.seams.owner
        left = np.nonzero(board.face[owner] < 0)[0]
        ids, costs = self.seams.ids.copy(), self.seams.costs.copy()
        for side in SIDES:
            compare = self._compare(side)
            open_here, open_there = self._open(board, side), self._open(board, side ^ 1)
            self._best(compare, open_here, left, ids[side], costs[side])
            self._best(compare, left, np.concatenate([left, open_there]), ids[side], costs[side])
        return ids, costs

    def _open(self, board: Board, side: int) -> Ints:
        """The placed faces whose slot at a side is empty."""
        pieces = np.nonzero(board.face >= 0)[0]
        empty = board.cell[board.row[pieces] + STEP_Y[side], board.col[pieces] + STEP_X[side]] < 0
        return board.face[pieces[empty]].astype(np.int64)

    def _compare(self, side: int) -> Callable[[Ints, Ints], F32]:
        if not self.rotated:
            return self.cost.function(seen_from(self.pieces, side))
        right = self.cost.function(pseudo_pieces(self.pieces))
        q = TO_THE_RIGHT[side]
        return lambda a, b: right(turn(a, q), turn(b, q))

    def _best(
        self, compare: Callable[[Ints, Ints], F32], asking: Ints, offered: Ints, ids: I32, costs: F32
    ) -> None:
        """Write the best offered faces of every asking one into its row of ids and costs, both (F, k)."""
        owner = self.seams.owner
        k = min(ids.shape[1], len(offered))

        def fill(rows: slice) -> None:
            asks = asking[rows]
            block = compare(asks, offered)
            block[owner[asks][:, None] == owner[offered][None]] = np.inf
            found, their_costs = np.zeros((len(asks), k), np.int32), np.zeros((len(asks), k), np.float32)
            smallest(block, -len(asks), found, their_costs)
            # A short list is filled up with its best entry, which changes nothing.
            beyond = ~np.isfinite(their_costs)
            ids[asks] = offered[np.where(beyond, found[:, :1], found)][
                :, np.minimum(np.arange(ids.shape[1]), k - 1)
            ]
            their_costs = np.where(beyond, their_costs[:, :1], their_costs)
            costs[asks] = their_costs[:, np.minimum(np.arange(ids.shape[1]), k - 1)]

        if len(asking) and k:
            in_threads(fill, row_blocks(len(asking), len(offered)))
