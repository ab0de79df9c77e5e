"""Boards that begin at the wrong row or column are turned where the pixels are clear and the network is not sure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from ganzzle.assembler import placement_energy
from ganzzle.assembler.turning import best_turn
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers.hybrid import classical_tables
from ganzzle.solvers.hybrid_turning import POSSIBLE, turned_slots

GRID = Grid(4, 5)


@pytest.fixture
def puzzle(draw: Callable[..., np.ndarray]) -> Puzzle:
    return Puzzle.from_picture(draw(128, 160, seed=3), GRID, seed=1, piece=32)


def truth(puzzle: Puzzle) -> NDArray[np.int64]:
    assert puzzle.truth is not None
    return puzzle.truth.placement


def moved(placement: NDArray[np.int64], down: int, across: int) -> NDArray[np.int64]:
    rows, cols = (placement // GRID.cols + down) % GRID.rows, (placement % GRID.cols + across) % GRID.cols
    return rows * GRID.cols + cols


def slots_of(placement: NDArray[np.int64], elsewhere: float) -> NDArray[np.float32]:
    slots = np.full((len(placement), GRID.slots), elsewhere, np.float32)
    slots[np.arange(len(placement)), placement] = -0.1
    return slots


@pytest.mark.parametrize(("down", "across"), [(0, 0), (1, 0), (0, 4), (3, 2)])
def test_the_best_turn_leads_back(puzzle: Puzzle, down: int, across: int) -> None:
    right, below, border = (x[0] for x in classical_tables([puzzle], GRID))
    start = moved(truth(puzzle), down, across)
    turn = best_turn(start, right, below, GRID, border)
    assert np.array_equal(moved(start, turn.down, turn.across), truth(puzzle))
    before, after = (placement_energy(x, right, below, GRID, None, border) for x in (start, truth(puzzle)))
    assert turn.gain == pytest.approx(after - before, abs=1e-3)


def test_a_turn_with_holes(puzzle: Puzzle) -> None:
    some = puzzle.reorder(np.arange(3, 20))
    right, below, border = (x[0] for x in classical_tables([some], GRID))
    start = moved(truth(some), 2, 1)
    turn = best_turn(start, right, below, GRID, border)
    assert np.array_equal(moved(start, turn.down, turn.across), truth(some))


def test_slots_are_turned_if_the_network_grants_it(puzzle: Puzzle) -> None:
    classical = [x[0] for x in classical_tables([puzzle], GRID)]
    wrong = moved(truth(puzzle), 1, 2)
    slots = turned_slots(wrong, slots_of(wrong, POSSIBLE + 1), classical, GRID)
    assert slots is not None
    assert np.array_equal(slots.argmax(1), truth(puzzle))
    assert turned_slots(wrong, slots_of(wrong, POSSIBLE - 1), classical, GRID) is None  # it is sure


def test_a_right_board_stays(puzzle: Puzzle) -> None:
    classical = [x[0] for x in classical_tables([puzzle], GRID)]
    assert turned_slots(truth(puzzle), slots_of(truth(puzzle), -1.0), classical, GRID) is None
