"""The segmenter and the shifter: what of a layout is worth keeping, and where else in the frame it might lie."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.puzzle import Ints
from ganzzle.seams import DOWN, RIGHT, STEP_X, STEP_Y
from ganzzle.solvers.pomeranz.seams import I32, Seams

Links = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # (rows, cols - 1) to the right, (rows - 1, cols) down


def buddy_links(at: Ints, seams: Seams) -> Links:
    """Which neighbours of a layout (rows, cols; -1 is empty) are best buddies."""
    right = (seams.buddy[RIGHT][at[:, :-1]] == at[:, 1:]) & (at[:, :-1] >= 0) & (at[:, 1:] >= 0)
    down = (seams.buddy[DOWN][at[:-1]] == at[1:]) & (at[:-1] >= 0) & (at[1:] >= 0)
    return right, down


def largest_segment(at: Ints, seams: Seams, rng: np.random.Generator) -> Ints:
    """The largest segment, alone in a copy of the layout (rows, cols; -1 is empty)."""
    label = segments(at, seams.buddy, rng.permutation(at.size))
    return np.where(label == np.bincount(label[at >= 0]).argmax(), at, -1)


@njit(cache=True, nogil=True)
def segments(at: Ints, buddy: I32, starts: Ints) -> Ints:
    """(rows, cols) number of the segment of every piece, 0 where there is none.

    Segments grow from the slots in `starts` (a permutation). A piece joins only if it is a best buddy of *all* its
    neighbours in the segment; one that was refused once is not asked again.
    """
    rows, cols = at.shape
    label = np.zeros((rows, cols), np.int64)
    refused = np.zeros((rows, cols), np.int64)
    queue = np.empty(at.size, np.int64)
    count = 0
    for start in starts:
        if label[start // cols, start % cols] > 0 or at[start // cols, start % cols] < 0:
            continue
        count += 1
        label[start // cols, start % cols] = count
        queue[0], head, tail = start, 0, 1
        while head < tail:
            row, col = queue[head] // cols, queue[head] % cols
            head += 1
            for side in range(4):
                r, c = row + STEP_Y[side], col + STEP_X[side]
                if not (0 <= r < rows and 0 <= c < cols) or at[r, c] < 0:
                    continue
                if label[r, c] > 0 or refused[r, c] == count:
                    continue
                if _belongs(at, buddy, label, r, c, count):
                    label[r, c] = count
                    queue[tail] = r * cols + c
                    tail += 1
                else:
                    refused[r, c] = count
    return label


@njit(cache=True, nogil=True)
def _belongs(at: Ints, buddy: I32, label: Ints, row: int, col: int, segment: int) -> bool:
    """Whether the piece in a slot is a best buddy of all its neighbours in a segment."""
    for side in range(4):
        r, c = row + STEP_Y[side], col + STEP_X[side]
        inside = 0 <= r < at.shape[0] and 0 <= c < at.shape[1]
        if inside and label[r, c] == segment and buddy[side, at[row, col]] != at[r, c]:
            return False
    return True


def shifts(at: Ints, links: Links, lines: int, far: int) -> Iterator[tuple[Ints, Ints]]:
    """Where else in the frame a layout may lie: cut at a line with few best buddies across it.

    The larger part moves to the other edge, which frees a row or column that stuck to the wrong edge of the picture;
    the rest is left out in the first layout of a pair, and lies as it was at the opposite edge in the second. `lines`
    with the fewest best buddies are tried in both directions, and all those within `far` of an edge.
    """
    for layout, across in ((at, links[0].sum(0)), (at.T, links[1].sum(1))):
        near = [x for x in range(len(across)) if x < far or x >= len(across) - far]
        for line in dict.fromkeys([*np.argsort(across, kind="stable")[:lines].tolist(), *near]):
            before, length = line + 1, layout.shape[1]
            rolled = np.roll(layout, -before, axis=1)
            moved = np.full_like(layout, -1)
            larger = slice(length - before) if 2 * before <= length else slice(length - before, length)
            moved[:, larger] = rolled[:, larger]
            if (moved >= 0).any():
                yield (moved, rolled) if layout is at else (moved.T, rolled.T)
