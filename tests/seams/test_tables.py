"""Tables, turned tables and candidates agree with each other, for any cost, block size and number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.puzzle import Puzzle
from ganzzle.seams import (
    COSTS,
    LEFT,
    OPPOSITE,
    RIGHT,
    SIDES,
    SeamCost,
    seam_candidates,
    seam_table,
    tables,
    turned_candidates,
    turned_table,
)
from ganzzle.seams.tables import best_buddies, table_candidates
from ganzzle.solvers.paikin_tal import PaikinTal

TURNS = (0, 2, 1, 3)  # quarter turns that bring right, left, down, up to the right


def pile(count: int, height: int = 9, width: int = 9, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize("name", COSTS)
def test_symmetric_costs_look_the_same_from_both_sides(name):
    table = seam_table(pile(12), name)
    for side in SIDES:
        same = np.array_equal(table[side], table[OPPOSITE[side]].T)
        assert same == COSTS[name].symmetric


@pytest.mark.parametrize("name", COSTS)
def test_turning_both_pieces_brings_every_side_to_the_right(name):
    pieces = pile(8)
    table, turned = seam_table(pieces, name), turned_table(pieces, name).reshape(8, 4, 8, 4)
    for side in SIDES:
        assert np.allclose(turned[:, TURNS[side], :, TURNS[side]], table[side], rtol=1e-4)


@pytest.mark.parametrize("name", COSTS)
def test_a_turned_entry_is_the_cost_of_the_turned_pieces(name):
    pieces = pile(3)
    turned = turned_table(pieces, name)
    pair = np.stack([np.rot90(pieces[0], 3), np.rot90(pieces[2], 1)])
    assert turned[3, 9] == pytest.approx(seam_table(pair, name)[RIGHT, 0, 1], rel=1e-5)
    assert np.isinf(turned[:4, :4]).all()


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("k", [0, 3, 99])
def test_candidates_are_those_of_the_table(name, k):
    pieces = pile(12)
    for of_table, of_pieces in zip(
        table_candidates(seam_table(pieces, name), k), seam_candidates(pieces, name, k), strict=True
    ):
        assert np.array_equal(of_table, of_pieces)


def test_best_buddies_choose_each_other():
    ids = np.zeros((4, 3, 1), np.int32)
    ids[RIGHT, :, 0] = 1, 2, 1  # 1 and 2 would lie at the right of each other
    ids[LEFT, :, 0] = 2, 0, 1
    assert best_buddies(ids)[RIGHT].tolist() == [1, 2, -1]
    assert best_buddies(ids)[LEFT].tolist() == [-1, 0, 1]
    assert best_buddies(ids[:, :, :0]).tolist() == [[-1] * 3] * 4


def test_quarter_turns_of_strips_are_out_of_the_question():
    turned = turned_table(pile(3, 4, 7), "mgc").reshape(3, 4, 3, 4)
    assert np.isfinite(turned[0, [0, 2]][:, 1, [0, 2]]).all()
    assert np.isinf(turned[:, [1, 3]]).all()
    assert np.isinf(turned[:, :, :, [1, 3]]).all()


@settings(deadline=None, max_examples=12)
@given(st.sampled_from(sorted(COSTS)), st.integers(1, 12), st.integers(1, 50), st.integers(0, 9))
def test_candidates_of_turned_pieces_are_those_of_all_their_turns(name, count, k, seed):
    pieces = pile(count, seed=seed)
    ids, costs = turned_candidates(pieces, name, k)
    faces = np.stack([np.rot90(pieces, q, axes=(1, 2)) for q in range(4)], 1).reshape(-1, 9, 9, 3)
    table = seam_table(faces, name)
    owner = np.arange(len(faces)) // 4
    table[:, owner[:, None] == owner] = np.inf
    k = min(k, 4 * count - 4)
    assert ids.shape == costs.shape == (4, 4 * count, k)
    assert np.allclose(costs, np.sort(table, -1)[..., :k], rtol=1e-4)
    assert np.allclose(np.take_along_axis(table, ids.astype(np.int64), -1), costs, rtol=1e-4)


@settings(deadline=None, max_examples=12)
@given(st.sampled_from(sorted(COSTS)), st.integers(2, 40), st.integers(1, 50), st.integers(0, 9))
def test_candidates_are_the_least_of_the_table(name, count, k, seed):
    pieces = pile(count, 5, 6, seed)
    ids, costs = seam_candidates(pieces, name, k)
    table = seam_table(pieces, name)
    k = min(k, count - 1)
    assert ids.shape == costs.shape == (4, count, k)
    assert np.array_equal(costs, np.sort(table, -1)[..., :k])
    assert np.array_equal(np.take_along_axis(table, ids.astype(np.int64), -1), costs)


def test_one_piece_has_no_candidates():
    ids, costs = seam_candidates(pile(1), "lpq", 5)
    assert ids.shape == costs.shape == (4, 1, 0)


@pytest.mark.parametrize("threads", [1, 3])
def test_neither_threads_nor_blocks_change_a_bit(monkeypatch, threads):
    pieces = pile(300, 6, 6)
    expected = {name: (seam_table(pieces, name), seam_candidates(pieces, name, 4)) for name in COSTS}
    monkeypatch.setattr(tables, "cores", lambda: threads)
    monkeypatch.setattr(tables, "_PAIRS_A_BLOCK", 300 * 7)
    for name, (table, (ids, costs)) in expected.items():
        assert np.array_equal(seam_table(pieces, name), table)
        again = seam_candidates(pieces, name, 4)
        assert np.array_equal(again[0], ids)
        assert np.array_equal(again[1], costs)


def test_a_cost_of_your_own_works_with_tables_and_solvers(monkeypatch, draw):
    def step(pieces):
        last, first = pieces[:, :, -1].astype(np.float32), pieces[:, :, 0].astype(np.float32)
        return lambda left, right: np.abs(last[left][:, None] - first[right][None]).mean((2, 3))

    mine = SeamCost("step", step, symmetric=True)
    monkeypatch.setitem(COSTS, "step", mine)
    puzzle = Puzzle.from_picture(draw(128, 128), 4, seed=1)
    table = seam_table(puzzle.pieces, mine)
    assert np.array_equal(table[LEFT], table[RIGHT].T)
    assert np.array_equal(PaikinTal(cost="step").solve(puzzle).placement, puzzle.truth.placement)
