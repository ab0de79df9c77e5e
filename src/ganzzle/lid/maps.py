"""Where on a lid pieces may lie, each by itself, and which rectangles of the lid agree with most of them.

Of every piece a map says, for places on the lid a quarter of a slot apart, how much better it looks there than at most
others. A grid is laid over the lid in many ways; the worth of a way is what the pieces and slots that prefer each other
find there. The best ways are then bent until more pieces agree, as iterated closest points do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints
from ganzzle.grid import Grid
from ganzzle.lid.looking import Colours, Lid, detail, distances, projected, square

FIELD = 0.25  # of a slot, between the places of a map
SCALES = (0.84, 1.0, 1.19)  # of a slot on the lid, against the share of it that the grid would have
USUAL = 0.1  # quantile of the distances of a piece from all places that a good place is compared with
SURE = 0.05  # of that distance is as good as none
PLAIN = (
    0.1  # of what is usual for most pieces: so much nearer is no gain, and plain pieces gain little anywhere
)
NEAREST_WHITE = 0.5, 2.0  # by how much contrasts of the whole lid may be changed to those of the pieces
SIZES = np.exp(np.arange(-5, 5) * 0.06)  # of the puzzle on the lid that are tried, as shares of the lid's
STRETCH = 0.19  # how much the logarithms of its two sizes may differ
STEP = 0.34  # of a slot, between places that are tried
SLACK = 0.03  # of the lid, by which the middle may be off even where the sizes agree
BENT = 40  # rectangles that are bent
BENDS, REACH = 5, 3  # how often, and how many places of a map away it is looked for better ones
LEAST_SEEN = 0.6  # share of a piece's area that must be on the lid


class Way(NamedTuple):
    """One way to lay the grid over the lid."""

    worth: float  # mean over the pieces
    homography: Floats  # (3, 3) from the grid (x in 0..cols, y in 0..rows) to the lid's px


@dataclass(frozen=True, eq=False)
class Maps:
    """What N pieces gain at places on a lid."""

    gains: NDArray[np.float32]  # (N, rows of places, columns of places)
    slot: Floats  # (2,) px across and down of a slot, if the grid covered the lid
    middles: Floats  # (S, 2) of the slots, in the grid

    @classmethod
    def of(cls, lid: Lid, patches: Colours, grid: Grid, lost: float) -> Maps:
        """Those of faces (N, T, K, 3), in the better turn of each, for a grid about as large as the lid."""
        slot = np.array([lid.size[1] / grid.cols, lid.size[0] / grid.rows])
        across = int(np.sqrt(patches.shape[2]))
        x, y = np.meshgrid(
            np.arange(int(grid.cols / FIELD) + 1) * FIELD, np.arange(int(grid.rows / FIELD) + 1) * FIELD
        )
        flat = patches.reshape(-1, *patches.shape[2:])
        far = None
        for scale in SCALES:
            points = np.stack([x.ravel(), y.ravel()], 1)[:, None] + scale * (square(across, lost) - 0.5)
            spacing = float(np.sqrt(slot.prod())) * scale * (1 - 2 * lost) / across
            seen, inside = lid.at(points * slot - 0.5, spacing)
            if far is None:
                recoloured = like(seen.reshape(-1, 3), flat.reshape(-1, 3))
            found = both(distances(flat, recoloured(seen)), distances(detail(flat), detail(seen)))
            found[:, inside.mean(1) < LEAST_SEEN] = np.inf
            far = found if far is None else np.minimum(far, found)
        assert far is not None
        far = far.reshape(*patches.shape[:2], -1).min(1)
        gains = gain(far, np.quantile(far[:, np.isfinite(far).all(0)], USUAL, axis=1))
        middles = np.stack(np.meshgrid(np.arange(grid.cols) + 0.5, np.arange(grid.rows) + 0.5), -1)
        return cls(gains.reshape(len(patches), *x.shape), slot, middles.reshape(-1, 2))

    def places(self, homography: Floats) -> tuple[Ints, NDArray[np.bool_]]:
        """(S, 2) the places, across and down, that slots fall on, and which (S,) of them are on the map."""
        found = np.rint((projected(homography, self.middles) + 0.5) / self.slot / FIELD).astype(np.int64)
        limit = np.array(self.gains.shape[:0:-1])
        return np.clip(found, 0, limit - 1), np.all((found >= 0) & (found < limit), axis=1)

    def table(self, homography: Floats) -> NDArray[np.float32]:
        """(N, S) what pieces gain in slots."""
        places, there = self.places(homography)
        found = self.gains.reshape(len(self.gains), -1)[:, places[:, 1] * self.gains.shape[2] + places[:, 0]]
        return found * there

    def worth(self, homography: Floats) -> float:
        """What pieces and slots that prefer each other gain."""
        table = self.table(homography)
        pieces, slots = mutual(table)
        return float(table[pieces, slots].sum()) / len(table)

    def bent(self, way: Way) -> Way:
        """A way to lay the grid that more pieces agree with, if there is one close by."""
        best, homography = way, way.homography
        steps = np.arange(-REACH, REACH + 1)
        for _ in range(BENDS):
            table = self.table(homography)
            pieces, slots = mutual(table)
            if len(pieces) < 6:
                break
            place = self.places(homography)[0][slots]
            x = np.clip(place[:, 0, None, None] + steps[None, None], 0, self.gains.shape[2] - 1)
            y = np.clip(place[:, 1, None, None] + steps[None, :, None], 0, self.gains.shape[1] - 1)
            window = self.gains[pieces[:, None, None], y, x].reshape(len(pieces), -1)
            row, col = np.divmod(window.argmax(1), len(steps))
            there = (place + np.stack([steps[col], steps[row]], 1)).clip(0) * FIELD * self.slot - 0.5
            homography = fitted(self.middles[slots], there, window.max(1), homography, self.slot)
            if not np.isfinite(homography).all():
                break
            best = max(best, Way(self.worth(homography), homography), key=lambda each: each.worth)
        return best

    def as_placed(self, placement: Ints) -> Way:
        """The way to lay the grid on which most tiles lie, of those that are in slots (N,), where the lid shows them
        best."""
        flat = self.gains.reshape(len(self.gains), -1)
        row, col = np.divmod(flat.argmax(1), self.gains.shape[2])
        there = np.stack([col, row], 1) * FIELD * self.slot - 0.5
        whole = np.array([[self.slot[0], 0, -0.5], [0, self.slot[1], -0.5], [0, 0, 1]])
        homography = fitted(self.middles[placement], there, flat.max(1), whole, self.slot)
        return self.bent(Way(self.worth(homography), homography))


def like(colours: Colours, wanted: Colours) -> Recolouring:
    """What gives colours (M, 3) the mean and the deviation of other ones, as far as that may be."""
    mean, deviation = colours.mean(0), colours.std(0) + 1
    factor = np.clip((wanted.std(0) + 1) / deviation, *NEAREST_WHITE)
    return Recolouring(factor, wanted.mean(0) - factor * mean)


@dataclass(frozen=True, eq=False)
class Recolouring:
    """Colours of a lid as those of the pieces."""

    factor: Colours  # (3,)
    shift: Colours  # (3,)

    def __call__(self, colours: Colours) -> Colours:
        found: Colours = colours * self.factor + self.shift
        return found


def both(by_colour: NDArray[np.float32], by_detail: NDArray[np.float32]) -> NDArray[np.float32]:
    """(M, S), (M, S) -> (M, S) both distances, each measured by what is usual for it."""
    usual = [max(float(np.median(np.quantile(d, USUAL, axis=1))), 1e-6) for d in (by_colour, by_detail)]
    found: NDArray[np.float32] = by_colour / usual[0] + by_detail / usual[1]
    return found


def gain(far: NDArray[np.float32], usual: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N, S) distances and (N,) usual ones -> (N, S) logarithms of how much nearer it is, 0 at least."""
    floor = SURE * usual[:, None] + PLAIN * float(np.median(usual)) + 1e-9
    return np.log(np.maximum((usual[:, None] + floor) / (far + floor), 1)).astype(np.float32)


