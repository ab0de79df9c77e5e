"""Gallagher's constrained tree: Kruskal over seams, where pieces of two components must not fall on one slot.

A *state* is a piece in one of its allowed turns: state = piece * T + k, turned by k * 4 / T quarter turns
counter-clockwise (T = 1: no piece may be turned; T = 2: pieces that are not square; T = 4). A component is a rigid
group of pieces, each with a position (x to the right, y down) and quarter turns in the component's own frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.puzzle import Ints
from ganzzle.solvers.gallagher.seams import CAP, Edges


class Forest(NamedTuple):
    """The components of N pieces. Numba reads the fields by name."""

    parent: Ints  # (N,) union-find: that of a root is itself
    x: Ints  # (N,) where a piece lies in its component
    y: Ints  # (N,)
    turn: Ints  # (N,) quarter turns of a piece in its component
    size: Ints  # (N,) pieces in the component of a root
    following: Ints  # (N,) the next piece of the same component, -1 after the last
    last: Ints  # (N,) the last piece in the component of a root
    box: Ints  # (N, 4) least x, greatest x, least y, greatest y in the component of a root
    taken: Ints  # hash set of (root, x, y); a key of a root that is gone is never asked for


@njit(cache=True, nogil=True)
def new_forest(pieces: int) -> Forest:
    """Every piece a component of its own."""
    capacity = 64
    while capacity < 2 * pieces * (2 + np.log2(pieces)):
        capacity *= 2
    taken = np.full(capacity, -1)
    for piece in range(pieces):
        key = _key(piece, 0, 0, pieces)
        taken[_probe(taken, key)] = key
    return Forest(
        np.arange(pieces),
        np.zeros(pieces, np.int64),
        np.zeros(pieces, np.int64),
        np.zeros(pieces, np.int64),
        np.ones(pieces, np.int64),
        np.full(pieces, -1),
        np.arange(pieces),
        np.zeros((pieces, 4), np.int64),
        taken,
    )


@njit(cache=True, nogil=True)
def grow(
    forest: Forest, first: Ints, second: Ints, side: Ints, choices: int, rows: int, cols: int
) -> NDArray[np.bool_]:
    """Join components along the seams, best first, wherever no two pieces collide and the frame still holds them.

    `first`, `second`, `side` (E,): states, and where the second lies (0 right, 2 below); rows = 0 switches the frame
    off. Changes the forest; returns (E,) which seams joined two components.
    """
    parent, x, y, turn, size, following, last, box, taken = forest
    pieces = len(parent)
    used = np.zeros(len(first), np.bool_)
    for e in range(len(first)):
        a, b = _find(parent, first[e] // choices), _find(parent, second[e] // choices)
        if a == b:
            continue
        if size[a] < size[b]:
            a, b = b, a
            sx, sy, spin = _onto(forest, second[e], first[e], side[e] + 1, choices)
        else:
            sx, sy, spin = _onto(forest, first[e], second[e], side[e], choices)
        ax, ay = _turned(box[b, 0], box[b, 2], spin)
        bx, by = _turned(box[b, 1], box[b, 3], spin)
        left, right = min(box[a, 0], min(ax, bx) + sx), max(box[a, 1], max(ax, bx) + sx)
        top, bottom = min(box[a, 2], min(ay, by) + sy), max(box[a, 3], max(ay, by) + sy)
        if rows > 0:
            width, height = right - left + 1, bottom - top + 1
            upright = width <= cols and height <= rows
            if not upright and not (choices == 4 and width <= rows and height <= cols):
                continue
        free = True
        q = b
        while q >= 0 and free:
            qx, qy = _turned(x[q], y[q], spin)
            key = _key(a, qx + sx, qy + sy, pieces)
            free = taken[_probe(taken, key)] != key
            q = following[q]
        if not free:
            continue
        q = b
        while q >= 0:
            qx, qy = _turned(x[q], y[q], spin)
            x[q], y[q], turn[q] = qx + sx, qy + sy, (turn[q] + spin) % 4
            key = _key(a, x[q], y[q], pieces)
            taken[_probe(taken, key)] = key
            q = following[q]
        used[e] = True
        following[last[a]], last[a] = b, last[b]
        parent[b] = a
        size[a] += size[b]
        box[a, 0], box[a, 1], box[a, 2], box[a, 3] = left, right, top, bottom
    return used


def joint_votes(forest: Forest, edges: Edges, choices: int) -> Ints:
    """One edge for every way in which seams propose to join two components, the most strongly supported way first.

    All seams that propose the same two components at the same offset and turn vote together, each with CAP - ratio.
    Returns indices into `edges`.
    """
    some = np.flatnonzero(edges.ratio < CAP)
    ways = _proposals(forest, edges.first[some], edges.second[some], edges.side[some], choices)
    apart = ways[:, 0] != ways[:, 1]
    some, ways = some[apart], ways[apart]
    if len(some) == 0:
        return some
    order = np.lexsort(ways.T)  # stable: the best seam of every way stays its first
    starts = np.flatnonzero(np.append(True, np.any(np.diff(ways[order], axis=0) != 0, axis=1)))
    votes = np.add.reduceat(CAP - edges.ratio[some][order], starts)
    leaders = some[order[starts]]
    return leaders[np.lexsort((leaders, -votes))]


def largest_component(forest: Forest) -> Ints:
    """The pieces of the component that has most."""
    root = roots(forest)
    return np.flatnonzero(root == np.bincount(root).argmax())


@njit(cache=True, nogil=True)
def roots(forest: Forest) -> Ints:
    """(N,) the root of every piece's component."""
    out = np.empty_like(forest.parent)
    for piece in range(len(out)):
        out[piece] = _find(forest.parent, piece)
    return out


