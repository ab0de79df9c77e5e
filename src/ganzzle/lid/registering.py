"""Where a lid shows the grid of a pile of tiles, and how well each tile fits each slot.

Ways to lay the grid over the lid (see maps.py) are refined as pictures are registered (Lucas and Kanade 1981): tiles
that agree with a slot pull the slots to where their pixels fit best, and tell which colours of the lid stand for which
of the tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints, Pixels
from ganzzle.grid import Grid
from ganzzle.lid.looking import Colours, Lid, distances_where, faces, projected, square
from ganzzle.lid.maps import USUAL, Maps, Way, gain, mutual, ways

COARSE, FINE = 4, 8  # samples across a slot
KEPT = 8  # ways that are refined
ALIKE = 0.3  # of a slot, by which the corners of two ways differ that are one
ROUNDS = 6  # of refining, for each number of samples
LEAST_PAIRS = 4
AGREED = 0.5  # share of the tiles that the lid shows in the slots where they seem to lie
LEAST_SEEN = 0.3  # share of a slot that must be on the lid for it to be judged
RIDGE = 1e-2  # how strongly colours are held to what they are
NUDGE = 0.01  # of a slot, to see how colours change
DAMPED = 0.01


class Registered(NamedTuple):
    """A grid on a lid."""

    worth: float  # mean over the tiles
    homography: Floats  # (3, 3) from the grid to the lid's px
    far: NDArray[
        np.float32
    ]  # (N, T, S) mean squared distances of tiles from slots in Lab, inf where nothing is seen


@dataclass(frozen=True, eq=False)
class Tiles:
    """N tiles in T turns as they are compared with slots."""

    grid: Grid
    lost: float  # share of a tile's side at each border that shows nothing
    coarse: Colours  # (N, T, COARSE * COARSE, 3)
    fine: Colours

    @classmethod
    def of(cls, pieces: Pixels, grid: Grid, rim: int, turns: Sequence[int] = (0,)) -> Tiles:
        """Those of pieces (N, h, w, 3) with a rim in px that shows nothing."""
        lost = rim / min(pieces.shape[1:3])
        return cls(grid, lost, faces(pieces, rim, COARSE, turns), faces(pieces, rim, FINE, turns))


def registered(lid: Lid, tiles: Tiles, placement: Ints | None = None) -> list[Registered]:
    """The likeliest ways in which a lid shows the tiles' grid, the best first. `placement` (N,) is where the tiles may
    lie, as it seems without the lid: if that fits well and no slot is empty, no other way is looked for."""
    maps = Maps.of(lid, tiles.coarse, tiles.grid, tiles.lost)
    chosen: list[Way] = []
    if placement is not None and len(maps.gains) == len(placement):
        chosen.append(maps.as_placed(placement))
        one = brought_to(lid, tiles, chosen[0].homography)
        agreed = np.mean(one.far.min(1).argmin(1) == placement)
        if agreed > AGREED and len(placement) == tiles.grid.slots and sound(one.homography, tiles.grid, lid):
            return [one]
    for way in ways(maps, lid, tiles.grid):
        if len(chosen) < KEPT and all(apart(way, other, tiles.grid) > ALIKE for other in chosen):
            chosen.append(way)
    found = [brought_to(lid, tiles, way.homography) for way in chosen]
    found += [brought_to(lid, tiles, each) for each in shifted(max(found, key=worth).homography)]
    found = [one for one in found if sound(one.homography, tiles.grid, lid)]
    different: list[Registered] = []
    for one in sorted(found, key=worth, reverse=True):
        if all(apart(one, other, tiles.grid) > ALIKE for other in different):
            different.append(one)
    return different


def brought_to(lid: Lid, tiles: Tiles, homography: Floats) -> Registered:
    """The way near a homography at which the tiles fit best."""
    rough = refined(lid, tiles, tiles.coarse, homography)
    return refined(lid, tiles, tiles.fine, rough.homography)


def shifted(homography: Floats) -> list[Floats]:
    """The same by a slot to each side: of a cropped lid, rows and columns that are not on it may be at either end."""
    return [
        homography @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]


def worth(one: Registered) -> float:
    """What a way to lay the grid is worth."""
    return one.worth


def refined(lid: Lid, tiles: Tiles, patches: Colours, homography: Floats) -> Registered:
    """A homography near one at which the tiles fit better."""
    grid, across = tiles.grid, int(np.sqrt(patches.shape[2]))
    half = np.array([grid.cols / 2, grid.rows / 2])
    to_grid = np.array([[half[0], 0, half[0]], [0, half[1], half[1]], [0, 0, 1]])
    points = (corners_of_slots(grid)[:, None] + square(across, tiles.lost)) / half - 1
    whole = homography @ to_grid
    nudges = NUDGE / np.array([half[0]] * 3 + [half[1]] * 3 + [half[0], half[1]])
    colours: Recoloured | None = None
    for round_ in range(ROUNDS + 1):
        spacing = spacing_of(whole, half, across, tiles.lost)
        seen, inside = lid.at(projected(whole, points), spacing)
        shown = moved(seen, inside, patches) if colours is None else colours(seen)
        far = distances_where(patches.reshape(-1, *patches.shape[2:]), shown, inside)
        far[:, inside.mean(1) < LEAST_SEEN] = np.inf
        far = far.reshape(*patches.shape[:2], -1)
        pieces, turns, slots, trust = agreeing(far)
        if round_ == ROUNDS or len(pieces) < LEAST_PAIRS:
            break
        weight = np.repeat(trust[:, None], seen.shape[1], 1) * inside[slots]
        wanted = patches[pieces, turns]
        colours = Recoloured.of(seen[slots].reshape(-1, 3), wanted.reshape(-1, 3), weight.ravel())
        now = colours(seen[slots])
        slopes = []
        for k, nudge in enumerate(nudges):
            change = np.eye(3)
            change.ravel()[k] += nudge
            there, _ = lid.at(projected(whole @ change, points[slots]), spacing)
            slopes.append((colours(there) - now) / nudge)
        slope = np.stack(slopes, -1).reshape(-1, 8).astype(np.float64)
        by_channel = np.repeat(weight.ravel(), 3)[:, None]
        normal = (slope * by_channel).T @ slope
        pull = (slope * by_channel).T @ (now - wanted).ravel()
        step = -np.linalg.solve(normal + np.diag(DAMPED * np.diag(normal) + 1e-9), pull)
        whole = whole @ (np.eye(3) + np.append(step, 0).reshape(3, 3))
        whole /= whole[2, 2]
        if not np.isfinite(whole).all():
            return Registered(-1.0, homography, far)
    return Registered(worth_of(far), whole @ np.linalg.inv(to_grid), far)


@dataclass(frozen=True, eq=False)
class Recoloured:
    """Colours of the lid as those of the tiles: a polynomial of Lab."""

    factors: Floats  # (7, 3)

    @classmethod
    def of(cls, seen: Colours, wanted: Colours, weight: Floats) -> Recoloured:
        """The one that makes colours (M, 3) most like other ones."""
        terms = cls.terms(seen)
        total = max(float(weight.sum()), 1e-6)
        normal = (terms * weight[:, None]).T @ terms + RIDGE * total * np.diag([0.1] + [1.0] * 6)
        change = (terms * weight[:, None]).T @ (wanted - seen)
        return cls(np.linalg.solve(normal, change).astype(np.float64))

    @staticmethod
    def terms(colours: Colours) -> Floats:
        """(..., 3) -> (..., 7)."""
        small = colours.astype(np.float64) / 50
        return np.concatenate([np.ones_like(small[..., :1]), small, small[..., :1] * small], -1)

    def __call__(self, colours: Colours) -> Colours:
        found: Colours = (colours + self.terms(colours) @ self.factors).astype(np.float32)
        return found


def moved(seen: Colours, inside: NDArray[np.bool_], patches: Colours) -> Colours:
    """Colours of slots (S, K, 3) with the mean and deviation of the tiles'."""
    sample = seen[inside] if inside.any() else seen.reshape(-1, 3)
    wanted = patches.reshape(-1, 3)
    factor = np.clip((wanted.std(0) + 1) / (sample.std(0) + 1), 0.4, 2.5)
    found: Colours = (seen - sample.mean(0)) * factor + wanted.mean(0)
    return found


