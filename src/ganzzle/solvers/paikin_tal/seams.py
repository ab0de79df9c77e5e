"""What the placer reads: costs, sorted candidates and best buddies of *faces*.

A face is a piece as it may lie: face i is piece i, or, where pieces may be turned, face 4 i + k is piece i turned by k
quarter turns (face 2 i + k by k half turns where pieces are not square). Everything else works on faces and asks
`owner` which piece a face belongs to, so rotated puzzles need no second placer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.errors import SolverError
from ganzzle.puzzle import Pixels
from ganzzle.seams import seam_candidates, seam_table, turned_candidates, turned_table
from ganzzle.seams.tables import TO_THE_RIGHT, all_sides, best_buddies, pseudo_pieces, table_candidates

F32 = NDArray[np.float32]
I32 = NDArray[np.int32]

LARGEST_TABLE = 5000  # faces; a full table of so many takes 400 MB, larger puzzles keep candidates only
CANDIDATES, CANDIDATES_ONLY = 24, 64  # a side, beside a full table and without one
SLACK = np.float32(1 / 32)  # added to both costs of a ratio: two perfect fits are equal, not 0 / 0


class Seams(NamedTuple):
    """Costs of F faces: numba reads the fields by name."""

    table: F32  # (4, F, F) cost of face b at side r of face a; (4, 0, 0) in a large puzzle; see `table_cost`
    ids: I32  # (4, F, k) the best faces at every side, the cheapest first
    costs: F32  # (4, F, k) and their costs
    second: F32  # (4, F) the cheapest cost of any piece but the best one
    buddy: I32  # (4, F) the face that is best for this one and for which this one is best, or -1
    owner: I32  # (F,) the piece of a face
    turn: I32  # (F,) the quarter turns of a face
    typical: np.float32  # what an ordinary wrong seam costs; stands in where there is no second best


def find_seams(pieces: Pixels, cost: str, rotated: bool) -> Seams:
    """Look at all pairs of pieces once."""
    count, height, width = pieces.shape[:3]
    turns = ((0, 1, 2, 3) if height == width else (0, 2)) if rotated else (0,)
    owner = np.repeat(np.arange(count, dtype=np.int32), len(turns))
    if len(owner) <= LARGEST_TABLE or len(turns) == 2:
        table = _table(pieces, cost, turns)
        ids, costs = table_candidates(table, min(CANDIDATES, count - 1))
        if len(turns) == 4:
            ids, costs = all_sides(ids[0], costs[0])
    else:
        table = np.empty((4, 0, 0), np.float32)
        find = turned_candidates if rotated else seam_candidates
        ids, costs = find(pieces, cost, min(CANDIDATES_ONLY, count - 1))
    typical = np.float32(np.median(costs[..., -1]))
    second = _second_best(ids, costs, owner, typical)
    turn_of = np.tile(np.array(turns, np.int32), count)
    return Seams(table, ids, costs, second, best_buddies(ids), owner, turn_of, typical)


def _table(pieces: Pixels, cost: str, turns: tuple[int, ...]) -> F32:
    """(4, F, F) all costs, or (1, F, F) at the right of turned faces; two faces of one piece never meet."""
    if len(turns) == 1:
        return seam_table(pieces, cost)
    if len(turns) == 4:
        return turned_table(pieces, cost)[None]
    if 2 * len(pieces) > LARGEST_TABLE:
        raise SolverError(
            f"at most {LARGEST_TABLE // 2} turned pieces that are not square can be solved at once"
        )
    faces = pseudo_pieces(pieces, turns)
    table = seam_table(faces, cost)
    every = np.arange(len(faces))
    table[:, every, every ^ 1] = np.inf
    return table


def _second_best(ids: I32, costs: F32, owner: I32, typical: np.float32) -> F32:
    other = owner[ids] != owner[ids[..., :1]]
    first_other = other.argmax(-1)[..., None]
    found = np.take_along_axis(costs, first_other, -1)[..., 0]
    return np.where(other.any(-1), found, typical).astype(np.float32)


@njit(cache=True, nogil=True)
def table_cost(seams: Seams, r: int, a: int, b: int) -> np.float32:
    """Cost of face b at side r of face a, from the full table."""
    if seams.table.shape[0] == 4:
        return seams.table[r, a, b]
    q = TO_THE_RIGHT[r]
    return seams.table[0, a // 4 * 4 + (a + q) % 4, b // 4 * 4 + (b + q) % 4]


@njit(cache=True, nogil=True)
def pair_cost(seams: Seams, r: int, a: int, b: int) -> np.float32:
    """Cost of face b at side r of face a; without a full table at least that of the last candidate."""
    if seams.table.shape[1] > 0:
        return table_cost(seams, r, a, b)
    for n in range(seams.ids.shape[2]):
        if seams.ids[r, a, n] == b:
            return seams.costs[r, a, n]
    return seams.costs[r, a, -1]


@njit(cache=True, nogil=True)
def compatibility(cost: np.float32, second: np.float32) -> np.float32:
    """1 - cost / second best, at least -1: a seam cannot be worse than wrong."""
    return max(np.float32(1) - (cost + SLACK) / (second + SLACK), np.float32(-1))


@njit(cache=True, nogil=True)
def mutual(seams: Seams, r: int, a: int, b: int) -> np.float32:
    """Mutual compatibility of faces a and b, b at side r of a, among all pieces."""
    o = r ^ 1  # the opposite side
    there = compatibility(pair_cost(seams, r, a, b), seams.second[r, a])
    return (there + compatibility(pair_cost(seams, o, b, a), seams.second[o, b])) * np.float32(0.5)
