"""Cut pieces found on drawn pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ganzzle.reading.cut_pages import find_cut_pieces
from ganzzle.samples.jigsaws import SPOILT, Look, jigsaw_pages

SIDE = 70


def middles(pieces):
    """(n, 2) the middles of pieces on their page, x and y."""
    found = []
    for piece in pieces:
        y, x = np.nonzero(piece.mask)
        found.append((x.mean() + piece.corner[0], y.mean() + piece.corner[1]))
    return np.array(found)


def farthest(pieces, told):
    """How far, at most, the middle of a true piece is from the nearest one that was found, in px."""
    spots = middles(pieces)
    return max(np.hypot(*(spots - [one.x, one.y]).T).min() for one in told)


@pytest.mark.parametrize("ground", ["pink", "green", "pale", "blue", "white", "black", "wood"])
def test_all_pieces_of_a_page_are_found_on_any_ground(draw, ground):
    made = jigsaw_pages(draw(210, 280, 3), "3x4", 1, side=SIDE, look=Look(ground=ground))
    found = find_cut_pieces(made.pages)
    assert len(found.pieces) == 12
    assert found.complaints == ()
    assert farthest(found.pieces, made.pieces) < SIDE / 10


def test_all_pieces_of_a_spoilt_page_are_found(draw):
    made = jigsaw_pages(draw(210, 280, 3), "3x4", 2, side=SIDE, look=replace(SPOILT, ground="green"))
    pieces = find_cut_pieces(made.pages).pieces
    assert len(pieces) == 12
    assert farthest(pieces, made.pieces) < SIDE / 5


def test_pieces_of_several_pages_keep_their_page(draw):
    made = jigsaw_pages(draw(210, 280, 3), "3x4", 0, side=SIDE, pages=3)
    pieces = find_cut_pieces(made.pages).pieces
    assert [piece.page for piece in pieces] == [0] * 4 + [1] * 4 + [2] * 4
    assert len({piece.name for piece in pieces}) == 12


def test_one_piece_a_picture_takes_the_name_of_its_file(draw):
    made = jigsaw_pages(draw(140, 140, 3), "2x2", 0, side=SIDE, pages=4)
    names = ["a.png", "b.png", "c.png", "d.png"]
    assert [piece.name for piece in find_cut_pieces(made.pages, names).pieces] == names


def test_a_turned_page_shows_the_same_pieces(draw):
    page = jigsaw_pages(draw(140, 210, 3), "2x3", 0, side=SIDE).pages[0]
    pieces, turned = (find_cut_pieces([one]).pieces for one in (page, np.rot90(page).copy()))
    spots = middles(pieces)
    expected = np.stack([spots[:, 1], page.shape[1] - 1 - spots[:, 0]], 1)
    off = np.hypot(*(expected[:, None] - middles(turned)[None]).transpose(2, 0, 1))
    assert off.min(1).max() < 1.5


@pytest.mark.parametrize("level", [0, 128, 255])
def test_an_empty_page_shows_no_pieces(level):
    assert find_cut_pieces([np.full((200, 300, 3), level, np.uint8)]).pieces == ()
