"""Pomeranz, Shemesh and Ben-Shahar's loop: what it solves, what it must not depend on, and its parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ganzzle.metrics import score
from ganzzle.pictures import iterate_pictures
from ganzzle.puzzle import Puzzle
from ganzzle.seams import find_cost, seam_table
from ganzzle.solvers import load_solver, pomeranz_seams
from ganzzle.solvers.pomeranz import Pomeranz
from ganzzle.solvers.pomeranz_seams import Compatibilities, compatibility
from ganzzle.solvers.pomeranz_segments import buddy_links, segments, shifts

few = settings(
    deadline=None,
    max_examples=8,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # `draw` is a plain function
)


@few
@given(rows=st.integers(1, 12), cols=st.integers(1, 12), seed=st.integers(0, 99))
def test_a_smooth_picture_is_solved_whole(draw, rows, cols, seed):
    puzzle = Puzzle.from_picture(draw(16 * rows, 16 * cols, seed), (rows, cols), seed=seed)
    assert score(Pomeranz().solve(puzzle)).direct == 1


@few
@given(seed=st.integers(0, 99), change=st.sampled_from(["transpose", "mirror", "flip"]))
def test_transposing_and_mirroring_change_nothing(draw, seed, change):
    picture = draw(70, 84, seed)
    turned = {"transpose": picture.swapaxes(0, 1), "mirror": picture[:, ::-1], "flip": picture[::-1]}[change]
    one = Pomeranz().solve(Puzzle.from_picture(picture, (5, 6), seed=1)).picture()
    two = (
        Pomeranz()
        .solve(Puzzle.from_picture(turned, (6, 5) if change == "transpose" else (5, 6), seed=2))
        .picture()
    )
    back = {"transpose": two.swapaxes(0, 1), "mirror": two[:, ::-1], "flip": two[::-1]}[change]
    assert np.array_equal(one, back)


@few
@given(seed=st.integers(0, 99), constant=st.integers(1, 30))
def test_a_constant_changes_nothing(draw, seed, constant):
    picture = draw(80, 80, seed) // 2 + 20
    one = Pomeranz().solve(Puzzle.from_picture(picture, 5, seed=1))
    two = Pomeranz().solve(Puzzle.from_picture(picture + np.uint8(constant), 5, seed=1))
    assert np.array_equal(one.placement, two.placement)


@pytest.mark.parametrize("cost", ["mgc", "l1-lab", "lpq"])
def test_every_seam_cost_works(cost, draw):
    puzzle = Puzzle.from_picture(draw(96, 120), (4, 5), seed=1)
    assert score(load_solver("pomeranz", cost=cost).solve(puzzle)).direct == 1


def test_flat_and_identical_pieces(draw):
    picture = draw(96, 96)
    picture[:40] = 200  # two rows of pieces are all alike
    solution = Pomeranz().solve(Puzzle.from_picture(picture, 6, seed=1))
    assert np.array_equal(solution.picture(), picture)


def test_missing_and_eroded_pieces(draw):
    missing = Puzzle.from_picture(draw(160, 160, 3), 8, seed=1, corrupt="missing:0.1")
    assert score(Pomeranz().solve(missing)).neighbour > 0.9
    eroded = Puzzle.from_picture(draw(160, 160, 1), 5, seed=1, corrupt="erode:1")
    assert score(Pomeranz().solve(eroded)).direct == 1


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
    small = Compatibilities(puzzle.pieces, find_cost("lpq")).between(some, others)
    monkeypatch.setattr(pomeranz_seams, "LARGEST_TABLE", 0)
    monkeypatch.setattr("ganzzle.solvers.pomeranz.LARGEST_TABLE", 0)
    large = Compatibilities(puzzle.pieces, find_cost("lpq"))
    assert large.table is None
    assert np.allclose(large.between(some, others), small, rtol=1e-5)
    assert score(Pomeranz().solve(puzzle)).direct == 1


def test_segments_and_shifts(draw):
    puzzle = Puzzle.in_order(draw(96, 96), 6)
    seams = Compatibilities(puzzle.pieces, find_cost("lpq")).seams
    right = np.arange(36).reshape(6, 6)
    wrapped = np.roll(right, 2, axis=1)  # the last two columns stuck to the left edge
    links = buddy_links(wrapped, seams)
    assert links[0][:, 1].sum() <= links[0].sum(0).min() == 0
    largest = next(segments(wrapped, links))
    assert np.array_equal(largest[:, 2:], wrapped[:, 2:])
    assert (largest[:, :2] == -1).all()
    moved = next(shifts(wrapped, links, lines=1, far=0))
    assert np.array_equal(moved[:, :4], right[:, :4])


@pytest.mark.data
def test_real_photographs(data_root):
    scores = [
        score(Pomeranz().solve(Puzzle.from_picture(picture, (20, 27), seed=k)))
        for k, (_, picture) in enumerate(iterate_pictures(data_root / "classic" / "mcgill540.tar", limit=3))
    ]
    assert np.mean([s.neighbour for s in scores]) > 0.9
