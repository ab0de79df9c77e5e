"""Hot-air balloons over hills."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ganzzle.arrays import Pixels
from ganzzle.samples.brushes import SIZE, Floats32, colour, noise, noise_line, paint, to_pixels


class Balloon(NamedTuple):
    """Where it flies, in shares of the picture, and what it is sewn of."""

    x: float
    y: float
    radius: float
    gores: int  # stripes that can be seen
    one: int  # colours, as 0xRRGGBB
    other: int


BALLOONS = (  # from far to near
    Balloon(0.13, 0.13, 0.035, 6, 0x2E6F8E, 0xF3E6C8),
    Balloon(0.86, 0.47, 0.045, 6, 0x7C3B8F, 0xF2C14E),
    Balloon(0.47, 0.12, 0.060, 8, 0x1F7A5C, 0xF7F0DC),
    Balloon(0.17, 0.45, 0.085, 8, 0xF08A24, 0x27476E),
    Balloon(0.79, 0.20, 0.115, 10, 0xF4D35E, 0xD1495B),
    Balloon(0.45, 0.40, 0.165, 12, 0xC8262E, 0xFBEBD0),
)
HILLS = (0x9DB6A8, 0x7FA36A, 0x5E8C3F, 0x3E6B2B)  # from far to near


def draw_balloons(size: int = SIZE, seed: int = 3) -> Pixels:
    """Hot-air balloons over hills on a summer morning, (size, size, 3): bright colours and round shapes."""
    rng = np.random.default_rng(seed)
    fine = 2 * size  # drawn twice as large, for smooth outlines
    y, x = np.mgrid[0:fine, 0:fine].astype(np.float32) / fine
    picture = _sky(y, noise(fine, rng, 2))
    for depth, green in enumerate(HILLS):
        ridge = 0.66 + 0.08 * depth + (0.05 + 0.015 * depth) * (noise_line(fine, rng, finest=5) - 0.5)
        paint(picture, y > ridge, _field(x, y - ridge, green, depth, rng))
    for balloon in BALLOONS:
        _fly(picture, x, y, balloon)
    picture = picture.reshape(size, 2, size, 2, 3).mean((1, 3))
    return to_pixels(picture + 0.05 * (noise(size, rng, 6)[..., None] - 0.5), rng)


def _sky(y: Floats32, fluff: Floats32) -> Floats32:
    """(S, S, 3) blue above, warm near the hills, with clouds."""
    share = np.clip(y / 0.7, 0, 1)[..., None]
    sky = (1 - share) * colour(0x3F8FD2) + share * colour(0xFCE3C5)
    clouds = np.clip(2.6 * fluff - 1.3, 0, 1)[..., None] * (1 - 0.7 * share)
    shade = colour(0xFFFFFF) - 0.22 * np.clip(np.roll(fluff, -12, 0) - fluff + 0.5, 0, 1)[..., None]
    return sky * (1 - clouds) + clouds * shade


def _field(x: Floats32, below: Floats32, green: int, depth: int, rng: np.random.Generator) -> Floats32:
    """(S, S, 3) a hill with fields, ploughed along its slope; `below` its ridge."""
    size = len(x)
    bend = noise(size, rng, 2) - 0.5
    patch = np.floor((x + 0.3 * bend) * (9 - depth)) + 7 * np.floor((below + 0.05 * bend) * (26 - 4 * depth))
    tint = rng.uniform(-0.09, 0.09, (64, 3)).astype(np.float32) + rng.uniform(-0.05, 0.09, (64, 1))
    furrows = 0.03 * np.sin((below * (5 + 2 * depth) + 0.1 * bend) * 160) * (depth > 0)
    light = 0.12 * np.exp(-np.abs(below) * 30) - 0.25 * below
    rough = 0.16 * (noise(size, rng, 6) - 0.5)
    return colour(green) + tint[patch.astype(np.int64) % 64] + (furrows + light + rough)[..., None]


def _fly(picture: Floats32, x: Floats32, y: Floats32, balloon: Balloon) -> None:
    """Paint one balloon: its basket and ropes, then what is filled with air."""
    across, down = (x - balloon.x) / balloon.radius, (y - balloon.y) / balloon.radius
    rope = (np.abs(np.abs(across) - 0.34 + 0.12 * (down - 1.1)) < 0.02) & (down > 1.0) & (down < 1.75)
    paint(picture, rope, colour(0x4A3B2A))
    basket = (np.abs(across) < 0.24) & (down > 1.72) & (down < 2.05)
    weave = 0.12 * np.sin(40 * across) * np.sin(50 * down)
    paint(picture, basket, colour(0x8A5A2B) + weave[..., None])
    # A ball above, drawn together below.
    drawn = 0.937 - 0.86 * np.clip(down - 0.35, 0, None) ** 1.15
    width = np.where(down < 0.35, np.sqrt(np.clip(1 - down**2, 0, 1)), drawn)
    inside = (down > -1) & (down < 1.1) & (np.abs(across) < width)
    around = np.arcsin(np.clip(across / np.maximum(width, 1e-3), -1, 1)) / np.pi + 0.5
    gore = around * balloon.gores
    striped = np.where((np.floor(gore) % 2 == 0)[..., None], colour(balloon.one), colour(balloon.other))
    band = (np.abs(down + 0.05) < 0.13)[..., None]
    cloth = np.where(band, colour(balloon.other) * 0.55 + colour(balloon.one) * 0.45, striped)
    puffed = 0.10 * np.sin(np.pi * (gore % 1)) - 0.05
    light = 1.12 - 0.55 * np.clip(((across + 0.45) ** 2 + (down + 0.5) ** 2) / 3.2, 0, 1)
    paint(picture, inside, cloth * light[..., None] + puffed[..., None])
