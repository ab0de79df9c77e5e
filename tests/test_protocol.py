"""Which puzzles are made of which pictures."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle import protocol
from ganzzle.damage.corruption import Corruption
from ganzzle.errors import PuzzleError
from ganzzle.protocol import batches, make_plan, make_puzzle
from ganzzle.puzzle import Grid
from ganzzle.reading.pictures import write_picture

RANDOM = "random_solver:RandomSolver"


def test_the_puzzle_is_the_protocols(draw):
    picture = draw(150, 130)
    plan = make_plan("3x2", RANDOM, "none", piece=32, seed=7)
    puzzle = make_puzzle(plan, 4, "a.png", picture, Grid(3, 2), Corruption())
    assert puzzle.pieces.shape == (6, 32, 32, 3)
    assert puzzle.truth.placement.tolist() == np.random.default_rng((7, 4)).permutation(6).tolist()


def test_native_pieces_are_cut_without_resizing(draw):
    picture = draw(150, 130)
    plan = make_plan("3x3", RANDOM, "none", piece=28, native=True)
    puzzle = make_puzzle(plan, 0, "a.png", picture, Grid(3, 3), Corruption())
    first = puzzle.pieces[np.argsort(puzzle.truth.placement)[0]]
    assert np.array_equal(first, picture[33:61, 23:51])
    with pytest.raises(PuzzleError, match=r"a.png: .* too small"):
        make_puzzle(plan, 0, "a.png", picture, Grid(6, 6), Corruption())


def test_official_permutations(draw):
    plan = make_plan("2x2", RANDOM, "none", permutations={("29522", 2): [2, 3, 1, 0]})
    puzzle = make_puzzle(plan, 0, "29522.jpg", draw(), Grid(2, 2), Corruption())
    assert puzzle.truth.placement.tolist() == [2, 3, 1, 0]
    with pytest.raises(PuzzleError, match=r"no row for other\.jpg at 2x2"):
        make_puzzle(plan, 0, "other.jpg", draw(), Grid(2, 2), Corruption())


def test_grids_are_written_in_many_ways():
    for grids in ((6, 9), (np.int64(6), np.int64(9)), "6x9", ["6x9"]):
        assert make_plan(grids, RANDOM, "none").grids == (Grid(6, 9),)
    assert make_plan(np.int64(6), RANDOM, "none").grids == (Grid(6, 6),)
    assert make_plan([6, 9], RANDOM, "none").grids == (Grid(6, 6), Grid(9, 9))


def test_few_large_pictures_are_in_memory_at_a_time(tmp_path, draw, monkeypatch):
    for k in range(5):
        write_picture(tmp_path / f"{k}.png", draw(30, 30, k))
    images = str(tmp_path)
    plan = make_plan("2x2", RANDOM, "none")
    assert [len(batch) for _, batch in batches([images], plan, None)] == [5]
    monkeypatch.setattr(protocol, "BATCH_BYTES", 1)
    found = list(batches([images], plan, None))
    assert [len(batch) for _, batch in found] == [1] * 5
    assert [index for _, batch in found for index, _, _ in batch] == list(range(5))
