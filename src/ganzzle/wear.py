"""Worn rims and noise: finding them without being told."""

from __future__ import annotations

import numpy as np

from ganzzle.arrays import Pixels

NOISY = 2.55  # sigma of the noise in the smoothest pieces, of 255, above which a puzzle counts as noisy
REPEATED = 0.12  # share of the pixels whose colour comes again close by, above which a piece has no noise


def wear_width(pieces: Pixels) -> int:
    """How many px of every piece's rim carry no picture, at most a quarter of a side: (N, h, w, 3) uint8 -> px.

    The mean colour of a ring of pixels differs from piece to piece where there is picture. It hardly does in a rim that
    is black or of one colour, and not more than by chance in a rim of noise. The rim ends at the first other ring.
    """
    count, height, width = pieces.shape[:3]
    deepest = min(height, width) // 4
    if count < 2 or deepest < 1:
        return 0
    within, within_chance = _ring_spread(pieces, deepest)
    if within < 1.0:  # all pieces look alike: nothing tells a rim from the picture
        return 0
    for depth in range(deepest):
        spread, beyond_chance = _ring_spread(pieces, depth)
        if spread >= 0.15 * within and not (within_chance > 4 and beyond_chance < 1.8):
            return depth
    return deepest


def _ring_spread(pieces: Pixels, depth: int) -> tuple[float, float]:
    """Variance between pieces of the mean colour of each side of a ring, and how often that of pure chance it is."""
    from ganzzle.wear_kernels import ring_spread

    between, by_chance = ring_spread(np.ascontiguousarray(pieces), depth)
    return between, between / max(by_chance, 1e-3)


def is_noisy(pieces: Pixels, wear: int = 0) -> bool:
    """Whether there is noise of about 0.02 of the scale or more even in the smoothest pieces.

    (N, h, w, 3) uint8; their outer `wear` px are not looked at. Noise is independent in the three channels, so no
    mixture of them is without it; texture is nearly the same in all of them, or goes from one colour to another. The
    flat tones of drawings and the few colours of a palette change at other places in every channel, but come again
    close by. Noisy colours hardly do: even of black or white no more than half stay so in a channel, an eighth in all.
    """
    if min(pieces.shape[1:3]) < 2 * wear + 3:
        return False
    from ganzzle.wear_kernels import least_detail, repeated_colours

    pieces = np.ascontiguousarray(pieces)
    few = len(pieces) // 8
    smooth = least_detail(pieces, wear) <= NOISY**2
    if smooth.sum() <= few:
        smooth |= repeated_colours(pieces, wear) > REPEATED
    return bool(smooth.sum() <= few)
