"""Several puzzles in one pile: which piece belongs to which.

Components are merged as in a single puzzle, and none may outgrow the frame of one. A wrong seam between two pictures
hardly ever finds company, so that components are of one picture. The largest begin the puzzles; the others join the one
whose pieces attract them most, as long as it has room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ganzzle.assembler.components import Components, single_pieces
from ganzzle.assembler.edges import Edges, make_edges
from ganzzle.assembler.loops import with_loops
from ganzzle.assembler.merging import merge
from ganzzle.assembler.problem import DOWN, RIGHT, Ints, Problem, Table
from ganzzle.assembler.seams import Seams, seam
from ganzzle.assembler.solve import DEPTH
from ganzzle.compiling import njit
from ganzzle.puzzle import Grid

LIKELY = 0.85  # of the pieces that hang together in the best grid, those that do in a likely one
WHOLE = 0.95  # share of all pieces that hang together where puzzles are hardly told apart wrongly
MOST = 0.8  # the same where no seams join two of the puzzles
# Seams in line that two puzzles may have, and that parts of one have; shares of a side's pieces.
APART, TORN = 0.3, 0.5
FEW = 8  # of which chance brings as many


class Way(NamedTuple):
    """A way to tell `count` puzzles of one pile apart."""

    belongs: Ints  # (N,) the puzzle, from 0, that every piece belongs to
    grids: list[Grid | None]  # that of each puzzle, None where it is not told
    clear: bool  # whether it is hardly wrong
    torn: bool  # whether it seems to tear a picture in two


def separate(problem: Problem, count: int, grids: Sequence[Grid], free: bool) -> Iterator[Way]:
    """Ways to tell `count` puzzles apart: in the likely ones of `grids`, which they share, the likeliest first. If
    `free`, at last a way in which each has a grid of its own, unless nearly all hang together in one of `grids`."""
    guide, best = with_loops(problem, DEPTH)
    edges, pieces = make_edges(guide, best), len(best)
    side = np.sqrt(pieces / count)  # about as many pieces has a side of each puzzle
    merged = [_merged(guide, edges, pieces, grid.rows, grid.cols) for grid in grids]
    held = [_held(parts, count) / pieces for parts in merged]
    for k in sorted(range(len(grids)), key=lambda k: -held[k]):
        if held[k] >= LIKELY * max(held):
            belongs = _share_out(guide.seams, best, merged[k], count, grids[k].slots)
            joined = in_line(best, merged[k], belongs)
            clear = held[k] >= WHOLE or (held[k] >= MOST and joined <= APART * side)
            yield Way(belongs, [grids[k]] * count, clear, joined > max(FEW, TORN * side))
    if free and max(held, default=0) < WHOLE:
        parts = _merged(guide, edges, pieces, pieces, pieces)
        belongs = _share_out(guide.seams, best, parts, count, pieces)
        boxes, joined = _boxes(parts, belongs, count), in_line(best, parts, belongs)
        clear = None not in boxes and joined <= APART * side
        yield Way(belongs, boxes, clear, joined > max(FEW, TORN * side))


def in_line(best: Ints, parts: Components, belongs: Ints) -> int:
    """The most seams between pieces of different puzzles, each the first choice of both by the best neighbours (N, 4,
    depth), that are between the same two components and agree how these would lie to each other."""
    agree: Counter[tuple[int, ...]] = Counter()
    for side, (down, across) in ((RIGHT, (0, 1)), (DOWN, (1, 0))):
        first = np.flatnonzero(best[:, side, 0] >= 0)
        second = best[first, side, 0]
        counts = (best[second, side ^ 1, 0] == first) & (belongs[first] != belongs[second])
        first, second = first[counts], second[counts]
        below = parts.row[first] + down - parts.row[second]
        beside = parts.col[first] + across - parts.col[second]
        one, other = parts.label[first], parts.label[second]
        sign = np.where(one < other, 1, -1)  # the same joint, seen from either component
        joints = np.stack([np.minimum(one, other), np.maximum(one, other), sign * below, sign * beside], 1)
        agree.update(tuple(joint) for joint in joints.tolist())
    return max(agree.values(), default=0)


def _held(parts: Components, count: int) -> int:
    """How many pieces the largest components have."""
    return int(np.sort(parts.size)[-count:].sum())


def _boxes(parts: Components, belongs: Ints, count: int) -> list[Grid | None]:
    """The grids of the largest components that fill one and are all there is of their puzzle; None for others."""
    sizes = np.bincount(belongs, minlength=count)
    found: list[Grid | None] = []
    for number, name in enumerate(_largest(parts, count)):
        top, bottom, left, right = parts.box[name].tolist()
        grid = Grid(bottom - top + 1, right - left + 1)
        found.append(grid if grid.slots == parts.size[name] == sizes[number] else None)
    return found


def _largest(parts: Components, count: int) -> Ints:
    """The names of the largest components, the largest first."""
    return np.argsort(-parts.size, kind="stable")[:count]


def _merged(guide: Problem, edges: Edges, pieces: int, rows: int, cols: int) -> Components:
    parts = single_pieces(pieces)
    merge(guide._replace(rows=rows, cols=cols), edges, parts, np.zeros(len(edges.first), np.float32))
    return parts


def _share_out(seams: Seams, best: Ints, parts: Components, count: int, room: int) -> Ints:
    """(N,) the puzzle of every piece; none gets more than `room` pieces."""
    label, belongs = parts.label.copy(), np.full(len(best), -1)
    for number, name in enumerate(_largest(parts, count)):
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