def mutual(table: NDArray[np.float32]) -> tuple[Ints, Ints]:
    """(N, S) gains -> the pieces and their slots that gain most by each other."""
    slot, piece = table.argmax(1), table.argmax(0)
    pieces = np.flatnonzero((piece[slot] == np.arange(len(table))) & (table.max(1) > 0))
    return pieces, slot[pieces]


def fitted(source: Floats, target: Floats, weight: Floats, before: Floats, slot: Floats) -> Floats:
    """The homography (3, 3) that takes points (M, 2) to others (M, 2), most of which are right: weighted least squares,
    again and again, with a liking for maps without perspective. Where none weighs anything, the map from `before`."""
    if not weight.any():
        return before
    off = (target - projected(before, source)) / slot
    trust = weight / (1 + (np.abs(off - np.median(off, 0)).max(1) / 0.5) ** 2)
    to_unit, from_unit = unit(source), np.linalg.inv(unit(target))
    a, b = projected(to_unit, source), projected(unit(target), target)
    zero, one = np.zeros((len(a), 1)), np.ones((len(a), 1))
    rows = np.concatenate(
        [
            np.hstack([a, one, zero, zero, zero, -a * b[:, :1]]),
            np.hstack([zero, zero, zero, a, one, -a * b[:, 1:]]),
        ]
    )
    tolerance = 0.25 * float(unit(target)[0, 0] * np.sqrt(slot.prod()))
    found = np.eye(3)
    for _ in range(5):
        both_axes = np.concatenate([trust, trust])
        prior = trust.sum() * np.diag([1e-6] * 6 + [0.015, 0.015])
        normal = (rows * both_axes[:, None]).T @ rows + prior
        found = np.append(np.linalg.solve(normal, (rows * both_axes[:, None]).T @ b.T.ravel()), 1).reshape(
            3, 3
        )
        miss = np.linalg.norm(projected(found, a) - b, axis=1)
        trust = weight / (1 + (miss / tolerance) ** 2) ** 2
    whole = from_unit @ found @ to_unit
    return whole / whole[2, 2]


