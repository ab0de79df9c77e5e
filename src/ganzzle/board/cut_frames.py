"""Clusters of cut pieces laid into a frame: which grid, what lies where in it, and what is left over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats
from ganzzle.board.cut_clusters import STEPS, Cluster, Odds, contacts
from ganzzle.grid import Grid

AT_RIM = 3.0  # log-odds of a flat side at the rim of the frame,
OPEN = -3.0  # of another one there,
INSIDE = -5.0  # and of a flat one that is not
MISSING = 1.5  # that a piece is missing costs, in log-odds
STRANGE = 2.5  # that a piece is of another puzzle costs
FLATS = 1.0  # that a flat side is not as many as the frame needs costs
LONGEST = 3.0  # times as long as wide a puzzle is, at most
FRAMES = 4  # grids that are tried
GAINS = 0.0  # log-odds, at least, that a piece or a cluster must bring
WEAK = 1.0  # log-odds of all its contacts below which a piece is taken out and laid again
MENDS = 6  # rounds of that


@dataclass(eq=False)
class Board:
    """A frame with pieces in it, and what it is worth in log-odds."""

    grid: Grid
    laid: Cluster
    worth: float


def likely_grids(count: int, flats: int) -> list[Grid]:
    """The likeliest grids of a puzzle of about some pieces, of which some sides are flat; rows <= columns."""
    rated = []
    for rows in range(2, int(np.sqrt(1.3 * count)) + 2):
        for cols in range(rows, int(LONGEST * rows) + 1):
            slots = rows * cols
            if not 0.8 * count <= slots <= 1.25 * count + 1:
                continue
            off = MISSING * max(0, slots - count) + STRANGE * max(0, count - slots)
            rated.append((off + FLATS * abs(2 * (rows + cols) - flats), rows, cols))
    return [Grid(rows, cols) for _, rows, cols in sorted(rated)[:FRAMES]] or [Grid(1, count)]


def best_board(
    odds: Odds, flat: NDArray[np.bool_], clusters: list[Cluster], known: Grid | None = None
) -> Board:
    """The best board of one puzzle that clusters make, the largest first, of a grid that is known or to be found."""
    count = sum(map(len, clusters))
    pieces = [piece for cluster in clusters for piece in cluster.places]
    flats = int(flat.reshape(-1, 4)[pieces].sum())
    best: Board | None = None
    for grid in [known] if known else likely_grids(count, flats):
        prior = -MISSING * max(0, grid.slots - count) - STRANGE * max(0, count - grid.slots)
        for frame in {(grid.rows, grid.cols), (grid.cols, grid.rows)}:
            board = _fill(Grid(*frame), odds, flat, clusters)
            board.worth += prior
            if best is None or board.worth > best.worth:
                best = board
    assert best is not None
    return best


def rim_worth(grid: Grid, piece: int, row: int, col: int, turn: int, flat: NDArray[np.bool_]) -> float:
    """The log-odds of a piece's flat sides, or their want, at a place in a frame."""
    total = 0.0
    for side, (down, right) in enumerate(STEPS):
        is_flat = flat[4 * piece + (side - turn) % 4]
        outside = not (0 <= row + down < grid.rows and 0 <= col + right < grid.cols)
        total += (AT_RIM if is_flat else OPEN) if outside else (INSIDE if is_flat else 0.0)
    return total


def rim_agreement(board: Cluster, grid: Grid, flat: NDArray[np.bool_]) -> float:
    """0..1 how much of a frame's rim and of the flat sides of all pieces is one and the same: their common part, as a
    share of both together."""
    places = 2 * (grid.rows + grid.cols)
    at_rim = inside = 0
    for piece, (row, col, turn) in board.places.items():
        for side, (down, right) in enumerate(STEPS):
            if flat[4 * piece + (side - turn) % 4]:
                outside = not (0 <= row + down < grid.rows and 0 <= col + right < grid.cols)
                at_rim, inside = at_rim + outside, inside + (not outside)
    return at_rim / max(1, places + inside)


def worth_of(board: Cluster, grid: Grid, odds: Odds, flat: NDArray[np.bool_]) -> float:
    """The log-odds of all seams of a board and of its rim."""
    seams = sum(board.support(piece, odds) for piece in board.places) / 2
    return seams + sum(rim_worth(grid, piece, *place, flat) for piece, place in board.places.items())


