"""Cut pieces out of pictures of them: pages with many, or one a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Pixels
from ganzzle.pile import CutPiece
from ganzzle.reading.cut_masks import BRIGHT, LEAST, NOISY, Mask, filled, piece_mask
from ganzzle.reading.page_ground import DARKEST, Field, find_ground
from ganzzle.reading.silhouettes import from_silhouettes, paired

THUMB = 700  # px of a page's longer side at which the size of its pieces is found,
GLANCE = 160  # and its ground
WORKING = 190.0  # px, about, of the square root of a piece's area at which pieces are told from the ground
TOUCHING = 1.65  # times the usual area that something has which must be two pieces
SMALL = 0.4  # times the usual area below which something is no piece
ALONE = 0.9  # share of what was found that lies alone in its picture where each picture shows one piece
DUST = 30  # px below which nothing is looked at
STRICTER = (
    0.0,
    0.4,
    0.6,
    0.8,
)  # shares of the usual distance from the ground by which touching parts are told apart
NECKS = (1, 3, 5, 7)  # px of half a neck between two pieces that touch, at the working size
FAINT = 0.8  # share of the ground's light that faint shadows leave
MARGIN = 0.12  # of a piece's size that is kept around it


@dataclass(frozen=True, eq=False)
class Found:
    """What pictures show of cut pieces: none where they show something else."""

    pieces: tuple[CutPiece, ...]
    complaints: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Part:
    """Something that stands out of the ground, in px of the page at its working size."""

    x: int
    y: int
    mask: Mask  # (h, w)

    @property
    def area(self) -> int:
        """How many px it has."""
        return int(self.mask.sum())


@dataclass(frozen=True, eq=False)
class _Page:
    """What stands out of the ground on one page, seen at its working size."""

    picture: Pixels
    scale: float
    shape: tuple[int, int]
    parts: list[_Part]


def find_cut_pieces(pictures: Sequence[Pixels], names: Sequence[str] = ()) -> Found:
    """The cut pieces that pictures (H, W, 3) show, and complaints that help to take better ones."""
    pairs = paired(names)
    shown = [k for k in range(len(pictures)) if k not in pairs.values()]
    size = _usual_size([pictures[k] for k in shown])
    if size is None:
        return Found((), ())
    pieces: list[CutPiece] = []
    complaints: list[str] = []
    for number in shown:
        found, said = _pieces_of(_page(pictures[number], size), number, size)
        pieces += found
        complaints += said
    if len(pieces) < 2:
        return Found((), ())
    single = len(shown) > 1 and ALONE * len(pieces) <= len({piece.page for piece in pieces})
    if single:
        largest: dict[int, CutPiece] = {}
        for piece in sorted(pieces, key=lambda each: int(each.mask.sum())):
            largest[piece.page] = piece
        pieces = [largest[page] for page in sorted(largest)]
    if single and len(pairs) > len(shown) / 2:
        seen = {piece.page: _whole_mask(piece, pictures[piece.page]) for piece in pieces}
        return Found(tuple(from_silhouettes(pictures, names, pairs, seen)), tuple(complaints))
    if single and names:
        return Found(tuple(replace(piece, name=names[piece.page]) for piece in pieces), tuple(complaints))
    return Found(
        tuple(replace(piece, name=f"no. {k}") for k, piece in enumerate(pieces, 1)), tuple(complaints)
    )


def _whole_mask(piece: CutPiece, picture: Pixels) -> Mask:
    """(H, W) where a piece lies in its whole picture."""
    mask = np.zeros(picture.shape[:2], bool)
    x, y = (round(at) for at in piece.corner)
    mask[y : y + piece.mask.shape[0], x : x + piece.mask.shape[1]] = piece.mask
    return mask


def _usual_size(pictures: Sequence[Pixels]) -> float | None:
    """About the square root of a piece's area, in px of the pictures; None where nothing stands out."""
    areas = []
    for picture in pictures:
        scale = min(1.0, THUMB / max(picture.shape[:2]))
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        far, level = _far(small)
        mask = piece_mask(far, level)
        parts = [part for part in _connected(mask) if not _at_border(part, mask.shape)]
        areas += [part.area / scale**2 for part in parts]
    every = np.array(areas)
    return float(np.sqrt(_usual(every))) if len(every) else None


