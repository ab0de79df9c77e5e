"""Worn rims and noise: finding them without being told."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Pixels

# Share of the variance within below which a ring carries no picture: of many pieces, of few, and on one side alone.
ALIKE, ALIKE_FEW, ALIKE_SIDE = 0.15, 0.08, 0.025
# Times the variance of chance below which there is noise alone, and above which there is a picture.
CHANCE, PICTURE = 1.8, 4.0
NOISIER = 2.0  # times as much of it is chance in a rim of noise as in the picture
FEW, MANY = 4, 16  # pieces from which on such variances mean something, and much
FLAT = 6.0  # deviation of the colours of a rim, of 255: fewer pieces must have one colour there
NOISY = 2.55  # sigma of the noise in the smoothest pieces, of 255, above which a puzzle counts as noisy
REPEATED = 0.12  # share of the pixels whose colour comes again close by, above which a piece has no noise


def wear_width(pieces: Pixels) -> int:
    """How many px of every piece's rim carry no picture, at most a quarter of a side: (N, h, w, 3) uint8 -> px.

    The mean colour of a ring of pixels differs from piece to piece where there is picture. It hardly does in a rim that
    is black or of one colour, and not more than by chance in a rim of noise. The rim ends at the first other ring; of
    rims that are not as wide on all sides the widest counts.
    """
    count, height, width = pieces.shape[:3]
    deepest = min(height, width) // 4
    if count < 2 or deepest < 1:
        return 0
    inside = _Ring.of(pieces, deepest)
    if inside.between.mean() < 1.0:  # all pieces look alike: nothing tells a rim from the picture
        return 0
    many = count >= MANY
    worn, all_round, sides = 0, True, np.full(4, many)
    while worn < deepest:
        ring = _Ring.of(pieces, worn)
        if count < FEW:
            all_round = ring.is_flat()
        else:
            all_round &= ring.whole().is_bare(inside.whole(), ALIKE if many else ALIKE_FEW).item()
        sides &= ring.is_bare(inside, ALIKE_SIDE)
        if not all_round and not sides.any():
            break
        worn += 1
    return worn


class _Ring(NamedTuple):
    """The four sides of a ring of pixels: how much their mean colours vary between pieces, and what of it is chance."""

    between: Floats  # (4,)
    by_chance: Floats  # (4,)
    length: int  # px of a side, about

    @classmethod
    def of(cls, pieces: Pixels, depth: int) -> _Ring:
        """The ring that lies `depth` px within all pieces (N, h, w, 3)."""
        from ganzzle.damage.wear_kernels import ring_spread

        return cls(*ring_spread(np.ascontiguousarray(pieces), depth), sum(pieces.shape[1:3]) // 2 - 2 * depth)

    def whole(self) -> _Ring:
        """All four sides as one."""
        return _Ring(self.between.mean(keepdims=True), self.by_chance.mean(keepdims=True), self.length)

    def is_bare(self, inside: _Ring, alike: float) -> NDArray[np.bool_]:
        """(4,) whether each side carries no picture, by those of a ring that does: their mean colours are alike, or
        differ by chance alone, and by more of it."""
        mine, other = (ring.between / np.maximum(ring.by_chance, 1e-3) for ring in (self, inside))
        noise = (mine < CHANCE) & (other > PICTURE) & (self.by_chance > NOISIER * inside.by_chance)
        found: NDArray[np.bool_] = (self.between < alike * inside.between) | noise
        return found

    def is_flat(self) -> bool:
        """Whether it has one colour on all pieces."""
        return bool(max(self.between.max(), self.length * self.by_chance.max()) < FLAT**2)


def is_noisy(pieces: Pixels, wear: int = 0) -> bool:
    """Whether there is noise of about 0.02 of the scale or more even in the smoothest pieces.

    (N, h, w, 3) uint8; their outer `wear` px are not looked at. Noise is independent in the three channels, so no
    mixture of them is without it; texture is nearly the same in all of them, or goes from one colour to another. The
    flat tones of drawings and the few colours of a palette change at other places in every channel, but come again
    close by. Noisy colours hardly do: even of black or white no more than half stay so in a channel, an eighth in all.
    """
    if min(pieces.shape[1:3]) < 2 * wear + 3:
        return False
    from ganzzle.damage.wear_kernels import least_detail, repeated_colours

    pieces = np.ascontiguousarray(pieces)
    few = len(pieces) // 8
    smooth = least_detail(pieces, wear) <= NOISY**2
    if smooth.sum() <= few:
        smooth |= repeated_colours(pieces, wear) > REPEATED
    return bool(smooth.sum() <= few)
