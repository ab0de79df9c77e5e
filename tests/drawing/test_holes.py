"""Holes filled from the mental image."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ganzzle.damage.corruption import erode
from ganzzle.drawing.holes import fill_holes
from ganzzle.pieces import assemble, cut
from ganzzle.puzzle import Grid
from ganzzle.reading.pictures import resize_picture

GRID = Grid(4, 5)


def test_pieces_keep_their_pixels_and_holes_come_close_to_the_truth(draw: Callable[..., np.ndarray]) -> None:
    original = resize_picture(draw(20, 25, seed=1), 128, 160)
    there = np.delete(np.arange(20), [7, 8])
    picture = assemble(cut(original, GRID)[there], GRID, there)
    # A mental image that is coarse and too dark.
    mental = (resize_picture(original, 32, 40) * 0.8).astype(np.uint8)
    filled = fill_holes(picture, mental, GRID, there)
    hole = np.kron(np.isin(np.arange(20), [7, 8]).reshape(4, 5), np.ones((32, 32), bool))
    assert np.array_equal(filled[~hole], original[~hole])
    plain = resize_picture(mental, 128, 160)
    blended_error, plain_error = (
        np.abs(x[hole].astype(float) - original[hole]).mean() for x in (filled, plain)
    )
    assert blended_error < 0.6 * plain_error


def test_a_worn_rim_does_not_darken_the_filling(draw: Callable[..., np.ndarray]) -> None:
    original = resize_picture(draw(20, 25, seed=1), 128, 160)
    there = np.delete(np.arange(20), [7])
    worn = assemble(erode(cut(original, GRID)[there], 3), GRID, there)
    filled = fill_holes(worn, resize_picture(original, 32, 40), GRID, there)
    hole = (slice(32, 64), slice(64, 96))
    assert abs(filled[hole].mean() - original[hole].mean()) < 8


def test_nothing_to_fill() -> None:
    picture = np.full((8, 10, 3), 9, np.uint8)
    assert fill_holes(picture, picture, GRID, np.arange(20)) is picture
