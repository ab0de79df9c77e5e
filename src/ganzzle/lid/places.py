"""Where on a lid single pieces lie: tiles or cut pieces, at any angle.

Every piece is compared with the lid at many places, angles and sizes, in a few samples and without its mean colour and
contrast, which a lid may show otherwise; the best places are refined until the pixels fit, and compared by what is left
of the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Pixels
from ganzzle.lid.looking import Colours, Lid, lab, square

ACROSS = 9  # samples across a piece while places are looked for
REACH = 1.15  # width of the sampled square, in sizes of a cut piece: tabs reach beyond them
FINEST, COARSEST = 16, 7  # samples across a piece while a place is refined, at most and at least
STRIDE = 0.25  # of a piece's size, between places that are looked at
SHARES = np.exp(
    np.arange(np.log(0.028), np.log(0.4), 0.18)
)  # sizes of a piece, as shares of the lid's geometric mean
NEAR = np.exp(np.linspace(-0.24, 0.24, 5))  # factors of a size that is about known
ANGLES = 24  # of cut pieces that are tried
KEPT, REFINED = 60, 24  # places of a piece that are kept for each size, and that are refined
ROUNDS = 8  # of refining
SAME = 0.35  # of a piece's size: places nearer to each other are one
GRAIN = 1.5  # deviation in Lab that does not count as detail
COLOUR = 14.0  # by how much, in Lab, the mean colour on a lid is off, usually
FREE = 21.0  # samples of a piece that tell something independently of others, at most; fitted on training pictures
LEAST_LEFT = 0.02  # share of a piece's variance that is left in the best of places, at least
NOWHERE = 0.55  # share left at which a place is as likely as that the lid does not show the piece
THREE = 3  # places that are told
SURE = 0.85  # probability of a place that tells the size of others
OTHER_SIZE = 0.2  # logarithm by which sizes differ that are not the same
SHEAR = 1.4  # how much longer one side of a piece's unit square may become than the other


class Place(NamedTuple):
    """A place of a piece on the lid."""

    probability: float
    pose: Floats  # (2, 3) from the piece's px (x, y) to the lid's
    middle: tuple[float, float]  # x and y on the lid
    size: float  # px of the square root of the piece's area on the lid


@dataclass(frozen=True, eq=False)
class Sampled:
    """A piece that can be looked up at any point."""

    picture: Colours  # (h, w, 3) in Lab, small
    mask: NDArray[np.float32]  # (h, w) the share of each px that shows the piece
    scale: float  # px of the piece for each of these
    middle: Floats  # (2,) x and y in the piece's px
    size: float  # square root of the area in the piece's px
    tile: bool  # whether it may only lie at quarter turns

    @classmethod
    def of(cls, pixels: Pixels, mask: NDArray[np.bool_], tile: bool) -> Sampled:
        """A piece (h, w, 3) and which (h, w) of its px show it."""
        size = float(np.sqrt(mask.sum()))
        y, x = np.nonzero(mask)
        if not tile:  # the cut edge is bright or dark
            radius = max(1, round(size * 0.02))
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
            mask = cv2.erode(mask.astype(np.uint8), kernel).astype(bool)
        scale = max(1.0, size / (2 * FINEST))
        share = mask.astype(np.float32)
        small = (max(1, round(mask.shape[1] / scale)), max(1, round(mask.shape[0] / scale)))
        weight = cv2.resize(share, small, interpolation=cv2.INTER_AREA)
        mean = cv2.resize(lab(pixels) * share[..., None], small, interpolation=cv2.INTER_AREA)
        picture = mean / np.maximum(weight, 1e-3)[..., None]
        return cls(picture, weight, scale, np.array([x.mean(), y.mean()]), size, tile)

    def at(self, points: Floats) -> tuple[Colours, NDArray[np.float32]]:
        """Colours (M, 3) and whether (M,) the piece is there, at points (M, 2) in sizes from its middle."""
        where = (((points * self.size + self.middle) + 0.5) / self.scale - 0.5).astype(np.float32)[None]
        x, y = np.ascontiguousarray(where[..., 0]), np.ascontiguousarray(where[..., 1])
        colours = cv2.remap(self.picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        there = cv2.remap(self.mask, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
        return colours[0], (there[0] > 0.7).astype(np.float32)

    @property
    def detail(self) -> float:
        """How much its colours vary."""
        return float(self.picture[self.mask > 0.7].std(0).sum()) if (self.mask > 0.7).any() else 0.0

    @property
    def width(self) -> float:
        """Of the square that is sampled, in sizes."""
        return 1.0 if self.tile else REACH


class Candidate(NamedTuple):
    """A place that may be one."""

    left: float  # share of the piece's variance that the lid does not explain there
    off: float  # mean colours differ by this much
    frame: Floats  # (2, 3) from the piece's sizes (x, y from its middle) to the lid's px


def find_places(lid: Lid, piece: Sampled, sizes: Sequence[float]) -> list[Place]:
    """The likeliest places of a piece on a lid, where it may have some sizes in px, the likeliest first."""
    rough = [one for size in sizes for one in looked_for(lid, piece, size)]
    rough.sort(key=lambda one: -log_odds(one))
    fine: list[Candidate] = []
    for one in distinct(rough)[:REFINED]:
        fine.append(refined(lid, piece, one))
    fine.sort(key=lambda one: -log_odds(one))
    chosen = distinct(fine)
    score = np.array([log_odds(one) for one in chosen] + [log_odds(Candidate(NOWHERE, COLOUR, np.eye(2, 3)))])
    share = np.exp(score - score.max())
    share /= share.sum()
    return [place_of(piece, one, float(p)) for one, p in zip(chosen[:THREE], share, strict=False)]


def sizes_to_try(lid: Lid, slots: int | None = None, known: float | None = None) -> list[float]:
    """Sizes in px that pieces may have on a lid: about a known one, about that of so many slots, or any."""
    mean = float(np.sqrt(lid.size[0] * lid.size[1]))
    if known is not None:
        return [known * float(factor) for factor in NEAR[1:-1]]
    if slots is not None:
        return [mean / np.sqrt(slots) * float(factor) for factor in NEAR]
    return [mean * float(share) for share in SHARES]


def looked_for(lid: Lid, piece: Sampled, size: float) -> list[Candidate]:
    """The best places of a piece that has some size in px on the lid, at all angles."""
    offsets = (square(ACROSS) - 0.5) * piece.width
    angles = np.arange(4) * np.pi / 2 if piece.tile else np.arange(ANGLES) * 2 * np.pi / ANGLES
    faces = [piece.at(offsets @ rotation(angle)) for angle in angles]
    colours, there = (np.stack(each) for each in zip(*faces, strict=True))
    height, width = lid.size
    x, y = (np.arange(0.3 * size, side - 0.3 * size, STRIDE * size) for side in (width, height))
    if len(x) == 0 or len(y) == 0:
        return []
    middles = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    seen, _ = lid.at(middles[:, None] + offsets * size, size * piece.width / ACROSS)
    left, off = unexplained(colours, there, seen)
    best = np.argsort(-odds_of(left, off).ravel())[:KEPT]
    face, place = np.unravel_index(best, left.shape)
    return [
        Candidate(
            float(left[f, p]), float(off[f, p]), np.hstack([rotation(angles[f]) * size, middles[p][:, None]])
        )
        for f, p in zip(face, place, strict=True)
    ]


def rotation(angle: float) -> Floats:
    """(2, 2) by an angle."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def unexplained(
    colours: Colours, there: NDArray[np.float32], seen: Colours
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Faces (F, K, 3) with masks (F, K), places (P, K, 3) -> (F, P) the share of a face's variance, of all channels,
    that a place does not explain with another mean colour and contrast, and (F, P) how far the mean colours differ."""
    count = there.sum(1)[:, None]
    mean_face = (colours * there[..., None]).sum(1) / count
    rest = (colours - mean_face[:, None]) * there[..., None]
    own = (rest * rest).sum((1, 2))[:, None] + count * GRAIN**2
    cross = rest.reshape(len(rest), -1) @ seen.reshape(len(seen), -1).T
    squares = there @ (seen * seen).sum(2).T
    sums = np.stack([there @ seen[..., channel].T for channel in range(3)])
    other = squares - (sums * sums).sum(0) / count + count * GRAIN**2
    left: NDArray[np.float32] = 1 - np.maximum(cross, 0) ** 2 / (own * other)
    off = sums / count - mean_face.T[:, :, None]
    return left, np.sqrt((off * off).sum(0))


def refined(lid: Lid, piece: Sampled, start: Candidate) -> Candidate:
    """The place near another one at which a piece fits best, up to an affine map."""
    size = float(np.sqrt(abs(np.linalg.det(start.frame[:, :2]))))
    across = int(np.clip(size * 0.8, COARSEST, FINEST))
    offsets = (square(across) - 0.5) * piece.width
    colours, there = piece.at(offsets)
    offsets, colours = offsets[there > 0], colours[there > 0]
    if len(offsets) < 12:
        return start
    ones = np.concatenate([offsets, np.ones((len(offsets), 1))], 1)
    best, frame = replaced(lid, ones, colours, start.frame, across, piece.width), start.frame
    nudge = 0.02 * size
    for _ in range(ROUNDS):
        seen = looked_up(lid, ones, frame, across, piece.width)
        factor, shift = matched(seen, colours)
        miss = (seen * factor + shift - colours).ravel()
        slopes = []
        for k in range(6):
            moved = frame.copy()
            moved.ravel()[k] += nudge
            slopes.append(
                ((looked_up(lid, ones, moved, across, piece.width) - seen) * factor).ravel() / nudge
            )
        slope = np.stack(slopes, 1).astype(np.float64)
        normal = slope.T @ slope
        step = np.linalg.solve(normal + np.diag(0.1 * np.diag(normal) + 1e-6), slope.T @ miss)
        frame = frame - np.clip(step, -0.15 * size, 0.15 * size).reshape(2, 3)
        long, short = np.linalg.svd(frame[:, :2], compute_uv=False)
        if (
            not np.isfinite(frame).all()
            or long > SHEAR * short
            or not 0.7 < np.sqrt(long * short) / size < 1.4
        ):
            break
        now = replaced(lid, ones, colours, frame, across, piece.width)
        best = max(best, now, key=log_odds)
    return best


def replaced(lid: Lid, ones: Floats, colours: Colours, frame: Floats, across: int, width: float) -> Candidate:
    """How well a piece's samples (M, 3) fit in a frame."""
    seen = looked_up(lid, ones, frame, across, width)
    left, off = unexplained(colours[None], np.ones((1, len(colours)), np.float32), seen[None])
    return Candidate(float(left[0, 0]), float(off[0, 0]), frame)


