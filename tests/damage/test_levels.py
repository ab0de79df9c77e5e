"""Pieces whose colour is off are found and levelled along a board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ganzzle.damage.corruption import erode, shift_colours
from ganzzle.damage.levels import colour_shifts, levelled, unevenness
from ganzzle.puzzle import Puzzle
from ganzzle.samples import sample_picture
from ganzzle.solution import Solution


def test_shifts_of_a_right_board_are_found():
    ramp = np.linspace(60, 180, 96)[:, None] + np.linspace(-20, 20, 128)
    puzzle = Puzzle.in_order(np.repeat(ramp[..., None], 3, 2).astype(np.uint8), (3, 4))
    shifts = np.random.default_rng(0).normal(0, 10, (12, 3)).round()
    off = (puzzle.pieces + shifts[:, None, None]).astype(np.uint8)
    found = colour_shifts(off, np.arange(12), puzzle.grid)
    error = (found - found.mean(0)) - (shifts - shifts.mean(0))
    assert np.abs(error).max() < 2.5  # the pixels' own slope, and the wish to stay


def test_a_hole_and_a_piece_alone_have_no_seams():
    pieces = np.random.default_rng(0).integers(0, 256, (2, 8, 8, 3), np.uint8)
    puzzle = Puzzle.in_order(np.zeros((24, 24, 3), np.uint8), 3)
    assert unevenness(pieces, np.array([0, 8]), puzzle.grid) == 0
    assert not colour_shifts(pieces, np.array([0, 8]), puzzle.grid).any()


def test_only_shifted_pieces_are_uneven():
    puzzle = Puzzle.in_order(sample_picture("landscape"), 8)
    shifted = shift_colours(puzzle.pieces, 0.03, np.random.default_rng(0))
    assert unevenness(puzzle.pieces, np.arange(64), puzzle.grid) < 1
    assert unevenness(shifted, np.arange(64), puzzle.grid) > 2


def test_a_worn_rim_stays_as_it_is():
    puzzle = Puzzle.in_order(sample_picture("landscape"), 8)
    shifted = shift_colours(puzzle.pieces, 0.03, np.random.default_rng(0))
    even = levelled(erode(shifted, 2), np.arange(64), puzzle.grid, rim=2)
    assert np.array_equal(erode(even, 2), even)
    inside = np.s_[:, 2:-2, 2:-2]
    before, after = (np.abs(x[inside].astype(int) - puzzle.pieces[inside]).mean() for x in (shifted, even))
    assert after < before / 2


def test_an_even_picture_of_turned_pieces():
    whole = Puzzle.from_picture(sample_picture("landscape"), 8, seed=0, piece=32, rotated=True)
    puzzle = replace(whole, pieces=shift_colours(whole.pieces, 0.03, np.random.default_rng(0)))
    right = Solution(puzzle, puzzle.grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(64))
    true = replace(right, puzzle=whole).picture().astype(int)
    errors = [np.abs(right.picture(even=even) - true).mean() for even in (False, True)]
    assert errors[1] < errors[0] / 2


def test_pieces_of_a_single_line_are_levelled_too():
    rows = np.arange(4, dtype=np.uint8)[:, None, None].repeat(6, 1).repeat(3, 2)
    puzzle = Puzzle.in_order(rows, (4, 1))
    assert levelled(puzzle.pieces, np.arange(4), puzzle.grid).shape == puzzle.pieces.shape
