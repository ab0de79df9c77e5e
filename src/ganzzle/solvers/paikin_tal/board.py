"""The board of the placer: a canvas large enough for the frame to end up anywhere around the first piece.

Several puzzles lie side by side on it, each with its own frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ganzzle.compiling import njit
from ganzzle.solvers.paikin_tal.seams import I32, Seams


class Frame(NamedTuple):
    """What a puzzle may grow to."""

    rows: int
    cols: int
    turnable: bool  # cols x rows will do as well
    puzzles: int  # how many lie side by side


class Board(NamedTuple):
    """Where the pieces lie. `lane` columns of the canvas belong to each puzzle."""

    cell: I32  # (H, W) the face in a slot, or -1
    face: I32  # (N,) how a piece lies, or -1
    row: I32  # (N,)
    col: I32  # (N,)
    skip: I32  # (4, F) candidates at the head of a list that are gone
    box: I32  # (puzzles, 4) top, bottom, left, right; top > bottom: nothing there yet
    order: I32  # (N,) the pieces in the order they were placed
    placed: I32  # (1,) how many are placed
    lane: int


def empty_board(seams: Seams, frame: Frame) -> Board:
    """A board with nothing on it."""
    pieces, faces = int(seams.owner[-1]) + 1, len(seams.owner)
    rows = max(frame.rows, frame.cols) if frame.turnable else frame.rows
    cols = max(frame.rows, frame.cols) if frame.turnable else frame.cols
    lane = 2 * cols + 3
    return Board(
        cell=np.full((2 * rows + 3, lane * frame.puzzles), -1, np.int32),
        face=np.full(pieces, -1, np.int32),
        row=np.zeros(pieces, np.int32),
        col=np.zeros(pieces, np.int32),
        skip=np.zeros((4, faces), np.int32),
        box=np.tile(np.array([1, 0, 1, 0], np.int32), (frame.puzzles, 1)),
        order=np.zeros(pieces, np.int32),
        placed=np.zeros(1, np.int32),
        lane=lane,
    )


@njit(cache=True, nogil=True)
def put(seams: Seams, board: Board, face: int, y: int, x: int) -> None:
    """Place a face; it is never moved again."""
    piece = seams.owner[face]
    board.cell[y, x] = face
    board.face[piece] = face
    board.row[piece] = y
    board.col[piece] = x
    board.order[board.placed[0]] = piece
    board.placed[0] += 1
    box = board.box[x // board.lane]
    if box[0] > box[1]:
        box[0], box[1], box[2], box[3] = y, y, x, x
    else:
        box[0], box[1] = min(box[0], y), max(box[1], y)
        box[2], box[3] = min(box[2], x), max(box[3], x)


@njit(cache=True, nogil=True)
def allows(frame: Frame, board: Board, y: int, x: int) -> bool:
    """Whether the frame of this puzzle can still reach the slot."""
    box = board.box[x // board.lane]
    height = max(box[1], y) - min(box[0], y) + 1
    width = max(box[3], x) - min(box[2], x) + 1
    if height <= frame.rows and width <= frame.cols:
        return True
    return frame.turnable and height <= frame.cols and width <= frame.rows
