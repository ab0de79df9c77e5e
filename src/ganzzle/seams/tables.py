"""From a seam cost to what solvers read: full tables for small puzzles, the best candidates a side for large ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ganzzle.cores import cores
from ganzzle.puzzle import Pixels
from ganzzle.seams.costs import Compare, SeamCost, Table, find_cost
from ganzzle.seams.kernels import smallest

RIGHT, LEFT, DOWN, UP = range(4)
OPPOSITE = (LEFT, RIGHT, UP, DOWN)
SIDES = (RIGHT, LEFT, DOWN, UP)
STEP_X = np.array([1, -1, 0, 0])  # columns and rows from a slot to its neighbour at each side
STEP_Y = np.array([0, 0, 1, -1])
TO_THE_RIGHT = (0, 2, 1, 3)  # quarter turns that bring the sides right, left, down, up to the right

_PAIRS_A_BLOCK = 1 << 22  # 16 MiB of float32 a thread

Job = TypeVar("Job")


def seam_table(pieces: Pixels, cost: str | SeamCost) -> Table:
    """(4, N, N): entry [r, i, j] is the cost of piece j at side r of piece i, as i sees it; the diagonal is inf."""
    cost = find_cost(cost)
    count = len(pieces)
    table = np.empty((4, count, count), np.float32)
    for side in SIDES:
        if cost.symmetric and side in (LEFT, UP):
            table[side] = table[OPPOSITE[side]].T
        else:
            _fill(table[side], cost.function(seen_from(pieces, side)))
        np.fill_diagonal(table[side], np.inf)
    return table


def turned_table(pieces: Pixels, cost: str | SeamCost) -> Table:
    """(4N, 4N) for rotated pieces: pseudo-piece 4i + k is np.rot90(piece i, k).

    Entry [a, b] is the cost of b at the right of a, as a sees it; turning both once more gives the next side: b below a
    is the entry of (b turned by 1) right of (a turned by 1). The same piece twice is inf, and so are quarter turns of
    pieces that are not square.
    """
    count, height, width = pieces.shape[:3]
    table = np.full((4 * count, 4 * count), np.inf, np.float32)
    turns = (0, 1, 2, 3) if height == width else (0, 2)
    compare = find_cost(cost).function(pseudo_pieces(pieces, turns))
    if len(turns) == 4:
        _fill(table, compare)
    else:
        part = np.empty((2 * count, 2 * count), np.float32)
        _fill(part, compare)
        table[::2, ::2] = part
    piece = np.arange(4 * count) // 4
    for k in range(4):
        table[np.arange(4 * count), 4 * piece + k] = np.inf
    return table


def seam_candidates(pieces: Pixels, cost: str | SeamCost, k: int) -> tuple[NDArray[np.int32], Table]:
    """The k best partners of every piece at every side: ids (4, N, k) and costs (4, N, k), the cheapest first.

    Never holds more than a few blocks of the N x N x 4 table. k is cut to the N - 1 partners there are.
    """
    cost = find_cost(cost)
    count = len(pieces)
    k = max(min(k, count - 1), 0)
    ids = np.zeros((4, count, k), np.int32)
    costs = np.zeros((4, count, k), np.float32)
    if k == 0:
        return ids, costs
    for side in SIDES:
        asking = seen_by_the_other(cost, side)
        compare = cost.function(seen_from(pieces, OPPOSITE[side] if asking else side))

        def fill(rows: slice, side: int = side, asking: bool = asking, compare: Compare = compare) -> None:
            every = slice(0, count)
            block = np.ascontiguousarray(compare(every, rows).T) if asking else compare(rows, every)
            smallest(block, rows.start, ids[side, rows], costs[side, rows])

        in_threads(fill, row_blocks(count, count))
    return ids, costs


def table_candidates(table: Table, k: int) -> tuple[NDArray[np.int32], Table]:
    """The same from a table (S, N, N) of costs at S sides: ids (S, N, k) and costs (S, N, k), k at most N - 1."""
    sides, count = table.shape[:2]
    k = max(min(k, count - 1), 0)
    ids, costs = np.zeros((sides, count, k), np.int32), np.zeros((sides, count, k), np.float32)

    def fill(job: tuple[int, slice]) -> None:
        side, rows = job
        smallest(table[side, rows], rows.start, ids[side, rows], costs[side, rows])

    if k:
        in_threads(fill, [(side, rows) for side in range(sides) for rows in row_blocks(count, count)])
    return ids, costs


def best_buddies(ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """Candidates (4, N, k), the best first -> (4, N) the one that is best at a side and for which this one is best at
    the opposite side, or -1."""
    buddy = np.full(ids.shape[:2], -1, np.int32)
    if ids.shape[2]:
        for side in SIDES:
            best, back = ids[side, :, 0], ids[OPPOSITE[side], :, 0]
            mutual = back[best] == np.arange(len(best))
            buddy[side, mutual] = best[mutual]
    return buddy


def turned_candidates(pieces: Pixels, cost: str | SeamCost, k: int) -> tuple[NDArray[np.int32], Table]:
    """`seam_candidates` for rotated square pieces: ids (4, 4N, k) and costs (4, 4N, k) of pseudo-pieces.

    Pseudo-piece 4i + k is np.rot90(piece i, k), as in `turned_table`; partners of the same piece are left out. One side
    is computed: the others are the same seams, seen after a turn.
    """
    count = 4 * len(pieces)
    k = min(k, count - 4)
    compare = find_cost(cost).function(pseudo_pieces(pieces))
    owner = np.arange(count) // 4
    ids, costs = np.zeros((count, k), np.int32), np.zeros((count, k), np.float32)

    def fill(rows: slice) -> None:
        block = compare(rows, slice(0, count))
        for q in range(4):
            block[np.arange(len(block)), 4 * owner[rows] + q] = np.inf
        smallest(block, rows.start, ids[rows], costs[rows])

    if k:
        in_threads(fill, row_blocks(count, count))
    return all_sides(ids, costs)


def all_sides(ids: NDArray[np.int32], costs: Table) -> tuple[NDArray[np.int32], Table]:
    """Candidates (4N, k) at the right of pseudo-pieces -> those at all sides (4, 4N, k)."""
    every = np.arange(len(ids))
    views = [turn(every, q) for q in TO_THE_RIGHT]
    there = [turn(ids[view], -q) for view, q in zip(views, TO_THE_RIGHT, strict=True)]
    return np.stack(there).astype(np.int32), np.stack([costs[view] for view in views])


def pseudo_pieces(pieces: Pixels, turns: Sequence[int] = (0, 1, 2, 3)) -> Pixels:
    """Every piece in each of the T turns, (N, h, w, 3) -> (T * N, h, w, 3); quarter turns only of square pieces."""
    turned = [np.rot90(pieces, k, axes=(1, 2)) for k in turns]
    return np.stack(turned, 1).reshape(-1, *pieces.shape[1:])


def turn(faces: NDArray[np.integer], quarter_turns: int) -> NDArray[np.integer]:
    """The pseudo-pieces 4i + k after `quarter_turns` more."""
    return faces // 4 * 4 + (faces + quarter_turns) % 4


def seen_by_the_other(cost: SeamCost, side: int) -> bool:
    """Whether a side is read off the opposite one: then a symmetric cost is the same to the last bit."""
    return cost.symmetric and side in (LEFT, UP)


def seen_from(pieces: Pixels, side: int) -> Pixels:
    """The pieces mirrored or transposed so that what was at `side` lies at the right."""
    if side in (DOWN, UP):
        pieces = pieces.swapaxes(1, 2)
    return pieces[:, :, ::-1] if side in (LEFT, UP) else pieces


def row_blocks(rows: int, cols: int) -> list[slice]:
    """Slices that cut `rows` rows of `cols` entries into blocks of bounded memory, enough of them for all cores."""
    step = max(1, min(_PAIRS_A_BLOCK // cols, -(-rows // cores()) if rows * cols > 1 << 16 else rows))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def in_threads(work: Callable[[Job], object], jobs: Iterable[Job]) -> None:
    """Do independent jobs on all cores; the kernels let go of the GIL."""
    jobs = list(jobs)
    if len(jobs) < 2:
        for job in jobs:
            work(job)
        return
    with ThreadPoolExecutor(cores()) as pool:
        for _ in pool.map(work, jobs):
            pass


def _fill(table: Table, compare: Compare) -> None:
    """Compute a whole square table, block by block."""
    every = slice(0, table.shape[1])

    def fill(rows: slice) -> None:
        table[rows] = compare(rows, every)

    in_threads(fill, row_blocks(len(table), table.shape[1]))