def unit(points: Floats) -> Floats:
    """(3, 3) what moves and scales points (M, 2) into about the unit circle."""
    middle, size = points.mean(0), float(points.std(0).max()) + 1e-6
    return np.array([[1 / size, 0, -middle[0] / size], [0, 1 / size, -middle[1] / size], [0, 0, 1]])


def ways(maps: Maps, lid: Lid, grid: Grid) -> list[Way]:
    """The best ways to lay the grid over the lid, upright rectangles that were then bent, the best first."""
    height, width = lid.size
    found = []
    for across in SIZES:
        for down in SIZES:
            if abs(np.log(across / down)) > STRETCH:
                continue
            for x in offsets(across, grid.cols):
                for y in offsets(down, grid.rows):
                    homography = np.array(
                        [
                            [across * width / grid.cols, 0, (0.5 + x - across / 2) * width - 0.5],
                            [0, down * height / grid.rows, (0.5 + y - down / 2) * height - 0.5],
                            [0, 0, 1],
                        ]
                    )
                    found.append(Way(maps.worth(homography), homography))
    found.sort(key=lambda way: -way.worth)
    return sorted((maps.bent(way) for way in found[:BENT]), key=lambda way: -way.worth)


def offsets(size: float, slots: int) -> Floats:
    """By how much, in shares of the lid, the middle of a puzzle of some size may be off."""
    most = abs(1 - size) / 2 + SLACK
    count = int(np.ceil(2 * most / (STEP * size / slots))) | 1
    return np.linspace(-most, most, count)
