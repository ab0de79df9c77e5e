"""Gallagher's constrained tree: Kruskal over seams, where pieces of two components must not fall on one slot.

A *state* is a piece in one of its allowed turns: state = piece * T + k, turned by k * 4 / T quarter turns
counter-clockwise (T = 1: no piece may be turned; T = 2: pieces that are not square; T = 4). A component is a rigid group
of pieces, each with a position (x to the right, y down) and quarter turns in the component's own frame.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ganzzle.puzzle import Ints


@njit(cache=True)
def _turned(x: int, y: int, quarters: int) -> tuple[int, int]:
    """A step (x, y) after quarter turns counter-clockwise, y pointing down."""
    if quarters == 1:
        return y, -x
    if quarters == 2:
        return -x, -y
    if quarters == 3:
        return -y, x
    return x, y


@njit(cache=True)
def _find(parent: Ints, piece: int) -> int:
    while parent[piece] != piece:
        parent[piece] = parent[parent[piece]]
        piece = parent[piece]
    return piece


@njit(cache=True)
def _probe(keys: Ints, key: int) -> int:
    """Where `key` is, or would be, in an open-addressing table whose length is a power of two; -1 marks free."""
    mask = len(keys) - 1
    spot = ((key ^ (key >> 29)) * 0x9E3779B1) & mask
    while keys[spot] != -1 and keys[spot] != key:
        spot = (spot + 1) & mask
    return spot


@njit(cache=True)
def grow_tree(
    first: Ints, second: Ints, side: Ints, pieces: int, choices: int, rows: int, cols: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Join components along the seams, best first, wherever no two pieces collide and the frame still holds them.

    `first`, `second` (E,): states, `second` lies right (side 0) or below (side 2) of `first`; rows = 0 switches the
    frame off. Returns root, x, y, quarter turns and the seam (its index) that joined each piece first, all (N,).
    """
    quarter = 4 // choices
    parent = np.arange(pieces)
    x, y = np.zeros(pieces, np.int64), np.zeros(pieces, np.int64)
    turn = np.zeros(pieces, np.int64)
    joined = np.full(pieces, len(first))
    size = np.ones(pieces, np.int64)
    following, tail = np.full(pieces, -1), np.arange(pieces)
    box = np.zeros((pieces, 4), np.int64)  # least x, greatest x, least y, greatest y of a root's component
    span = 2 * pieces + 1
    capacity = 64
    while capacity < 2 * pieces * (2 + np.log2(pieces)):
        capacity *= 2
    taken = np.full(capacity, -1)  # hash set of (root, x, y); a key of a root that is gone is never asked for
    for piece in range(pieces):
        key = (piece * span + pieces) * span + pieces
        taken[_probe(taken, key)] = key
    left = pieces
    for e in range(len(first)):
        if left == 1:
            break
        i, j = first[e] // choices, second[e] // choices
        a, b = _find(parent, i), _find(parent, j)
        if a == b:
            continue
        ki, kj = (first[e] % choices) * quarter, (second[e] % choices) * quarter
        dx, dy = (1, 0) if side[e] == 0 else (0, 1)
        if size[a] < size[b]:
            a, b, i, j, ki, kj, dx, dy = b, a, j, i, kj, ki, -dx, -dy
        # Turn the seam into a's frame, then b onto the seam.
        frame = (turn[i] - ki) % 4
        spin = (kj + frame - turn[j]) % 4
        sx, sy = _turned(dx, dy, frame)
        jx, jy = _turned(x[j], y[j], spin)
        sx, sy = x[i] + sx - jx, y[i] + sy - jy
        ax, ay = _turned(box[b, 0], box[b, 2], spin)
        bx, by = _turned(box[b, 1], box[b, 3], spin)
        left_x, right_x = min(box[a, 0], min(ax, bx) + sx), max(box[a, 1], max(ax, bx) + sx)
        top_y, bottom_y = min(box[a, 2], min(ay, by) + sy), max(box[a, 3], max(ay, by) + sy)
        if rows > 0:
            width, height = right_x - left_x + 1, bottom_y - top_y + 1
            upright = width <= cols and height <= rows
            if not upright and not (choices == 4 and width <= rows and height <= cols):
                continue
        free = True
        q = b
        while q >= 0:
            qx, qy = _turned(x[q], y[q], spin)
            key = (a * span + qx + sx + pieces) * span + qy + sy + pieces
            if taken[_probe(taken, key)] == key:
                free = False
                break
            q = following[q]
        if not free:
            continue
        q = b
        while q >= 0:
            qx, qy = _turned(x[q], y[q], spin)
            x[q], y[q], turn[q] = qx + sx, qy + sy, (turn[q] + spin) % 4
            key = (a * span + x[q] + pieces) * span + y[q] + pieces
            taken[_probe(taken, key)] = key
            q = following[q]
        joined[i], joined[j] = min(joined[i], e), min(joined[j], e)
        following[tail[a]], tail[a] = b, tail[b]
        parent[b] = a
        size[a] += size[b]
        box[a, 0], box[a, 1], box[a, 2], box[a, 3] = left_x, right_x, top_y, bottom_y
        left -= 1
    for piece in range(pieces):
        parent[piece] = _find(parent, piece)
    return parent, x, y, turn, joined
