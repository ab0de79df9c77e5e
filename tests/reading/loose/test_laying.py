"""The solved picture is laid from all pixels of the scan, without traces of the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from ganzzle.puzzle import Puzzle
from ganzzle.reading.loose import find_loose, lay
from ganzzle.reading.loose.outlines import sides_of
from ganzzle.samples.scatter import scattered


@pytest.fixture
def original(draw):
    """The picture that the puzzle was cut from."""
    return draw(180, 240, 5)


def inner(original, picture):
    """The part of the original that a picture shows which has lost some px at its edges."""
    lost = (original.shape[0] - picture.shape[0]) // 2
    part = original[lost : lost + picture.shape[0], lost : lost + picture.shape[1]].astype(float)
    assert part.shape == picture.shape
    return part


def test_a_picture_looks_like_the_original_also_at_its_seams(laid, solved, original):
    loose = find_loose(laid.picture)
    picture = lay(laid.picture, loose, solved(laid, loose))
    off = np.abs(picture - inner(original, picture))
    lost = (original.shape[0] - picture.shape[0]) // 2
    assert lost <= 2
    assert off.mean() < 3
    seams = off[:, [60 - lost - 1, 60 - lost, 120 - lost, 180 - lost]]
    assert seams.mean() < 8  # the ground would be 60 levels off, and more


def test_large_pieces_keep_all_their_pixels(puzzle, solved, original):
    fine = np.kron(puzzle.pieces, np.ones((1, 4, 4, 1), np.uint8))
    laid = scattered(replace(puzzle, pieces=fine), 3)
    loose = find_loose(laid.picture)
    assert max(loose.pieces.shape[1:3]) == 160  # what a solver sees
    assert loose.piece_size == (240, 240)
    picture = lay(laid.picture, loose, solved(laid, loose))
    whole = np.kron(original, np.ones((4, 4, 1), np.uint8))
    assert np.abs(picture - inner(whole, picture)).mean() < 3
    small = lay(laid.picture, loose, solved(laid, loose), most=100_000)
    assert 90_000 < small.shape[0] * small.shape[1] <= 100_000


def test_missing_pieces_stay_black_or_are_painted(laid, solved, original):
    loose = find_loose(laid.picture)
    whole = solved(laid, loose, original)
    there = whole.placement != 5  # the second row's second piece is missing
    some = replace(
        whole,
        puzzle=Puzzle(whole.puzzle.pieces[there], rim=whole.puzzle.rim),
        placement=whole.placement[there],
        turns=whole.turns[there],
        confidence=whole.confidence[there],
        pieces=np.flatnonzero(there),
    )
    black = lay(laid.picture, loose, some)
    assert not black[62:116, 62:116].any()
    assert black.any(2).mean() > 0.9
    painted = lay(laid.picture, loose, some, fill="imagine")
    assert np.abs(painted - inner(original, painted)).mean() < 6


def test_pieces_that_differ_in_brightness_are_levelled(puzzle, laid, solved, original):
    lit = np.clip(puzzle.pieces * np.linspace(0.7, 1.0, 12)[:, None, None, None], 0, 255).astype(np.uint8)
    page = scattered(replace(puzzle, pieces=lit), 3, ground=laid.ground).picture
    loose = find_loose(page)
    spread = []
    for even in (False, True):
        picture = lay(page, loose, solved(laid, loose), even=even)
        off = picture - inner(original, picture)
        middles = off[28::60, 28::60], off[20::60, 36::60]  # of all pieces
        spread.append(np.mean(middles, axis=0).std())
    assert spread[1] < 0.6 * spread[0]


def test_outlines_are_found_in_all_pixels_of_the_scan(puzzle):
    fine = np.kron(puzzle.pieces, np.ones((1, 5, 5, 1), np.uint8))
    laid = scattered(replace(puzzle, pieces=fine), 1)
    loose = find_loose(laid.picture)  # which looks for them in a smaller one
    assert np.abs(sides_of(loose.corners) - 300).max() < 0.7


def test_more_is_left_out_at_soft_edges(puzzle):
    fine = np.kron(puzzle.pieces, np.ones((1, 3, 3, 1), np.uint8))
    sharp = scattered(replace(puzzle, pieces=fine), 1).picture
    soft = gaussian_filter(sharp, (2, 2, 0))
    assert find_loose(sharp).trim < 2 < find_loose(soft).trim
