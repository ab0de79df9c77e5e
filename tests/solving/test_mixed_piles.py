"""Several puzzles in one pile, by the solvers that take them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver
from ganzzle.errors import SolverError
from ganzzle.puzzle import Grid
from ganzzle.samples import sample_picture
from ganzzle.solution import Solution

Draw = Callable[..., np.ndarray]
MIXING = ("hybrid", "assembler", "paikin-tal")


def mixed(puzzles: list[Puzzle], seed: int = 0) -> tuple[Puzzle, np.ndarray]:
    """One pile, shuffled, and (N,) the puzzle of every piece."""
    owner = np.repeat(np.arange(len(puzzles)), [len(one) for one in puzzles])
    order = np.random.default_rng(seed).permutation(len(owner))
    return Puzzle(np.concatenate([one.pieces for one in puzzles])[order]), owner[order]


def share_right(solutions: list[Solution], puzzles: list[Puzzle], pile: Puzzle, owner: np.ndarray) -> float:
    """The share of the pile's pieces that lie in their slots, each solution counted for the puzzle most of it is of."""
    right = 0
    for solution in solutions:
        pieces = solution.pieces
        assert np.array_equal(solution.puzzle.pieces, pile.pieces[pieces])
        number = np.bincount(owner[pieces]).argmax()
        same = puzzles[number].grid == solution.grid
        known = {
            one.tobytes(): slot
            for one, slot in zip(puzzles[number].pieces, puzzles[number].truth.placement, strict=True)
        }
        slots = [known.get(one.tobytes(), -1) for one in solution.puzzle.pieces]
        right += int(np.sum(same & (solution.placement == slots)))
    return right / len(pile)


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize("name", MIXING)
def test_puzzles_of_one_grid(draw: Draw, name: str, known: bool) -> None:
    puzzles = [Puzzle.from_picture(draw(160, 192, k), (5, 6), seed=k, piece=32) for k in range(3)]
    pile, owner = mixed(puzzles)
    solutions = load_solver(name).solve_mixed(pile, 3, grid=(5, 6) if known else None)
    assert len(solutions) == 3
    assert sorted(np.concatenate([one.pieces for one in solutions])) == list(range(90))
    assert share_right(solutions, puzzles, pile, owner) == 1


@pytest.mark.parametrize("corrupt", ["erode:2", "noise:0.1"])
def test_worn_and_noisy_piles(corrupt: str) -> None:
    """Which the network tells apart; their pixels alone do not."""
    pictures = [sample_picture("portrait")[:360, 60:420], sample_picture("landscape")]
    puzzles = [
        Puzzle.from_picture(np.ascontiguousarray(p), (6, 6), seed=k, piece=32, corrupt=corrupt)
        for k, p in enumerate(pictures)
    ]
    pile, owner = mixed(puzzles)
    found = {name: load_solver(name).solve_mixed(pile, 2, grid=(6, 6)) for name in ("hybrid", "paikin-tal")}
    right = {name: share_right(solutions, puzzles, pile, owner) for name, solutions in found.items()}
    assert right["hybrid"] > 0.7
    assert right["paikin-tal"] < right["hybrid"] - 0.2


def test_puzzles_with_grids_of_their_own(draw: Draw) -> None:
    puzzles = [
        Puzzle.from_picture(draw(192, 256, 1), (6, 8), seed=1, piece=32),
        Puzzle.from_picture(draw(160, 192, 2), (5, 6), seed=2, piece=32),
    ]
    pile, owner = mixed(puzzles)
    solutions = load_solver("hybrid").solve_mixed(pile, 2)
    assert {one.grid for one in solutions} == {Grid(6, 8), Grid(5, 6)}
    assert share_right(solutions, puzzles, pile, owner) == 1


def test_missing_pieces_of_several_puzzles(draw: Draw) -> None:
    puzzles = [
        Puzzle.from_picture(draw(192, 192, k), (6, 6), seed=k, piece=32, corrupt="missing:0.1")
        for k in range(2)
    ]
    pile, owner = mixed(puzzles)
    solutions = load_solver("hybrid").solve_mixed(pile, 2, grid=(6, 6))
    assert share_right(solutions, puzzles, pile, owner) > 0.9


def test_as_many_puzzles_are_found_as_are_asked_for(draw: Draw) -> None:
    """Even if two pictures, a piece of which is lost, look well as one."""
    puzzles = [Puzzle.from_picture(draw(160, 192, k), (5, 6), seed=k, piece=32) for k in (1, 2)]
    pile, owner = mixed([puzzles[0], puzzles[1].reorder(np.arange(29))])
    solutions = load_solver("hybrid").solve_mixed(pile, 2)
    assert [one.grid for one in solutions] == [Grid(5, 6)] * 2
    assert share_right(solutions, puzzles, pile, owner) == 1


