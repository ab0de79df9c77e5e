"""Puzzles in one pile are told apart by their seams."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.board.candidates import FLOOR
from ganzzle.board.components import single_pieces
from ganzzle.board.problem import make_problem
from ganzzle.board.separating import attraction, in_line, separate
from ganzzle.puzzle import Grid

LIKELY = -0.1


def pile(grids: list[Grid], seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Seams right, down (N, N) and borders (N, 4) of whole puzzles in one shuffled pile; (N,) whose each is."""
    count = sum(grid.slots for grid in grids)
    shuffled = np.random.default_rng(seed).permutation(count)
    right, down = (np.full((count, count), FLOOR, np.float32) for _ in range(2))
    border = np.full((count, 4), LIKELY, np.float32)
    owner, start = np.empty(count, int), 0
    for number, grid in enumerate(grids):
        names = shuffled[start : start + grid.slots]
        owner[names], start = number, start + grid.slots
        for table, slots, sides in zip((right, down), grid.adjacencies(), ((0, 1), (2, 3)), strict=True):
            first, second = names[slots].T
            table[first, second] = LIKELY
            border[first, sides[0]] = border[second, sides[1]] = FLOOR
    return right, down, border, owner


def same_groups(found: np.ndarray, owner: np.ndarray) -> bool:
    """Whether two (N,) numberings put the same pieces together."""
    return len(set(zip(found.tolist(), owner.tolist(), strict=True))) == len(set(owner.tolist()))


@pytest.mark.parametrize("seed", range(3))
def test_puzzles_of_one_grid_are_told_apart(seed: int) -> None:
    right, down, border, owner = pile([Grid(3, 4)] * 3, seed)
    problem = make_problem(right, down, Grid(9, 4), border=border)
    ways = list(separate(problem, 3, [Grid(2, 6), Grid(3, 4), Grid(6, 2)], free=True))
    assert ways[0].grids == [Grid(3, 4)] * 3
    assert same_groups(ways[0].belongs, owner)
    assert ways[0].clear
    assert not ways[0].torn
    assert len(ways) == 1  # in the other two grids less hangs together, and all of it does in this one


def test_puzzles_with_grids_of_their_own() -> None:
    right, down, border, owner = pile([Grid(3, 5), Grid(2, 3)])
    problem = make_problem(right, down, Grid(3, 7), border=border)
    (way,) = separate(problem, 2, [], free=True)
    assert way.grids == [Grid(3, 5), Grid(2, 3)]  # the largest first
    assert same_groups(way.belongs, owner)
    assert way.clear


def test_a_puzzle_that_lost_a_piece_does_not_tell_its_grid() -> None:
    right, down, border, owner = pile([Grid(3, 5), Grid(2, 3)])
    kept = np.arange(len(owner)) != np.flatnonzero(owner == 1)[0]
    tables = (table[kept][:, kept] for table in (right, down))
    (way,) = separate(make_problem(*tables, Grid(4, 5), border=border[kept]), 2, [], free=True)
    assert way.grids == [Grid(3, 5), None]
    assert same_groups(way.belongs, owner[kept])
    assert not way.clear


def test_a_picture_torn_in_two_is_noticed() -> None:
    """Each of two 12x24 halves hangs together: but so do the halves."""
    right, down, border, _ = pile([Grid(24, 24)])
    (way,) = separate(make_problem(right, down, Grid(24, 24), border=border), 2, [Grid(12, 24)], free=False)
    assert np.bincount(way.belongs).tolist() == [288, 288]
    assert way.torn
    right, down, border, owner = pile([Grid(12, 24)] * 2)
    (way,) = separate(make_problem(right, down, Grid(24, 24), border=border), 2, [Grid(12, 24)], free=False)
    assert same_groups(way.belongs, owner)
    assert not way.torn


def test_seams_in_line_agree_how_two_components_lie() -> None:
    """Two columns of three pieces, 0..2 and 3..5: two seams say that the second is right of the first."""
    best = np.full((6, 4, 1), -1)
    for left, right in ((2, 3), (1, 4), (0, 3)):
        best[left, 0, 0], best[right, 1, 0] = right, left  # 2 chooses 3 in vain
    parts = single_pieces(6)
    parts.label[:] = [0, 0, 0, 3, 3, 3]
    parts.row[:] = [0, 1, 2, 0, 1, 2]
    assert in_line(best, parts, parts.label) == 2
    parts.row[4] = 5  # the second seam means another place then
    assert in_line(best, parts, parts.label) == 1
    assert in_line(best, parts, np.zeros(6, int)) == 0  # all are of one puzzle


def test_no_puzzle_gets_more_pieces_than_it_has_slots() -> None:
    """Pieces that nothing ties to any other go where there is room."""
    right, down, border, owner = pile([Grid(3, 4)] * 2)
    lonely = np.flatnonzero(owner == 1)
    right[lonely], down[lonely] = FLOOR, FLOOR
    problem = make_problem(right, down, Grid(6, 4), border=border)
    (way,) = separate(problem, 2, [Grid(3, 4)], free=False)
    assert not way.clear
    assert np.bincount(way.belongs, minlength=2).tolist() == [12, 12]


def test_a_part_that_fits_nowhere_goes_piece_by_piece() -> None:
    right, down, border, _ = pile([Grid(2, 2)] * 3)
    problem = make_problem(right, down, Grid(6, 2), border=border)
    (way,) = separate(problem, 2, [Grid(2, 3)], free=False)
    assert np.bincount(way.belongs, minlength=2).tolist() == [6, 6]


def test_attraction_is_that_of_the_best_neighbour_of_each_side() -> None:
    right, down, border, owner = pile([Grid(2, 2)] * 2)
    problem = make_problem(right, down, Grid(4, 2), border=border)
    best = np.full((8, 4, 2), -1)
    one, two = np.argwhere(right > FLOOR)[0]
    best[one, 0, 0], best[two, 1, 0] = two, one
    pull = attraction(problem.seams, best, owner, 2)
    assert pull[one, owner[one]] == pytest.approx(np.exp(LIKELY))
    assert pull.sum() == pytest.approx(2 * np.exp(LIKELY))
    nobody = attraction(problem.seams, best, np.full(8, -1), 2)
    assert not nobody.any()