def _usual(areas: NDArray[np.float64]) -> float:
    """The usual area of a piece among areas of all that stands out: that of the middle px of what is large."""
    large = np.sort(areas[areas > 0.1 * np.percentile(areas, 95)])
    return float(large[np.searchsorted(np.cumsum(large), large.sum() / 2)])


def _page(picture: Pixels, size: float) -> _Page:
    """What stands out of the ground of one page, at the size where pieces are best looked at."""
    scale = min(1.0, WORKING / size)
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    far, level = _far(small)
    mask = piece_mask(far, level)
    usual = (size * scale) ** 2
    parts = []
    for part in _connected(mask):
        if part.area < SMALL * usual:
            continue
        if part.area > TOUCHING * usual or _at_border(part, mask.shape):
            high, wide = part.mask.shape
            parts += _parted(part, far[part.y : part.y + high, part.x : part.x + wide], usual, mask.shape)
        else:
            parts.append(part)
    return _Page(picture, scale, mask.shape, _with_dark_print(parts, small, usual))


def _with_dark_print(parts: list[_Part], small: Pixels, usual: float) -> list[_Part]:
    """Parts with what hangs together with one of them alone where dark shades of the ground's colour are print."""
    mask = piece_mask(*_far(small, FAINT))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    under = [_label_under(part, labels) for part in parts]
    found = []
    for part, label in zip(parts, under, strict=True):
        x, y, wide, high, area = stats[label].tolist()
        larger = _Part(x, y, labels[y : y + high, x : x + wide] == label)
        fits = label > 0 and under.count(label) == 1 and part.area < area < TOUCHING * usual
        found.append(larger if fits and not _at_border(larger, mask.shape) else part)
    return found


def _label_under(part: _Part, labels: NDArray[np.int32]) -> int:
    """Which of the labels (h, w) most of a part lies on."""
    high, wide = part.mask.shape
    return int(np.bincount(labels[part.y : part.y + high, part.x : part.x + wide][part.mask]).argmax())


def _far(small: Pixels, darkest: float = DARKEST) -> tuple[Field, float]:
    """(h, w) how far the pixels of a page are from its ground in any shade that leaves a share of its light, and the
    level above which they are none."""
    shrink = min(1.0, GLANCE / max(small.shape[:2]))
    ground = find_ground(cv2.resize(small, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA))
    far = cv2.GaussianBlur(ground.distance(small, darkest), (0, 0), 0.7)
    return far, max(LEAST, NOISY * ground.noise)


def _connected(mask: Mask) -> list[_Part]:
    """The connected parts of a mask (h, w)."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    return [
        _Part(x, y, labels[y : y + high, x : x + wide] == k)
        for k, (x, y, wide, high, area) in enumerate(stats.tolist())
        if k and area > DUST
    ]


def _at_border(part: _Part, shape: tuple[int, ...]) -> bool:
    """Whether something touches the border of a page (h, w): the table, or a lid."""
    high, wide = part.mask.shape
    return part.x == 0 or part.y == 0 or part.x + wide == shape[1] or part.y + high == shape[0]


def _parted(part: _Part, far: Field, usual: float, shape: tuple[int, ...]) -> list[_Part]:
    """The pieces in what is too large for one, or hangs on the page's border; the part itself where it shows none."""
    best: list[_Part] = []
    most = 0.0
    for factor in STRICTER:
        strict = part.mask & (far > factor * min(BRIGHT, float(np.median(far[part.mask]))))
        for reach in NECKS:
            disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
            opened = cv2.morphologyEx(strict.astype(np.uint8), cv2.MORPH_OPEN, disc)
            found = []
            for one in _connected(opened.astype(bool)):
                whole = _Part(part.x + one.x, part.y + one.y, one.mask)
                if SMALL * usual < one.area < TOUCHING * usual and not _at_border(whole, shape):
                    found.append(_grown(one, strict, disc, part))
            covered = sum(one.area for one in found) * (1 - 0.01 * reach)
            if covered > 1.02 * most:
                best, most = found, covered
    if best:
        return [_stricter(one, far, part) for one in best]
    return [] if _at_border(part, shape) else [part]


