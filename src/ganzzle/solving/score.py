"""The one score: how much likelier a pile looks if its pieces lie on some boards than if they have nothing to do with
each other.

S = sum over all sides of all pieces + log-prior of the hypothesis. A side meets another piece, the frame, or nothing
that is in the pile, and counts by the logarithm of a likelihood ratio, what is seen if that is so against chance. Every
side of every piece counts once whatever is believed, so boards of any grids, members and number stand on one scale. A
board is an array (rows, cols) of piece numbers, -1 where it is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints

LEAST = -8.0  # of a seam or border: nothing that is seen of it is a stronger proof against it
LEAST_OPEN = -1.0  # of a side that meets nothing: its neighbour may be lost, or there twice
EMPTY, FRAME = -1, -2  # what is no piece
RIGHT, LEFT, DOWN, UP = 0, 1, 2, 3  # the order of sides


@dataclass(frozen=True, eq=False)
class Terms:
    """What each seam and side adds to the score, for F faces."""

    right: Floats  # (F, F) of face j to the right of face i
    down: Floats  # (F, F) of face j below face i
    border: Floats  # (F, 4) of the frame at the right, left, lower and upper side
    open: Floats  # (F, 4) of nothing there
    most: float  # of a seam; a border adds half of it at most

    def of(self, faces: Ints) -> Terms:
        """The terms of some of the faces (K,), numbered anew."""
        both = np.ix_(faces, faces)
        return Terms(self.right[both], self.down[both], self.border[faces], self.open[faces], self.most)


def terms_of(
    right: NDArray[np.floating],
    down: NDArray[np.floating],
    border: NDArray[np.floating],
    twins: Ints,
) -> Terms:
    """Terms from log-probabilities of seams (F, F), (F, F) and halves of those of borders (F, 4). A seam is compared
    with chance, one of F; a border with its share of a square. Faces with equal numbers in `twins` (F,) share what is
    likely."""
    count = len(right)
    shared = np.log(np.bincount(twins)[twins]) / 2
    both = shared[:, None] + shared
    most = float(np.log(max(count, 2)))
    beside, below = (np.clip(table + both + most, LEAST, most) for table in (right, down))
    alone = 2 * border + most / 2
    framed, open_ = (np.clip(alone, least, most / 2) for least in (LEAST, LEAST_OPEN))
    return Terms(beside, below, framed, open_, most)


def worth(terms: Terms, board: Ints) -> float:
    """The sum of all sides of the pieces of a board."""
    return float(_meetings(terms, board)[2].sum())


def worth_outside(terms: Terms, pieces: Ints) -> float:
    """The same of pieces (K,) that are left out."""
    return float(terms.open[pieces].sum())


def shares(terms: Terms, board: Ints) -> Floats:
    """(rows, cols) what is lost if the piece in a slot is taken away; 0 in empty slots."""
    first, second, value = _meetings(terms, board)
    size = len(terms.border)
    lost = np.zeros(size + 2)
    np.add.at(lost, first, value)
    np.add.at(lost, second, value)
    for axis, (one, other) in enumerate(((RIGHT, LEFT), (DOWN, UP))):
        near, far = (board[:, :-1], board[:, 1:]) if axis == 0 else (board[:-1], board[1:])
        pairs = (near >= 0) & (far >= 0)
        np.add.at(lost, near[pairs], -terms.open[far[pairs], other])  # which then meets nothing
        np.add.at(lost, far[pairs], -terms.open[near[pairs], one])
    lost[:size] -= terms.open.sum(1)
    return np.where(board >= 0, lost[board], 0.0)


def gains(terms: Terms, board: Ints, faces: Ints) -> tuple[Ints, Floats]:
    """(H, 2) the empty slots of a board, and (H, K) what it would gain if one of some faces (K,) that are left out lay
    there."""
    holes = np.argwhere(board == EMPTY)
    found = np.tile(-terms.open[faces].sum(1), (len(holes), 1))
    framed = np.pad(board, 1, constant_values=FRAME)
    sides = (
        (0, 1, terms.right.T, RIGHT),
        (0, -1, terms.right, LEFT),
        (1, 0, terms.down.T, DOWN),
        (-1, 0, terms.down, UP),
    )
    for down, across, table, side in sides:
        for k, (row, col) in enumerate(holes + 1):
            other = framed[row + down, col + across]
            if other >= 0:
                found[k] += table[other, faces] - terms.open[other, side ^ 1]
            else:
                found[k] += (terms.border if other == FRAME else terms.open)[faces, side]
    return holes, found


def ties(terms: Terms, board: Ints) -> Floats:
    """(K,) the mean of the seams of each piece on a board as a share of the most; 0 of a piece without any."""
    first, second, value = _meetings(terms, board)
    seams = second >= 0
    ends, both = np.append(first[seams], second[seams]), np.tile(value[seams] / terms.most, 2)
    count = len(terms.border)
    mean = np.bincount(ends, both, count) / np.maximum(np.bincount(ends, minlength=count), 1)
    return mean[np.sort(board[board >= 0])]


def _meetings(terms: Terms, board: Ints) -> tuple[Ints, Ints, Floats]:
    """Everything that sides of pieces meet on a board: (M,) the piece, (M,) the other piece or -1, (M,) the term."""
    framed = np.pad(board, 1, constant_values=FRAME)
    ones, others, values = [], [], []
    for near, far, table, side in (
        (framed[1:-1, :-1], framed[1:-1, 1:], terms.right, RIGHT),
        (framed[:-1, 1:-1], framed[1:, 1:-1], terms.down, DOWN),
    ):
        both = (near >= 0) & (far >= 0)
        ones.append(near[both])
        others.append(far[both])
        values.append(table[near[both], far[both]])
        for one, other, which in ((near, far, side), (far, near, side ^ 1)):
            for nothing, alone in ((EMPTY, terms.open), (FRAME, terms.border)):
                pieces = one[(one >= 0) & (other == nothing)]
                ones.append(pieces)
                others.append(np.full(len(pieces), -1))
                values.append(alone[pieces, which])
    return np.concatenate(ones), np.concatenate(others), np.concatenate(values)
