"""Merging components: always the two whose common seams, all together, speak most clearly for it."""

from __future__ import annotations

import numpy as np

from ganzzle.board.best_edges import Edges
from ganzzle.board.candidates import seam
from ganzzle.board.components import Components, Index, insert, join, key_of, look_up, make_index
from ganzzle.board.problem import DOWN, LEFT, RIGHT, UP, Problem, Table
from ganzzle.compiling import njit

CHANCE = 5.0  # a seam that scores -CHANCE speaks neither for nor against a merge
SHARE = 0.5  # merges of one round have at least this share of the best one's evidence


@njit(cache=True, nogil=True)
def merge(problem: Problem, edges: Edges, parts: Components, noise: Table) -> None:
    """Join components until no edge speaks for another merge. `noise` is added to the evidence of each edge.

    Each round ranks the edges between components by their evidence: what all seams that would close say together,
    and what the surroundings of the edge say. It carries out the best ones, which changes what speaks for the others.
    """
    open_edges = np.arange(len(edges.first))
    extra = edges.support + noise
    evidence = np.empty(len(open_edges), np.float32)
    while len(open_edges) > 0:
        index = make_index(problem, parts)
        kept = 0
        for k in open_edges:
            if parts.label[edges.first[k]] == parts.label[edges.second[k]]:
                continue
            gain = _evidence(problem, parts, index, edges, k)[0]
            if gain > -np.inf:  # an edge that is impossible stays so: components only grow
                open_edges[kept] = k
                evidence[kept] = gain + extra[k]
                kept += 1
        open_edges = open_edges[:kept]
        order = np.argsort(-evidence[:kept])
        merges = 0
        for rank in order:
            k = open_edges[rank]
            if evidence[rank] <= 0 or (merges > 0 and evidence[rank] < SHARE * evidence[order[0]]):
                break
            if parts.label[edges.first[k]] == parts.label[edges.second[k]]:
                continue
            gain, into, other, down, across = _evidence(problem, parts, index, edges, k)
            if gain + extra[k] < evidence[rank] - 1e-3:
                continue  # weaker than it was when it was ranked: wait for the next round
            end = parts.following[into]
            join(parts, into, other, down, across)
            piece = other
            while piece != end:
                insert(problem, parts, index, piece)
                piece = parts.following[piece]
            merges += 1
        if merges == 0:
            break


@njit(cache=True, nogil=True)
def _evidence(
    problem: Problem, parts: Components, index: Index, edges: Edges, k: int | np.signedinteger
) -> tuple[float, int, int, int, int]:
    """What speaks for merging along edge k: the sum of (score + CHANCE) over the seams that close, -inf if pieces
    collide or the frame is too small; then the larger and the smaller component and the way the smaller one moves."""
    seams = problem.seams
    i, j = edges.first[k], edges.second[k]
    into, other = parts.label[i], parts.label[j]
    down = parts.row[i] - parts.row[j] + (1 if edges.below[k] else 0)
    across = parts.col[i] - parts.col[j] + (0 if edges.below[k] else 1)
    if parts.size[into] < parts.size[other]:
        into, other = other, into
        down, across = -down, -across
    mine, its = parts.box[into], parts.box[other]
    top, bottom = min(mine[0], its[0] + down), max(mine[1], its[1] + down)
    left, far = min(mine[2], its[2] + across), max(mine[3], its[3] + across)
    if bottom - top >= problem.rows or far - left >= problem.cols:
        return -np.inf, into, other, down, across
    gain = 0.0
    piece = other
    while piece >= 0:
        row, col = parts.row[piece] + down, parts.col[piece] + across
        if look_up(index, key_of(problem, into, row, col)) >= 0:
            return -np.inf, into, other, down, across
        # Beyond the common box a key would wrap around to the other end of the component.
        if col < far:
            near = look_up(index, key_of(problem, into, row, col + 1))
            gain += seam(seams, piece, RIGHT, near) + CHANCE if near >= 0 else 0.0
        if col > left:
            near = look_up(index, key_of(problem, into, row, col - 1))
            gain += seam(seams, piece, LEFT, near) + CHANCE if near >= 0 else 0.0
        if row < bottom:
            near = look_up(index, key_of(problem, into, row + 1, col))
            gain += seam(seams, piece, DOWN, near) + CHANCE if near >= 0 else 0.0
        if row > top:
            near = look_up(index, key_of(problem, into, row - 1, col))
            gain += seam(seams, piece, UP, near) + CHANCE if near >= 0 else 0.0
        piece = parts.following[piece]
    return gain, into, other, down, across
