"""Finding loose pieces in a scan or photograph, and cutting them out.

What stands out from the ground is found in several ways: from a low and a high level on, and with what is dark around
pieces taken for a shadow or not. The way that shows the most pieces of one size, with the sharpest edges, is believed;
the others add pieces that it has missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ganzzle.arrays import Floats, Ints, Pixels
from ganzzle.errors import ApartError
from ganzzle.puzzle import Grid, GridLike, Puzzle
from ganzzle.reading.loose.edges import changes_across, sharpened, softness
from ganzzle.reading.loose.ground import (
    Heights,
    Picture,
    blurred,
    ground_at,
    ground_of,
    is_seen,
    standing_out,
)
from ganzzle.reading.loose.mending import completed, grouped
from ganzzle.reading.loose.outlines import (
    Corners,
    Part,
    box_around,
    fitted,
    lying_alike,
    part_of,
    sides_of,
)
from ganzzle.reading.loose.straight import cut_out, cut_size, gains_at, is_square
from ganzzle.solution import Solution

WORKING = 4_000_000  # px of the picture that pieces are looked for in: larger ones are made smaller for that
# Heights from which on something is no ground: what JPEG leaves around edges has some, too.
LEVELS = (1.0, 2.0, 4.0)
BETTER = 1.05  # times that pieces must be seen for a way to be believed that is tried later
FEWEST = 4  # pieces, and
SHARE = 0.6  # the share of all that stands out that must be pieces, or there are none
SMALLEST = 12  # px of a side
DIRT = (
    0.05  # share of a piece's area up to which something is dirt, or that its edge has of a piece's outline
)
ALIKE = 0.08  # share by which the sides of pieces differ at most
APART = 0.9  # shorter sides between the middles of two pieces, at least
UPRIGHT = 15.0  # degrees that pieces may be off that were laid upright by hand


@dataclass(frozen=True, eq=False)
class Loose:
    """Pieces cut out of a picture, line by line from left to right, each turned back until its sides are level: by less
    than 45 degrees, and by less than 90 where it would not lie like most others, which are no squares."""

    pieces: Pixels  # (N, h, w, 3), without the px at their edges that are mixed with the ground
    corners: Floats  # (N, 4, 2) x and y in the picture, clockwise, the upper left corner of the piece first
    rim: int  # how many px that were,
    trim: float  # and how many they are in the picture
    gains: Floats  # (N, 4) what levels at the corners were multiplied by, so that the pieces are evenly lit

    def puzzle(self, grid: GridLike | None = None, name: str = "") -> Puzzle:
        """The pieces at their full size, with black rims, by which a solver sees how much of them is gone."""
        around = (self.rim, self.rim)
        worn = np.pad(self.pieces, ((0, 0), around, around, (0, 0)))
        return Puzzle(worn, None if grid is None else Grid.of(grid), name=name, rim=self.rim)

    @property
    def piece_size(self) -> tuple[int, int]:
        """Height and width of a whole piece in px of the picture."""
        width, height = cut_size(self.corners, 0)
        return height, width

    def belonging(self, solution: Solution) -> Ints:
        """(M,) which of them the pieces of a solution are, which may be one of a part of them."""
        members: Ints = solution.members
        return members

    @property
    def angles(self) -> Floats:
        """(N,) degrees, clockwise, that each piece lay off how it was cut out."""
        upper = self.corners[:, 1] - self.corners[:, 0]
        degrees: Floats = np.degrees(np.arctan2(upper[:, 1], upper[:, 0]))
        return degrees

    @property
    def turned(self) -> bool:
        """Whether they lie at all angles, so that nobody knows which of their sides is up."""
        return bool(np.abs(self.angles).max() > UPRIGHT)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What stands out from the ground."""

    pieces: list[Corners]
    others: list[Floats]  # the middles (2,) of things that are no pieces

    def quality(self, picture: Picture) -> float:
        """How well the pieces are seen in a picture (H, W, 3): how many they are, how much of all that is seen, and how
        sharply they end. A soft edge is that of a shadow."""
        count = len(self.pieces)
        if count < FEWEST:
            return 0.0
        sharpness = float(changes_across(picture, np.array(self.pieces)).mean())
        return count**2 / (count + len(self.others)) * sharpness


def find_loose(picture: Pixels) -> Loose | None:
    """The loose pieces in a picture (H, W, 3), all of one size; None if it shows none.

    Raises where it shows pieces, but some of them cannot be told apart.
    """
    small, scale = _smaller(picture)
    ground = ground_of(small)
    if not is_seen(small, ground):
        return None
    best = _best_seen(small, ground)
    if len(best.pieces) < max(FEWEST, SHARE * (len(best.pieces) + len(best.others))):
        return None
    if best.others:
        raise ApartError(
            f"{len(best.pieces)} loose pieces are seen, and {len(best.others)} more that cannot be told apart; "
            f"lay all pieces apart, on a ground of a colour that none of them has, and cut off what is no piece"
        )
    seen = _in_lines(np.array(best.pieces))
    seen = seen if is_square(seen) else lying_alike(seen)
    colours, gains = ground_at(ground, seen), gains_at(seen, ground)
    corners = sharpened(picture, colours, (seen + 0.5) / scale - 0.5, 1 / scale)
    trim = softness(picture, colours, corners)
    pieces, rim = cut_out(picture, corners, gains, trim)
    return Loose(pieces, corners, rim, trim, gains)


