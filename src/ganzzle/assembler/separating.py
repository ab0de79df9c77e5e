"""Several puzzles in one pile: which piece belongs to which.

Components are merged as in a single puzzle, and none may outgrow the frame of one. A wrong seam between two pictures
hardly ever finds company, so that components are of one picture. The largest begin the puzzles; the others join the one
whose pieces attract them most, as long as it has room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ganzzle.assembler.components import Components, single_pieces
from ganzzle.assembler.edges import Edges, make_edges
from ganzzle.assembler.loops import with_loops
from ganzzle.assembler.merging import merge
from ganzzle.assembler.problem import Ints, Problem, Table
from ganzzle.assembler.seams import Seams, seam
from ganzzle.assembler.solve import DEPTH
from ganzzle.compiling import njit
from ganzzle.puzzle import Grid

LIKELY = 0.85  # of the pieces that hang together in the best grid, those that do in a likely one
WHOLE = 0.9  # share of all pieces that hang together in a grid that is hardly wrong


def separate(
    problem: Problem, count: int, grids: Sequence[Grid], free: bool
) -> Iterator[tuple[Grid | None, Ints]]:
    """Ways to tell `count` puzzles apart: the grid of each, the likely ones of `grids`, and (N,) the puzzle,
    from 0, that every piece belongs to. If `free`, at last a way in which each has a grid of its own (None), unless
    nearly all hang together in one of `grids`."""
    guide, best = with_loops(problem, DEPTH)
    edges, pieces = make_edges(guide, best), len(best)
    merged = [_merged(guide, edges, pieces, grid.rows, grid.cols) for grid in grids]
    held = [_held(parts, count) for parts in merged]
    for k in sorted(range(len(grids)), key=lambda k: -held[k]):
        if held[k] >= LIKELY * max(held):
            yield grids[k], _share_out(guide.seams, best, merged[k], count, grids[k].slots)
    if free and max(held, default=0) < WHOLE * pieces:
        parts = _merged(guide, edges, pieces, pieces, pieces)
        yield None, _share_out(guide.seams, best, parts, count, pieces)


def _held(parts: Components, count: int) -> int:
    """How many pieces the largest components have."""
    return int(np.sort(parts.size)[-count:].sum())


def _merged(guide: Problem, edges: Edges, pieces: int, rows: int, cols: int) -> Components:
    parts = single_pieces(pieces)
    merge(guide._replace(rows=rows, cols=cols), edges, parts, np.zeros(len(edges.first), np.float32))
    return parts


def _share_out(seams: Seams, best: Ints, parts: Components, count: int, room: int) -> Ints:
    """(N,) the puzzle of every piece; none gets more than `room` pieces."""
    label, belongs = parts.label.copy(), np.full(len(best), -1)
    for number, name in enumerate(np.argsort(-parts.size, kind="stable")[:count]):
        belongs[label == name] = number
    while (left := np.flatnonzero(belongs < 0)).size:
        names, member, sizes = np.unique(label[left], return_inverse=True, return_counts=True)
        pull = np.zeros((len(names), count))
        np.add.at(pull, member, attraction(seams, best, belongs, count)[left])
        free = room - np.bincount(belongs[belongs >= 0], minlength=count)
        pull[sizes[:, None] > free] = -1
        part, into = np.unravel_index(pull.argmax(), pull.shape)
        if pull[part, into] < 0:  # no puzzle has room for any of them: they go piece by piece
            label[left] = left
            continue
        belongs[left[member == part]] = into
    return belongs


@njit(cache=True, nogil=True)
def attraction(seams: Seams, best: Ints, belongs: Ints, count: int) -> Table:
    """(N, count) for every piece and puzzle the probabilities of the best neighbours there, of all sides together."""
    pull = np.zeros((len(best), count), np.float32)
    for i in range(len(best)):
        for side in range(4):
            found = np.zeros(count, np.float32)
            for j in best[i, side]:
                if j >= 0 and belongs[j] >= 0:
                    found[belongs[j]] = max(found[belongs[j]], np.exp(seam(seams, i, side, j)))
            pull[i] += found
    return pull
