"""Worn rims are found without being told."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ganzzle.damage.corruption import add_noise, erode
from ganzzle.damage.wear import is_noisy, wear_width
from ganzzle.puzzle import Puzzle


@pytest.fixture
def pieces(draw: Callable[..., np.ndarray]) -> np.ndarray:
    return Puzzle.from_picture(draw(192, 192, seed=3), 6, seed=0).pieces


@pytest.mark.parametrize("width", [0, 1, 2, 5, 8])
def test_black_rim(pieces: np.ndarray, width: int) -> None:
    assert wear_width(erode(pieces, width)) == width


@pytest.mark.parametrize("width", [1, 4])
def test_rim_of_one_colour_and_of_noise(pieces: np.ndarray, width: int) -> None:
    inside = erode(np.full_like(pieces, 255), width) > 0
    assert wear_width(np.where(inside, pieces, np.uint8(180))) == width
    noise = np.random.default_rng(0).integers(0, 256, pieces.shape).astype(np.uint8)
    assert wear_width(np.where(inside, pieces, noise)) == width


@pytest.mark.parametrize("sigma", [0.1, 0.2])
def test_noise_on_top_of_the_rim(pieces: np.ndarray, sigma: float) -> None:
    assert wear_width(add_noise(erode(pieces, 3), sigma, np.random.default_rng(1))) == 3


def test_noise_alone_is_no_rim(pieces: np.ndarray) -> None:
    assert wear_width(add_noise(pieces, 0.2, np.random.default_rng(1))) == 0


def test_flat_or_single_pieces_have_no_rim() -> None:
    assert wear_width(np.full((9, 32, 32, 3), 77, np.uint8)) == 0
    assert wear_width(erode(np.full((1, 32, 32, 3), 77, np.uint8), 2)) == 0


@pytest.mark.parametrize(("sigma", "noisy"), [(0.0, False), (0.01, False), (0.05, True), (0.2, True)])
def test_noise_is_seen_in_the_smoothest_pieces(
    sigma: float, noisy: bool, draw: Callable[..., np.ndarray]
) -> None:
    puzzle = Puzzle.from_picture(draw(192, 192), "6x6", seed=0, piece=32, corrupt=f"noise:{sigma}")
    assert is_noisy(puzzle.pieces) == noisy


def test_texture_is_no_noise() -> None:
    dots = np.random.default_rng(0).integers(0, 2, (24, 32, 32, 1))
    # Two colours, whose pattern is the same in all channels.
    colours = np.array([[230, 40, 30], [240, 220, 60]])
    assert not is_noisy(colours[dots[..., 0]].astype(np.uint8))
    grey = np.random.default_rng(0).integers(0, 256, (24, 32, 32, 1)).repeat(3, 3).astype(np.uint8)
    assert not is_noisy(grey)


def test_noise_is_seen_where_half_of_it_is_clipped_and_in_grey_pictures() -> None:
    for level in (0, 128, 255):
        flat = np.full((8, 32, 32, 3), level, np.uint8)
        assert is_noisy(add_noise(flat, 0.025, np.random.default_rng(0)))
        assert not is_noisy(flat)


def posterised(picture: np.ndarray, levels: int, dither: np.ndarray | float = 0.0) -> np.ndarray:
    """A few levels of every channel, (H, W, 3) -> the same."""
    level = np.clip(np.floor(picture / 256 * levels + dither), 0, levels - 1)
    return (level * 255 / (levels - 1)).astype(np.uint8)


def drawings(picture: np.ndarray) -> dict[str, np.ndarray]:
    """Clean pictures whose detail is not the same in all channels, of one of (192, 192, 3)."""
    rng = np.random.default_rng(0)
    lines = np.where(np.arange(192) % 6 < 4, rng.integers(0, 100, (192, 192)), 0)[..., None]
    checked = np.array([[0.0, 0.5], [0.75, 0.25]])
    return {
        "tones": posterised(picture, 6),
        "two tones": posterised(rng.integers(0, 256, (48, 48, 3)), 2).repeat(4, 0).repeat(4, 1),
        "tones and lines": np.clip(posterised(picture, 6).astype(int) - lines, 0, 255).astype(np.uint8),
        "ordered dots": posterised(picture, 4, np.tile(checked, (96, 96))[..., None]),
        "random dots": posterised(picture, 4, rng.random(picture.shape)),
    }


@pytest.mark.parametrize("kind", ["tones", "two tones", "tones and lines", "ordered dots", "random dots"])
def test_drawings_and_palettes_are_no_noise(kind: str, draw: Callable[..., np.ndarray]) -> None:
    drawing = drawings(draw(192, 192))[kind]
    for corruption in ("none", "erode:2", "missing:0.3"):
        puzzle = Puzzle.from_picture(drawing, "6x6", seed=0, corrupt=corruption)
        assert not is_noisy(puzzle.pieces, wear_width(puzzle.pieces))
    for corruption in ("noise:0.02", "noise:0.2", "erode:2+noise:0.05"):
        puzzle = Puzzle.from_picture(drawing, "6x6", seed=0, corrupt=corruption)
        assert is_noisy(puzzle.pieces, wear_width(puzzle.pieces))


def test_noise_is_seen_within_a_black_rim_that_was_not_found(pieces: np.ndarray) -> None:
    assert is_noisy(erode(add_noise(pieces, 0.1, np.random.default_rng(0)), 4))


@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_worn_rim_is_no_noise(pieces: np.ndarray, width: int) -> None:
    striped = np.arange(32) // 3 % 2 * 120 + 60
    lit = np.broadcast_to(striped[:, None, None] + [40, 0, 20], (6, 32, 32, 3)).astype(np.uint8)
    for clean in (pieces, lit):
        assert not is_noisy(erode(clean, width), width)
        assert is_noisy(add_noise(erode(clean, width), 0.05, np.random.default_rng(0)), width)


def test_too_small_pieces_are_not_noisy() -> None:
    small = np.random.default_rng(0).integers(0, 256, (9, 4, 6, 3)).astype(np.uint8)
    assert is_noisy(small)
    assert not is_noisy(small, 1)


@pytest.mark.parametrize("kind", ["black", "white", "noise", "greys"])
@pytest.mark.parametrize("sides", [(0, 0, 0, 1), (0, 0, 3, 3), (3, 0, 3, 0), (1, 3, 2, 4)])
def test_rims_that_are_not_as_wide_on_all_sides(
    pieces: np.ndarray, kind: str, sides: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(0)
    fills = {
        "black": np.zeros(1),
        "white": np.full(1, 255),
        "noise": rng.integers(0, 256, pieces.shape),
        "greys": rng.integers(0, 12, (len(pieces), 1, 1, 1)),
    }
    top, bottom, left, right = sides
    inside = np.zeros((32, 32, 1), bool)
    inside[top : 32 - bottom, left : 32 - right] = True
    assert wear_width(np.where(inside, pieces, fills[kind]).astype(np.uint8)) == max(sides)


@pytest.mark.parametrize("grid", ["1x2", "2x1", "1x3", "3x1"])
def test_few_clean_pieces_have_no_rim(draw: Callable[..., np.ndarray], grid: str) -> None:
    """The mean colours of two or three pieces are alike by chance once in eight times."""
    for seed in range(40):
        assert wear_width(Puzzle.from_picture(draw(96, 96, seed), grid, seed=seed, piece=32).pieces) == 0


def test_two_worn_pieces_have_a_rim(draw: Callable[..., np.ndarray]) -> None:
    assert wear_width(erode(Puzzle.from_picture(draw(32, 64, 1), "1x2").pieces, 3)) == 3