def _smaller(picture: Pixels) -> tuple[Picture, float]:
    """A picture (H, W, 3) at the size that pieces are looked for in, and how many px there is one of its own."""
    height, width = picture.shape[:2]
    scale = min(1.0, (WORKING / (height * width)) ** 0.5)
    image = Image.fromarray(picture)
    if scale < 1:
        image = image.resize((round(width * scale), round(height * scale)), Image.Resampling.BOX)
    return np.asarray(image, np.float32), scale


def _best_seen(picture: Picture, ground: Picture) -> _Seen:
    """The pieces on a ground of a picture (H, W, 3 both) as they are seen best, and what else is seen."""
    ways: list[tuple[float, _Seen]] = []
    calm = blurred(picture)
    for shadows in (False, True):
        heights = standing_out(calm, ground, shadows)
        for level in LEVELS:
            seen = _pieces_in(heights / np.float32(level))
            ways.append((seen.quality(picture) / BETTER ** len(ways), seen))
    (_, best), *rest = sorted(ways, key=lambda way: -way[0])
    if not best.pieces:
        return best
    size = _usual_size(best.pieces)
    pieces = list(best.pieces)
    for _, way in rest:
        pieces += [each for each in way.pieces if _is_alike(each, size) and _is_new(each, pieces, size)]
    return _Seen(pieces, [each for each in best.others if not _is_within(each, pieces)])


def _pieces_in(heights: Heights) -> _Seen:
    """The pieces among all that stands out from the ground (H, W)."""
    parts = _parts(heights)
    if len(parts) < FEWEST:
        return _Seen([], [])
    boxes = np.array([box_around(part.hull) for part in parts])
    areas = sides_of(boxes).prod(1)
    large = areas >= np.median(areas[areas >= DIRT * areas.max()]) / 2
    boxes[large] = fitted(heights, boxes[large])
    size = _usual_size(boxes[large])
    if min(size) < SMALLEST:
        return _Seen([], [])
    alike = [_is_alike(box, size) for box in boxes]
    pieces = [box for box, it in zip(boxes, alike, strict=True) if it]
    if len(pieces) < FEWEST:
        return _Seen([], [])
    others = []
    rest = [
        part for part, it in zip(parts, alike, strict=True) if not it and part.edge > DIRT * 2 * sum(size)
    ]
    for group in grouped(rest, size):
        box = box_around(group.hull)
        if sides_of(box).prod() <= DIRT * size[0] * size[1] or group.edge <= 2 * DIRT * 2 * sum(size):
            continue
        taken = np.array([each.mean(0) for each in pieces])
        piece = completed(group, size, heights, taken, APART * size[1])
        if piece is not None and _is_alike(piece, size) and _is_new(piece, pieces, size):
            pieces.append(piece)
        elif not _is_within(box.mean(0), pieces):
            others.append(box.mean(0))
    return _Seen(pieces, others)


def _parts(heights: Heights) -> list[Part]:
    """All that stands out from the ground."""
    cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    core = cv2.erode((heights > 1).astype(np.uint8), cross, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    count, labels, boxes, _ = cv2.connectedComponentsWithStats(cv2.dilate(core, cross), connectivity=4)
    parts = []
    for k in range(1, count):
        left, top, width, height = boxes[k, :4].tolist()
        mask = labels[top : top + height, left : left + width] == k
        parts.append(part_of(_without_holes(mask), top, left))
    return parts


def _without_holes(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask (h, w) with all that it encloses."""
    outside = np.pad(mask, 1).astype(np.uint8)
    cv2.floodFill(outside, None, (0, 0), 2)
    return outside[1:-1, 1:-1] != 2


def _usual_size(boxes: Sequence[Corners] | Floats) -> tuple[float, float]:
    """The longer and the shorter side that most of some boxes have."""
    sides = sides_of(np.array(boxes))
    return float(np.median(sides.max(1))), float(np.median(sides.min(1)))


def _is_alike(box: Corners, size: tuple[float, float]) -> bool:
    """Whether a box has a size (longer, shorter side), either way."""
    return bool((np.abs(np.sort(sides_of(box))[::-1] / size - 1) < ALIKE).all())


def _is_new(box: Corners, pieces: Sequence[Corners], size: tuple[float, float]) -> bool:
    """Whether a box is none of some pieces, nor lies over one: the middles of two are a side apart."""
    middles = np.array([piece.mean(0) for piece in pieces])
    return bool((np.hypot(*(middles - box.mean(0)).T) > APART * size[1]).all())


def _is_within(point: Floats, pieces: Sequence[Corners]) -> bool:
    """Whether a point (2,) lies within one of some pieces."""
    begins = np.array(pieces).reshape(-1, 4, 2)
    along, to = np.roll(begins, -1, axis=1) - begins, point - begins
    return bool((along[..., 0] * to[..., 1] >= along[..., 1] * to[..., 0]).all(1).any())


def _in_lines(corners: Floats) -> Floats:
    """Pieces (N, 4, 2) line by line from left to right; those whose middles lie within half a piece are in one line."""
    middles = corners.mean(1)
    line = sides_of(corners).mean() / 2
    left, order = np.argsort(middles[:, 1]), np.zeros(0, np.int64)
    while len(left):
        upper: NDArray[np.bool_] = middles[left, 1] <= middles[left[0], 1] + line
        first = left[upper]
        order, left = np.append(order, first[np.argsort(middles[first, 0])]), left[~upper]
    return corners[order]
