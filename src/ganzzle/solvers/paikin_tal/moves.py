"""Moves: which part of a layout to keep, and where, before the placer tries again.

Each takes (seams, frame, board, rng) and gives back the board, with rows and columns changed where a part has moved,
and which pieces (N,) to keep. Thresholds are drawn anew each time: what counts as weak differs from picture to picture.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Ints
from ganzzle.seams import STEP_X, STEP_Y
from ganzzle.solvers.paikin_tal.board import Board, Frame
from ganzzle.solvers.paikin_tal.measure import all_mutual, piece_fit, segments
from ganzzle.solvers.paikin_tal.seams import I32, Seams

CALLERS = 3  # candidates of a side that may call a segment

Mask = NDArray[np.bool_]


def drop_weak(seams: Seams, frame: Frame, board: Board, rng: np.random.Generator) -> tuple[Board, Mask]:
    """Take out the pieces that fit badly, half of the time with those around them."""
    fits = piece_fit(seams, board) > rng.uniform(-0.3, 0.4)
    return board, _without_neighbours(board, fits) if rng.random() < 0.5 else fits


def drop_weak_nearby(
    seams: Seams, frame: Frame, board: Board, rng: np.random.Generator
) -> tuple[Board, Mask]:
    """The same in a window only: success in one place is not spoilt by failure in another."""
    fits = piece_fit(seams, board) > rng.uniform(-0.3, 0.4)
    fits |= ~_window(board, ~fits, rng)
    return board, _without_neighbours(board, fits) if rng.random() < 0.5 else fits


def drop_strip(seams: Seams, frame: Frame, board: Board, rng: np.random.Generator) -> tuple[Board, Mask]:
    """Take out the weak pieces and a strip along a border, so that the picture can slide in its frame."""
    return board, (piece_fit(seams, board) > rng.uniform(-0.3, 0.4)) & ~_strip(board, rng)


def keep_segment(seams: Seams, frame: Frame, board: Board, rng: np.random.Generator) -> tuple[Board, Mask]:
    """Keep one of the three largest segments only, half of the time without a strip along a border."""
    label = segments(seams, board, rng.uniform(-0.3, 0.4))
    sizes = np.bincount(label)
    largest = np.argsort(-sizes, kind="stable")[:3]
    keep = label == rng.choice(largest, p=sizes[largest] / sizes[largest].sum())
    return board, keep & ~_strip(board, rng) if rng.random() < 0.5 else keep


def block_move(seams: Seams, frame: Frame, board: Board, rng: np.random.Generator) -> tuple[Board, Mask]:
    """Move one segment to where its buddies call it; the pieces it falls upon are taken out."""
    label = segments(seams, board, rng.uniform(-0.1, 0.3))
    sizes = np.bincount(label)
    mover, dy, dx, weight = _calls(seams, board, label, sizes)
    if len(weight) == 0:
        return board, np.ones(len(label), bool)
    chosen = rng.choice(len(weight), p=weight / weight.sum())
    moved = label == mover[chosen]
    keep = moved | (piece_fit(seams, board) > rng.uniform(-0.3, 0.2))
    spread = label if rng.random() < 0.7 else None
    return _moved(frame, board, moved, dy[chosen], dx[chosen], keep, spread)


def move_apart(seams: Seams, frame: Frame, board: Board, rng: np.random.Generator) -> tuple[Board, Mask]:
    """Move a segment a few slots anywhere: parts that do not touch, for missing pieces, have been pushed together."""
    label = segments(seams, board, rng.uniform(-0.3, 0.4))
    moved = label == label[rng.integers(len(label))]
    dy, dx = rng.integers(-2, 3, 2)
    return _moved(frame, board, moved, dy, dx, np.ones(len(label), bool), None)


def _moved(
    frame: Frame, board: Board, moved: Mask, dy: int, dx: int, keep: Mask, label: I32 | None
) -> tuple[Board, Mask]:
    """Move some pieces; those they fall upon are taken out, with their whole segments where labels are given."""
    row, col = board.row.copy(), board.col.copy()
    row[moved] += dy
    col[moved] += dx
    place = row.astype(np.int64) * (board.cell.shape[1] + 2 * board.lane) + col
    hit = np.isin(place, place[moved]) & ~moved
    if label is not None:
        sizes = np.bincount(label)
        hit |= np.isin(label, label[hit]) & (sizes[label] < sizes.max()) & ~moved
    keep = keep & ~hit
    return board._replace(row=row, col=col), keep & _inside(frame, board.lane, row, col, keep)


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
        dy = board.row[other] - board.row[piece] - STEP_Y[r]
        dx = board.col[other] - board.col[piece] - STEP_X[r]
        weight = all_mutual(seams, r, board.face[piece], board.face[other])
        wanted = ((dy != 0) | (dx != 0)) & (sizes[label[piece]] <= sizes[label[other]]) & (weight > 0)
        wanted &= label[piece] != label[other]
        found.append(np.stack([label[piece], dy, dx, weight], 1)[wanted])
    calls = np.concatenate(found)
    moves, which = np.unique(calls[:, :3].astype(np.int64), axis=0, return_inverse=True)
    sums = np.bincount(which.ravel(), calls[:, 3], minlength=len(moves)).astype(np.float64)
    return moves[:, 0], moves[:, 1], moves[:, 2], sums


def _inside(frame: Frame, lane: int, row: I32, col: I32, keep: Mask) -> Mask:
    """(N,) the kept pieces inside the window of the frame's size that holds most of them, in each puzzle.

    A frame that may be turned is laid both ways; the one that holds more is taken.
    """
    inside = np.zeros(len(row), bool)
    sizes = [(frame.rows, frame.cols), (frame.cols, frame.rows)][: 2 if frame.turnable else 1]
    for puzzle in range(frame.puzzles):
        here = keep & (col // lane == puzzle)
        if here.any():
            inside |= max((_held(row, col, here, *size) for size in sizes), key=np.count_nonzero)
    return inside


def _held(row: I32, col: I32, here: Mask, rows: int, cols: int) -> Mask:
    """(N,) those of the pieces here that a window of rows x cols holds."""
    top, bottom = _best_window(row[here], rows)
    left, right = _best_window(col[here], cols)
    return np.asarray(here & (row >= top) & (row < bottom) & (col >= left) & (col < right))


def _best_window(places: I32, length: int) -> tuple[int, int]:
    """The half-open window of a length that holds most places."""
    counts = np.bincount(places - places.min())
    sums = np.convolve(counts, np.ones(length, np.int64))[length - 1 :]
    start = int(places.min() + sums.argmax())
    return start, start + length


def _without_neighbours(board: Board, keep: Mask) -> Mask:
    """(N,) the pieces to keep all of whose neighbours are kept too."""
    cells = np.ones((board.cell.shape[0] + 2, board.cell.shape[1] + 2), bool)
    y, x = board.row + 1, board.col + 1
    cells[y, x] = keep
    return np.asarray(keep & cells[y - 1, x] & cells[y + 1, x] & cells[y, x - 1] & cells[y, x + 1])


def _window(board: Board, weak: Mask, rng: np.random.Generator) -> Mask:
    """(N,) the pieces in a window of random size around a random weak one."""
    weak_ones = np.nonzero(weak)[0]
    if len(weak_ones) == 0:
        return weak
    centre = weak_ones[rng.integers(len(weak_ones))]
    reach = rng.integers(2, 8, 2)
    near_rows = np.abs(board.row - board.row[centre]) <= reach[0]
    return np.asarray(near_rows & (np.abs(board.col - board.col[centre]) <= reach[1]))


def _strip(board: Board, rng: np.random.Generator) -> Mask:
    """(N,) the pieces in a strip along one border of one puzzle, up to a third of it deep."""
    puzzle = rng.integers(len(board.box))
    top, bottom, left, right = board.box[puzzle]
    share = rng.random() / 3
    rows, cols = 1 + int(share * (bottom - top + 1)), 1 + int(share * (right - left + 1))
    sides = (
        board.row < top + rows,
        board.row > bottom - rows,
        board.col < left + cols,
        board.col > right - cols,
    )
    return np.asarray(sides[rng.integers(4)] & (board.col // board.lane == puzzle))


MOVES = (drop_weak, block_move, keep_segment, drop_weak_nearby, drop_strip)