@njit(cache=True, nogil=True)
def _proposals(forest: Forest, first: Ints, second: Ints, side: Ints, choices: int) -> Ints:
    """(E, 5): the two roots (the smaller number first), and the shift and turn that bring the other onto it."""
    ways = np.zeros((len(first), 5), np.int64)
    for e in range(len(first)):
        a, b = _find(forest.parent, first[e] // choices), _find(forest.parent, second[e] // choices)
        if a < b:
            sx, sy, spin = _onto(forest, first[e], second[e], side[e], choices)
            ways[e] = np.array((a, b, sx, sy, spin))
        elif a > b:
            sx, sy, spin = _onto(forest, second[e], first[e], side[e] + 1, choices)
            ways[e] = np.array((b, a, sx, sy, spin))
    return ways


@njit(cache=True, nogil=True)
def _onto(forest: Forest, first: int, second: int, side: int, choices: int) -> tuple[int, int, int]:
    """The shift (x, y) and the turn that bring the component of `second` onto the seam at a side of `first`."""
    x, y, turn = forest.x, forest.y, forest.turn
    quarter = 4 // choices
    i, j = first // choices, second // choices
    step = 1 if side % 2 == 0 else -1
    frame = (turn[i] - (first % choices) * quarter) % 4  # from the seam's own frame to i's component's
    spin = ((second % choices) * quarter + frame - turn[j]) % 4
    dx, dy = _turned(step, 0, frame) if side < 2 else _turned(0, step, frame)
    jx, jy = _turned(x[j], y[j], spin)
    return x[i] + dx - jx, y[i] + dy - jy, spin


@njit(cache=True, nogil=True)
def _turned(x: int, y: int, quarters: int) -> tuple[int, int]:
    """A step (x, y) after quarter turns counter-clockwise, y pointing down."""
    if quarters == 1:
        return y, -x
    if quarters == 2:
        return -x, -y
    if quarters == 3:
        return -y, x
    return x, y


@njit(cache=True, nogil=True)
def _find(parent: Ints, piece: int) -> int:
    while parent[piece] != piece:
        parent[piece] = parent[parent[piece]]
        piece = parent[piece]
    return piece


@njit(cache=True, nogil=True)
def _key(root: int, x: int, y: int, pieces: int) -> int:
    span = 2 * pieces + 1
    return (root * span + x + pieces) * span + y + pieces


@njit(cache=True, nogil=True)
def _probe(keys: Ints, key: int) -> int:
    """Where `key` is, or would be, in an open-addressing table whose length is a power of two; -1 marks free."""
    mask = len(keys) - 1
    spot = ((key ^ (key >> 29)) * 0x9E3779B1) & mask
    while keys[spot] != -1 and keys[spot] != key:
        spot = (spot + 1) & mask
    return spot
