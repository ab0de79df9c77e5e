"""Missing, noise, erosion: exactly the protocol; and colours that differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.damage.corruption import Corruption, Step, add_noise, erode, shift_colours, twin_groups
from ganzzle.errors import PuzzleError
from ganzzle.pieces import turn_pieces
from ganzzle.puzzle import Puzzle


def test_the_text_form_goes_there_and_back():
    for text in (
        "none",
        "missing:0.1",
        "noise:0.05",
        "erode:2",
        "uneven:0.03",
        "missing:0.3+noise:0.2+erode:1",
    ):
        assert str(Corruption.parse(text)) == text
    assert Corruption.parse(" noise:.5 + erode:1 ").steps == (Step("noise", 0.5), Step("erode", 1))


def test_no_digit_of_a_level_is_lost_in_the_text_form():
    for text in ("missing:0.9999999", "noise:0.12345678", "noise:0.0000001"):
        (step,) = Corruption.parse(text).steps
        assert Corruption.parse(str(step)).steps == (step,)


@pytest.mark.parametrize(
    "text",
    ["noise", "noise:", "noise:x", "noise:-1", "noise:nan", "noise:inf", "missing:1", "missing:1.5", "erode:1.5",
     "erode:inf", "erode:-1", "blur:2", "noise:0.1+", "noise:0.1,erode:2"],
)  # fmt: skip
def test_what_is_no_corruption_is_refused(text):
    with pytest.raises(PuzzleError, match="is no corruption"):
        Corruption.parse(text)


def test_uneven_colours_shift_every_piece_as_a_whole():
    grey = np.full((400, 4, 4, 3), 128, np.uint8)
    shifts = shift_colours(grey, 0.05, np.random.default_rng(1)).astype(float) - 128
    assert np.array_equal(shifts, np.broadcast_to(shifts[:, :1, :1], shifts.shape))
    assert abs(shifts.std() / 255 - 0.05) < 0.003
    assert np.abs(np.corrcoef(shifts[:, 0, 0].T) - np.eye(3)).max() < 0.2  # each channel by itself
    assert shift_colours(np.full((9, 1, 1, 3), 250, np.uint8), 0.5, np.random.default_rng(1)).max() == 255


def test_identical_pieces_stay_interchangeable_when_their_colours_are_off():
    puzzle = Puzzle.from_picture(np.full((32, 32, 3), 90, np.uint8), 4, seed=0, corrupt="uneven:0.1")
    assert len(np.unique(twin_groups(puzzle.pieces))) > 1
    assert puzzle.truth.twins.tolist() == [0] * 16


def test_erosion_blackens_exactly_the_rim(draw):
    puzzle = Puzzle.in_order(draw(96, 96), 3)
    for width in (1, 2, 5):
        eroded = Corruption.parse(f"erode:{width}").apply(puzzle, np.random.default_rng(0)).pieces
        inner = (slice(None), slice(width, -width), slice(width, -width))
        assert np.array_equal(eroded[inner], puzzle.pieces[inner])
        rim = np.ones((32, 32), bool)
        rim[width:-width, width:-width] = False
        assert not eroded[:, rim].any()
    assert not erode(puzzle.pieces, 16).any()
    assert not erode(puzzle.pieces, 100).any()
    assert np.array_equal(erode(puzzle.pieces, 0), puzzle.pieces)


def test_erosion_that_leaves_nothing_is_refused(draw):
    puzzle = Puzzle.in_order(draw(60, 96), 3)
    assert Corruption.parse("erode:9").apply(puzzle, np.random.default_rng(0)).pieces.any()
    with pytest.raises(PuzzleError, match="leaves nothing of pieces of 32x20 px"):
        Corruption.parse("noise:0.1+erode:10").apply(puzzle, np.random.default_rng(0))


def test_noise_has_its_sigma_and_is_clipped():
    grey = np.full((50, 32, 32, 3), 128, np.uint8)
    for sigma in (0.05, 0.1):
        noise = add_noise(grey, sigma, np.random.default_rng(1)).astype(float) - 128
        assert abs(noise.std() / 255 - sigma) < 0.002
        assert abs(noise.mean()) < 0.5
    white = add_noise(np.full((2, 8, 8, 3), 255, np.uint8), 0.2, np.random.default_rng(1))
    assert white.max() == 255
    assert white.min() > 0
    assert (white == 255).mean() > 0.4  # half of the draws go up and are clipped, none wraps around


def test_noise_adds_the_rounded_draw(draw):
    pieces = Puzzle.in_order(draw(600, 600), 10).pieces  # more than one chunk
    draws = np.random.default_rng(3).standard_normal(pieces.shape, dtype=np.float32)
    expected = np.clip(np.rint(pieces + np.float32(25.5) * draws), 0, 255)
    assert np.array_equal(add_noise(pieces, 0.1, np.random.default_rng(3)), expected)


@pytest.mark.parametrize(("share", "left"), [(0.1, 32), (0.2, 29), (0.3, 25), (0, 36), (0.999, 1)])
def test_a_share_of_the_pieces_is_missing(draw, share, left):
    whole = Puzzle.from_picture(draw(60, 60), 6, seed=3)
    puzzle = Corruption.parse(f"missing:{share}").apply(whole, np.random.default_rng(0))
    assert len(puzzle) == left
    assert puzzle.grid == whole.grid
    at = {int(slot): piece for slot, piece in zip(whole.truth.placement, whole.pieces, strict=True)}
    for slot, piece in zip(puzzle.truth.placement, puzzle.pieces, strict=True):
        assert np.array_equal(at[int(slot)], piece)


def test_the_seed_decides(draw):
    puzzles = [
        Puzzle.from_picture(draw(40, 40), 4, seed=s, corrupt="missing:0.2+noise:0.1") for s in (1, 1, 2)
    ]
    assert np.array_equal(puzzles[0].pieces, puzzles[1].pieces)
    assert not np.array_equal(puzzles[0].truth.placement, puzzles[2].truth.placement)


def test_twins_are_known_from_before_the_noise():
    picture = np.full((40, 40, 3), 200, np.uint8)
    picture[:20, :20] = np.random.default_rng(0).integers(0, 256, (20, 20, 3))
    puzzle = Puzzle.from_picture(picture, 4, seed=1, corrupt="missing:0.25+noise:0.1")
    assert len(np.unique(twin_groups(puzzle.pieces))) == 12  # no two noisy pieces are equal
    for a in range(12):
        for b in range(12):
            flat = {int(slot) for slot in puzzle.truth.placement[[a, b]]}.isdisjoint({0, 1, 4, 5})
            assert (puzzle.truth.twins[a] == puzzle.truth.twins[b]) == (flat or a == b)


def test_twins_are_compared_upright():
    gradient = np.repeat(np.arange(10, dtype=np.uint8)[:, None, None] * 20, 10, 1).repeat(3, 2)
    picture = np.tile(gradient, (1, 4, 1))
    puzzle = Puzzle.from_picture(picture, (1, 4), seed=2, rotated=True, corrupt="noise:0.1")
    assert len(set(puzzle.truth.turns)) > 1
    assert len(set(puzzle.truth.twins)) == 1


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 12), st.integers(0, 10**6))
def test_twin_groups_are_exactly_the_equal_pieces(count, seed):
    pieces = np.random.default_rng(seed).integers(0, 2, (count, 1, 2, 3), dtype=np.uint8)
    groups = twin_groups(pieces)
    for a in range(count):
        for b in range(count):
            assert (groups[a] == groups[b]) == np.array_equal(pieces[a], pieces[b])


def test_corruption_comes_after_the_turns(draw):
    """Turning an eroded piece back gives the eroded upright piece: erosion is the same on all sides."""
    turned = Puzzle.from_picture(draw(40, 40), 4, seed=5, rotated=True, corrupt="erode:2")
    plain = Puzzle.from_picture(draw(40, 40), 4, seed=5, corrupt="erode:2")
    assert np.array_equal(turn_pieces(turned.pieces, turned.truth.turns), plain.pieces)


@pytest.mark.parametrize(
    "text", ["bare:5", "bare:2+missing:0.1", "crop:64/85", "jpeg:75", "bare:2+resize:50"]
)
def test_what_befalls_real_pieces_has_a_text_form_too(text):
    assert str(Corruption.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["bare:1.5", "crop:1.5", "crop:0", "crop:3/0", "jpeg:0", "jpeg:101", "resize:1"]
)
def test_levels_that_cannot_be_are_refused(text):
    with pytest.raises(PuzzleError, match="is no corruption"):
        Corruption.parse(text)


def test_bare_pieces_are_smaller_and_their_inside_is_kept(draw):
    puzzle = Puzzle.in_order(draw(96, 96), 3)
    cut = Corruption.parse("bare:3").apply(puzzle, np.random.default_rng(0))
    assert np.array_equal(cut.pieces, puzzle.pieces[:, 3:-3, 3:-3])
    assert np.array_equal(cut.truth.placement, puzzle.truth.placement)
    with pytest.raises(PuzzleError, match="bare:16 leaves nothing"):
        Corruption.parse("bare:16").apply(puzzle, np.random.default_rng(0))


def test_windows_are_cut_out_at_many_places(draw):
    puzzle = Puzzle.in_order(draw(340, 340), 4)
    cut = Corruption.parse("crop:64/85").apply(puzzle, np.random.default_rng(0))
    assert cut.piece_size == (64, 64)
    places = set()
    for whole, window in zip(puzzle.pieces, cut.pieces, strict=True):
        views = np.lib.stride_tricks.sliding_window_view(whole, (64, 64, 3))[:, :, 0]
        places |= set(zip(*np.nonzero((views == window).all((2, 3, 4))), strict=True))
    assert len(places) > 12


def test_resized_and_compressed_pieces_are_nearly_what_they_were(draw):
    puzzle = Puzzle.in_order(draw(96, 96), 3)
    for text, size in (("resize:48+resize:32", 32), ("jpeg:90", 32), ("resize:50", 50)):
        changed = Corruption.parse(text).apply(puzzle, np.random.default_rng(0))
        assert changed.piece_size == (size, size)
        if size == 32:
            difference = np.abs(changed.pieces.astype(int) - puzzle.pieces)
            assert 0 < difference.mean() < 5
