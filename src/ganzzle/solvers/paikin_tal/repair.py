"""Second thoughts: shift a layout in its frame, take weak parts out and let the placer try again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.seams.tables import in_threads
from ganzzle.solvers.paikin_tal.board import Board, Frame, empty_board, put
from ganzzle.solvers.paikin_tal.grow import BUDDIES_FIRST, STRONGEST
from ganzzle.solvers.paikin_tal.measure import total_fit
from ganzzle.solvers.paikin_tal.moves import MOVES, Mask, move_apart
from ganzzle.solvers.paikin_tal.pile import ANY, Pile
from ganzzle.solvers.paikin_tal.seams import I32, Seams, mutual

NOISE = 0.2  # at most, on compatibilities in -1..1: a repair shall not end where the last one did
PATIENCE = 60  # rounds without success after which to stop
TOGETHER = 2  # attempts from one layout
THREADS_PAY = 200  # pieces
RULES = (BUDDIES_FIRST, 0, BUDDIES_FIRST + STRONGEST, STRONGEST)


Attempt = tuple[Board, int, float, int]  # what is kept, rule, noise, salt
Move = Callable[[Seams, Frame, Board, np.random.Generator], tuple[Board, Mask]]


@njit(cache=True, nogil=True)
def _lay(seams: Seams, old: Board, keep: Mask, new: Board) -> None:
    """Put the pieces to keep on an empty board, each puzzle moved to the middle, in the order they were placed."""
    puzzles = len(old.box)
    top = np.full(puzzles, old.cell.shape[0], np.int64)
    left = np.full(puzzles, old.cell.shape[1], np.int64)
    for n in range(old.placed[0]):
        piece = old.order[n]
        if keep[piece]:
            puzzle = old.col[piece] // old.lane
            top[puzzle] = min(top[puzzle], old.row[piece])
            left[puzzle] = min(left[puzzle], old.col[piece])
    middle_y, middle_x = (new.cell.shape[0] - 1) // 2, (new.lane - 1) // 2
    for n in range(old.placed[0]):
        piece = old.order[n]
        if keep[piece]:
            puzzle = old.col[piece] // old.lane
            y = old.row[piece] - top[puzzle] + middle_y
            put(seams, new, old.face[piece], y, old.col[piece] - left[puzzle] + middle_x + puzzle * new.lane)


def part_of(seams: Seams, frame: Frame, board: Board, keep: Mask) -> Board:
    """A board with only the pieces to keep on it."""
    new = empty_board(seams, frame)
    _lay(seams, board, keep, new)
    return new


@njit(cache=True, nogil=True)
def _weakest_cut(seams: Seams, cells: I32, side: int) -> int:
    """(h, w) cells -> the line c of cells whose seam to the line before is the weakest; line 0 joins the last one.

    side 0 looks at columns, side 2 at rows.
    """
    lines = cells.shape[1] if side == 0 else cells.shape[0]
    across = cells.shape[0] if side == 0 else cells.shape[1]
    weakest, least = 0, np.inf
    for c in range(lines):
        total = np.float64(0)
        for n in range(across):
            a, b = (cells[n, c - 1], cells[n, c]) if side == 0 else (cells[c - 1, n], cells[c, n])
            if a >= 0 and b >= 0 and a != b:
                total += mutual(seams, side, a, b)
        if total < least - 1e-6:
            weakest, least = c, total
    return weakest


def shift(seams: Seams, board: Board) -> None:
    """Move whole rows and columns from one side of the frame to the other where that makes the seams fit better.

    A border that stuck to the opposite side shifts the whole picture; the cut with the weakest seam becomes the border.
    """
    puzzle = np.where(board.face >= 0, board.col // board.lane, -1)
    for k, box in enumerate(board.box):
        here = puzzle == k
        if not here.any():
            continue
        top, bottom = board.row[here].min(), board.row[here].max()
        left, right = board.col[here].min(), board.col[here].max()
        box[:] = top, bottom, left, right
        cells = board.cell[top : bottom + 1, left : right + 1]
        for side, axis in ((0, 1), (2, 0)):
            cells[:] = np.roll(cells, -_weakest_cut(seams, np.ascontiguousarray(cells), side), axis)
        rows, cols = np.nonzero(cells >= 0)
        pieces = seams.owner[cells[rows, cols]]
        board.row[pieces] = rows + top
        board.col[pieces] = cols + left


def _fix_frame(frame: Frame, board: Board, rng: np.random.Generator) -> None:
    """Draw where in its frame every puzzle lies, instead of leaving that open; so a picture off by one is put right."""
    for box in board.box:
        if box[0] <= box[1]:
            box[0] -= rng.integers(frame.rows - (box[1] - box[0]))
            box[2] -= rng.integers(frame.cols - (box[3] - box[2]))
            box[1], box[3] = box[0] + frame.rows - 1, box[2] + frame.cols - 1


def repair(pile: Pile, frame: Frame, board: Board, rounds: int, rng: np.random.Generator) -> Board:
    """Take a part out and place again, up to `rounds` times; keep what fits better in total.

    `TOGETHER` attempts start from the same layout, each on a core of its own; the best of them counts.
    """
    seams = pile.seams
    shift(seams, board)
    best, best_total, idle = board, total_fit(seams, board), 0
    full = len(board.face) == frame.rows * frame.cols * frame.puzzles
    moves = MOVES if full else (*MOVES, move_apart)
    for start in range(0, rounds, TOGETHER):
        if idle >= PATIENCE:
            break
        attempts = [
            _attempt(seams, frame, best, moves[n % len(moves)], rng)
            for n in range(start, min(start + TOGETHER, rounds))
        ]
        idle += len(attempts)
        tried = [attempt for attempt in attempts if attempt is not None]
        totals = np.zeros(len(tried))

        def place(k: int, tried: list[Attempt] = tried, totals: NDArray[np.float64] = totals) -> None:
            board, rule, noise, salt = tried[k]
            pile.place(board, frame, rule, ANY, noise, salt)
            shift(seams, board)
            totals[k] = total_fit(seams, board)

        if len(best.face) > THREADS_PAY:
            in_threads(place, range(len(tried)))
        else:
            for k in range(len(tried)):
                place(k)
        for (board, *_), total in zip(tried, totals, strict=True):
            if board.placed[0] >= best.placed[0] and total > best_total + 1e-4:
                best, best_total, idle = board, total, 0
    return best


def _attempt(seams: Seams, frame: Frame, best: Board, move: Move, rng: np.random.Generator) -> Attempt | None:
    """A part of the best layout, and how to place the rest; None: the move takes out nothing, or all."""
    old, keep = move(seams, frame, best, rng)
    rule, noise, salt = RULES[rng.integers(len(RULES))], NOISE * rng.random() ** 2, int(rng.integers(1 << 31))
    if (keep.all() and old is best) or keep.sum() < 2:
        return None
    board = part_of(seams, frame, old, keep)
    if rng.random() < 0.5 and not frame.turnable:
        _fix_frame(frame, board, rng)
    return board, rule, noise, salt
