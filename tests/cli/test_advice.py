"""What is said where a solver is not sure names only what the solver can do."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from ganzzle import load_solver, read_picture, write_picture
from ganzzle.cli.advice import TANGLED, advice, copies, turned_by_chance
from ganzzle.cli.reading import Task
from ganzzle.cli.shuffle import scrambled_picture
from ganzzle.errors import SolverError
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.folders import write_puzzle
from ganzzle.samples import sample_picture
from ganzzle.solvers import Arrangement, Solver
from ganzzle.solving.several import tangled


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


class UnsureOfPiles(Unsure):
    """The same, but it can tell puzzles apart."""

    def solve_mixed(self, puzzle, count, seed=0, grid=None):
        return load_solver("assembler").solve_mixed(puzzle, count, seed, grid)


@pytest.mark.parametrize(
    ("solver", "named"), [(Unsure(), False), (UnsureOfTurns(), True), (UnsureOfTurns(rotated=True), False)]
)
def test_turning_is_advised_where_it_is_possible_and_new(draw, solver, named):
    puzzle = Puzzle.from_picture(draw(40, 40), 2)
    (line,) = advice(solver, Task(puzzle, [], None, puzzle.grid), solver.solve(puzzle), 0)
    assert line.startswith("if that looks wrong")
    assert ("--rotated" in line) == named


class OnlyTwoByTwo(Unsure):
    """The same, but its network knows one grid alone."""

    def arrange(self, puzzle, seed):
        if puzzle.grid != Grid(2, 2):
            raise SolverError("it takes 2x2")
        return super().arrange(puzzle, seed)


def test_a_solver_of_one_grid_is_not_asked_for_that_of_the_lines(draw):
    scan = scrambled_picture(Puzzle.from_picture(draw(120, 160), (3, 4), seed=1))
    puzzle = Puzzle.from_scrambled(scan, 2)
    solver = OnlyTwoByTwo()
    task = Task(puzzle, [], None, puzzle.grid, scan=scan)
    moved = replace(solver.solve(puzzle), placement=np.array([1, 0, 3, 2]), confidence=np.ones(4))
    assert advice(solver, task, moved, 0) == []
    assert advice(Unsure(), task, replace(moved, placement=np.arange(4)), 0) == [
        "the pieces lie in 3 rows of 4: try --grid 3x4"
    ]


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


def test_a_copy_in_the_place_of_a_lost_piece_is_named_though_the_solver_is_sure(draw, tmp_path):
    pieces = Puzzle.from_picture(draw(320, 320, 2), (8, 8), seed=1).pieces.copy()
    pieces[20] = pieces[30]
    puzzle, hybrid = Puzzle(pieces, Grid(8, 8)), load_solver("hybrid")
    solution = hybrid.solve(puzzle)
    assert solution.fit > 0.9
    names = [str(k) for k in range(64)]
    (line,) = advice(hybrid, Task(puzzle, names, tmp_path, puzzle.grid), solution, 0)
    assert line.startswith("20 and 30 look exactly the same")


def two_pictures() -> Puzzle:
    """A pile of two puzzles of 5x5 pieces."""
    pictures = [np.ascontiguousarray(sample_picture("portrait")[:360, 60:420]), sample_picture("landscape")]
    parts = [Puzzle.from_picture(p, (5, 5), seed=k, piece=32).pieces for k, p in enumerate(pictures)]
    return Puzzle(np.concatenate(parts))


def test_two_puzzles_in_a_pile_of_a_grid_that_was_given_are_noticed(tmp_path):
    pile, grid = two_pictures(), Grid(5, 10)
    hybrid = load_solver("hybrid")
    solution = hybrid.solve(Puzzle(pile.pieces, grid))
    line = "this looks like 2 puzzles in one pile: try --puzzles 2 without --grid"
    assert advice(hybrid, Task(pile, [], tmp_path, grid), solution, 0) == [line]
    # A scrambled picture is one puzzle, and others than the hybrid do not know how sure they are.
    assert advice(hybrid, Task(pile, [], None, grid), solution, 0) == []
    assert advice(load_solver("paikin-tal"), Task(pile, [], tmp_path, grid), solution, 0) == []


def test_two_puzzles_that_nobody_announced_are_two_pictures(command, tmp_path):
    (tmp_path / "pile").mkdir()
    for k, piece in enumerate(two_pictures().pieces):
        write_picture(tmp_path / "pile" / f"{7 * k % 50}.png", piece)
    ran = command(
        "solve", tmp_path / "pile", "--out", tmp_path / "solved.png", "--json", tmp_path / "solved.json"
    )
    assert ran.code == 0, ran.err
    assert "2 puzzles" in ran.out
    record = json.loads((tmp_path / "solved.json").read_text())
    assert record["grids"] == [[5, 5], [5, 5]]
    for number in (1, 2):
        assert read_picture(tmp_path / f"solved-{number}.png").shape == (160, 160, 3)


def test_pieces_that_were_compressed_one_by_one_are_not_taken_for_two_puzzles(draw, tmp_path):
    """None of their seams fits well, and those of its halves fit no better."""
    pieces = Puzzle.from_picture(draw(320, 320, 2), (8, 8), seed=1).pieces
    puzzle = Puzzle(np.stack([compressed(piece) for piece in pieces]))
    hybrid = load_solver("hybrid")
    solution = hybrid.solve(puzzle)
    assert tangled([solution]) > TANGLED
    assert advice(hybrid, Task(puzzle, [], tmp_path, None), solution, 0) == []


def compressed(piece):
    """A piece (h, w, 3) that was saved as a JPEG."""
    file = io.BytesIO()
    Image.fromarray(piece).save(file, "JPEG", quality=60)
    return np.array(Image.open(file))


def test_as_one_puzzle_in_a_grid_that_fits_neither(tmp_path):
    """25 rows of 2 pieces: nothing fits, but two puzzles do."""
    pile, grid = two_pictures(), Grid(25, 2)
    hybrid = load_solver("hybrid")
    puzzle = Puzzle(pile.pieces, grid)
    (line,) = advice(hybrid, Task(puzzle, [], tmp_path, grid), hybrid.solve(puzzle), 0)
    assert "--puzzles 2 without --grid" in line


@pytest.mark.parametrize(
    ("grid", "lines"),
    [(Grid(4, 16), ["the pieces fit together in 8 rows of 8: try --grid 8x8"]), (Grid(8, 8), [])],
    ids=["wrong", "right"],
)
def test_a_wrong_grid_in_which_both_halves_of_a_picture_look_well(draw, tmp_path, grid, lines):
    puzzle = Puzzle(Puzzle.from_picture(draw(256, 256, 2), (8, 8), seed=1).pieces, grid)
    hybrid = load_solver("hybrid")
    assert advice(hybrid, Task(puzzle, [], tmp_path, grid), hybrid.solve(puzzle), 0) == lines


@pytest.mark.parametrize("grid", [Grid(3, 12), Grid(4, 9), Grid(18, 2)], ids=str)
def test_one_picture_in_a_mistaken_grid_is_not_taken_for_two(tmp_path, grid):
    """Its halves look well, but go on in each other."""
    pieces = Puzzle.from_picture(sample_picture("landscape"), (6, 6), seed=1, piece=32).pieces
    puzzle = Puzzle(pieces, grid)
    hybrid = load_solver("hybrid")
    lines = advice(hybrid, Task(puzzle, [], tmp_path, grid), hybrid.solve(puzzle), 0)
    assert not any("--puzzles" in line for line in lines)


@pytest.mark.parametrize("count", [1, 2])
def test_hardly_any_pieces_are_not_taken_for_more_puzzles_than_that(draw, tmp_path, count):
    puzzle = Puzzle(np.stack([draw(40, 40)] * count))
    solver = UnsureOfPiles()
    assert advice(solver, Task(puzzle, ["one", "other"][:count], tmp_path, None), solver.solve(puzzle), 0)


def test_a_copy_is_left_over_where_there_is_a_piece_too_many(command, draw, tmp_path):
    write_puzzle(tmp_path / "pile", Puzzle.from_picture(draw(120, 120, 3), 4, seed=1))
    (tmp_path / "pile" / "piece-005-copy.png").write_bytes((tmp_path / "pile" / "piece-005.png").read_bytes())
    for grid in ([], ["--grid", "4x4"]):
        ran = command("solve", tmp_path / "pile", *grid, "--solver", "paikin-tal", "--force")
        assert ran.code == 0
        assert "16 pieces of 30x30 px, grid 4x4" in ran.out
        assert "left over, a copy of another: piece-005-copy.png" in ran.out
        assert "by puzzle.json: direct 100.0 %" in ran.out  # what it names stays


def test_a_copy_is_named_where_there_are_more_pieces_too_many(command, draw, tmp_path):
    write_puzzle(tmp_path / "pile", Puzzle.from_picture(draw(120, 120, 3), 4, seed=1))
    (tmp_path / "pile" / "piece-005-copy.png").write_bytes((tmp_path / "pile" / "piece-005.png").read_bytes())
    ran = command("solve", tmp_path / "pile", "--grid", "3x5", "--solver", "paikin-tal")
    assert ran.code == 2
    assert "holds 17 pieces but a 3x5 grid has 15 slots; take away what does not belong" in ran.err
    assert "piece-005.png and piece-005-copy.png look exactly the same: take one away" in ran.err
