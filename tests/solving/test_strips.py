"""Piles of strips become pages."""

from dataclasses import replace

import numpy as np
import pytest

from ganzzle.errors import PuzzleError
from ganzzle.pile import CutPiece, Pile
from ganzzle.samples.documents import draw_document
from ganzzle.samples.shredding import RECTANGLES, shred
from ganzzle.solving.strips import solve_strips

COUNT = 9
ORDER = np.random.default_rng(3).permutation(COUNT)


def pile_of(pieces, **known):
    return Pile(tuple(pieces), kind="strips", **known)


def upside_down(piece):
    return replace(piece, pixels=piece.pixels[::-1, ::-1], mask=piece.mask[::-1, ::-1])


@pytest.fixture(scope="module")
def page():
    return draw_document(1400, seed=9)


@pytest.fixture(scope="module")
def strips(page):
    return shred(page, COUNT, 1, RECTANGLES)


@pytest.fixture(scope="module")
def answer(strips):
    return solve_strips(pile_of([strips[k] for k in ORDER], turned=False))


def inked(order):
    """The part of an order without the margins, which may lie anywhere."""
    return [k for k in order if 0 < k < COUNT - 1]


def test_the_page_comes_back(answer):
    (page,) = answer.solutions
    assert str(page.grid) == f"1x{COUNT}"
    assert inked(ORDER[np.argsort(page.placement)]) == list(range(1, COUNT - 1))
    assert page.confidence.shape == (COUNT,)
    assert (page.confidence >= 0).all()
    assert (page.confidence <= 1).all()


def test_strips_are_laid_where_they_were_cut(answer, page):
    picture = answer.picture()
    assert picture.shape[0] == pytest.approx(page.shape[0], abs=20)
    assert picture.shape[1] == pytest.approx(page.shape[1], rel=0.03)
    (solution,) = answer.solutions
    across = solution.poses[np.argsort(solution.placement)][:, 0, 2]
    assert (np.diff(across) > 0.7 * page.shape[1] / COUNT).all()


def test_the_order_in_which_strips_came_does_not_matter(answer, strips):
    again = solve_strips(pile_of(strips, turned=False))
    np.testing.assert_array_equal(again.placement[ORDER], answer.placement)
    np.testing.assert_allclose(again.confidence[ORDER], answer.confidence)


def test_strips_that_lie_upside_down_are_turned(strips):
    lying = [upside_down(strip) if k % 3 == 1 else strip for k, strip in enumerate(strips)]
    (solution,) = solve_strips(pile_of(lying)).solutions
    order = inked(np.argsort(solution.placement))
    assert order in (list(range(1, COUNT - 1)), list(range(1, COUNT - 1))[::-1])
    turned = np.abs(solution.angles) > 90
    flipped = np.array([k % 3 == 1 for k in range(COUNT)])
    assert (turned == flipped)[1:-1].all() or (turned != flipped)[1:-1].all()


@pytest.mark.parametrize("count", [1, 2])
def test_a_strip_or_two(strips, count):
    (solution,) = solve_strips(pile_of(strips[4 : 4 + count])).solutions
    assert sorted(solution.placement) == list(range(count))
    assert solution.picture().shape[0] == pytest.approx(1400, abs=20)


def test_blank_strips_are_laid_and_never_sure():
    blank = [
        CutPiece(np.full((400, 20 + k, 3), 250, np.uint8), np.ones((400, 20 + k), bool)) for k in range(6)
    ]
    answer = solve_strips(pile_of(blank))
    assert sorted(answer.placement) == list(range(6))
    assert (answer.confidence < 0.5).all()
    assert any("without ink" in line for line in answer.advice)


@pytest.mark.parametrize("told", [2, None])
def test_two_pages_in_one_bag(page, told):
    other = draw_document(1400, seed=12)
    pieces = [*shred(page, COUNT, 1, RECTANGLES), *shred(other, COUNT, 2, RECTANGLES)]
    answer = solve_strips(pile_of(pieces, puzzles=told, turned=False))
    assert len(answer.solutions) == 2
    assert sorted(np.concatenate([one.members for one in answer.solutions])) == list(range(2 * COUNT))
    middles = (
        {int(answer.puzzles[k]) for k in range(2, COUNT - 2)},
        {int(answer.puzzles[k]) for k in range(COUNT + 2, 2 * COUNT - 2)},
    )
    assert all(len(middle) == 1 for middle in middles)
    assert middles[0] != middles[1]


def test_what_is_no_pile_of_strips_is_refused(draw):
    with pytest.raises(PuzzleError, match="tiles"):
        solve_strips(Pile(np.stack([draw(20, 20, k) for k in range(3)])))
    nothing = CutPiece(np.zeros((40, 8, 3), np.uint8), np.zeros((40, 8), bool), name="strip-3.png")
    with pytest.raises(PuzzleError, match=r"strip-3\.png"):
        solve_strips(pile_of([nothing]))
