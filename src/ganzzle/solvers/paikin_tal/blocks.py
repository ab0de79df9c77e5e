"""Another start: reliable seams join pieces to blocks everywhere at once; the largest block is the start.

Where a picture has flat regions, a region grown from one place runs into them with single weak seams. Two blocks are
joined only where *all* seams between them fit well on average, which a block that is off by one slot does not survive.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from ganzzle.compiling import njit
from ganzzle.puzzle import Ints
from ganzzle.seams import STEP_X, STEP_Y
from ganzzle.solvers.paikin_tal.board import Board, Frame, empty_board, put
from ganzzle.solvers.paikin_tal.measure import all_mutual
from ganzzle.solvers.paikin_tal.seams import F32, I32, Seams, mutual

CANDIDATES = 5  # of a side that may join blocks
LEVELS = (0.5, 0.4, 0.3, 0.2, 0.1, 0.0, -0.1)  # mean fits between blocks, the surest seams first


def largest_block(seams: Seams, frame: Frame) -> Board:
    """A board with the largest block on it. Pieces may not be turned."""
    count = len(seams.owner)
    block, row, col = np.arange(count, dtype=np.int32), np.zeros(count, np.int32), np.zeros(count, np.int32)
    a, b, side, fit = _links(seams)
    canvas = np.full((frame.rows + 2, frame.cols + 2), -1, np.int32)
    for level in LEVELS:
        sure = fit > level
        while _join(seams, a[sure], b[sure], side[sure], level, frame, block, row, col, canvas):
            pass
    board = empty_board(seams, frame)
    _put_all(seams, board, np.nonzero(block == np.bincount(block).argmax())[0].astype(np.int32), row, col)
    return board


@njit(cache=True, nogil=True)
def _put_all(seams: Seams, board: Board, pieces: I32, row: I32, col: I32) -> None:
    """Lay pieces as they are to each other, in the middle of the board."""
    down = (board.cell.shape[0] - 1) // 2 - row[pieces].min()
    right = (board.lane - 1) // 2 - col[pieces].min()
    for piece in pieces:
        put(seams, board, piece, row[piece] + down, col[piece] + right)


def _links(seams: Seams) -> tuple[I32, I32, I32, F32]:
    """Buddies (a, b at a side of a) and their mutual compatibilities, the highest first."""
    found = []
    every = np.arange(len(seams.owner), dtype=np.int32)
    for side, n in product(range(4), range(min(CANDIDATES, seams.ids.shape[2]))):
        b = seams.ids[side, :, n]
        found.append((every, b, np.full(len(b), side, np.int32), all_mutual(seams, side, every, b)))
    a, b, sides, fit = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(-fit, kind="stable")
    return a[order], b[order], sides[order], fit[order]


@njit(cache=True, nogil=True)
def _join(
    seams: Seams,
    a: I32,
    b: I32,
    side: I32,
    level: float,
    frame: Frame,
    block: I32,
    row: I32,
    col: I32,
    canvas: I32,
) -> bool:
    """Join blocks along the links where they fit on average; returns whether any were joined."""
    joined = False
    for n in range(len(a)):
        if block[a[n]] == block[b[n]]:
            continue
        dy = row[a[n]] + STEP_Y[side[n]] - row[b[n]]
        dx = col[a[n]] + STEP_X[side[n]] - col[b[n]]
        stays, moves = np.nonzero(block == block[a[n]])[0], np.nonzero(block == block[b[n]])[0]
        if len(stays) < len(moves):
            stays, moves, dy, dx = moves, stays, -dy, -dx
        if _fits(seams, stays, moves, dy, dx, level, frame, row, col, canvas):
            for piece in moves:
                row[piece] += dy
                col[piece] += dx
                block[piece] = block[stays[0]]
            joined = True
    return joined


@njit(cache=True, nogil=True)
def _fits(
    seams: Seams,
    stays: Ints,
    moves: Ints,
    dy: int,
    dx: int,
    level: float,
    frame: Frame,
    row: I32,
    col: I32,
    canvas: I32,
) -> bool:
    """Whether a block moved by (dy, dx) meets no other piece, stays in the frame and fits the other block."""
    top, left = min(row[stays].min(), row[moves].min() + dy), min(col[stays].min(), col[moves].min() + dx)
    if max(row[stays].max(), row[moves].max() + dy) - top >= frame.rows:
        return False
    if max(col[stays].max(), col[moves].max() + dx) - left >= frame.cols:
        return False
    for piece in stays:
        canvas[row[piece] - top + 1, col[piece] - left + 1] = piece
    total, seams_between, free = np.float64(0), 0, True
    for piece in moves:
        y, x = row[piece] + dy - top + 1, col[piece] + dx - left + 1
        free = free and canvas[y, x] < 0
        for r in range(4):
            other = canvas[y + STEP_Y[r], x + STEP_X[r]]
            if other >= 0:
                total += mutual(seams, r, piece, other)
                seams_between += 1
    for piece in stays:
        canvas[row[piece] - top + 1, col[piece] - left + 1] = -1
    return free and bool(total > level * seams_between)
