"""What every solver gets from the base class: fairness, batches, the unknown grid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ganzzle.errors import SolverError
from ganzzle.metrics import score
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers import Arrangement, Solver, load_solver
from ganzzle.solvers.base import canonical_order
from ganzzle.solving.grids import likely_grids, most_held, seam_gain


class Recorder(Solver):
    """Lays the pieces down as they come, and keeps what it was shown."""

    name = "recorder"

    def __init__(self, size: int = 1) -> None:
        self.seen: list[Puzzle] = []
        self.batches: list[int] = []

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        self.seen.append(puzzle)
        return Arrangement(np.arange(len(puzzle)), order=np.arange(len(puzzle))[::-1])

    def arrange_batch(self, puzzles, seed):
        self.batches.append(len(puzzles))
        return super().arrange_batch(puzzles, seed)


def test_a_solver_sees_neither_truth_nor_name_nor_order(draw):
    recorder = Recorder()
    puzzle = Puzzle.from_picture(draw(60, 60), 6, seed=1, name="face.png")
    one = recorder.solve(puzzle)
    order = np.random.default_rng(2).permutation(36)
    two = recorder.solve(puzzle.reorder(order))
    assert np.array_equal(recorder.seen[0].pieces, recorder.seen[1].pieces)
    assert np.array_equal(two.placement, one.placement[order])
    assert np.array_equal(one.picture(), two.picture())
    assert recorder.seen[0].truth is None
    assert recorder.seen[0].name == ""
    assert one.puzzle is puzzle
    # The order of placement speaks of the pieces as they arrived.
    assert np.array_equal(one.placement[one.order], np.arange(36)[::-1])


def test_another_seed_shows_another_order(draw):
    pieces = Puzzle.from_picture(draw(60, 60), 6).pieces
    assert not np.array_equal(canonical_order(pieces, 0), canonical_order(pieces, 1))
    assert sorted(canonical_order(pieces, 0)) == list(range(36))


def test_puzzles_of_one_size_are_arranged_together_and_come_back_in_order(draw):
    recorder = Recorder()
    puzzles = [Puzzle.from_picture(draw(60, 60, k), 2 + k % 2, seed=k, name=str(k)) for k in range(6)]
    solutions = recorder.solve_batch(puzzles)
    assert recorder.batches == [3, 3]
    assert [s.puzzle.name for s in solutions] == list("012345")
    for one, puzzle in zip(solutions, puzzles, strict=True):
        assert np.array_equal(one.placement, recorder.solve(puzzle).placement)


@pytest.mark.parametrize("grid", [(4, 4), (3, 5), (5, 3), (2, 8), (1, 6), (6, 1)])
def test_the_unknown_grid_is_found(draw, grid):
    puzzle = Puzzle.from_picture(draw(24 * grid[0], 24 * grid[1], 5), grid, seed=1)
    solution = load_solver("paikin-tal").solve(replace(puzzle, grid=None))
    assert solution.grid == Grid.of(grid)
    assert score(solution).direct == 1


@pytest.mark.parametrize("grid", [(4, 9), (6, 6), (5, 16), (16, 9), (2, 18)])
def test_clean_seams_tell_the_likely_grids(draw, grid):
    puzzle = Puzzle.from_picture(draw(24 * grid[0], 24 * grid[1], 5), grid, seed=1)
    likely = likely_grids(puzzle.pieces)
    assert likely[0] == Grid.of(grid)
    assert len(likely) < len(Grid.that_fit(len(puzzle)))


def test_seams_that_say_nothing_leave_many_grids():
    noise = np.random.default_rng(0).integers(0, 256, (36, 8, 8, 3), np.uint8)
    assert len(likely_grids(noise)) > 3
    assert likely_grids(noise[:6]) == Grid.that_fit(6)  # few are all tried


def test_a_grid_is_laid_where_it_holds_most():
    #  x . x x
    #  . . x x
    #  . . . x
    across, down = np.array([0, 2, 3, 2, 3, 3]), np.array([0, 0, 0, 1, 1, 2])
    held = {
        grid: most_held(across, down, Grid.of(grid)) for grid in ("2x2", "2x3", "3x2", "1x6", "6x1", "3x4")
    }
    assert held == {"2x2": 4, "2x3": 4, "3x2": 5, "1x6": 3, "6x1": 3, "3x4": 6}
    assert most_held(across - 7, down + 2, Grid(3, 2)) == 5


def test_seams_speak_for_the_true_solution(draw):
    puzzle = Puzzle.in_order(draw(96, 96), 4)
    true = Solution(puzzle, Grid(4, 4), np.arange(16), np.zeros(16, np.int64), np.ones(16))
    wrong = replace(true, placement=np.random.default_rng(0).permutation(16))
    assert seam_gain(true) > 0 > seam_gain(wrong)
    flat = Puzzle.in_order(np.full((96, 96, 3), 5, np.uint8), 4)
    assert seam_gain(replace(true, puzzle=flat)) == 0
    rims = ((0, 0), (2, 2), (2, 2), (0, 0))
    framed = Puzzle(np.pad(puzzle.pieces, rims), puzzle.grid, rim=2)
    assert seam_gain(replace(true, puzzle=framed)) == seam_gain(true)


def test_names_and_options_are_checked():
    with pytest.raises(SolverError, match=r"there is no solver 'nobody'; there are: .*paikin-tal"):
        load_solver("nobody")
    for name in ("nowhere.at_all:Solver", ":Solver", "ganzzle.solvers:Nobody", "ganzzle.solvers:"):
        with pytest.raises(SolverError, match="cannot be loaded"):
            load_solver(name)
    with pytest.raises(SolverError, match="cannot be loaded"):
        load_solver(".solvers:Solver")
    with pytest.raises(SolverError, match="not a class derived"):
        load_solver("ganzzle.puzzle:Puzzle")
    with pytest.raises(SolverError, match="does not say how to arrange a puzzle"):
        load_solver("ganzzle.solvers:Solver")
    with pytest.raises(SolverError, match="no device 'tpu'"):
        load_solver("paikin-tal", device="tpu")
    with pytest.raises(SolverError, match="no option 'speed'; its options: "):
        load_solver("paikin-tal", speed=3)


@pytest.mark.parametrize(
    ("name", "option", "value", "least"),
    [
        ("assembler", "rounds", 1.5, "a whole number, 0"),
        ("assembler", "patience", "3", "a whole number, 0"),
        ("assembler", "seconds", float("nan"), "a number, 0"),
        ("paikin-tal", "rounds", -1, "a whole number, 0"),
        ("pomeranz", "starts", "3", "a whole number, 1"),
        ("hybrid", "batch", None, "a whole number, 1"),
        ("hybrid", "slot_weight", "a", "a number, 0"),
        ("ganzzle", "batch_pieces", 0, "a whole number, 1"),
        ("po-la", "batch_pieces", True, "a whole number, 1"),
    ],
)
def test_options_that_are_no_such_numbers_are_refused(name, option, value, least):
    with pytest.raises(SolverError, match=f"^{option} is {least} or more, not {value!r}$"):
        load_solver(name, device="cpu", **{option: value})


@pytest.mark.parametrize("name", ["hybrid", "ganzzle", "po-la"])
def test_weights_that_are_no_name_and_no_file_are_refused(name):
    with pytest.raises(SolverError, match="weights are a name or a file, not 3"):
        load_solver(name, device="cpu", weights=3)


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None])
def test_what_is_no_seed_is_refused(draw, seed):
    puzzle = Puzzle.from_picture(draw(60, 60), 6)
    for puzzles in ([puzzle], [puzzle] * 8):
        with pytest.raises(SolverError, match=f"a seed is a whole number, 0 or more, not {seed!r}"):
            Recorder().solve_batch(puzzles, seed)
    with pytest.raises(SolverError, match="a seed is a whole number"):
        load_solver("paikin-tal").solve_mixed(puzzle, 2, seed)
