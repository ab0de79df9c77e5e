"""The sample pictures."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.damage.corruption import twin_groups
from ganzzle.errors import PictureError
from ganzzle.puzzle import Puzzle
from ganzzle.samples import draw_balloons, draw_landscape, sample_names, sample_picture


def test_every_sample_is_a_square_picture_without_identical_pieces():
    assert {"landscape", "balloons"} <= set(sample_names())
    for name in sample_names():
        picture = sample_picture(name)
        assert picture.shape == (480, 480, 3)
        assert picture.dtype == np.uint8
        assert len(set(twin_groups(Puzzle.from_picture(picture, 12).pieces))) == 144
    assert np.array_equal(sample_picture(), sample_picture(sample_names()[0]))


@pytest.mark.parametrize("draw", [draw_landscape, draw_balloons])
def test_a_drawing_is_the_same_every_time(draw):
    assert draw(64).shape == (64, 64, 3)
    assert np.array_equal(draw(64), draw(64))
    assert not np.array_equal(draw(64), draw(64, seed=1))


def test_an_unknown_sample():
    with pytest.raises(PictureError, match="landscape"):
        sample_picture("seascape")


def test_without_matplotlib_the_drawings_are_the_samples(monkeypatch):
    monkeypatch.setattr("ganzzle.samples.find_spec", lambda name: None)
    assert sample_names() == ["landscape", "balloons"]
