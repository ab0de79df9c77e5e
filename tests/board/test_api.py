"""The assembler against brute force, known truths, and what it promises: never worse, deterministic, fair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ganzzle.board.assemble
import ganzzle.board.margins
from ganzzle.board import assemble_batch, assemble_pieces, assembly_of, placement_energy, shares
from ganzzle.board.easy import easy_boards
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid

from .potentials import best_energy, noisy_seams, plain_energy, random_potentials


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("rows", "cols", "missing"), [(2, 2, 0), (2, 3, 0), (1, 4, 0), (4, 1, 0), (2, 3, 2), (1, 5, 1)]
)
def test_finds_the_optimum_of_small_puzzles(rows: int, cols: int, missing: int, seed: int) -> None:
    grid = Grid(rows, cols)
    count = grid.slots - missing
    potentials = random_potentials(count, grid.slots, seed)
    if seed % 2:
        del potentials["slots"]
    assembly = assemble_pieces(grid=grid, **potentials)
    assert assembly.energy == pytest.approx(plain_energy(assembly.placement, grid, **potentials), abs=1e-3)
    assert assembly.energy == pytest.approx(best_energy(grid, count, **potentials), abs=1e-3)


def test_one_piece() -> None:
    zero = np.zeros((1, 1), np.float32)
    assembly = assemble_pieces(zero, zero, Grid(1, 1))
    assert assembly.placement.tolist() == [0]
    assert assembly.order.tolist() == [0]
    assert assembly.margin[0] > 10
    alone = assemble_pieces(zero, zero, Grid(2, 2), slots=np.array([[-5, -1, -9, -4]], np.float32))
    assert alone.placement.tolist() == [1]
    assert alone.margin[0] == pytest.approx(3)


@pytest.mark.parametrize(
    ("grid", "noise"), [(Grid(6, 6), 2.0), (Grid(1, 30), 1.5), (Grid(5, 9), 2.0), (Grid(12, 12), 2.0)]
)
def test_recovers_noisy_puzzles(grid: Grid, noise: float) -> None:
    right, down, truth = noisy_seams(grid, noise, seed=3)
    assembly = assemble_pieces(right, down, grid)
    assert np.array_equal(assembly.placement, truth)
    assert assembly.energy == pytest.approx(placement_energy(truth, right, down, grid), abs=1e-3)
    assert assembly.margin.min() > 1
    assert np.array_equal(np.sort(assembly.order), np.arange(grid.slots))


@pytest.mark.parametrize("missing", [1, 7, 11])
def test_leaves_the_slots_of_missing_pieces_empty(missing: int) -> None:
    grid = Grid(6, 6)
    right, down, truth = noisy_seams(grid, 1.0, seed=5, missing=missing)
    border = np.full((len(truth), 4), -8, np.float32)
    slots = np.full((len(truth), grid.slots), -1, np.float32)
    slots[np.arange(len(truth)), truth] = 0  # a weak hint says where the picture lies in the frame
    for i, slot in enumerate(truth):
        row, col = divmod(slot, grid.cols)
        around = ((row, col + 1), (row, col - 1), (row + 1, col), (row - 1, col))
        for side, (r, c) in enumerate(around):
            if not (0 <= r < 6 and 0 <= c < 6) or r * 6 + c not in truth:
                border[i, side] = 0
    assembly = assemble_pieces(right, down, grid, slots, border)
    assert np.array_equal(assembly.placement, truth)


def test_slots_alone_are_an_assignment() -> None:
    grid = Grid(3, 4)
    rng = np.random.default_rng(0)
    truth = rng.permutation(grid.slots)
    slots = -rng.uniform(1, 3, (grid.slots, grid.slots)).astype(np.float32)
    slots[np.arange(grid.slots), truth] = -0.1
    flat = np.full((grid.slots, grid.slots), -2, np.float32)
    assert np.array_equal(assemble_pieces(flat, flat, grid, slots).placement, truth)


def test_slots_anchor_what_seams_cannot() -> None:
    """Two halves without any seam between them: only the piece-slot matrix tells which is the left one."""
    grid = Grid(4, 8)
    right, down, truth = noisy_seams(grid, 0.5, seed=1)
    left_half = truth % 8 < 4
    right[np.ix_(left_half, ~left_half)] = -3
    right[np.ix_(~left_half, left_half)] = -3
    slots = np.where((np.arange(grid.slots) % 8 < 4)[None] == left_half[:, None], 0, -1.0).astype(np.float32)
    assert np.array_equal(assemble_pieces(right, down, grid, slots).placement, truth)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 5), cols=st.integers(1, 5), gone=st.integers(0, 4))
def test_never_worse_than_the_start_and_always_a_placement(
    seed: int, rows: int, cols: int, gone: int
) -> None:
    grid = Grid(rows, cols)
    count = max(1, grid.slots - gone)
    potentials = random_potentials(count, grid.slots, seed)
    start = np.random.default_rng(seed).permutation(grid.slots)[:count]
    assembly = assemble_pieces(grid=grid, start=start, rounds=0, **potentials)
    assert len(set(assembly.placement.tolist())) == count
    assert assembly.placement.min() >= 0
    assert assembly.placement.max() < grid.slots
    assert assembly.energy >= plain_energy(start, grid, **potentials) - 1e-3
    assert assembly.energy == pytest.approx(plain_energy(assembly.placement, grid, **potentials), abs=1e-2)
    assert (assembly.margin >= 0).all()


def test_a_good_start_is_kept() -> None:
    grid = Grid(6, 6)
    right, down, truth = noisy_seams(grid, 6.0, seed=2)  # far too noisy to be solved
    start = placement_energy(truth, right, down, grid)
    assert assemble_pieces(right, down, grid, start=truth, rounds=0).energy >= start - 1e-3


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_relabelled_pieces_get_the_same_slots(seed: int) -> None:
    grid = Grid(5, 6)
    right, down, _ = noisy_seams(grid, 2.0, seed)
    order = np.random.default_rng(seed + 1).permutation(grid.slots)
    one = assemble_pieces(right, down, grid)
    two = assemble_pieces(right[np.ix_(order, order)], down[np.ix_(order, order)], grid)
    assert two.energy == pytest.approx(one.energy, abs=1e-2)
    assert np.array_equal(two.placement, one.placement[order])
    assert np.allclose(two.margin, one.margin[order], atol=1e-2)


def test_the_batch_gives_the_same_on_any_number_of_threads() -> None:
    grid = Grid(6, 6)
    made = [noisy_seams(grid, 3.5, seed) for seed in range(6)]
    right, down = np.stack([m[0] for m in made]), np.stack([m[1] for m in made])
    single = [assemble_pieces(r, d, grid, seed=4) for r, d in zip(right, down, strict=True)]
    for threads in (1, 3):
        batch = assemble_batch(right, down, grid, seed=4, threads=threads)
        for one, two in zip(single, batch, strict=True):
            assert np.array_equal(one.placement, two.placement)
            assert one.energy == two.energy


def test_the_batch_gives_what_single_puzzles_give_easy_or_not() -> None:
    grid = Grid(4, 5)
    made = [noisy_seams(grid, noise, seed, missing=2) for seed, noise in enumerate((0.3, 4.0, 0.5, 0.4, 4.5))]
    slots = np.full((5, 18, 20), -6, np.float32)
    border = np.full((5, 18, 4), -1, np.float32)
    for k, (_, _, truth) in enumerate(made):
        slots[k, np.arange(18), truth] = 0
    sure = [np.where(m[side] > -0.5, np.float32(0), m[side]) for side in (0, 1) for m in made]
    right, down = np.stack(sure[:5]), np.stack(sure[5:])
    right[0] = down[0] = border[0] = 0  # nothing speaks against the best slots
    assert set(easy_boards(right, down, grid, slots, border).done.tolist()) == {True, False}
    for threads in (1, 2):
        batch = assemble_batch(right, down, grid, slots, border, seed=3, threads=threads)
        for k, two in enumerate(batch):
            one = assemble_pieces(right[k], down[k], grid, slots[k], border[k], seed=3)
            assert one.energy == two.energy
            for name in ("placement", "margin", "order"):
                assert np.array_equal(getattr(one, name), getattr(two, name))


def test_a_batch_may_lack_different_numbers_of_pieces() -> None:
    grid = Grid(3, 3)
    tables = [random_potentials(count, grid.slots, count) for count in (9, 8, 9, 7)]
    lists = {name: [table[name] for table in tables] for name in tables[0]}
    single = [assemble_pieces(grid=grid, **table) for table in tables]
    for threads in (1, 2, 4):
        batch = assemble_batch(grid=grid, **lists, threads=threads)
        assert [two.placement.tolist() for two in batch] == [one.placement.tolist() for one in single]


def test_a_batch_of_the_wrong_shape_is_refused() -> None:
    tables = {name: np.stack([x, x]) for name, x in random_potentials(4, 4, 0).items()}
    with pytest.raises(PuzzleError, match=r"slots potentials must have the shape \(4, 6\)"):
        assemble_batch(grid=Grid(2, 3), **tables)
    lists = {name: [x, x] for name, x in random_potentials(4, 4, 0).items()}
    lists["slots"][1] = np.zeros((4, 5), np.float32)
    with pytest.raises(PuzzleError, match=r"slots potentials must have the shape \(4, 4\), not \(4, 5\)"):
        assemble_batch(grid=Grid(2, 2), **lists)


def test_twins_of_another_number_of_pieces_are_refused() -> None:
    """Also of puzzles that are easy: none of these potentials speaks against any board."""
    tables = {name: np.zeros((2, *x.shape), np.float32) for name, x in random_potentials(4, 4, 0).items()}
    with pytest.raises(PuzzleError, match="twins must be 4 numbers from 0 to 3"):
        assemble_batch(grid=Grid(2, 2), twins=[np.arange(2)] * 2, threads=1, **tables)


@pytest.mark.parametrize(("count", "workers"), [(1, 4), (16, 2), (17, 3), (256, 16), (1000, 2)])
def test_shares_hold_every_puzzle_once(count: int, workers: int) -> None:
    parts = shares(count, workers)
    assert [k for part in parts for k in range(count)[part]] == list(range(count))
    assert max(part.stop - part.start for part in parts) <= 16
    assert len(parts) >= min(count, workers)


def test_margin_is_the_loss_of_the_best_other_place() -> None:
    grid = Grid(3, 3)
    potentials = random_potentials(9, 9, seed=11)
    assembly = assemble_pieces(grid=grid, **potentials)
    for piece in range(9):
        losses = []
        for other in range(9):
            if other == piece:
                continue
            swapped = assembly.placement.copy()
            swapped[[piece, other]] = swapped[[other, piece]]
            losses.append(assembly.energy - plain_energy(swapped, grid, **potentials))
        assert assembly.margin[piece] == pytest.approx(min(losses), abs=1e-2)


@pytest.mark.parametrize("most", [4000, 10], ids=["every other place", "wanted places"])
def test_what_was_found_is_told_the_same_of_its_placement(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(ganzzle.board.assemble, "ALL_PLACES", most)
    monkeypatch.setattr(ganzzle.board.margins, "ALL_PLACES", most)
    grid = Grid(5, 5)
    potentials = random_potentials(25, 25, seed=4)
    found = assemble_pieces(grid=grid, **potentials)
    told = assembly_of(found.placement, grid=grid, **potentials)
    assert told.energy == pytest.approx(found.energy, abs=1e-3)
    for one, other in ((told.placement, found.placement), (told.order, found.order)):
        assert (one == other).all()
    assert told.margin == pytest.approx(found.margin, abs=1e-4)


def test_seconds_end_the_search_early() -> None:
    grid = Grid(8, 8)
    right, down, _ = noisy_seams(grid, 5.0, seed=0)
    quick = assemble_pieces(right, down, grid, seconds=0.0, rounds=10_000, patience=10_000)
    assert quick.energy == assemble_pieces(right, down, grid, rounds=0).energy


def test_wrong_shapes_are_refused() -> None:
    square = np.zeros((4, 4), np.float32)
    with pytest.raises(PuzzleError, match="larger grid"):
        assemble_pieces(square, square, Grid(1, 3))
    with pytest.raises(PuzzleError, match="slots potentials must have the shape"):
        assemble_pieces(square, square, Grid(2, 3), slots=square)
    with pytest.raises(PuzzleError, match="different slot"):
        assemble_pieces(square, square, Grid(2, 2), start=np.array([0, 1, 1, 2]))
