"""Piles as people have them: how they are made, how an answer is judged, and the command."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.bench.judge import Found, judge
from ganzzle.bench.pile_kinds import KINDS, make_pile
from ganzzle.errors import GanzzleError
from ganzzle.grid import Grid
from ganzzle.pieces import turn_pieces
from ganzzle.reading.pictures import resize_picture, write_picture

GRAIN = np.random.default_rng(0).integers(0, 256, (4, 22, 22, 3), dtype=np.uint8)
PICTURES = [resize_picture(grain, 352, 352) for grain in GRAIN]


def make(kind, seed=0):
    return make_pile(kind, itertools.cycle(PICTURES), np.random.default_rng(seed))


def truth_of(pile):
    """The boards of the right answer: of pieces that look the same the first is laid down."""
    boards = []
    for number, grid in enumerate(pile.grids):
        mine = np.flatnonzero(pile.puzzle == number)
        slots, first = np.unique(pile.slot[mine], return_index=True)
        pieces = mine[first]
        boards.append(Found(pieces, grid, slots, pile.turns[pieces], np.ones(len(pieces))))
    return boards


@pytest.mark.parametrize("kind", [*KINDS, "lost+foreign+turned+bare+jpeg", "two-unsaid+uneven+copies"])
def test_the_truth_of_every_kind_is_right(kind):
    pile = make(kind)
    boards = truth_of(pile)
    verdict = judge(pile, boards)
    assert verdict.right
    assert verdict.in_place == verdict.own == verdict.placed
    assert verdict.wrong_and_sure == verdict.strangers == 0
    assert verdict.sure == 1
    if len(boards[0].pieces) > 1:
        pieces = boards[0].pieces.copy()
        pieces[:2] = pieces[1::-1]
        swapped = judge(pile, [replace(boards[0], pieces=pieces), *boards[1:]])
        assert not swapped.right
        assert swapped.wrong_and_sure == 2


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(KINDS), st.integers(0, 10**6))
def test_piles_come_from_the_seed_and_hold_what_their_kind_says(kind, seed):
    pile, again = make(kind, seed), make(kind, seed)
    assert np.array_equal(pile.pieces, again.pieces)
    steps = set(kind.split("+"))
    slots = sum(grid.slots for grid in pile.grids)
    own = len(set(zip(pile.puzzle[pile.puzzle >= 0], pile.slot[pile.puzzle >= 0], strict=True)))
    assert 25 <= slots <= 84
    assert (own < slots) == ("lost" in steps)
    assert 1 <= (pile.puzzle < 0).sum() <= 3 if "foreign" in steps else (pile.puzzle >= 0).all()
    assert 1 <= (pile.puzzle >= 0).sum() - own <= 3 if steps & {"copies", "rescans"} else True
    assert len(pile.grids) == (2 if steps & {"two", "two-unsaid"} else 1)
    assert pile.said_puzzles == (2 if steps & {"two", "one-as-two"} else None)
    assert 1 <= (pile.turns > 0).sum() <= 3 if "few-turned" in steps else True


def test_the_pieces_of_a_clean_pile_make_its_picture():
    pile = make("turned")
    upright = turn_pieces(pile.pieces, pile.turns)[np.argsort(pile.slot)]
    grid = pile.grids[0]
    board = upright.reshape(grid.rows, grid.cols, *upright.shape[1:]).astype(int)
    seams = np.abs(board[:, :-1, :, -1] - board[:, 1:, :, 0]).mean()
    assert seams < np.abs(board[:, :-1, :, -1] - board[:, 1:, :, -1]).mean() / 3


def test_a_board_may_be_shifted_but_turned_only_where_pieces_were_said_to_be():
    pile = make("lost")
    (board,) = truth_of(pile)
    row, col = np.divmod(board.placement, board.grid.cols)
    larger = Grid(board.grid.rows + 1, board.grid.cols + 2)
    shifted = replace(board, grid=larger, placement=(row + 1) * larger.cols + col + 2)
    assert judge(pile, [shifted]).right
    on_its_side = Grid(board.grid.cols, board.grid.rows)
    turned = replace(
        board,
        grid=on_its_side,
        placement=(board.grid.cols - 1 - col) * on_its_side.cols + row,
        turns=(board.turns + 1) % 4,
    )
    assert not judge(pile, [turned]).right
    assert judge(replace(pile, said_turned=True), [turned]).right


def test_strangers_on_the_board_and_pieces_left_over_are_wrong():
    pile = make("foreign")
    (board,) = truth_of(pile)
    stranger = int(np.flatnonzero(pile.puzzle < 0)[0])
    more = Found(
        np.append(board.pieces, stranger), Grid(board.grid.rows + 1, board.grid.cols),
        np.append(board.placement, board.grid.slots), np.append(board.turns, 0), np.append(board.confidence, 0.95),
    )  # fmt: skip
    with_stranger = judge(pile, [more])
    assert not with_stranger.right
    assert (with_stranger.strangers, with_stranger.wrong_and_sure) == (1, 1)
    fewer = Found(board.pieces[1:], board.grid, board.placement[1:], board.turns[1:], board.confidence[1:])
    assert not judge(pile, [fewer]).right
    nothing = judge(pile, [])
    assert (nothing.right, nothing.placed, nothing.sure) == (False, 0, 0)


def test_two_puzzles_on_one_board_are_half_right_and_parts_of_one_on_two_too():
    two = make("two-unsaid", 1)
    one, other = truth_of(two)
    wide = Grid(max(one.grid.rows, other.grid.rows), one.grid.cols + other.grid.cols)

    def on(board, shift):
        row, col = np.divmod(board.placement, board.grid.cols)
        return row * wide.cols + col + shift

    joined = Found(
        np.append(one.pieces, other.pieces), wide, np.append(on(one, 0), on(other, one.grid.cols)),
        np.zeros(len(two), np.int64), np.ones(len(two)),
    )  # fmt: skip
    verdict = judge(two, [joined])
    assert not verdict.right
    assert verdict.in_place == max(len(one.pieces), len(other.pieces))
    single = make("one-as-two")
    (board,) = truth_of(single)
    half = len(board.pieces) // 2
    parts = [
        Found(board.pieces[p], board.grid, board.placement[p], board.turns[p], board.confidence[p])
        for p in (slice(half), slice(half, None))
    ]
    assert judge(single, parts).in_place == len(board.pieces) - half


def test_the_command_goes_on_where_it_was_and_stores_its_table(command, random_solver, tmp_path):
    for k, picture in enumerate(PICTURES[:2]):
        write_picture(tmp_path / "drawn" / f"{k}.png", picture)
    words = ["bench", "piles", "--images", tmp_path / "drawn", "--kind", "worn", "--kind", "foreign"]
    words += ["--solver", random_solver, "--out", tmp_path / "out", "--results", tmp_path / "results"]
    assert command(*words, "--limit", 1).out.startswith("2 of 2 piles to solve")
    with (tmp_path / "out" / "piles.jsonl").open("a") as file:
        file.write('{"key": "cut sh')
    ran = command(*words, "--limit", 2)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("2 of 4 piles to solve")
    lines = [json.loads(line) for line in (tmp_path / "out" / "piles.jsonl").read_text().splitlines()]
    assert [(line["kind"], line["index"]) for line in lines] == [
        (kind, index) for index in (0, 1) for kind in ("worn", "foreign")
    ]
    record = json.loads((tmp_path / "results" / "piles.json").read_text())
    assert [(row["kind"], row["piles"], row["right"]) for row in record["rows"]] == [
        ("worn", 2, 0),
        ("foreign", 2, 0),
    ]
    assert "| worn | 2 | 0 (0) |" in (tmp_path / "results" / "piles.md").read_text()
    assert command(*words, "--limit", 2, "--fresh").out.startswith("4 of 4 piles to solve")


def test_what_nobody_knows_is_refused(command, tmp_path):
    assert "lost" in command("bench", "piles", "--kind", "rusty").err
    with pytest.raises(GanzzleError, match="join some of"):
        make("worn+rusty")
    nothing = command("bench", "piles", "--images", tmp_path / "none")
    assert nothing.code == 2
    assert "none" in nothing.err
