"""The contract every solver keeps; a new one is tested the moment it is registered and has its weights."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import pytest

from ganzzle.errors import SolverError
from ganzzle.metrics import score
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers import SOLVERS, Arrangement, Solver, load_solver, ready_solvers
from ganzzle.solvers.base import PlacementError
from ganzzle.solvers.paikin_tal import PaikinTal


@cache
def loaded(name: str, **options: bool) -> Solver:
    """Loading may take a while, so each solver is loaded once."""
    return load_solver(name, device="cpu", **options)


@pytest.fixture(params=sorted(ready_solvers()))
def solver(request) -> Solver:
    """Every solver that works out of the box."""
    return loaded(request.param)


@pytest.fixture(params=sorted(name for name, info in ready_solvers().items() if info.rotated))
def turning(request) -> Solver:
    """Every solver that takes turned pieces."""
    return loaded(request.param, rotated=True)


def solved(solver: Solver, puzzle: Puzzle, seed: int = 0) -> Solution:
    """Solve, and check what holds for every solution."""
    try:
        solution = solver.solve(puzzle, seed)
    except PlacementError:
        raise
    except SolverError as error:
        pytest.skip(f"{solver.name} does not take such puzzles: {error}")
    return checked(solution, puzzle)


def checked(solution: Solution, puzzle: Puzzle) -> Solution:
    """What holds for every solution; pieces that do not fit may be left out where the grid is to be found."""
    count = len(solution.members)
    assert count == len(puzzle) if puzzle.grid else 0 < count <= len(puzzle)
    for values in (solution.placement, solution.turns, solution.confidence):
        assert values.shape == (count,)
    assert len(set(solution.placement.tolist())) == count
    assert solution.placement.min() >= 0
    assert solution.placement.max() < solution.grid.slots
    assert not (solution.turns % 2).any() or puzzle.piece_size[0] == puzzle.piece_size[1]
    assert np.isfinite(solution.confidence).all()
    assert solution.confidence.min() >= 0
    assert solution.confidence.max() <= 1
    if puzzle.grid is not None:
        assert solution.grid == puzzle.grid
    if solution.order is not None:
        assert sorted(solution.order.tolist()) == list(range(count))
    height, width = puzzle.piece_size
    assert solution.picture().shape == (height * solution.grid.rows, width * solution.grid.cols, 3)
    return solution


@pytest.mark.parametrize(
    ("grid", "piece"), [((6, 6), 32), ((3, 5), 28), ((1, 1), 32), ((1, 7), 32), ((7, 1), 20), ((2, 2), 32)]
)
def test_any_grid_gives_a_valid_placement(solver, draw, grid, piece):
    solution = solved(solver, Puzzle.from_picture(draw(240, 240), grid, piece=piece, seed=1))
    assert not solution.turns.any()


@pytest.mark.parametrize(
    ("grid", "shape"), [((4, 4), (96, 96)), ((3, 5), (72, 120)), ((3, 4), (96, 96)), ((1, 6), (60, 72))]
)
def test_turned_pieces(turning, draw, grid, shape):
    """A solver with the option `rotated` finds slots and turns, also of pieces that allow half turns only."""
    puzzle = Puzzle.from_picture(draw(*shape, 6), grid, seed=1, rotated=True)
    assert score(solved(turning, puzzle)).direct == 1


@pytest.mark.parametrize("corrupt", ["missing:0.4", "noise:0.15", "erode:2"])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_turned_pieces_that_hardly_fit_stay_on_the_grid(turning, draw, corrupt, known):
    for seed, grid in enumerate([(3, 8), (8, 3), (2, 7), (5, 4), (3, 8), (1, 6)]):
        picture = draw(24 * grid[0], 24 * grid[1], seed)
        puzzle = Puzzle.from_picture(picture, grid, seed=seed, rotated=True, corrupt=corrupt)
        solved(turning, puzzle if known else Puzzle(puzzle.pieces))


@pytest.mark.parametrize("grid", [(3, 4), (6, 4), (6, 6)])
def test_turned_pieces_of_an_unknown_grid(turning, draw, grid):
    """Upright or on its side: turned pieces do not tell."""
    for seed in range(2):
        picture = draw(24 * grid[0], 24 * grid[1], seed)
        puzzle = Puzzle.from_picture(picture, grid, seed=seed, rotated=True)
        assert solved(turning, Puzzle(puzzle.pieces)).grid in (Grid(*grid), Grid(*grid[::-1]))


@pytest.mark.parametrize("corrupt", ["missing:0.2", "noise:0.2"])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_turned_pieces_of_several_puzzles(draw, corrupt, known):
    turning = PaikinTal(rotated=True)
    for seed in range(4):
        parts = [
            Puzzle.from_picture(draw(72, 144, 10 * seed + k), (3, 6), seed=k, rotated=True, corrupt=corrupt)
            for k in range(3)
        ]
        pile = Puzzle(np.concatenate([part.pieces for part in parts]))
        solutions = turning.solve_mixed(pile, 3, grid=(3, 6) if known else None)
        for solution in solutions:
            checked(solution, solution.puzzle)
        assert sorted(p for one in solutions for p in one.pieces) == list(range(len(pile)))


def test_strips(solver, draw):
    solved(solver, Puzzle.from_picture(draw(96, 120), (1, 12), seed=1))


def test_pieces_of_one_pixel(solver, draw):
    solved(solver, Puzzle.from_picture(draw(4, 4), (4, 4), seed=1))


def test_the_same_seed_gives_the_same_answer(solver, draw):
    puzzle = Puzzle.from_picture(draw(192, 192), 6, piece=32, seed=2)
    one, two = solved(solver, puzzle, seed=5), solved(solver, puzzle, seed=5)
    assert np.array_equal(one.placement, two.placement)
    assert np.array_equal(one.confidence, two.confidence)


@pytest.mark.parametrize("corrupt", ["none", "missing:0.2", "noise:0.2", "erode:2"])
def test_shuffling_the_input_changes_nothing_but_the_labels(solver, draw, corrupt):
    puzzle = Puzzle.from_picture(draw(192, 192, 3), 6, piece=32, seed=3, corrupt=corrupt)
    order = np.random.default_rng(0).permutation(len(puzzle))
    one, two = solved(solver, puzzle), solved(solver, puzzle.reorder(order))
    assert np.array_equal(two.placement, one.placement[order])
    assert np.array_equal(two.confidence, one.confidence[order])


def test_arrival_in_the_true_order_is_of_no_use(solver):
    """Pure noise has no seams: whoever scores far above chance has looked at the order."""
    rng = np.random.default_rng(4)
    right = []
    for seed in range(4):
        puzzle = Puzzle.in_order(rng.integers(0, 256, (192, 192, 3), dtype=np.uint8), 6)
        right.append((solved(solver, puzzle, seed).placement == np.arange(36)).mean())
    assert np.mean(right) < 0.25


@pytest.mark.parametrize("share", [0.1, 0.3, 0.9])
def test_missing_pieces_leave_the_right_number_of_slots_empty(solver, draw, share):
    puzzle = Puzzle.from_picture(draw(192, 192), 6, piece=32, seed=1, corrupt=f"missing:{share}")
    solution = solved(solver, puzzle)
    assert len(np.setdiff1d(np.arange(36), solution.placement)) == 36 - len(puzzle)


def test_a_single_piece_is_sure_of_its_slot_only_if_there_is_no_other(solver, draw):
    (picture,) = Puzzle.from_picture(draw(96, 96), 3).pieces[:1]
    assert solved(solver, Puzzle(picture[None], Grid(1, 1))).confidence[0] > 0.25
    assert solved(solver, Puzzle(picture[None], Grid(3, 3))).confidence[0] < 0.9


@pytest.mark.parametrize("colour", [0, 128, 255])
def test_identical_pieces(solver, colour):
    picture = np.full((96, 96, 3), colour, np.uint8)
    assert np.array_equal(solved(solver, Puzzle.from_picture(picture, 3, piece=32)).picture(), picture)


def test_a_batch_is_solved_like_its_puzzles(solver, draw):
    puzzles = [Puzzle.from_picture(draw(128, 128, k), 4, piece=32, seed=k) for k in range(3)]
    alone = [solved(solver, puzzle) for puzzle in puzzles]
    for one, two in zip(alone, solver.solve_batch(puzzles), strict=True):
        assert np.array_equal(one.placement, two.placement)


@pytest.mark.parametrize("info", SOLVERS.values(), ids=SOLVERS)
def test_a_solver_built_by_hand_has_its_name(info):
    module, _, class_name = info.target.partition(":")
    assert getattr(import_module(module), class_name).name == info.name


class Careless(Solver):
    """Gives back the slots it was told to."""

    name = "careless"

    def __init__(self, slots: list[int]) -> None:
        self.slots = slots

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        return Arrangement(np.array(self.slots))


@pytest.mark.parametrize(
    ("slots", "wrong"),
    [
        ([0, 1, 2, 4], "a piece off the grid"),
        ([0, 1, 2, -1], "a piece off the grid"),
        ([0, 1, 1, 2], "two pieces on one slot"),
        ([0, 1, 2], "3 slots for 4 pieces"),
        ([0, 1, 2, 3, 4], "5 slots for 4 pieces"),
    ],
)
def test_what_is_no_placement_is_refused(draw, slots, wrong):
    with pytest.raises(SolverError, match=f"'careless' failed on a 2x2 grid .{wrong}"):
        Careless(slots).solve(Puzzle.from_picture(draw(40, 40), 2))
