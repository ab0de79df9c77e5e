"""Piles as people have them: with copies, and with pieces of another picture."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ganzzle import Puzzle, load_solver
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Pixels
from ganzzle.samples import sample_picture
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solving.piles import copies_in, record_of_pile, solve_pile

Draw = Callable[..., np.ndarray]


def portrait(corrupt: str | None = None, grid: str = "6x6") -> Puzzle:
    return Puzzle.from_picture(sample_picture("portrait"), grid, seed=1, piece=32, corrupt=corrupt)


def strangers(count: int, corrupt: str | None = None) -> Pixels:
    """(count, 32, 32, 3) pieces of a landscape."""
    puzzle = Puzzle.from_picture(sample_picture("landscape"), "6x6", seed=2, piece=32, corrupt=corrupt)
    return puzzle.pieces[:count]


def mixed_in(own: Puzzle, others: Pixels) -> tuple[Puzzle, np.ndarray, np.ndarray]:
    """One pile, the numbers of what does not belong in it, and the true slots of the rest."""
    order = np.random.default_rng(0).permutation(len(own) + len(others))
    pile = Puzzle(np.concatenate([own.pieces, others])[order])
    assert own.truth is not None
    return pile, np.flatnonzero(order >= len(own)), own.truth.placement[order[order < len(own)]]


@pytest.mark.parametrize("given", [True, False], ids=["given", "found"])
@pytest.mark.parametrize(("count", "corrupt"), [(1, None), (2, "erode:1"), (3, None)])
def test_pieces_of_another_picture_are_left_over(
    hybrid: Hybrid, given: bool, count: int, corrupt: str | None
) -> None:
    pile, foreign, slots = mixed_in(portrait(corrupt), strangers(count, corrupt))
    solution = solve_pile(hybrid, pile, grid="6x6" if given else None)
    assert solution.left_over.tolist() == foreign.tolist()
    assert np.array_equal(solution.puzzle.pieces, np.delete(pile.pieces, foreign, 0))
    assert str(solution.grid) == "6x6"
    assert np.array_equal(solution.placement, slots)


def test_the_record_is_of_the_whole_pile(hybrid: Hybrid) -> None:
    pile, foreign, slots = mixed_in(portrait(grid="4x4"), strangers(2))
    record = record_of_pile(solve_pile(hybrid, pile, grid="4x4"))
    assert record["left_over"] == foreign.tolist()
    assert [record["placement"][k] for k in foreign] == [-1, -1]
    assert [slot for slot in record["placement"] if slot >= 0] == slots.tolist()
    assert [len(record[name]) for name in ("placement", "turns", "confidence")] == [18, 18, 18]


@pytest.mark.parametrize("name", ["hybrid", "paikin-tal"])
@pytest.mark.parametrize("given", [True, False], ids=["given", "found"])
def test_copies_are_left_over(name: str, given: bool) -> None:
    own = portrait()
    again = next(k for k in range(36) if len(np.unique(own.pieces[k].reshape(-1, 3), axis=0)) > 300)
    pile = Puzzle(np.concatenate([own.pieces, own.pieces[again : again + 1]]))
    solution = solve_pile(load_solver(name), pile, grid="6x6" if given else None)
    assert solution.left_over.tolist() == [36]
    assert str(solution.grid) == "6x6"


@pytest.mark.parametrize("name", ["assembler", "gallagher", "paikin-tal", "hybrid"])
def test_a_pile_with_copies_that_fills_a_grid_is_not_laid_in_it(name: str) -> None:
    """Forty pieces would fill 5x8 and 4x10."""
    own = portrait()
    detailed = [k for k in range(36) if len(np.unique(own.pieces[k].reshape(-1, 3), axis=0)) > 300][:4]
    pile = Puzzle(np.concatenate([own.pieces, own.pieces[detailed]]))
    turned = {"rotated": True} if name == "hybrid" else {}
    solution = solve_pile(load_solver(name, **turned), pile)
    assert solution.left_over.tolist() == [36, 37, 38, 39]
    assert str(solution.grid) == "6x6"


@pytest.mark.parametrize("grid", ["1x1", "2x2"])
def test_all_pieces_may_be_there_more_than_once(grid: str) -> None:
    own = Puzzle.from_picture(sample_picture("portrait"), grid, seed=1, piece=32)
    pile = Puzzle(np.concatenate([own.pieces] * 3))
    solution = solve_pile(load_solver("paikin-tal"), pile, grid=grid)
    assert solution.left_over.tolist() == list(range(len(own), len(pile)))
    assert np.array_equal(solution.placement, own.truth.placement)


def test_a_copy_and_a_stranger_are_left_over(hybrid: Hybrid) -> None:
    own = portrait()
    pile = Puzzle(np.concatenate([own.pieces, own.pieces[7:8], strangers(1)]))
    if not len(copies_in(pile.pieces)):
        pytest.fail("the piece that is there twice should have many colours")
    assert solve_pile(hybrid, pile, grid="6x6").left_over.tolist() == [36, 37]
    assert solve_pile(hybrid, pile).left_over.tolist() == [36, 37]


def test_pieces_that_belong_are_never_left_over(hybrid: Hybrid) -> None:
    """The grid that was given is too small: which pieces are too many cannot be known."""
    own = portrait()
    for grid in ("5x7", "5x6"):
        with pytest.raises(PuzzleError, match=f"holds 36 pieces but a {grid} grid has 3. slots; take away"):
            solve_pile(hybrid, Puzzle(own.pieces), grid=grid)


@pytest.mark.parametrize("lost", [0, 1, 3, 6])
def test_nothing_is_left_over_of_whole_piles_and_of_those_that_lost_pieces(hybrid: Hybrid, lost: int) -> None:
    pile = Puzzle(portrait().pieces[lost:])
    solution = solve_pile(hybrid, pile)
    assert solution.left_over is None
    assert str(solution.grid) == "6x6"


def test_far_too_many_pieces_are_refused_at_once(draw: Draw) -> None:
    pile = Puzzle.from_picture(draw(80, 80, 3), "8x8", seed=1)
    with pytest.raises(PuzzleError, match="holds 64 pieces but a 4x4 grid has 16 slots"):
        solve_pile(load_solver("paikin-tal"), Puzzle(pile.pieces), grid="4x4")


def test_pieces_of_one_colour_are_no_copies() -> None:
    flat = np.full((3, 8, 8, 3), 90, np.uint8)
    assert copies_in(flat).tolist() == []
    noise = np.random.default_rng(0).integers(0, 256, (2, 16, 16, 3), np.uint8)
    assert copies_in(noise[[0, 1, 0, 1, 0]]).tolist() == [2, 3, 4]