def looked_up(lid: Lid, ones: Floats, frame: Floats, across: int, width: float) -> Colours:
    """Colours (M, 3) of the lid where a frame takes samples (M, 3)."""
    size = float(np.sqrt(abs(np.linalg.det(frame[:, :2]))))
    return lid.at(ones @ frame.T, size * width / across)[0]


def matched(seen: Colours, wanted: Colours) -> tuple[float, Colours]:
    """The contrast and the shift (3,) that make colours (M, 3) most like other ones."""
    a, b = seen - seen.mean(0), wanted - wanted.mean(0)
    factor = float(np.clip((a * b).sum() / ((a * a).sum() + len(a) * GRAIN**2), 0.2, 4))
    return factor, wanted.mean(0) - factor * seen.mean(0)


def distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first of those that lie in about one place."""
    found: list[Candidate] = []
    for one in candidates:
        size = np.sqrt(abs(np.linalg.det(one.frame[:, :2])))
        if all(np.abs(one.frame[:, 2] - other.frame[:, 2]).max() > SAME * size for other in found):
            found.append(one)
        if len(found) == REFINED:
            break
    return found


def log_odds(one: Candidate) -> float:
    """How likely a place is, up to a constant."""
    return float(odds_of(np.array(one.left), np.array(one.off)))


def odds_of(left: NDArray[np.floating], off: NDArray[np.floating]) -> NDArray[np.floating]:
    """The same by what is left of a piece's variance, and by how far its colour is off."""
    return -FREE / 2 * np.log(np.maximum(left, 0) + LEAST_LEFT) - (off / COLOUR) ** 2 / 2


