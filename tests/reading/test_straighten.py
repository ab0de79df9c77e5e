"""Strips are straightened along their borders, whatever way they wave and lean."""

import numpy as np
import pytest

from ganzzle.pile import CutPiece
from ganzzle.reading.straighten import straighten


def wavy(lean: float, wave: float, height: int = 600, width: int = 60) -> CutPiece:
    """A leaning strip with wavy borders on black; a grey line runs 10 px inside its left border."""
    y, x = np.mgrid[:height, : width + 120].astype(float)
    left = 50 + lean * (y - height / 2) + wave * np.sin(y / 60)
    inside = (x >= left) & (x < left + width)
    pixels = np.where(inside, 250, 0)
    pixels[inside & (np.abs(x - left - 10) < 2)] = 60
    return CutPiece(np.repeat(pixels[..., None], 3, 2).astype(np.uint8), inside)


@pytest.mark.parametrize(("lean", "wave"), [(0, 0), (0.04, 0), (-0.03, 4), (0, 6)])
def test_what_runs_along_a_border_is_straight(lean, wave):
    strip = straighten(wavy(lean, wave))
    columns = strip.ink[30:-30, :30].argmax(1)
    assert np.ptp(columns) <= 4
    assert abs(strip.ink.shape[1] - 60) <= 6
    assert strip.fringed
    assert np.ptp(strip.left) == pytest.approx(2 * wave, abs=2.5)


def test_a_rectangle_stays_as_it_is():
    pixels = np.full((300, 40, 3), 240, np.uint8)
    pixels[100:110] = 0
    strip = straighten(CutPiece(pixels, np.ones((300, 40), bool)))
    np.testing.assert_array_equal(strip.pixels, pixels)
    assert strip.ink[105].min() == 255
    assert strip.ink[200].max() == 0
    assert not strip.fringed


def test_two_half_turns_are_none():
    strip = straighten(wavy(0.02, 5))
    again = strip.turned().turned()
    for name in ("pixels", "ink", "left", "right"):
        np.testing.assert_array_equal(getattr(again, name), getattr(strip, name))
    np.testing.assert_array_equal(strip.turned().ink[0], strip.ink[-1, ::-1])
