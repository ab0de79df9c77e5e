"""Both sides of a wavy cut bend alike."""

import numpy as np

from ganzzle.reading.straighten import straighten
from ganzzle.samples.shredding import RECTANGLES, Shredder, shred
from ganzzle.seams.cut_lines import line_fits

COUNT = 8
BLANK = np.full((1200, 900, 3), 240, np.uint8)
SHIFTS = np.arange(-6.0, 7.0, 2.0)


def fits_of(shredder):
    return line_fits([straighten(piece) for piece in shred(BLANK, COUNT, 1, shredder)], SHIFTS)


def test_neighbours_fit_by_shape_alone():
    fits = fits_of(Shredder(shift=4))
    best = fits.max(2) - 1e9 * np.eye(COUNT)
    right = np.arange(COUNT - 1)
    assert (best[:-1].argmax(1) == right + 1).all()
    strangers = ~np.eye(COUNT, dtype=bool) & ~np.eye(COUNT, k=1, dtype=bool)
    assert best[right, right + 1].min() > best[strangers].max()


def test_rectangles_say_nothing():
    assert not fits_of(RECTANGLES).any()
