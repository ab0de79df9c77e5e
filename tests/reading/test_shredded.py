"""Strips are told from other piles, and found in files and on sheets."""

import numpy as np
import pytest

from ganzzle.errors import ApartError
from ganzzle.reading.shredded import find_strips
from ganzzle.samples.documents import draw_document
from ganzzle.samples.shredding import RECTANGLES, scattered_strips, shred


@pytest.fixture(scope="module")
def page():
    return draw_document(1000, seed=3)


@pytest.fixture(scope="module")
def strips(page):
    return shred(page, 12, seed=1)


@pytest.mark.parametrize("shredder", [None, RECTANGLES])
def test_a_strip_a_file(page, shredder):
    cut = shred(page, 12, seed=1, shredder=shredder)
    found = find_strips([piece.pixels for piece in cut], [piece.name for piece in cut])
    assert [piece.name for piece in found] == [piece.name for piece in cut]
    for piece, own in zip(found, cut, strict=True):
        assert (piece.mask ^ own.mask).mean() < 0.03
    assert all(piece.mask.all() for piece in found) == (shredder is RECTANGLES)


@pytest.mark.parametrize("ground", [(238, 200, 40), (60, 140, 90), (0, 0, 0), (214, 90, 70)])
def test_strips_on_sheets(strips, ground):
    sheets = scattered_strips(strips, seed=2, sheets=2, ground=ground)
    found = find_strips(sheets.pictures)
    assert len(found) == 12
    for piece, own in zip(found, sheets.strips, strict=True):
        assert piece.mask.sum() == pytest.approx(strips[own].mask.sum(), rel=0.05)
        x, y = (int(at) for at in piece.corner)
        high, wide = piece.mask.shape
        np.testing.assert_array_equal(sheets.pictures[piece.page][y : y + high, x : x + wide], piece.pixels)


def test_the_lid_of_the_scanner_is_no_strip(strips):
    sheet = scattered_strips(strips, seed=2, sheets=1).pictures[0]
    sheet = np.pad(sheet, ((0, 0), (25, 40), (0, 0)), constant_values=232)
    sheet[:9] = (90, 80, 70)
    assert len(find_strips([sheet])) == 12


def test_tiles_pieces_and_blank_sheets_are_no_strips(draw):
    tiles = [draw(40, 40, seed) for seed in range(6)]
    assert find_strips(tiles) == ()
    assert find_strips([draw(300, 400)]) == ()
    assert find_strips([np.full((400, 300, 3), 255, np.uint8)]) == ()
    apart = np.full((400, 600, 3), (240, 200, 40), np.uint8)
    for k in range(5):
        apart[100:220, 40 + 110 * k : 120 + 110 * k] = draw(120, 80, k)
    assert find_strips([apart]) == ()


def test_files_of_many_lengths_are_no_strips(draw):
    assert find_strips([draw(100 + 90 * k, 20) for k in range(8)]) == ()


def test_strips_that_touch_are_refused_in_words(strips):
    sheet = scattered_strips(strips, seed=2, sheets=1).pictures[0]
    found = find_strips([sheet])
    a, b = found[3], found[4]
    end, begin = (int(a.corner[0]) + a.mask.shape[1] - 4, int(b.corner[0]) + 4)
    glued = sheet.copy()
    glued[60:-60, end - 4 : begin + 4] = 250
    with pytest.raises(ApartError, match="lay all strips apart"):
        find_strips([glued])
