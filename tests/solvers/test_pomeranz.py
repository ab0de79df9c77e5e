"""Pomeranz, Shemesh and Ben-Shahar's loop: what it solves, what it must not depend on, and its parts."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.errors import SolverError
from ganzzle.metrics import score
from ganzzle.puzzle import Puzzle
from ganzzle.reading.sources import iterate_pictures
from ganzzle.seams import find_cost, seam_table
from ganzzle.solvers.pomeranz import Pomeranz
from ganzzle.solvers.pomeranz.seams import Compatibilities, compatibility, total_compatibility
from ganzzle.solvers.pomeranz.segments import buddy_links, largest_segment, segments, shifts


def test_missing_and_eroded_pieces(draw):
    missing = Puzzle.from_picture(draw(160, 160, 3), 8, seed=1, corrupt="missing:0.1")
    assert score(Pomeranz().solve(missing)).neighbour > 0.9
    eroded = Puzzle.from_picture(draw(160, 160, 1), 5, seed=1, corrupt="erode:1")
    assert score(Pomeranz().solve(eroded)).direct == 1


def test_a_search_needs_a_start():
    with pytest.raises(SolverError, match="starts is a whole number, 1 or more, not 0"):
        Pomeranz(starts=0)


def test_confidence_is_the_share_of_best_buddies(draw):
    puzzle = Puzzle.from_picture(draw(160, 160, 2), 8, seed=1)
    solution = Pomeranz().solve(puzzle)
    assert solution.confidence.mean() > 0.9
    noisy = Puzzle.from_picture(draw(160, 160, 2), 8, seed=1, corrupt="noise:0.2")
    assert Pomeranz().solve(noisy).confidence.mean() < solution.confidence.mean()


def test_compatibilities_follow_the_formula(draw):
    pieces = Puzzle.from_picture(draw(96, 96), 6, seed=1).pieces
    cost = seam_table(pieces, "lpq")
    known = Compatibilities(pieces, find_cost("lpq"))
    quartile = np.sort(cost, axis=2)[:, :, 34 // 4]
    i, j = 3, int(known.seams.ids[0, 3, 0])
    expected = (np.exp(-cost[0, i, j] / quartile[0, i]) + np.exp(-cost[0, i, j] / quartile[1, j])) / 2
    assert compatibility(known.seams, 0, i, j) == pytest.approx(expected, rel=1e-5)
    assert known.between(np.array([i]), np.array([j]))[0, 0, 0] == pytest.approx(expected, rel=1e-5)
    for side in range(4):
        for piece, buddy in enumerate(known.seams.buddy[side]):
            if buddy >= 0:
                assert known.seams.buddy[side ^ 1, buddy] == piece


def test_large_puzzles_need_no_table(draw, monkeypatch):
    puzzle = Puzzle.from_picture(draw(160, 160), 10, seed=1)
    some, others = np.array([1, 2, 3]), np.arange(20, 60)
    small = Compatibilities(puzzle.pieces, find_cost("lpq"))
    assert np.allclose(small.between(some, others), small.seams.table[:, some[:, None], others], rtol=1e-5)
    monkeypatch.setattr("ganzzle.solvers.pomeranz.seams.LARGEST_TABLE", 0)
    monkeypatch.setattr("ganzzle.solvers.pomeranz.solver.LARGEST_TABLE", 0)
    assert Compatibilities(puzzle.pieces, find_cost("lpq")).seams.table.size == 0
    assert score(Pomeranz().solve(puzzle)).direct == 1
    # The last pieces are placed by the pixels.
    monkeypatch.setattr("ganzzle.solvers.pomeranz.seams.PARTNERS", 2)
    assert score(Pomeranz().solve(puzzle)).direct == 1


def test_the_total_is_that_of_all_neighbours(draw):
    seams = Compatibilities(Puzzle.in_order(draw(64, 96), (4, 6)).pieces, find_cost("lpq")).seams
    at = np.arange(24).reshape(4, 6)
    expected = seams.table[0, at[:, :-1], at[:, 1:]].sum() + seams.table[2, at[:-1], at[1:]].sum()
    assert total_compatibility(seams, at) == pytest.approx(expected, rel=1e-5)
    at[2, 3] = -1
    assert total_compatibility(seams, at) < expected


def test_a_piece_joins_a_segment_only_as_a_buddy_of_all_its_neighbours():
    buddy = np.full((4, 6), -1, np.int32)
    at = np.array([[0, 1, 2], [3, 4, 5]])
    for side, a, b in [(0, 0, 1), (0, 3, 4), (0, 4, 5), (2, 0, 3), (2, 1, 4)]:
        buddy[side, a], buddy[side ^ 1, b] = b, a
    assert segments(at, buddy, np.arange(6)).tolist() == [[1, 1, 2], [1, 1, 1]]
    buddy[2, 1] = buddy[3, 4] = -1  # 1 and 4 lie side by side in the segment of 0 and are no buddies
    label = segments(at, buddy, np.arange(6))
    assert label[0, 0] == label[0, 1] == label[1, 0] != label[1, 1] == label[1, 2]


def test_segments_and_shifts(draw):
    puzzle = Puzzle.in_order(draw(96, 96), 6)
    seams = Compatibilities(puzzle.pieces, find_cost("lpq")).seams
    right = np.arange(36).reshape(6, 6)
    wrapped = np.roll(right, 2, axis=1)  # the last two columns stuck to the left edge
    links = buddy_links(wrapped, seams)
    assert links[0][:, 1].sum() <= links[0].sum(0).min() == 0
    largest = largest_segment(wrapped, seams, np.random.default_rng(0))
    assert np.array_equal(largest[:, 2:], wrapped[:, 2:])
    assert (largest[:, :2] == -1).all()
    moved, rolled = next(shifts(wrapped, links, lines=1, far=0))
    assert np.array_equal(moved[:, :4], right[:, :4])
    assert (moved[:, 4:] == -1).all()
    assert np.array_equal(rolled, right)
    for part, whole in shifts(wrapped, links, lines=2, far=2):
        assert np.array_equal(np.sort(whole, axis=None), np.arange(36))
        assert np.array_equal(part[part >= 0], whole[part >= 0])


def test_the_number_of_threads_changes_nothing(draw, monkeypatch):
    puzzle = Puzzle.from_picture(draw(160, 160, 4), 8, seed=1, corrupt="noise:0.1")
    many = Pomeranz().solve(puzzle)
    monkeypatch.setattr("ganzzle.seams.tables.cores", lambda: 1)
    assert np.array_equal(Pomeranz().solve(puzzle).placement, many.placement)


@pytest.mark.data
def test_real_photographs(data_root):
    scores = [
        score(Pomeranz().solve(Puzzle.from_picture(picture, (20, 27), seed=k)))
        for k, (_, picture) in enumerate(iterate_pictures(data_root / "classic" / "mcgill540.tar", limit=3))
    ]
    assert np.mean([s.neighbour for s in scores]) > 0.9
