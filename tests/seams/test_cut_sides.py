"""Sides of cut pieces: what they are, and how they fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.reading.cut_pages import find_cut_pieces
from ganzzle.samples.jigsaws import Look, jigsaw_pages
from ganzzle.seams.cut_evidence import gather
from ganzzle.seams.cut_fit import aligned_gaps, shape_gaps
from ganzzle.seams.cut_sides import POINTS, bumps_of

UNIT = 100.0
heights = st.floats(0.1, 0.35)
places = st.floats(0.4, 0.6)
widths = st.floats(0.06, 0.12)


def side_with_a_tab(height, place, width):
    """(POINTS,) a side of 100 px with one tab to the left of the way."""
    x = np.linspace(0, 1, POINTS)
    return UNIT * (x - 1j * height * np.exp(-(((x - place) / width) ** 2)))


def fits(side, other):
    """The gap between two sides, in shares of a piece."""
    return float(aligned_gaps(side[None], other[None], UNIT)[0][0])


@settings(max_examples=25, deadline=None)
@given(heights, places, widths, st.floats(0, 6.28), st.floats(-200, 200))
def test_turning_and_moving_a_piece_turns_nothing_else(height, place, width, angle, shift):
    side = side_with_a_tab(height, place, width)
    moved = np.exp(1j * angle) * side + shift
    assert bumps_of(side[None])[0] == pytest.approx(bumps_of(moved[None])[0])
    assert bumps_of(side[None])[0] > 0
    assert fits(side, moved[::-1]) < 1e-3
    rough, larger = shape_gaps(side[None], moved[None, ::-1], UNIT)
    assert rough[0, 0] < 0.005
    assert abs(larger[0, 0]) < 1e-4
    _, turn, at = (each[0] for each in aligned_gaps(side[None], moved[None, ::-1], UNIT))
    assert abs(turn * moved + at - side).max() < 0.5


@settings(max_examples=25, deadline=None)
@given(heights, places, widths)
def test_a_mirrored_side_is_noticed(height, place, width):
    side = side_with_a_tab(height, place, width)
    assert bumps_of(side[None])[0] == pytest.approx(-bumps_of(np.conj(side)[None])[0])
    assert fits(side, np.conj(side)[::-1]) > 5 * fits(side, side[::-1]) + 0.01


@pytest.fixture(scope="module")
def seen():
    """The pieces of a drawn puzzle of 3x4, and what is seen of their sides."""
    y, x = np.mgrid[:240, :320] / 40
    picture = np.stack([np.sin(x + y), np.cos(2 * x - y), np.sin(3 * y) * np.cos(x)], 2)
    made = jigsaw_pages(
        np.uint8([140, 60, 140] + picture * [90, 40, 90]), "3x4", 4, side=80, look=Look(ground="green")
    )
    pieces = find_cut_pieces(made.pages).pieces
    return pieces, gather(pieces)


def test_straight_sides_are_told_from_others(seen):
    _, evidence = seen
    assert sorted(evidence.flat.reshape(-1, 4).sum(1)) == [0] * 2 + [1] * 6 + [2] * 4
    assert (evidence.sides.bump[~evidence.flat] > 0).sum() == (~evidence.flat).sum() / 2


def test_every_side_finds_its_partner(seen):
    _, evidence = seen
    inner = np.flatnonzero(~evidence.flat)
    best = evidence.fit.odds.argmax(1)
    assert (best[best[inner]] == inner).all()
    assert (evidence.fit.odds.max(1)[inner] > 0).all()


def test_mirrored_pieces_fit_none_of_the_others(seen):
    pieces, evidence = seen
    mirrored = replace(
        pieces[0],
        pixels=np.ascontiguousarray(pieces[0].pixels[:, ::-1]),
        mask=np.ascontiguousarray(pieces[0].mask[:, ::-1]),
    )
    again = gather((mirrored, *pieces[1:]))
    own = np.flatnonzero(~again.flat[:4])
    assert again.fit.odds[own].max() < evidence.fit.odds.max(1)[:4][~evidence.flat[:4]].min()
