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

from ganzzle.board.best_edges import Edges, best_neighbours, make_edges
from ganzzle.board.candidates import Candidates, Seams, seam
from ganzzle.board.components import Components, single_pieces
from ganzzle.board.effort import DEPTH
from ganzzle.board.loops import with_loops
from ganzzle.board.merging import merge
from ganzzle.board.problem import DOWN, RIGHT, Ints, Problem, Table
from ganzzle.compiling import njit
from ganzzle.puzzle import Grid

# Shares of the pieces that hang together, that is, that lie in the largest components:
LIKELY = 0.85  # at least this, relative to the best grid, in a grid that is worth trying
WHOLE = 0.95  # at least this where the puzzles are almost surely told apart rightly
MOST = 0.8  # the same where no line of seams joins two of the puzzles
# Seams in line, as shares of the pieces along a side: two puzzles have at most APART, parts of one more than TORN.
APART, TORN = 0.3, 0.5
FEW = 8  # seams in line that may come about by chance
TIED = 0.7  # probability of all seams of a piece with a picture, from which on it may well belong to it
SETTLING = 4  # times that pieces may change whether they do


class Way(NamedTuple):
    """A way to tell `count` puzzles of one pile apart."""

    belongs: Ints  # (N,) the puzzle, from 0, that every piece belongs to
    grids: list[Grid | None]  # that of each puzzle, None where it is not told
    clear: bool  # whether it is almost surely right
    torn: bool  # whether it seems to tear a picture in two


def separate(problem: Problem, count: int, grids: Sequence[Grid], free: bool) -> Iterator[Way]:
    """Ways to tell `count` puzzles apart: in the likely ones of `grids`, which they share, the likeliest first. If
    `free`, at last a way in which each has a grid of its own, unless nearly all hang together in one of `grids`."""
    guide, neighbours = with_loops(problem, DEPTH)
    edges, pieces = make_edges(guide, neighbours), len(neighbours)
    side = np.sqrt(pieces / count)  # the pieces along a side of each puzzle, about
    merged = [_merged(guide, edges, pieces, grid.rows, grid.cols) for grid in grids]
    held = [_held(parts, count) / pieces for parts in merged]
    for k in sorted(range(len(grids)), key=lambda k: -held[k]):
        if held[k] >= LIKELY * max(held):
            belongs = _share_out(guide.seams, neighbours, merged[k], count, grids[k].slots)
            joined = in_line(neighbours, merged[k], belongs)
            clear = held[k] >= WHOLE or (held[k] >= MOST and joined <= APART * side)
            yield Way(belongs, [grids[k]] * count, clear, joined > max(FEW, TORN * side))
    if free and max(held, default=0) < WHOLE:
        parts = _merged(guide, edges, pieces, pieces, pieces)
        belongs = _share_out(guide.seams, neighbours, parts, count, pieces)
        boxes, joined = _boxes(parts, belongs, count), in_line(neighbours, parts, belongs)
        clear = None not in boxes and joined <= APART * side
        yield Way(belongs, boxes, clear, joined > max(FEW, TORN * side))


class Strangers(NamedTuple):
    """Which pieces of a pile are too many for a grid."""

    pieces: Ints  # (K,) those that the others attract least
    # (K,) by how much all the same: the probabilities of their seams with the others, of all sides
    pull: Table
    held: float  # share of the grid's slots that the largest part fills, before single pieces join it


def strangers(problem: Problem, grids: Sequence[Grid]) -> Iterator[Strangers]:
    """For each grid, which has fewer slots than there are pieces, those that are left over when it is full. The largest
    part begins the picture; the others join it as long as there is room, those first that it attracts most."""
    guide, neighbours = with_loops(problem, DEPTH)
    edges, listed = make_edges(guide, neighbours), _listed(problem)
    for grid in grids:
        parts = _merged(guide, edges, len(neighbours), grid.rows, grid.cols)
        belongs = _share_out(problem.seams, listed, parts, 1, grid.slots, all_of_them=False)
        belongs, pull = _settled(problem.seams, listed, belongs, grid.slots)
        left = np.flatnonzero(belongs < 0)
        yield Strangers(left, pull[left], _held(parts, 1) / grid.slots)


def _settled(seams: Seams, neighbours: Ints, belongs: Ints, room: int) -> tuple[Ints, Table]:
    """(N,) which pieces belong, 0 or -1, and (N,) by how much those that do attract each piece.

    A strange piece that was taken in early may have kept others out. So if a piece that was left out is tied to the
    picture, those that are attracted most belong to it, as often as that changes anything.
    """
    for _ in range(SETTLING):
        pull: Table = attraction(seams, neighbours, belongs, 1)[:, 0]
        if pull[belongs < 0].max() <= TIED:
            break
        most = np.full(len(neighbours), -1)
        most[np.argsort(-pull, kind="stable")[:room]] = 0
        if np.array_equal(most, belongs):
            break
        belongs = most
    return belongs, attraction(seams, neighbours, belongs, 1)[:, 0]


def _listed(problem: Problem) -> Ints:
    """(N, 4, DEPTH) the best neighbours by the seams as they are."""
    assert not isinstance(problem.seams, Candidates)
    found: Ints = best_neighbours(problem.seams, DEPTH)
    return found


def in_line(neighbours: Ints, parts: Components, belongs: Ints) -> int:
    """The most seams between pieces of different puzzles, each the first choice of both by the best neighbours (N, 4,
    depth), that are between the same two components and agree how these would lie to each other."""
    agree: Counter[tuple[int, ...]] = Counter()
    for side, (down, across) in ((RIGHT, (0, 1)), (DOWN, (1, 0))):
        first = np.flatnonzero(neighbours[:, side, 0] >= 0)
        second = neighbours[first, side, 0]
        counts = (neighbours[second, side ^ 1, 0] == first) & (belongs[first] != belongs[second])
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


def _share_out(
    seams: Seams, neighbours: Ints, parts: Components, count: int, room: int, all_of_them: bool = True
) -> Ints:
    """(N,) the puzzle of every piece; none gets more than `room` pieces. If not `all_of_them` fit in, the others have
    none, -1."""
    label, belongs = parts.label.copy(), np.full(len(neighbours), -1)
    for number, name in enumerate(_largest(parts, count)):
        belongs[label == name] = number
    while (left := np.flatnonzero(belongs < 0)).size:
        if not all_of_them and len(belongs) - len(left) == count * room:
            break
        names, member, sizes = np.unique(label[left], return_inverse=True, return_counts=True)
        pull = np.zeros((len(names), count))
        np.add.at(pull, member, attraction(seams, neighbours, belongs, count)[left])
        free = room - np.bincount(belongs[belongs >= 0], minlength=count)
        pull[sizes[:, None] > free] = -1
        part, into = np.unravel_index(pull.argmax(), pull.shape)
        if pull[part, into] < 0:  # no puzzle has room for any of them: they go piece by piece
            label[left] = left
            continue
        belongs[left[member == part]] = into
    return belongs


@njit(cache=True, nogil=True)
def attraction(seams: Seams, neighbours: Ints, belongs: Ints, count: int) -> Table:
    """(N, count) for every piece and puzzle the probabilities of the best neighbours there, of all sides together."""
    pull = np.zeros((len(neighbours), count), np.float32)
    for i in range(len(neighbours)):
        for side in range(4):
            found = np.zeros(count, np.float32)
            for j in neighbours[i, side]:
                if j >= 0 and belongs[j] >= 0:
                    found[belongs[j]] = max(found[belongs[j]], np.exp(seam(seams, i, side, j)))
            pull[i] += found
    return pull
