"""Loose pieces are found wherever they lie, and cut out as they were."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.ndimage import gaussian_filter, minimum_filter

from ganzzle.errors import PuzzleError
from ganzzle.pieces import assemble
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.loose import find_loose, pieces_in
from ganzzle.reading.loose.outlines import sides_of
from ganzzle.samples.scatter import scattered


def owners(laid, loose):
    """(N,) which of the laid pieces was found where; all are different if each was found once."""
    apart = loose.corners.mean(1)[:, None] - laid.middles
    return np.hypot(*apart.transpose(2, 0, 1)).argmin(1)


def assert_found(puzzle, laid, loose, levels):
    """Every piece was found once, at its place, and looks as it did but for its quarter turns."""
    mine = owners(laid, loose)
    assert sorted(mine) == list(range(len(puzzle)))
    rim, size = loose.rim, puzzle.piece_size[0]
    for k, piece in zip(mine, loose.pieces, strict=True):
        true = np.asarray(
            Image.fromarray(puzzle.pieces[k][rim : size - rim, rim : size - rim]).resize(piece.shape[1::-1])
        )
        quarters = round((laid.angles[k] + loose.angles[list(mine).index(k)]) / 90)
        assert np.abs(np.rot90(true, quarters).astype(float) - piece).mean() < levels


def as_jpeg(picture, quality=85):
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


def test_pieces_are_cut_out_as_they_were(puzzle, laid):
    loose = find_loose(laid.picture)
    assert_found(puzzle, laid, loose, levels=6)
    assert loose.turned
    assert np.abs(sides_of(loose.corners) - 60).max() < 1
    assert np.abs(loose.angles).max() < 46  # 45, as far as it can be measured


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), size=st.sampled_from([40, 60, 110]), most=st.sampled_from([5.0, 180.0]))
def test_pieces_of_any_size_at_any_angle(draw, seed, size, most):
    puzzle = Puzzle.from_picture(draw(2 * size, 3 * size, seed), "2x3", seed=seed)
    laid = scattered(puzzle, seed, most)
    loose = find_loose(laid.picture)
    assert_found(puzzle, laid, loose, levels=8)
    assert most == 180 or not loose.turned


def test_light_that_falls_from_the_side_is_evened(puzzle):
    laid = scattered(puzzle, 3, ground=(206, 214, 205))  # a dark ground does not tell
    light = np.linspace(0.75, 1.0, laid.picture.shape[1])[None, :, None]
    loose = find_loose((laid.picture * light).astype(np.uint8))
    mine = owners(laid, loose)
    assert sorted(mine) == list(range(len(puzzle)))
    share = loose.pieces.mean((1, 2, 3)) / puzzle.pieces[mine].mean((1, 2, 3))
    assert np.ptp(share) < 0.04  # without evening it would be a quarter


def test_noise_jpeg_and_shadows_do_not_hide_pieces(puzzle, laid):
    covered = (laid.picture != np.array(laid.ground)).any(2).astype(float)
    shadow = gaussian_filter(np.roll(covered, (3, 3), (0, 1)), 2) * (1 - covered)
    noise = np.random.default_rng(0).normal(0, 2.5, laid.picture.shape)
    shot = np.clip(laid.picture * (1 - 0.35 * shadow[..., None]) + noise, 0, 255).astype(np.uint8)
    loose = find_loose(as_jpeg(shot))
    assert sorted(owners(laid, loose)) == list(range(len(puzzle)))
    assert np.abs(sides_of(loose.corners) - 60).max() < 3  # shadows are not taken for parts of pieces


def test_a_large_photograph_is_looked_at_small_and_cut_at_its_own_size(puzzle):
    large = Puzzle(np.kron(puzzle.pieces, np.ones((1, 5, 5, 1), np.uint8)), puzzle.grid)
    laid = scattered(large, 1)
    loose = find_loose(laid.picture)
    assert sorted(owners(laid, loose)) == list(range(len(puzzle)))
    assert np.abs(sides_of(loose.corners) - 300).max() < 3
    assert max(loose.pieces.shape[1:3]) == 160


def test_strips_are_found(draw):
    puzzle = Puzzle.from_picture(draw(120, 320, 1), "2x4", seed=1)  # of 60 x 80 px
    laid = scattered(puzzle, 1, 10.0)
    loose = find_loose(laid.picture)
    assert sorted(owners(laid, loose)) == list(range(8))
    height, width = loose.pieces.shape[1:3]
    assert (height + 2 * loose.rim, width + 2 * loose.rim) == pytest.approx((60, 80), abs=1)


def test_pieces_that_are_no_squares_all_lie_the_same_way(draw):
    puzzle = Puzzle.from_picture(draw(180, 320, 1), "3x4", seed=1)  # of 60 x 80 px
    laid = scattered(puzzle, 1)
    loose = find_loose(laid.picture)
    assert sorted(owners(laid, loose)) == list(range(12))
    assert np.abs(np.ptp(sides_of(loose.corners), axis=0)).max() < 1  # not some of them 80 x 60 px
    assert np.abs(loose.angles).max() <= 90
    assert loose.turned
    quarters = np.rint((laid.angles[owners(laid, loose)] + loose.angles) / 90).astype(int)
    wide = loose.pieces.shape[2] > loose.pieces.shape[1]
    assert (quarters % 2 == (0 if wide else 1)).all()


def test_a_piece_that_partly_looks_like_the_ground_is_completed(puzzle):
    ground = (58, 110, 165)
    pieces = puzzle.pieces.copy()
    pieces[5, np.add.outer(np.arange(60), np.arange(60)) > 70] = ground  # its lower right corner
    laid = scattered(Puzzle(pieces, puzzle.grid), 4, ground=ground)
    loose = find_loose(laid.picture)
    assert sorted(owners(laid, loose)) == list(range(len(puzzle)))
    middle = loose.corners[list(owners(laid, loose)).index(5)].mean(0)
    assert np.abs(middle - laid.middles[5]).max() < 3  # with the corner that is not seen


def test_pieces_that_touch_are_refused(puzzle, laid):
    page = laid.picture.copy()
    (x, y), (u, v) = laid.middles[0], laid.middles[1]
    assert abs(y - v) < 20
    page[int(min(y, v)) - 20 : int(max(y, v)) + 20, int(x) : int(u)] = 255  # a bar from one to the other
    with pytest.raises(PuzzleError, match=r"cannot be told apart; lay all pieces apart"):
        find_loose(page)


@pytest.mark.parametrize("kind", ["picture", "scrambled", "blank", "one piece"])
def test_other_pictures_hold_no_loose_pieces(draw, puzzle, kind):
    pictures = {
        "picture": draw(200, 300, 3),
        "scrambled": assemble(puzzle.pieces, Grid(3, 4), np.arange(12)),
        "blank": np.full((200, 200, 3), 200, np.uint8),
        "one piece": np.pad(puzzle.pieces[0], ((40, 40), (40, 40), (0, 0)), constant_values=240),
    }
    assert find_loose(pictures[kind]) is None


def test_pieces_between_gutters_lie_in_a_grid_and_others_are_loose(puzzle, laid):
    tiles = np.pad(puzzle.pieces, ((0, 0), (4, 4), (4, 4), (0, 0)), constant_values=255)
    found, loose = pieces_in(assemble(tiles, Grid(3, 4), np.arange(12)))
    assert loose is None
    assert found.grid == Grid(3, 4)
    found, loose = pieces_in(laid.picture)
    assert loose is not None
    assert found.grid is None
    assert len(found) == 12
    assert pieces_in(laid.picture, "3x4")[0].grid == Grid(3, 4)
    assert pieces_in(laid.picture, "2x3")[0].grid is None  # some do not belong


def test_from_scan_says_what_is_wrong_with_a_picture_without_pieces(draw):
    with pytest.raises(PuzzleError, match="no loose pieces stand out"):
        Puzzle.from_scan(draw(100, 100, 1))


def test_rims_tell_what_is_gone_and_are_left_out_of_the_picture(laid):
    puzzle = Puzzle.from_scan(laid.picture)
    assert puzzle.rim > 0
    assert not puzzle.pieces[:, : puzzle.rim].any()
    assert puzzle.bare_pieces.shape[1] == puzzle.piece_size[0] - 2 * puzzle.rim
    assert puzzle.bare_pieces[:, 0].any()


def test_pieces_in_neat_rows_are_loose_too(puzzle):
    for seed in range(3):
        found, loose = pieces_in(scattered(puzzle, seed, 3.0).picture)
        assert loose is not None
        assert len(found) == 12
        assert not loose.turned


@pytest.mark.parametrize("specks", [10, 30])
def test_dust_on_the_ground_is_no_piece(puzzle, laid, specks):
    dusty, random = laid.picture.copy(), np.random.default_rng(specks)
    bare = (laid.picture == np.array(laid.ground)).all(2).astype(np.uint8)
    clear = np.argwhere(
        minimum_filter(bare, 25, mode="constant")
    )  # dust at the edge of a piece is part of it
    for y, x in random.choice(clear, specks):
        dusty[y - 1 : y + 2, x - 1 : x + 2] = 255 - np.array(laid.ground)
    assert len(find_loose(dusty).pieces) == len(puzzle)
