"""Whether a board that was put together as one puzzle is several, side by side.

Two pictures meet along a whole line of seams, and the colours jump there far more than inside the pieces. In one
picture such a jump hardly ever lies exactly between pieces all along a line, not even in a collage; and parts of one
that lie side by side in a wrong grid go on in each other elsewhere. Worn rims hide all of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ganzzle.damage.levels import UNEVEN, unevenness
from ganzzle.pieces import turn_pieces
from ganzzle.puzzle import Floats, Pixels
from ganzzle.solution import Solution

# Colours jump along a line if they change JUMP times as much at all its seams together as inside the pieces beside
# them, and JUMPY times as much at a share JUMPED of its single seams.
JUMP, JUMPY, JUMPED = 1.6, 1.5, 0.6
SAME = 2.0  # levels of 255 added to every change: less cannot be seen
SHORTEST = 4  # seams that a line must have
MOST = 4  # puzzles that are looked for


def puzzles_side_by_side(solution: Solution) -> int:
    """The number of puzzles of one grid that the board of a solution seems to be made of; 1 if it is one."""
    board = _board(solution)
    if board is None or min(board.shape[2:4]) < 2 or _is_uneven(solution):
        return 1
    rows, cols = board.shape[:2]
    down, across = _jumps(_on_its_side(board)), _jumps(board)
    found = 1
    for tall in range(1, MOST + 1):
        for wide in range(1, MOST // tall + 1):
            if rows % tall or cols % wide or rows == tall or cols == wide or tall * wide <= found:
                continue
            lines = [*down[rows // tall - 1 :: rows // tall], *across[cols // wide - 1 :: cols // wide]]
            if all(lines) and _apart([b for row in np.split(board, tall) for b in np.split(row, wide, 1)]):
                found = tall * wide
    return found


def are_apart(solutions: Sequence[Solution]) -> bool:
    """Whether no two solutions go on in each other: at whichever side one is laid to another, the colours jump."""
    boards = [board for board in map(_board, solutions) if board is not None]
    return len(boards) == len(solutions) and _apart(boards)


def _apart(boards: Sequence[Pixels]) -> bool:
    """`are_apart` for boards (R, C, h, w, 3)."""
    for one, other in combinations(boards, 2):
        across, down = (one, other), (_on_its_side(one), _on_its_side(other))
        for first, second in (across, across[::-1], down, down[::-1]):
            touching = len(first) == len(second)
            if touching and not _jumps(np.concatenate([first[:, -1:], second[:, :1]], 1))[0]:
                return False
    return True


def tangled(solutions: Sequence[Solution]) -> float:
    """The share of all seams at which colours jump, 0..1; boards with empty slots do not count."""
    found = [np.zeros(0, bool)]
    for board in map(_board, solutions):
        if board is not None and min(board.shape[2:4]) >= 2:
            found += [
                (seam > JUMPY * inside).ravel()
                for seam, inside in map(_changes, (board, _on_its_side(board)))
            ]
    seams = np.concatenate(found)
    return float(seams.mean()) if len(seams) else 0.0


def _board(solution: Solution) -> Pixels | None:
    """(R, C, h, w, 3) the pieces as they lie; None where slots are empty."""
    if len(solution.puzzle) < solution.grid.slots:
        return None
    pieces = turn_pieces(solution.puzzle.pieces, solution.turns)[np.argsort(solution.placement)]
    return pieces.reshape(solution.grid.rows, solution.grid.cols, *pieces.shape[1:])


def _is_uneven(solution: Solution) -> bool:
    """Whether colours jump all over the board, since its pieces differ in them."""
    pieces = turn_pieces(solution.puzzle.pieces, solution.turns)
    return unevenness(pieces, solution.placement, solution.grid) > UNEVEN


def _on_its_side(board: Pixels) -> Pixels:
    """(R, C, h, w, 3) -> (C, R, w, h, 3)."""
    return board.transpose(1, 0, 3, 2, 4)


def _jumps(board: Pixels) -> list[bool]:
    """For every line between two columns of pieces (R, C, h, w, 3) whether the colours jump there."""
    if len(board) < SHORTEST:
        return [False] * (board.shape[1] - 1)
    seam, inside = _changes(board)
    together = seam.sum(0) >= JUMP * inside.sum(0)
    return (together & ((seam > JUMPY * inside).mean(0) >= JUMPED)).tolist()


def _changes(board: Pixels) -> tuple[Floats, Floats]:
    """(R, C - 1) by how much colours change from each piece of a board (R, C, h, w, 3) to the next, and beside that
    seam, inside the piece where they change more."""
    last, first = board[..., -1, :], board[..., 0, :]
    inside = np.maximum(_change(board[..., -2, :], last)[:, :-1], _change(first, board[..., 1, :])[:, 1:])
    return _change(last[:, :-1], first[:, 1:]), inside


def _change(one: Pixels, other: Pixels) -> Floats:
    """(R, C) by how much lines of pixels (R, C, k, 3) differ."""
    return np.abs(one.astype(np.float32) - other).mean((2, 3)) + SAME
