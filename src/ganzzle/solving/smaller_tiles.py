"""Tiles with a ragged last row or column, by any solver: it puts the whole tiles together, which are a puzzle by
themselves; the smaller ones then go where their seams with these and with each other fit best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Floats, Grid, Ints, Pixels, Puzzle
from ganzzle.reading.ragged import ragged_grid, shorter
from ganzzle.solution import Solution
from ganzzle.solvers.base import Solver, canonical_order

NEVER = -12.0  # log-potential of a slot that a tile cannot have


def solve_ragged(solver: Solver, puzzle: Puzzle, seed: int) -> Solution:
    """The solution of padded tiles whose `sizes` say which lie in the last row and column, and so the grid."""
    assert puzzle.sizes is not None
    if solver.rotated:
        raise PuzzleError("tiles with a smaller last row or column cannot be turned; leave out --rotated")
    grid = grid_of_tiles(puzzle.sizes, puzzle.grid)
    order = canonical_order(puzzle.pieces, seed)
    pieces, (low, narrow) = puzzle.pieces[order], shorter(puzzle.sizes[order]).T
    whole = np.flatnonzero(~low & ~narrow)
    inner = solver.solve(
        Puzzle(pieces[whole], Grid(grid.rows - int(low.any()), grid.cols - int(narrow.any()))), seed
    )
    board = np.full((grid.rows, grid.cols), -1)
    board[: inner.grid.rows, : inner.grid.cols].flat[inner.placement] = whole
    confidence = np.full(len(pieces), inner.confidence.mean())
    confidence[whole] = inner.confidence
    if low.any():
        _lay_last(pieces, board[:, : inner.grid.cols], low & ~narrow, confidence, seed)
    if narrow.any():
        # On its side the last column is the last row.
        turned = pieces.swapaxes(1, 2)
        _lay_last(turned, board[: inner.grid.rows].T, narrow & ~low, confidence, seed)
    if low.any() and narrow.any():
        board[-1, -1] = np.flatnonzero(low & narrow)[0]
    placement = np.empty(len(pieces), np.int64)
    placement[board.ravel()] = np.arange(grid.slots)
    back = np.argsort(order)
    return Solution(
        puzzle=puzzle,
        grid=grid,
        placement=placement[back],
        turns=np.zeros(len(pieces), np.int64),
        confidence=confidence[back],
        solver=solver.name,
        fit=inner.fit,
        levelled=inner.levelled,
    )


def grid_of_tiles(sizes: Ints, given: Grid | None) -> Grid:
    """The grid that tiles (N, 2) high and wide make; refused if they make none, or not the one that was given."""
    grid = ragged_grid(sizes)
    if grid is None:
        raise PuzzleError("the smaller tiles of the last row and column are not as many as a grid has")
    if given is not None and given != grid:
        raise PuzzleError(f"by the sizes of its tiles the grid is {grid}, not {given}")
    return grid


def _lay_last(pieces: Pixels, board: Ints, ends: NDArray[np.bool_], confidence: Floats, seed: int) -> None:
    """Lay those of the tiles (N, h, w, 3) that are `ends` (N,) into the last row of a board (R, C), below those that
    lie there already, and lower their confidence (N,) by how sure that is.

    Both rows are put together as a puzzle of which the upper one is known.
    """
    from ganzzle.board import assemble_pieces
    from ganzzle.board.by_pixels import piece_potentials
    from ganzzle.board.lap import assign

    last, count = np.flatnonzero(ends), board.shape[1]
    grid = Grid(2, count)
    right, down, border = piece_potentials(pieces[np.concatenate([board[-2], last])], grid)
    allowed = np.zeros((2 * count, 2 * count), bool)
    allowed[:count, :count] = np.eye(count, dtype=bool)
    allowed[count:, count:] = True
    start = np.concatenate(
        [np.arange(count), count + assign(np.ascontiguousarray(down[:count, count:].T, np.float32))]
    )
    found = assemble_pieces(right, down, grid, np.where(allowed, 0, NEVER), border, start=start, seed=seed)
    placement = found.placement
    if not allowed[np.arange(2 * count), placement].all():  # potentials are no law
        placement = start
    board[-1, placement[count:] - count] = last
    confidence[last] *= 1 - np.exp(-found.margin[count:])
