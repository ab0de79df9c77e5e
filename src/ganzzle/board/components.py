"""Components: groups of pieces that keep their places relative to each other, and which piece of them lies where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ganzzle.board.problem import Ints, Problem
from ganzzle.compiling import njit


class Components(NamedTuple):
    """Every piece belongs to one component and has coordinates in it."""

    label: Ints  # (N,) the component of each piece, named after one of its pieces
    row: Ints  # (N,)
    col: Ints  # (N,)
    following: Ints  # (N,) the next piece of the same component, -1 at the end
    size: Ints  # (N,) pieces in the component of that name; 0 where there is none
    box: Ints  # (N, 4) first row, last row, first col, last col


class Index(NamedTuple):
    """A hash table (component, coordinates) -> piece. Its size is a power of two; -1 is a free entry."""

    keys: Ints
    pieces: Ints


@njit(cache=True, nogil=True)
def single_pieces(count: int) -> Components:
    """Every piece a component of its own."""
    return Components(
        np.arange(count),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.full(count, -1, np.int64),
        np.ones(count, np.int64),
        np.zeros((count, 4), np.int64),
    )


@njit(cache=True, nogil=True)
def join(parts: Components, into: int, other: int, down: int, across: int) -> None:
    """Add component `other`, moved by (down, across), to component `into`; its pieces follow right after `into`."""
    label, row, col, following, size, box = parts
    piece = other
    while True:
        row[piece] += down
        col[piece] += across
        label[piece] = into
        if following[piece] < 0:
            break
        piece = following[piece]
    following[piece] = following[into]
    following[into] = other
    size[into] += size[other]
    size[other] = 0
    box[into, 0] = min(box[into, 0], box[other, 0] + down)
    box[into, 1] = max(box[into, 1], box[other, 1] + down)
    box[into, 2] = min(box[into, 2], box[other, 2] + across)
    box[into, 3] = max(box[into, 3], box[other, 3] + across)


@njit(cache=True, nogil=True, inline="always")
def make_index(problem: Problem, parts: Components) -> Index:
    """An index of all components, with room for every later merge of a smaller into a larger one."""
    count = len(parts.label)
    size = 16
    while size < 2 * count * (2 + np.log2(count)):
        size *= 2
    index = Index(np.full(size, -1, np.int64), np.empty(size, np.int64))
    for piece in range(count):
        insert(problem, parts, index, piece)
    return index


@njit(cache=True, nogil=True)
def key_of(problem: Problem, name: int, row: int, col: int) -> int:
    """Coordinates wrap around the frame: no component is larger than it, so no two of its pieces share a key."""
    return (name * problem.rows + row % problem.rows) * problem.cols + col % problem.cols


@njit(cache=True, nogil=True)
def _entry(key: int, size: int) -> int:
    return int((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (size - 1)


@njit(cache=True, nogil=True)
def insert(problem: Problem, parts: Components, index: Index, piece: int) -> None:
    """Note where a piece lies in its component."""
    key = key_of(problem, parts.label[piece], parts.row[piece], parts.col[piece])
    entry = _entry(key, len(index.keys))
    while index.keys[entry] >= 0:
        entry = (entry + 1) & (len(index.keys) - 1)
    index.keys[entry] = key
    index.pieces[entry] = piece


@njit(cache=True, nogil=True)
def look_up(index: Index, key: int) -> int:
    """The piece at a key, or -1."""
    entry = _entry(key, len(index.keys))
    while index.keys[entry] >= 0:
        if index.keys[entry] == key:
            return index.pieces[entry]
        entry = (entry + 1) & (len(index.keys) - 1)
    return -1
