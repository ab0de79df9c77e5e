"""Fitting a picture to a grid, cutting, assembling."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid
from ganzzle.pieces import assemble, crop_middle, cut, fit


def test_cutting_is_row_by_row():
    picture = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    pieces = cut(picture, Grid(2, 3))
    assert pieces.shape == (6, 2, 2, 3)
    assert np.array_equal(pieces[1], picture[:2, 2:4])
    assert np.array_equal(pieces[3], picture[2:, :2])


def test_the_remainder_is_cropped_evenly_and_the_protocol_resizes(draw):
    picture = draw(103, 64)
    assert np.array_equal(fit(picture, Grid(10, 6)), picture[1:101, 2:62])
    assert fit(picture, Grid(3, 5), piece=32).shape == (96, 160, 3)


def test_the_middle_is_cut_in_its_own_pixels(draw):
    picture = draw(100, 80)
    assert np.array_equal(crop_middle(picture, Grid(2, 2), 28), picture[22:78, 12:68])
    with pytest.raises(PuzzleError, match="too small"):
        crop_middle(picture, Grid(3, 3), 28)


def test_assembling_knows_nothing_of_the_order(draw):
    picture = draw(30, 30)
    pieces = cut(picture, Grid(3, 3))
    order = np.array([4, 2, 8, 0, 6, 1, 3, 5, 7])
    assert np.array_equal(assemble(pieces[order], Grid(3, 3), order), picture)


@pytest.mark.parametrize("shape", [(0, 10, 3), (10, 0, 3)])
def test_a_picture_without_pixels_is_refused(shape):
    with pytest.raises(PuzzleError, match="at least 1 px"):
        fit(np.zeros(shape, np.uint8), Grid(2, 2), piece=8)
