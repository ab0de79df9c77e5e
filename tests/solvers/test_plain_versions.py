"""The fast placing steps give the answers of the plain versions that `make bench` times them against."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import placing
from benchmarks.plain import gallagher as plain_gallagher
from benchmarks.plain import pomeranz as plain_pomeranz
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.seams import find_cost
from ganzzle.solvers.gallagher.seams import Seams
from ganzzle.solvers.gallagher.tree import grow, new_forest
from ganzzle.solvers.pomeranz.place import place
from ganzzle.solvers.pomeranz.seams import Compatibilities

CORRUPTIONS = ["none", "noise:0.1", "missing:0.2"]


@pytest.mark.parametrize("corrupt", CORRUPTIONS)
@pytest.mark.parametrize("row", [placing.paikin_row, placing.pomeranz_row, placing.gallagher_row])
def test_both_versions_place_alike(draw, row, corrupt):
    puzzle = Puzzle.from_picture(draw(128, 160, 4), (8, 10), seed=2, corrupt=corrupt)
    assert row(puzzle.pieces, Grid(8, 10)).ratio > 1  # raises where they differ


def test_a_different_answer_is_noticed(draw, monkeypatch):
    puzzle = Puzzle.from_picture(draw(96, 96, 4), 6, seed=2)
    monkeypatch.setattr(plain_pomeranz, "_rank", lambda choice, buddies_first: (choice[3], 0.0, 0.0))
    with pytest.raises(placing.DifferentAnswerError):
        placing.pomeranz_row(puzzle.pieces, Grid(6, 6))


@pytest.mark.parametrize("buddies_first", [False, True])
@pytest.mark.parametrize("fixed", [False, True])
def test_the_placer_of_pomeranz_by_either_rule_in_either_frame(draw, buddies_first, fixed):
    for seed, corrupt in enumerate(CORRUPTIONS):
        puzzle = Puzzle.from_picture(draw(96, 128, seed), (6, 8), seed=seed, corrupt=corrupt)
        seams = Compatibilities(puzzle.pieces, find_cost("lpq")).seams
        board = np.full((13, 17), -1)
        board[(3, 4) if fixed else (6, 8)] = seed
        plain = board.copy()
        order = place(board, seams, 6, 8, buddies_first, fixed)
        assert order.tolist() == plain_pomeranz.place(plain, seams, 6, 8, buddies_first, fixed)
        assert np.array_equal(board, plain)


@pytest.mark.parametrize("choices", [1, 2, 4])
@pytest.mark.parametrize("rows", [0, 5])
def test_the_tree_of_turned_pieces(draw, choices, rows):
    puzzle = Puzzle.from_picture(draw(100, 120, 2), (5, 6), seed=2, corrupt="noise:0.1")
    edges = Seams(puzzle.pieces, find_cost("mgc"), choices).edges
    seams = (edges.first, edges.second, edges.side, choices, rows, 6)
    used = grow(new_forest(30), *seams)
    assert np.array_equal(used, plain_gallagher.grow(30, *seams)[0])
    assert used.any()
