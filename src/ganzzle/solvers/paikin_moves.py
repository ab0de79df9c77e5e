"""Which part of a layout to keep, and where, before the placer tries again."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Ints
from ganzzle.solvers.paikin_grow import DX, DY, Board, Frame
from ganzzle.solvers.paikin_measure import all_mutual, piece_fit, segments
from ganzzle.solvers.paikin_seams import I32, Seams

CALLERS = 3  # candidates of a side that may call a segment

Mask = NDArray[np.bool_]


def block_move(seams: Seams, frame: Frame, board: Board, rng: np.random.Generator) -> tuple[Board, Mask]:
    """Move one segment to where its buddies call it; the pieces it falls upon are taken out."""
    label = segments(seams, board, rng.uniform(-0.1, 0.3))
    sizes = np.bincount(label)
    mover, dy, dx, weight = _calls(seams, board, label, sizes)
    if len(weight) == 0:
        return board, np.ones(len(label), bool)
    chosen = rng.choice(len(weight), p=weight / weight.sum())
    moved = label == mover[chosen]
    row, col = board.row.copy(), board.col.copy()
    row[moved] += dy[chosen]
    col[moved] += dx[chosen]
    keep = moved | (piece_fit(seams, board) > rng.uniform(-0.3, 0.2))
    width = board.cell.shape[1] + 2 * board.lane
    taken = np.isin(row * width + col, (row * width + col)[moved])
    hit = taken & ~moved
    if rng.random() < 0.7:
        hit |= np.isin(label, label[hit]) & (sizes[label] < sizes.max()) & ~moved
    keep &= ~hit
    keep &= _inside(frame, board.lane, row, col, keep)
    return board._replace(row=row, col=col), keep


def _calls(
    seams: Seams, board: Board, label: I32, sizes: Ints
) -> tuple[Ints, Ints, Ints, NDArray[np.float64]]:
    """Moves that would bring buddies together: segment to move, rows, columns, sum of mutual compatibilities."""
    found = []
    for r, n in product(range(4), range(min(CALLERS, seams.ids.shape[2]))):
        wish = seams.ids[r, board.face, n]
        other = seams.owner[wish]
        piece = np.nonzero(board.face[other] == wish)[0]
        other = other[piece]
        dy = board.row[other] - board.row[piece] - DY[r]
        dx = board.col[other] - board.col[piece] - DX[r]
        weight = all_mutual(seams, r, board.face[piece], board.face[other])
        wanted = ((dy != 0) | (dx != 0)) & (sizes[label[piece]] <= sizes[label[other]]) & (weight > 0)
        wanted &= label[piece] != label[other]
        found.append(np.stack([label[piece], dy, dx, weight], 1)[wanted])
    calls = np.concatenate(found)
    moves, which = np.unique(calls[:, :3].astype(np.int64), axis=0, return_inverse=True)
    weight = np.bincount(which.ravel(), calls[:, 3], minlength=len(moves)).astype(np.float64)
    return moves[:, 0], moves[:, 1], moves[:, 2], weight


def _inside(frame: Frame, lane: int, row: I32, col: I32, keep: Mask) -> Mask:
    """(N,) the pieces inside the window of the frame's size that holds most of the kept ones, in each puzzle."""
    inside = np.zeros(len(row), bool)
    for puzzle in range(frame.puzzles):
        here = keep & (col // lane == puzzle)
        if here.any():
            rows = _best_window(row[here], max(frame.rows, frame.cols) if frame.turnable else frame.rows)
            cols = _best_window(col[here], max(frame.rows, frame.cols) if frame.turnable else frame.cols)
            inside |= here & (row >= rows[0]) & (row < rows[1]) & (col >= cols[0]) & (col < cols[1])
    return inside


def _best_window(places: I32, length: int) -> tuple[int, int]:
    """The half-open window of a length that holds most places."""
    counts = np.bincount(places - places.min())
    sums = np.convolve(counts, np.ones(length, np.int64))[length - 1 :]
    start = int(places.min() + sums.argmax())
    return start, start + length
