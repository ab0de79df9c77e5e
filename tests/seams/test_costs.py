"""Seam costs equal their plain definitions, and stay finite where an edge says nothing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from ganzzle.errors import SolverError
from ganzzle.puzzle import Puzzle
from ganzzle.seams import COSTS, DOWN, LEFT, RIGHT, UP, find_cost, seam_table
from ganzzle.seams.lab import SCALE, fixed_lab

_spec = importlib.util.spec_from_file_location("reference", Path(__file__).with_name("reference.py"))
assert _spec is not None
assert _spec.loader is not None
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)


def seen(piece: np.ndarray, side: int) -> np.ndarray:
    """A piece laid so that `side` is its right."""
    return {
        RIGHT: piece,
        LEFT: piece[:, ::-1],
        DOWN: piece.transpose(1, 0, 2),
        UP: piece.transpose(1, 0, 2)[:, ::-1],
    }[side]


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("size", [(28, 28), (7, 12), (12, 5), (1, 4), (4, 1), (1, 1), (2, 2)])
def test_costs_equal_the_plain_reference(name, size):
    rng = np.random.default_rng(0)
    pieces = rng.integers(0, 256, (6, *size, 3), dtype=np.uint8)
    table = seam_table(pieces, name)
    for side in (RIGHT, LEFT, DOWN, UP):
        for i in range(6):
            for j in range(6):
                if i != j:
                    # the piece at the left is the asking one, so what it sees is mirrored for LEFT and UP
                    expected = reference.COSTS[name](seen(pieces[i], side), seen(pieces[j], side))
                    assert table[side, i, j] == pytest.approx(expected, rel=2e-4)


def test_every_cost_has_a_reference():
    assert set(COSTS) == set(reference.COSTS)


@pytest.mark.parametrize("name", COSTS)
def test_a_true_seam_is_cheap(name, draw):
    puzzle = Puzzle.in_order(draw(112, 112, 3), 4)
    table = seam_table(puzzle.pieces, name)
    for side, pairs in zip((RIGHT, DOWN), puzzle.grid.adjacencies(), strict=True):
        for a, b in pairs:
            assert table[side, a].argmin() == b


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("size", [(16, 16), (1, 1), (8, 1)])
def test_flat_and_identical_pieces_have_finite_costs(name, size):
    pieces = np.zeros((5, *size, 3), np.uint8)
    pieces[2:] = 255
    pieces[4, ..., 0] = 7
    table = seam_table(pieces, name)
    off = ~np.eye(5, dtype=bool)
    assert np.isfinite(table[:, off]).all()
    assert np.isinf(table[:, ~off]).all()
    assert (table[:, 0, 1] == 0).all()
    assert (table[:, 0, 2] > 0).all()


@pytest.mark.parametrize("name", ["l1-lab", "lpq"])
def test_prediction_continues_the_gradient(name):
    """A ramp is predicted exactly in L; its copy one step further costs less than the same column again."""
    ramp = np.repeat(np.arange(100, 132, 2, dtype=np.uint8)[None, :, None], 8, 0).repeat(3, 2)
    pieces = np.stack([ramp[:, :8], ramp[:, 8:], ramp[:, 7:15]])
    assert seam_table(pieces, name)[RIGHT, 0, 1] < seam_table(pieces, name)[RIGHT, 0, 2]


def test_an_unknown_cost_names_the_known_ones():
    with pytest.raises(SolverError, match="l1-lab, lpq, mgc"):
        find_cost("nothing")


def test_lab_of_known_colours():
    colours = np.array(
        [[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [119, 119, 119]], np.uint8
    )
    expected = [
        [0, 0, 0], [100, 0, 0], [53.24, 80.09, 67.20], [87.73, -86.18, 83.18], [32.30, 79.19, -107.86], [50.03, 0, 0],
    ]  # fmt: skip
    lab = fixed_lab(colours)
    assert np.allclose(lab / SCALE, expected, atol=0.06)
    assert np.array_equal(lab, np.rint(lab))
    assert (lab[[0, 1, 5], 1:] == 0).all()
