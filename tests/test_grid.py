"""Grids: how they are written, which fit, which slots are neighbours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid


def test_a_grid_is_written_in_many_ways():
    for text in ("6x9", " 6 X 9 ", "6×9", (6, 9), [6, 9], np.array([6, 9]), (np.int64(6), 9), Grid(6, 9)):  # noqa: RUF001
        assert Grid.of(text) == Grid(6, 9)
    assert Grid.of(8) == Grid(8, 8)
    assert str(Grid(6, 9)) == "6x9"
    assert Grid(6, 9).slots == 54


@pytest.mark.parametrize(
    "wrong",
    [
        "8",
        "8by8",
        "",
        "0x5",
        "-1x5",
        "x",
        (1, 2, 3),
        (0, 4),
        "100000x100000",
        "9" * 5000 + "x1",
        (6.7, 9),
        6.0,
        None,
    ],
)
def test_what_is_no_grid_is_refused(wrong):
    with pytest.raises(PuzzleError):
        Grid.of(wrong)


def test_grids_that_fit_a_count():
    assert Grid.that_fit(12) == [Grid(3, 4), Grid(4, 3), Grid(2, 6), Grid(6, 2), Grid(1, 12), Grid(12, 1)]
    assert Grid.that_fit(7) == [Grid(1, 7), Grid(7, 1)]
    assert Grid.that_fit(1) == [Grid(1, 1)]
    for count in range(1, 400):
        grids = Grid.that_fit(count)
        for one, two in pairwise(grids):
            assert max(one.rows, one.cols) <= max(two.rows, two.cols)
        for wide in Grid.that_fit(count, wide=True):
            assert wide.rows <= wide.cols
            assert grids.index(wide) <= grids.index(Grid(wide.cols, wide.rows))


def test_adjacencies_of_a_2x3_grid():
    right, down = Grid(2, 3).adjacencies()
    assert right.tolist() == [[0, 1], [1, 2], [3, 4], [4, 5]]
    assert down.tolist() == [[0, 3], [1, 4], [2, 5]]
