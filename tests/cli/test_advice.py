"""What is said where a solver is not sure names only what the solver can do."""

from __future__ import annotations

import numpy as np
import pytest

from ganzzle.cli.advice import advice, copies, turned_by_chance
from ganzzle.cli.reading import Task
from ganzzle.puzzle import Puzzle
from ganzzle.solvers import Arrangement, Solver


class Unsure(Solver):
    """Lays the pieces down as they come."""

    name = "unsure"
    calibrated = True

    def arrange(self, puzzle, seed):
        return Arrangement(np.arange(len(puzzle)), confidence=np.full(len(puzzle), 0.1))


class UnsureOfTurns(Unsure):
    """The same, with an option that it does not use."""

    def __init__(self, rotated: bool = False) -> None:
        self.rotated = rotated


@pytest.mark.parametrize(
    ("solver", "named"), [(Unsure(), False), (UnsureOfTurns(), True), (UnsureOfTurns(rotated=True), False)]
)
def test_turning_is_advised_where_it_is_possible_and_new(draw, solver, named):
    puzzle = Puzzle.from_picture(draw(40, 40), 2)
    (line,) = advice(solver, Task(puzzle, [], None, puzzle.grid), solver.solve(puzzle), 0)
    assert line.startswith("if that looks wrong")
    assert ("--rotated" in line) == named


@pytest.mark.parametrize(
    ("turns", "square", "chance"),
    [
        ([0, 1, 2, 3, 0, 1], True, True),
        ([0, 0, 0, 2, 2, 2], True, False),  # two parts of a picture
        ([0, 0, 0, 2, 2, 2], False, True),
        ([0] * 9 + [2], False, False),
        ([0] * 10, False, False),
    ],
)
def test_pieces_that_are_not_square_lie_two_ways(turns, square, chance):
    assert turned_by_chance(np.array(turns), square) == chance


def test_a_piece_that_is_there_twice_is_named(draw):
    pieces = Puzzle.from_picture(draw(40, 40), 2).pieces
    flat = np.full_like(pieces[:2], 90)
    names = ["a", "b", "c", "d", "e", "f", "copy of b"]
    pile = Puzzle(np.concatenate([pieces, flat, pieces[1:2]]))
    (line,) = copies(Task(pile, names, None, None))
    assert line.startswith("b and copy of b look exactly the same")
    assert copies(Task(Puzzle(pile.pieces[:-1]), names[:-1], None, None)) == []