def agreeing(far: NDArray[np.float32]) -> tuple[Ints, Ints, Ints, Floats]:
    """(N, T, S) distances -> tiles and slots that are nearest to each other, the tiles' turns, and how far each pair is
    to be trusted."""
    flat = far.min(1)
    slot, piece = flat.argmin(1), flat.argmin(0)
    pieces = np.flatnonzero((piece[slot] == np.arange(len(flat))) & np.isfinite(flat.min(1)))
    slots = slot[pieces]
    best = flat[pieces, slots]
    second = np.partition(flat[pieces], 1, 1)[:, 1] if flat.shape[1] > 1 else 4 * best
    second = np.where(np.isfinite(second), second, 4 * best)
    usual = np.median(best) + 1e-6 if len(best) else 1.0
    trust = np.clip(1 - best / np.maximum(second, 1e-6), 0, 1) / (1 + best / usual)
    return pieces, far[pieces, :, slots].argmin(1), slots, trust


def worth_of(far: NDArray[np.float32]) -> float:
    """How much nearer tiles and slots that prefer each other are than others, the mean over the tiles."""
    flat = far.min(1)
    seen = np.isfinite(flat).all(0)
    if not seen.any():
        return 0.0
    gains = gain(flat[:, seen], np.quantile(flat[:, seen], USUAL, axis=1))
    pieces, slots = mutual(gains)
    return float(gains[pieces, slots].sum()) / len(flat)


def corners_of_slots(grid: Grid) -> Floats:
    """(S, 2) x and y of the upper left corners."""
    rows, cols = np.divmod(np.arange(grid.slots), grid.cols)
    return np.stack([cols, rows], 1).astype(np.float64)


def spacing_of(whole: Floats, half: Floats, across: int, lost: float) -> float:
    """Px between neighbouring samples in the middle of the lid's picture."""
    middle, right, below = projected(whole, np.array([[0, 0], [1 / half[0], 0], [0, 1 / half[1]]]))
    area = np.linalg.norm(right - middle) * np.linalg.norm(below - middle)
    return float(np.sqrt(area)) * (1 - 2 * lost) / across


def outline(homography: Floats, grid: Grid) -> Floats:
    """(4, 2) where the corners of the grid lie on the lid."""
    return projected(
        homography, np.array([[0, 0], [grid.cols, 0], [grid.cols, grid.rows], [0, grid.rows]], float)
    )


def apart(way: Way | Registered, other: Way | Registered, grid: Grid) -> float:
    """How far, in slots, the corners of two ways are apart at most."""
    there, here = (outline(each.homography, grid) for each in (way, other))
    slot = np.ptp(here, 0) / [grid.cols, grid.rows]
    return float((np.abs(there - here) / slot).max())


def sound(homography: Floats, grid: Grid, lid: Lid) -> bool:
    """Whether the grid is seen from the front, and neither far smaller nor far larger than the lid."""
    corners = outline(homography, grid)
    edges = np.roll(corners, -1, 0) - corners
    following = np.roll(edges, -1, 0)
    bends = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    area = bends.sum() / 4 / (lid.size[0] * lid.size[1])
    return bool((bends > 0).all()) and 0.25 < area < 2.5
