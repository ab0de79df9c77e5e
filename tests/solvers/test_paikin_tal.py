"""What `paikin-tal` promises beyond the contract of all solvers."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.errors import SolverError
from ganzzle.metrics import score
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers import load_solver
from ganzzle.solvers.paikin_tal import PaikinTal
from ganzzle.solvers.paikin_tal.pile import Pile


def test_a_border_that_fits_the_opposite_side_does_not_shift_the_picture():
    """A picture that wraps around, but for one line: only there may it be cut."""
    y, x = np.mgrid[:160, :160] / 160
    waves = [np.cos(2 * np.pi * (a * x + b * y) + c) for a, b, c in ((1, 3, 0), (2, 1, 1), (3, 2, 2))]
    picture = np.clip(128 + 50 * np.stack(waves, -1), 0, 255).astype(np.uint8)
    picture[:, :4] = picture[:, :4] // 4 * 3  # the left border is darker, so it does not join the right one
    picture[:3] = picture[:3] // 4 * 3
    for seed in range(5):
        assert score(PaikinTal().solve(Puzzle.from_picture(picture, 5, seed=seed), seed)).perfect == 1


def test_turned_pieces(draw):
    solver = load_solver("paikin-tal", rotated=True)
    for seed, grid in enumerate([(5, 5), (4, 6), (6, 3), (1, 5)]):
        picture = draw(32 * grid[0], 32 * grid[1], seed)
        result = score(solver.solve(Puzzle.from_picture(picture, grid, seed=seed, rotated=True)))
        assert result.perfect == 1
        assert result.neighbour == 1


def test_turned_strips_stay_in_their_slots(draw):
    puzzle = Puzzle.from_picture(draw(96, 120, 1), (2, 6), seed=1)
    halves = puzzle.rotate(2 * np.random.default_rng(0).integers(0, 2, len(puzzle)))
    solution = PaikinTal(rotated=True).solve(halves)
    assert not (solution.turns % 2).any()
    assert score(solution).perfect == 1


def test_missing_pieces_at_unknown_slots(draw):
    right = []
    for seed in range(5):
        puzzle = Puzzle.from_picture(draw(256, 256, seed), 8, seed=seed, corrupt="missing:0.1")
        right.append(score(PaikinTal().solve(puzzle)).direct)
    assert np.mean(right) > 0.95


@pytest.mark.parametrize("shape", [(6, 4), (3, 8), (1, 9)])
def test_an_unknown_grid_is_found(draw, shape):
    rows, cols = shape
    puzzle = Puzzle.from_picture(draw(32 * rows, 32 * cols, 7), shape, seed=1)
    solution = PaikinTal().solve(Puzzle(puzzle.pieces))
    assert solution.grid == Grid(rows, cols)
    assert np.array_equal(solution.placement, puzzle.truth.placement)


def mixed(draw, grids: list[tuple[int, int]]) -> tuple[Puzzle, np.ndarray, np.ndarray]:
    """A pile of several puzzles: the pieces, and for each its puzzle and slot."""
    parts = [
        Puzzle.from_picture(draw(28 * r, 28 * c, 20 + k), (r, c), seed=k) for k, (r, c) in enumerate(grids)
    ]
    which = np.repeat(np.arange(len(parts)), [len(p) for p in parts])
    order = np.random.default_rng(1).permutation(len(which))
    slots = np.concatenate([p.truth.placement for p in parts])
    return Puzzle(np.concatenate([p.pieces for p in parts])[order]), which[order], slots[order]


@pytest.mark.parametrize("known", [True, False])
def test_puzzles_mixed_in_one_pile(draw, known):
    pile, which, slots = mixed(draw, [(5, 6)] * 3)
    solutions = PaikinTal().solve_mixed(pile, 3, grid=(5, 6) if known else None)
    assert len(solutions) == 3
    for solution in solutions:
        pieces = solution.pieces
        assert len(set(which[pieces].tolist())) == 1
        assert solution.grid == Grid(5, 6)
        assert np.array_equal(solution.placement, slots[pieces])
        assert np.array_equal(solution.puzzle.pieces, pile.pieces[pieces])
        assert sorted(solution.order.tolist()) == list(range(len(pieces)))


def test_a_mixed_pile_may_lie_in_any_order(draw):
    pile, _, _ = mixed(draw, [(3, 4), (4, 4)])
    order = np.random.default_rng(2).permutation(len(pile))
    one, two = PaikinTal().solve_mixed(pile, 2), PaikinTal().solve_mixed(pile.reorder(order), 2)
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.picture(), b.picture())


def test_mixed_piles_that_cannot_be(draw):
    pile, _, _ = mixed(draw, [(3, 4)])
    with pytest.raises(SolverError, match="larger grid"):
        PaikinTal().solve_mixed(pile, 1, grid=(2, 2))
    with pytest.raises(SolverError, match="at least 1"):
        PaikinTal().solve_mixed(pile, 0)
    with pytest.raises(SolverError, match="2 puzzles need 2 pieces"):
        PaikinTal().solve_mixed(pile.reorder(np.array([0])), 2)


@pytest.mark.parametrize("rotated", [False, True])
def test_without_a_full_table_the_picture_is_the_same(draw, monkeypatch, rotated):
    monkeypatch.setattr("ganzzle.solvers.paikin_tal.seams.LARGEST_TABLE", 0)
    puzzle = Puzzle.from_picture(draw(224, 252, 3), (8, 9), seed=3, rotated=rotated)
    assert score(PaikinTal(rotated=rotated).solve(puzzle)).perfect == 1


@pytest.mark.parametrize("corrupt", ["noise:0.3", "missing:0.4"])
def test_short_lists_of_candidates_are_filled_again(draw, monkeypatch, corrupt):
    monkeypatch.setattr("ganzzle.solvers.paikin_tal.seams.LARGEST_TABLE", 0)
    monkeypatch.setattr("ganzzle.solvers.paikin_tal.seams.CANDIDATES_ONLY", 2)
    found = []
    again = Pile._candidates_left
    monkeypatch.setattr(Pile, "_candidates_left", lambda self, board: found.append(1) or again(self, board))
    puzzle = Puzzle.from_picture(draw(192, 224, 3), (6, 7), seed=3, corrupt=corrupt)
    solution = PaikinTal(rounds=4).solve(puzzle)
    assert found
    assert len(set(solution.placement.tolist())) == len(puzzle)


def test_confidence_tells_right_from_wrong(draw):
    """Half a picture, half noise: the picture's pieces are sure, the others are not."""
    picture = draw(256, 256, 9)
    picture[:, 128:] = np.random.default_rng(0).integers(0, 256, (256, 128, 3))
    puzzle = Puzzle.from_picture(picture, 8, seed=1)
    confidence = PaikinTal().solve(puzzle).confidence
    drawn = puzzle.truth.placement % 8 < 4
    assert confidence[drawn].mean() > 2 * confidence[~drawn].mean()


def test_options_are_checked():
    with pytest.raises(SolverError, match="there is no seam cost"):
        PaikinTal(cost="nothing")
    with pytest.raises(SolverError, match="cost, rotated, rounds"):
        load_solver("paikin-tal", turned=True)


def test_the_number_of_threads_changes_nothing(draw, monkeypatch):
    puzzle = Puzzle.from_picture(draw(224, 256, 4), (14, 16), seed=1, corrupt="noise:0.1")
    many = PaikinTal().solve(puzzle)
    monkeypatch.setattr("ganzzle.seams.tables.cores", lambda: 1)
    assert np.array_equal(PaikinTal().solve(puzzle).placement, many.placement)
