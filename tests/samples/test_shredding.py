"""Drawn documents and the shredder."""

import numpy as np
import pytest

from ganzzle.errors import PuzzleError
from ganzzle.samples.documents import draw_document
from ganzzle.samples.shredding import RECTANGLES, Shredder, scattered_strips, shred

PAGE = draw_document(600, seed=1)


def test_a_document_is_drawn_by_its_seed() -> None:
    assert np.array_equal(PAGE, draw_document(600, seed=1))
    assert not np.array_equal(PAGE, draw_document(600, seed=2))
    assert PAGE.shape[0] == 600
    assert PAGE.min() < 120 < 220 < PAGE.max()


def test_rectangles_laid_side_by_side_are_the_page_again() -> None:
    plain = Shredder(wave=0, fringe=0, lost=0, shift=0, turn=0, noise=0, jpeg=100)
    strips = shred(PAGE, 9, 0, plain)
    assert all(strip.mask.all() for strip in strips)
    together = np.concatenate([strip.pixels for strip in strips], 1).astype(int)
    assert abs(together.shape[1] - PAGE.shape[1]) <= 9
    assert np.abs(strips[0].pixels - PAGE[:, : strips[0].pixels.shape[1]].astype(int)).mean() < 3


def test_what_is_lost_at_a_cut_is_missing() -> None:
    wide = [sum(s.mask.sum() for s in shred(PAGE, 9, 0, Shredder(lost=lost, shift=0))) for lost in (0, 12)]
    assert wide[0] - wide[1] == pytest.approx(8 * 12 * 600 / 3508 * 600, rel=0.1)


def test_strips_on_sheets_say_where_each_of_them_lies() -> None:
    strips = shred(PAGE, 7, 3)
    sheets = scattered_strips(strips, 4, sheets=2, turned=True, ground=(0, 0, 255))
    assert sorted(sheets.strips) == list(range(7))
    assert len(sheets.pictures) == 2
    paper = [((picture[..., 0] > 128) | (picture.max(-1) < 128)).sum() for picture in sheets.pictures]
    for area, places in zip(paper, np.array_split(sheets.strips, 2), strict=True):
        assert area == pytest.approx(sum(strips[k].mask.sum() for k in places), rel=0.05)


def test_a_page_is_not_cut_into_slivers() -> None:
    with pytest.raises(PuzzleError, match="1 to"):
        shred(PAGE, 400, 0, RECTANGLES)
