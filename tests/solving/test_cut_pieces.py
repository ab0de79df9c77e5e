"""Drawn jigsaw puzzles from pages of loose pieces to the laid picture."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.pile import Pile
from ganzzle.reading.cut_pages import find_cut_pieces
from ganzzle.samples import sample_picture
from ganzzle.samples.jigsaws import jigsaw_pages
from ganzzle.solving.cut_pieces import solve_cut


@pytest.fixture(scope="module")
def drawn():
    """Pages of a drawn puzzle of 4x5 pieces, and its answer."""
    pages = jigsaw_pages(sample_picture("balloons"), "4x5", 3)
    return pages, solve_cut(Pile(find_cut_pieces(pages.pages).pieces, kind="cut"))


def true_places(pages, pieces):
    """(n, 2) the true row and column of each piece, by where it lies on its page."""
    found = []
    for piece in pieces:
        y, x = np.nonzero(piece.mask)
        spot = np.array([x.mean(), y.mean()]) + piece.corner
        here = [one for one in pages.pieces if one.page == piece.page]
        nearest = min(here, key=lambda one: np.hypot(one.x - spot[0], one.y - spot[1]))
        found.append((nearest.row, nearest.col))
    return np.array(found)


def neighbours(places):
    """The pairs of pieces that lie beside or below each other."""
    at = {tuple(place): k for k, place in enumerate(places.tolist())}
    return {
        frozenset((k, at[row + down, col + right]))
        for (row, col), k in at.items()
        for down, right in ((0, 1), (1, 0))
        if (row + down, col + right) in at
    }


def test_all_pieces_are_laid_beside_their_neighbours(drawn):
    pages, answer = drawn
    solution = answer.solutions[0]
    places = np.stack(np.divmod(solution.placement, solution.grid.cols), 1)
    truth = true_places(pages, [answer.pile.pieces[k] for k in solution.pieces])
    assert len(solution.pieces) == 20
    assert neighbours(places) == neighbours(truth)
    assert solution.confidence.mean() > 0.8


def test_poses_lay_the_pieces_side_by_side(drawn):
    _, answer = drawn
    solution = answer.solutions[0]
    shown = solution.picture()
    assert abs(np.prod(shown.shape[:2]) / (20 * 120**2) - 1) < 0.1
    assert (shown.max(2) > 0).mean() > 0.97