def _stricter(one: _Part, far: Field, whole: _Part) -> _Part:
    """A piece that hung together with something, without what is much nearer to the ground than its inside."""
    high, wide = one.mask.shape
    y, x = one.y - whole.y, one.x - whole.x
    seen = cv2.copyMakeBorder(far[y : y + high, x : x + wide], 8, 8, 8, 8, cv2.BORDER_CONSTANT, value=0)
    own = cv2.copyMakeBorder(one.mask.astype(np.uint8), 8, 8, 8, 8, cv2.BORDER_CONSTANT, value=0)
    strict = piece_mask(seen * own, LEAST)
    parts = _connected(strict)
    if not parts:
        return one
    part = max(parts, key=lambda each: each.area)
    return _Part(one.x + part.x - 8, one.y + part.y - 8, part.mask) if part.area > one.area / 2 else one


def _grown(one: _Part, mask: Mask, disc: NDArray[np.uint8], whole: _Part) -> _Part:
    """A part found in an opened mask with what the opening took from its edge, filled."""
    own = np.zeros(mask.shape, np.uint8)
    own[one.y : one.y + one.mask.shape[0], one.x : one.x + one.mask.shape[1]] = one.mask
    own = filled(cv2.dilate(own, disc) & mask.astype(np.uint8))
    part = max(_connected(own.astype(bool)), key=lambda each: each.area)
    return _Part(whole.x + part.x, whole.y + part.y, part.mask)


def _pieces_of(page: _Page, number: int, size: float) -> tuple[list[CutPiece], list[str]]:
    """The pieces of one page, and what is wrong with it."""
    pieces, said = [], []
    height, width = page.shape
    for part in page.parts:
        high, wide = part.mask.shape
        if part.area / page.scale**2 > TOUCHING * size**2:
            place = _place((part.x + wide / 2) / width, (part.y + high / 2) / height)
            said.append(f"page {number + 1}: two pieces touch {place}; lay them apart")
        pieces.append(_cut(page, number, part))
    return pieces, said


def _place(x: float, y: float) -> str:
    """Where on a page a point lies (0..1), in words."""
    row = "upper" if y < 1 / 3 else "lower" if y > 2 / 3 else ""
    side = "left" if x < 1 / 3 else "right" if x > 2 / 3 else ""
    if row and side:
        return f"near the {row} {side} corner"
    if side:
        return f"at the {side} side"
    return f"in the {row or 'middle'} {'part' if row else ''}".rstrip()


def _cut(page: _Page, number: int, part: _Part) -> CutPiece:
    """One piece, cut out of the page at its full size."""
    high, wide = part.mask.shape
    margin = round(MARGIN * max(wide, high)) + 2
    height, width = page.shape
    left, top = max(0, part.x - margin), max(0, part.y - margin)
    right, bottom = min(width, part.x + wide + margin), min(height, part.y + high + margin)
    own = np.zeros((bottom - top, right - left), np.float32)
    own[part.y - top : part.y - top + high, part.x - left : part.x - left + wide] = part.mask
    full = page.picture.shape
    x0, y0 = round(left / page.scale), round(top / page.scale)
    x1, y1 = min(full[1], round(right / page.scale)), min(full[0], round(bottom / page.scale))
    mask = cv2.resize(own, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR) > 0.5
    pixels = np.ascontiguousarray(page.picture[y0:y1, x0:x1])
    return CutPiece(pixels, mask, number, (float(x0), float(y0)))