def place_of(piece: Sampled, one: Candidate, probability: float) -> Place:
    """A candidate as others see it."""
    linear = one.frame[:, :2] / piece.size
    pose = np.hstack([linear, (one.frame[:, 2] - linear @ piece.middle)[:, None]])
    x, y = one.frame[:, 2].tolist()
    return Place(probability, pose, (x, y), float(np.sqrt(abs(np.linalg.det(one.frame[:, :2])))))


def with_common_size(lid: Lid, pieces: Sequence[Sampled], slots: int | None = None) -> list[list[Place]]:
    """The places of pieces that are shown in one size: the first that is sure of its place tells it to the others.
    `slots` is how many pieces the whole puzzle has, if that is known."""
    found: list[list[Place] | None] = [None] * len(pieces)
    ratio: float | None = None
    for k in sorted(range(len(pieces)), key=lambda k: -pieces[k].detail):
        known = None if ratio is None else ratio * pieces[k].size
        places = find_places(lid, pieces[k], sizes_to_try(lid, slots, known))
        found[k] = places
        if ratio is None and places and places[0].probability > SURE:
            ratio = places[0].size / pieces[k].size
    if ratio is not None:
        for k, told in enumerate(found):
            if told and told[0].probability <= SURE and off_size(told[0], pieces[k], ratio):
                found[k] = find_places(lid, pieces[k], sizes_to_try(lid, slots, ratio * pieces[k].size))
    return [places or [] for places in found]


def off_size(place: Place, piece: Sampled, ratio: float) -> bool:
    """Whether a place shows a piece in another size than others are shown in."""
    return abs(float(np.log(place.size / piece.size / ratio))) > OTHER_SIZE
