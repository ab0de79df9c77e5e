"""Boards of cut pieces: clusters, frames and poses from log-odds alone."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.board.cut_clusters import Cluster, grow_clusters
from ganzzle.board.cut_frames import best_board, likely_grids, rim_agreement
from ganzzle.board.cut_poses import solve_poses, touching
from ganzzle.grid import Grid


def true_odds(grid, noise=0.0, seed=0):
    """Log-odds (S, S) of the pieces of a grid that all lie upright, and (S,) which of their sides are flat."""
    count = grid.slots
    odds = np.full((4 * count, 4 * count), -6.0, np.float32)
    flat = np.ones(4 * count, bool)
    for piece in range(count):
        row, col = divmod(piece, grid.cols)
        for side, (down, right) in ((1, (0, 1)), (2, (1, 0))):
            r, c = row + down, col + right
            if r < grid.rows and c < grid.cols:
                a, b = 4 * piece + side, 4 * (r * grid.cols + c) + (side + 2) % 4
                odds[a, b] = odds[b, a] = 6.0
                flat[[a, b]] = False
    extra = np.random.default_rng(seed).normal(0, noise, odds.shape).astype(np.float32)
    return odds + (extra + extra.T) / 2, flat


def is_true(laid, grid):
    """Whether a board lies as it should, however the whole is turned."""
    for quarter in range(4):
        turned = laid.turned(quarter)
        top, left, *_ = turned.box()
        at = turned.moved(-top, -left).places
        if at == {piece: (*divmod(piece, grid.cols), 0) for piece in range(grid.slots)}:
            return True
    return False


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (4, 6), (3, 7)])
def test_a_board_and_its_grid_are_found(rows, cols):
    grid = Grid(rows, cols)
    odds, flat = true_odds(grid, 1.0)
    board = best_board(odds, flat, grow_clusters(odds, grid.slots))
    assert {board.grid.rows, board.grid.cols} == {rows, cols}
    assert is_true(board.laid, grid)
    assert rim_agreement(board.laid, board.grid, flat) == 1.0


def test_pieces_that_touch_nothing_for_sure_are_laid_where_the_rim_wants_them():
    grid = Grid(4, 5)
    odds, flat = true_odds(grid, 0.5)
    odds[16:20, :] = odds[:, 16:20] = -1.0  # the upper right corner
    board = best_board(odds + 1.2 * (odds == -1.0), flat, grow_clusters(odds, 20))
    assert is_true(board.laid, grid)


def test_a_missing_piece_leaves_a_hole():
    grid = Grid(3, 4)
    odds, flat = true_odds(grid)
    kept = np.arange(4, 48)
    odds, flat = odds[np.ix_(kept, kept)], flat[kept]
    board = best_board(odds, flat, grow_clusters(odds, 12), Grid(3, 4))
    assert len(board.laid) == 11
    assert 0.8 < rim_agreement(board.laid, board.grid, flat) < 1


def test_a_board_that_is_shifted_in_its_frame_agrees_less_with_it():
    grid = Grid(4, 6)
    _, flat = true_odds(grid)
    shifted = Cluster()
    for piece in range(18):
        shifted.add(piece, piece // 6 + 1, piece % 6, 0)
    assert rim_agreement(shifted, grid, flat) < 0.6


def test_the_likeliest_grid_has_as_many_flat_sides_as_there_are():
    assert likely_grids(48, 28)[0] == Grid(6, 8)
    assert likely_grids(48, 32)[0] == Grid(4, 12)


def test_poses_turn_pieces_back_and_lay_them_a_pitch_apart():
    rng = np.random.default_rng(0)
    steps = np.linspace(0, 1, 64)
    laid, curves, turns = Cluster(), [], []
    for piece in range(6):
        laid.add(piece, *divmod(piece, 3), 0)
        turns.append(np.exp(1j * rng.uniform(-0.3, 0.3)))
        for k in range(4):
            begin, way = (0, 1, 1 + 1j, 1j)[k], 1j**k
            bump = 0.2 * np.exp(-(((steps - 0.5) / 0.1) ** 2)) * (-1) ** (k // 2)
            curves.append(turns[-1] * 100 * (begin + way * (steps - 1j * bump)))
    pieces, turn, shift = solve_poses(laid, np.array(curves), 100.0)
    assert len(touching(laid)) == 7
    assert np.allclose(turn * np.array(turns), (turn * np.array(turns))[0], atol=0.01)
    right, down = shift[1] - shift[0], shift[3] - shift[0]
    assert abs(right - 100) < 1
    assert abs(down - 100j) < 1
    assert pieces.tolist() == list(range(6))
