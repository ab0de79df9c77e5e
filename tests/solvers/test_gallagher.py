"""Gallagher's tree: what it solves, what it must not depend on, and its parts against slow plain versions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ganzzle.damage.corruption import erode
from ganzzle.errors import SolverError
from ganzzle.metrics import score
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.sources import iterate_pictures
from ganzzle.seams import find_cost, seam_table
from ganzzle.seams.rim import without_rim
from ganzzle.solvers.gallagher import Gallagher
from ganzzle.solvers.gallagher.fill import fill
from ganzzle.solvers.gallagher.seams import Layout, Seams, both_ways
from ganzzle.solvers.gallagher.tree import grow, joint_votes, new_forest, roots

few = settings(
    deadline=None,
    max_examples=8,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # `draw` is a plain function
)


def test_an_unknown_seam_cost_is_refused():
    with pytest.raises(SolverError, match="mgc"):
        Gallagher(cost="nothing")


def test_missing_pieces_leave_their_slots_open(draw):
    puzzle = Puzzle.from_picture(draw(160, 160, 3), 8, seed=1, corrupt="missing:0.1")
    assert score(Gallagher().solve(puzzle)).neighbour > 0.95


def test_eroded_pieces_are_joined_across_the_gap(draw):
    puzzle = Puzzle.from_picture(draw(160, 160, 1), 5, seed=1, corrupt="erode:1")
    assert score(Gallagher().solve(puzzle)).direct == 1
    whole = draw(160, 160, 1).reshape(1, 160, 160, 3)
    assert np.array_equal(without_rim(erode(whole, 3)), whole[:, 3:-3, 3:-3])
    assert np.array_equal(without_rim(np.zeros((2, 8, 8, 3), np.uint8)).shape, (2, 8, 8, 3))


def test_confidence_is_lower_where_pieces_are_wrong(draw):
    puzzle = Puzzle.from_picture(draw(160, 160, 2), 8, seed=1, corrupt="noise:0.15")
    clean = Gallagher().solve(Puzzle.from_picture(draw(160, 160, 2), 8, seed=1)).confidence.mean()
    assert Gallagher().solve(puzzle).confidence.mean() < clean


@few
@given(seed=st.integers(0, 999), choices=st.sampled_from([1, 2, 4]), framed=st.booleans())
def test_trees_never_collide_and_keep_their_seams(seed, choices, framed):
    rng = np.random.default_rng(seed)
    pieces, edges = 20, 300
    first, second = rng.integers(0, pieces * choices, (2, edges))
    apart = first // choices != second // choices
    first, second = first[apart], second[apart]
    side = rng.choice([0, 2], len(first))
    forest = new_forest(pieces)
    used = grow(forest, first, second, side, choices, 4 if framed else 0, 6)
    root, x, y, turn = roots(forest), forest.x, forest.y, forest.turn
    assert len(np.unique(root)) == pieces - used.sum()
    for component in np.unique(root):
        members = root == component
        spots = set(zip(x[members].tolist(), y[members].tolist(), strict=True))
        assert len(spots) == members.sum()
        spans = sorted((np.ptp(x[members]) + 1, np.ptp(y[members]) + 1))
        assert not framed or (spans[0] <= 4 and spans[1] <= 6) or (choices < 4 and spans[0] <= 4)
    steps = [(1, 0), (0, -1), (-1, 0), (0, 1)]  # to the right after so many quarter turns
    for a, b, s in zip(first[used], second[used], side[used], strict=True):
        i, j, quarter = a // choices, b // choices, 4 // choices
        frame = (turn[i] - a % choices * quarter) % 4
        assert frame == (turn[j] - b % choices * quarter) % 4
        assert (x[j] - x[i], y[j] - y[i]) == steps[(frame + (3 if s == 2 else 0)) % 4]


def test_seams_that_agree_vote_together(draw):
    seams = Seams(Puzzle.from_picture(draw(64, 64), 4, seed=3).pieces, find_cost("mgc"), 1)
    forest = new_forest(16)
    alone = joint_votes(forest, seams.edges, 1)
    assert np.all(np.diff(seams.edges.ratio[alone]) >= 0)  # single pieces: one seam, one vote
    grow(forest, seams.edges.first, seams.edges.second, seams.edges.side, 1, 4, 4)
    assert len(joint_votes(forest, seams.edges, 1)) == 0  # all joined: nothing left to propose


def test_filling_takes_the_least_cost_of_the_most_crowded_slot(draw):
    puzzle = Puzzle.in_order(draw(48, 48), 3)
    table = seam_table(puzzle.pieces, "mgc")
    board = np.full((7, 7), -1)
    board[2:5, 2:5] = np.arange(9).reshape(3, 3)
    waiting = [4, 8]  # the middle has four neighbours, the corner two
    known = np.array([*waiting, *(i for i in range(9) if i not in waiting)])
    inner = np.where(np.isin(board, waiting), -1, board)
    local = np.append(np.argsort(known), -1)
    inner = local[inner]
    order = fill(inner, table[:, waiting][:, :, known], 1, 3, 3, False)
    assert order.tolist() == [0, 1]
    assert np.array_equal(known[inner[2:5, 2:5]], board[2:5, 2:5])


def test_the_truth_has_the_most_evidence(draw):
    puzzle = Puzzle.from_picture(draw(96, 96), 6, seed=1)
    seams = Seams(puzzle.pieces, both_ways(find_cost("l1-lab")), 1)
    truth = Layout(puzzle.truth.placement, puzzle.truth.turns, np.arange(36))
    other = Layout(np.random.default_rng(0).permutation(36), puzzle.truth.turns, np.arange(36))
    assert seams.evidence(truth, Grid(6, 6)) > 5 * seams.evidence(other, Grid(6, 6))


@pytest.mark.data
def test_real_photographs(data_root):
    scores = [
        score(Gallagher().solve(Puzzle.from_picture(picture, (18, 24), seed=k)))
        for k, (_, picture) in enumerate(iterate_pictures(data_root / "classic" / "mit432.tar", limit=3))
    ]
    assert np.mean([s.direct for s in scores]) > 0.93
