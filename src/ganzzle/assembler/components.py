"""Components: groups of pieces that keep their places relative to each other, merged seam by seam."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ganzzle.assembler.problem import DOWN, FLOOR, LEFT, RIGHT, UP, Board, Ints, Problem, Table


class Edges(NamedTuple):
    """Seams worth trying, the best first; `second` lies right of `first`, or below it where `below` is set."""

    first: Ints
    second: Ints
    below: NDArray[np.bool_]
    score: Table


class Components(NamedTuple):
    """Every piece belongs to one component and has coordinates in it."""

    label: Ints  # (N,) the component of each piece, named after one of its pieces
    row: Ints  # (N,)
    col: Ints  # (N,)
    following: Ints  # (N,) the next piece of the same component, -1 at the end
    size: Ints  # (N,) pieces in the component of that name; 0 where there is none
    box: Ints  # (N, 4) first row, last row, first col, last col


@njit(cache=True, nogil=True)
def best_neighbours(seams: Table, depth: int) -> Ints:
    """(N, 4, depth) for every side of every piece the neighbours with the highest scores, best first; -1: none."""
    count = len(seams) - 2
    best = np.full((count, 4, depth), -1, np.int64)
    value = np.empty(depth, np.float32)
    for i in range(count):
        for side in range(4):
            found = 0
            row = seams[i, side]
            worst = FLOOR
            for j in range(count):
                if row[j] <= worst or j == i:
                    continue
                k = found if found < depth else depth - 1
                while k > 0 and value[k - 1] < row[j]:
                    value[k] = value[k - 1]
                    best[i, side, k] = best[i, side, k - 1]
                    k -= 1
                value[k] = row[j]
                best[i, side, k] = j
                if found < depth:
                    found += 1
                if found == depth:
                    worst = value[depth - 1]
    return best


@njit(cache=True, nogil=True)
def make_edges(seams: Table, best: Ints) -> Edges:
    """The seams that either of their pieces has among its best."""
    count, _, depth = best.shape
    limit = 4 * count * depth
    first, second = np.empty(limit, np.int64), np.empty(limit, np.int64)
    below, score = np.empty(limit, np.bool_), np.empty(limit, np.float32)
    found = 0
    for i in range(count):
        for side in range(4):
            for k in range(depth):
                j = best[i, side, k]
                if j < 0:
                    break
                a, b = (i, j) if side in (RIGHT, DOWN) else (j, i)
                if a == j and _is_listed(best, a, side ^ 1, b):
                    continue  # already there from the other piece's list
                first[found], second[found] = a, b
                below[found] = side in (DOWN, UP)
                score[found] = seams[i, side, j]
                found += 1
    score = score[:found].copy()
    order = np.argsort(-score)
    return Edges(first[order], second[order], below[order], score[order])


@njit(cache=True, nogil=True)
def shake(edges: Edges, strength: float, rng: np.random.Generator) -> Edges:
    """The same edges in an order shaken by noise on their scores."""
    rank = -edges.score
    for k in range(len(rank)):
        rank[k] += strength * rng.standard_normal()
    order = np.argsort(rank)
    return Edges(edges.first[order], edges.second[order], edges.below[order], edges.score[order])


@njit(cache=True, nogil=True)
def _is_listed(best: Ints, piece: int, side: int, other: int) -> bool:
    return bool(np.any(best[piece, side] == other))


@njit(cache=True, nogil=True)
def single_pieces(count: int) -> Components:
    """Every piece a component of its own."""
    return Components(
        np.arange(count).astype(np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.full(count, -1, np.int64),
        np.ones(count, np.int64),
        np.zeros((count, 4), np.int64),
    )


@njit(cache=True, nogil=True)
def join(parts: Components, into: int, other: int, down: int, across: int) -> None:
    """Add component `other`, moved by (down, across), to component `into`."""
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


@njit(cache=True, nogil=True)
def merge(problem: Problem, edges: Edges, parts: Components, threshold: float) -> None:
    """Kruskal's way through the edges: join two components where their pieces do not collide, the whole still fits
    the frame, and the seams that close score at least `threshold` on average."""
    rows, cols = problem.rows, problem.cols
    # Cells of the component looked at last. Coordinates wrap around: no component is larger than the frame.
    held = np.full(rows * cols, -1, np.int64)
    holder = -1
    for k in range(len(edges.first)):
        if edges.score[k] < threshold:
            continue
        i, j = edges.first[k], edges.second[k]
        into, other = parts.label[i], parts.label[j]
        if into == other:
            continue
        down = parts.row[i] - parts.row[j]
        across = parts.col[i] - parts.col[j]
        if edges.below[k]:
            down += 1
        else:
            across += 1
        if parts.size[into] < parts.size[other]:
            into, other = other, into
            down, across = -down, -across
        top = min(parts.box[into, 0], parts.box[other, 0] + down)
        left = min(parts.box[into, 2], parts.box[other, 2] + across)
        bottom = max(parts.box[into, 1], parts.box[other, 1] + down)
        far = max(parts.box[into, 3], parts.box[other, 3] + across)
        if bottom - top >= rows or far - left >= cols:
            continue
        if holder != into:
            held[:] = -1
            holder = into
            _hold(parts, into, held, rows, cols)
        if _joint_gain(problem, parts, held, other, down, across, top, bottom, left, far, threshold) < 0:
            continue
        join(parts, into, other, down, across)
        _hold(parts, other, held, rows, cols)


@njit(cache=True, nogil=True)
def _hold(parts: Components, piece: int, held: Board, rows: int, cols: int) -> None:
    while piece >= 0:
        held[(parts.row[piece] % rows) * cols + parts.col[piece] % cols] = piece
        piece = parts.following[piece]


@njit(cache=True, nogil=True)
def _joint_gain(
    problem: Problem,
    parts: Components,
    held: Board,
    other: int,
    down: int,
    across: int,
    top: int,
    bottom: int,
    left: int,
    far: int,
    threshold: float,
) -> float:
    """Sum of (score - threshold) over the seams that would close; -inf if two pieces fall on one cell."""
    rows, cols, seams = problem.rows, problem.cols, problem.seams
    gain = 0.0
    piece = other
    while piece >= 0:
        row, col = parts.row[piece] + down, parts.col[piece] + across
        line, file = row % rows, col % cols
        if held[line * cols + file] >= 0:
            return -np.inf
        if col < far:
            near = held[line * cols + (file + 1) % cols]
            if near >= 0:
                gain += seams[piece, RIGHT, near] - threshold
        if col > left:
            near = held[line * cols + (file - 1) % cols]
            if near >= 0:
                gain += seams[piece, LEFT, near] - threshold
        if row < bottom:
            near = held[((line + 1) % rows) * cols + file]
            if near >= 0:
                gain += seams[piece, DOWN, near] - threshold
        if row > top:
            near = held[((line - 1) % rows) * cols + file]
            if near >= 0:
                gain += seams[piece, UP, near] - threshold
        piece = parts.following[piece]
    return gain
