"""Scores of strips side by side."""

import numpy as np
import pytest

from ganzzle.reading.straighten import straighten
from ganzzle.samples.documents import draw_document
from ganzzle.samples.shredding import RECTANGLES, Shredder, shred
from ganzzle.seams.bands import band_fits, turned_fits

COUNT = 8


@pytest.fixture(scope="module")
def page():
    return draw_document(1400, seed=9)


@pytest.fixture(scope="module")
def fits(page):
    return band_fits([straighten(piece) for piece in shred(page, COUNT, 2, RECTANGLES)])


def test_neighbours_fit_best(fits):
    right = np.arange(COUNT - 1)
    links = fits.links - 1e9 * np.eye(COUNT)
    inked = ~fits.blank[1, :-1] & ~fits.blank[0, 1:]
    assert (links[:-1].argmax(1) == right + 1)[inked].mean() > 0.7
    assert fits.links[right, right + 1][inked].mean() > 5


def test_strips_that_lie_lower_are_seen_to(page):
    plain = Shredder(wave=0, fringe=0, lost=1, shift=0, turn=0, noise=0)
    strips = [straighten(piece) for piece in shred(page, COUNT, 2, plain)]
    high = len(strips[0].ink)
    moved = [
        straighten(
            type(piece)(np.roll(piece.pixels, 4 * (k % 2), 0)[: high - k % 2], piece.mask[: high - k % 2])
        )
        for k, piece in enumerate(shred(page, COUNT, 2, plain))
    ]
    fits = band_fits(moved)
    for k in range(COUNT - 1):
        if fits.links[k, k + 1] > 5:
            assert fits.shifts[k, k + 1] == pytest.approx(-4 if k % 2 == 0 else 4, abs=2.6)


def test_blank_borders_say_nothing(page):
    pieces = shred(page, COUNT, 2, RECTANGLES)
    white = type(pieces[0])(np.full_like(pieces[0].pixels, 255), pieces[0].mask)
    fits = band_fits([straighten(piece) for piece in (*pieces, white)])
    assert fits.blank[:, -1].all()
    assert np.abs(fits.links[-1, :]).max() < 0.1
    assert np.abs(fits.links[:, -1]).max() < 0.1


def test_a_seam_upside_down_is_the_same_seam(page):
    strips = [straighten(piece) for piece in shred(page, 4, 2)]
    links = turned_fits(strips).links
    back = np.arange(8) ^ 1
    np.testing.assert_allclose(links, links[np.ix_(back, back)].T, atol=1e-6)