def test_turned_pieces_are_solved_anew_after_they_are_told_apart() -> None:
    portrait = np.ascontiguousarray(sample_picture("portrait")[:360, 60:420])
    puzzles = [
        Puzzle.from_picture(p, (5, 5), seed=k, piece=32, rotated=True)
        for k, p in enumerate([portrait, sample_picture("landscape")])
    ]
    pile, owner = mixed(puzzles)
    solutions = load_solver("hybrid", rotated=True).solve_mixed(pile, 2, grid=(5, 5))
    assert all(one.mental_image is not None for one in solutions)
    for solution in solutions:
        number = np.bincount(owner[solution.pieces]).argmax()
        assert (owner[solution.pieces] == number).mean() > 0.9


def told_apart(solutions: list[Solution], owner: np.ndarray) -> bool:
    """Whether each solution is of the pieces of one puzzle."""
    return all(len(set(owner[one.pieces].tolist())) == 1 for one in solutions)


@pytest.mark.parametrize("corrupt", [None, "erode:1"], ids=["cut out of a scan", "worn"])
def test_turned_pieces_with_black_rims_are_told_apart(draw: Draw, corrupt: str | None) -> None:
    """As those of a scan have, whose rims are known, and worn ones, whose rims are not."""
    puzzles = [
        Puzzle.from_picture(draw(160, 200, k), (4, 5), seed=k, rotated=True, corrupt=corrupt)
        for k in range(2)
    ]
    pile, owner = mixed(puzzles)
    if corrupt is None:
        pile = Puzzle(np.pad(pile.pieces[:, 1:-1, 1:-1], ((0, 0), (1, 1), (1, 1), (0, 0))), rim=1)
    solutions = load_solver("hybrid", rotated=True).solve_mixed(pile, 2, grid=(4, 5))
    assert told_apart(solutions, owner)
    for solution in solutions:
        assert np.array_equal(solution.puzzle.pieces, pile.pieces[solution.pieces])
        assert solution.puzzle.rim == pile.rim


@pytest.mark.parametrize("name", ["assembler", "paikin-tal"])
def test_known_rims_are_not_looked_at(draw: Draw, name: str) -> None:
    """Of any colours, so that nobody would notice them."""
    pile, owner = mixed([Puzzle.from_picture(draw(80, 100, k), (4, 5), seed=k) for k in range(2)])
    colours = np.random.default_rng(0).integers(0, 256, (len(pile), 1, 1, 3))
    pieces = np.broadcast_to(colours, (len(pile), 26, 26, 3)).astype(np.uint8)
    pieces[:, 3:-3, 3:-3] = pile.pieces
    assert told_apart(load_solver(name).solve_mixed(Puzzle(pieces, rim=3), 2, grid=(4, 5)), owner)


@pytest.mark.parametrize("name", MIXING)
def test_the_order_of_arrival_does_not_matter(draw: Draw, name: str) -> None:
    pile, _ = mixed([Puzzle.from_picture(draw(96, 128, k), (3, 4), seed=k, piece=32) for k in range(2)])
    order = np.random.default_rng(5).permutation(len(pile))
    solver = load_solver(name)
    boards = []
    for one in (pile, pile.reorder(order)):
        solutions = solver.solve_mixed(one, 2, grid=(3, 4))
        boards.append(
            {
                frozenset(zip((p.tobytes() for p in s.puzzle.pieces), s.placement.tolist(), strict=True))
                for s in solutions
            }
        )
    assert boards[0] == boards[1]


@pytest.mark.parametrize("name", MIXING)
def test_piles_that_cannot_be(draw: Draw, name: str) -> None:
    pile, _ = mixed([Puzzle.from_picture(draw(64, 64, k), (2, 2), seed=k) for k in range(2)])
    solver = load_solver(name)
    for count in (0, 2.0, "2", None):
        with pytest.raises(SolverError, match=f"at least 1 puzzle, not {count!r}"):
            solver.solve_mixed(pile, count)
    with pytest.raises(SolverError, match="larger grid"):
        solver.solve_mixed(pile, 2, grid=(1, 2))
    with pytest.raises(SolverError, match="9 puzzles need 9 pieces or more, not 8"):
        solver.solve_mixed(pile, 9)
    (alone,) = solver.solve_mixed(pile.reorder(np.arange(4)), 1, grid=(2, 2))
    assert sorted(alone.pieces) == [0, 1, 2, 3]


def test_others_take_one_puzzle_at_a_time(draw: Draw) -> None:
    with pytest.raises(SolverError, match=r"gallagher.*one puzzle at a time.*hybrid"):
        load_solver("gallagher").solve_mixed(Puzzle.from_picture(draw(64, 64), (2, 2)), 2)