def _fill(grid: Grid, odds: Odds, flat: NDArray[np.bool_], clusters: list[Cluster]) -> Board:
    """A frame with the largest cluster where its rim fits best, then the others, then single pieces."""
    laid = _into_frame(clusters[0], grid, odds, flat)
    left = [cluster for cluster in clusters[1:] if len(cluster) > 1]
    while left:
        fits = [_best_place(cluster, laid, grid, odds, flat) for cluster in left]
        k = int(np.argmax([fit[0] for fit in fits]))
        if fits[k][0] <= GAINS:
            break
        for piece, place in fits[k][1].places.items():
            laid.add(piece, *place)
        del left[k]
    everyone = {piece for cluster in clusters for piece in cluster.places}
    _fill_singles(laid, grid, odds, flat, everyone)
    best, worth = laid, worth_of(laid, grid, odds, flat)
    for _ in range(MENDS):
        again = best.moved(0, 0)
        weak = [piece for piece in again.places if again.support(piece, odds) < WEAK]
        if not weak and len(again) == min(grid.slots, len(everyone)):
            break
        for piece in weak:
            again.drop(piece)
        _fill_singles(again, grid, odds, flat, everyone)
        value = worth_of(again, grid, odds, flat)
        if value <= worth + 1e-6:
            break
        best, worth = again, value
    return Board(grid, best, worth)


def _into_frame(cluster: Cluster, grid: Grid, odds: Odds, flat: NDArray[np.bool_]) -> Cluster:
    """A cluster where it fits best into an empty frame; what stands out of the frame is left away."""
    top, left, rows, cols = cluster.box()
    best, most = Cluster(), -np.inf
    support = {piece: cluster.support(piece, odds) for piece in cluster.places}
    for r in range(min(0, grid.rows - rows), max(0, grid.rows - rows) + 1):
        for c in range(min(0, grid.cols - cols), max(0, grid.cols - cols) + 1):
            moved = cluster.moved(r - top, c - left)
            total = 0.0
            for piece, (row, col, turn) in moved.places.items():
                if 0 <= row < grid.rows and 0 <= col < grid.cols:
                    total += rim_worth(grid, piece, row, col, turn, flat)
                else:
                    total -= max(0.0, support[piece]) + MISSING
            if total > most:
                best, most = moved, total
    for piece, (row, col, _) in list(best.places.items()):
        if not (0 <= row < grid.rows and 0 <= col < grid.cols):
            best.drop(piece)
    return best


def _best_place(
    cluster: Cluster, laid: Cluster, grid: Grid, odds: Odds, flat: NDArray[np.bool_]
) -> tuple[float, Cluster]:
    """What a cluster is worth at its best place among what is laid, and the cluster there."""
    most, best = -np.inf, cluster
    for quarter in range(4):
        turned = cluster.turned(quarter)
        top, left, rows, cols = turned.box()
        for r in range(grid.rows - rows + 1):
            for c in range(grid.cols - cols + 1):
                cells = [(row + r - top, col + c - left) for row, col in turned.cells]
                if any(cell in laid.cells for cell in cells):
                    continue
                moved = turned.moved(r - top, c - left)
                total = sum(
                    contacts(laid, piece, *place, odds) + rim_worth(grid, piece, *place, flat)
                    for piece, place in moved.places.items()
                )
                if total > most:
                    most, best = total, moved
    return most, best


def _fill_singles(laid: Cluster, grid: Grid, odds: Odds, flat: NDArray[np.bool_], everyone: set[int]) -> None:
    """Lay single pieces into the holes of a frame, always the one that fits best of all."""
    left = np.array(sorted(everyone - laid.places.keys()), np.int64)
    if not len(left):
        return
    holes = {
        (row, col): _single_worth(laid, grid, row, col, odds, flat, left)
        for row in range(grid.rows)
        for col in range(grid.cols)
        if (row, col) not in laid.cells
    }
    while len(left) and holes:
        cell = max(holes, key=lambda each: (float(holes[each].max()), each))
        k, turn = np.unravel_index(holes[cell].argmax(), holes[cell].shape)
        if holes[cell][k, turn] <= GAINS:
            return
        laid.add(int(left[k]), *cell, int(turn))
        del holes[cell]
        left = np.delete(left, k)
        for other in holes:
            holes[other] = np.delete(holes[other], k, axis=0)
        for down, right in STEPS:
            near = cell[0] + down, cell[1] + right
            if near in holes:
                holes[near] = _single_worth(laid, grid, *near, odds, flat, left)


def _single_worth(
    laid: Cluster,
    grid: Grid,
    row: int,
    col: int,
    odds: Odds,
    flat: NDArray[np.bool_],
    left: NDArray[np.int64],
) -> Floats:
    """(n, 4) what each piece that is left is worth in a hole at each turn; nothing where no piece lies beside it."""
    total = np.zeros((len(left), 4))
    beside = 0
    for side, (down, right) in enumerate(STEPS):
        for turn in range(4):
            own = 4 * left + (side - turn) % 4
            near = row + down, col + right
            if not (0 <= near[0] < grid.rows and 0 <= near[1] < grid.cols):
                total[:, turn] += np.where(flat[own], AT_RIM, OPEN)
                continue
            total[:, turn] += np.where(flat[own], INSIDE, 0.0)
            other = laid.cells.get(near)
            if other is not None:
                beside += 1
                total[:, turn] += odds[own, 4 * other + (side + 2 - laid.places[other][2]) % 4]
    return total if beside else np.full(total.shape, -np.inf)
