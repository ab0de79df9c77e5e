"""Rows of strips: the likeliest order, and how sure it is."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.board.path import lay_in_row


def worth(links, row):
    return sum(links[a, b] for a, b in pairwise(row))


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_no_order_is_better(count, seed):
    links = np.random.default_rng(seed).normal(0, 4, (count, count))
    row = lay_in_row(links, seed)
    assert sorted(np.concatenate(row.pages)) == list(range(count))
    best = max(worth(links, order) for order in permutations(range(count)))
    assert row.score == pytest.approx(best)
    assert worth(links, row.pages[0]) == pytest.approx(best)


def test_no_order_of_turned_strips_is_better():
    links = np.random.default_rng(1).normal(0, 4, (8, 8))
    back = links.reshape(4, 2, 4, 2)[:, ::-1, :, ::-1].reshape(8, 8).T
    links = (links + back) / 2  # seen from behind, a seam is the same seam
    orders = (
        2 * np.array(order) + turn for order in permutations(range(4)) for turn in product((0, 1), repeat=4)
    )
    row = lay_in_row(links, 0, turned=True)
    assert row.score == pytest.approx(max(worth(links, order) for order in orders))
    assert sorted(face // 2 for face in row.pages[0]) == list(range(4))


def test_seams_are_as_sure_as_they_are_likely():
    links = np.random.default_rng(5).normal(0, 1, (5, 5))
    orders = np.array(list(permutations(range(5))))
    chance = np.exp([worth(links, order) for order in orders])
    chance /= chance.sum()
    beside = np.zeros((5, 5))
    for order, share in zip(orders, chance, strict=True):
        beside[order[:-1], order[1:]] += share
    first = np.bincount(orders[:, 0], chance)
    row = lay_in_row(links, 0)
    np.testing.assert_allclose(row.beside, beside, atol=0.06)
    np.testing.assert_allclose(row.ends[0], first, atol=0.06)


def test_pages_part_where_nothing_holds():
    links = np.full((9, 9), -3.0)
    links[[0, 1, 2, 4, 5, 6, 7], [1, 2, 3, 5, 6, 7, 8]] = 3
    row = lay_in_row(links, 0, pages=2)
    assert sorted(page.tolist() for page in row.pages) == [[0, 1, 2, 3], [4, 5, 6, 7, 8]]


def test_what_is_known_of_the_ends_counts():
    ends = np.zeros((2, 4))
    ends[0, 2], ends[1, 0] = 5, 5
    page = lay_in_row(np.zeros((4, 4)), 0, ends=ends).pages[0]
    assert (page[0], page[-1]) == (2, 0)
