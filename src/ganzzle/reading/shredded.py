"""Strips out of a shredder: one a file, or lying apart on sheets."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints, Pixels
from ganzzle.errors import ApartError
from ganzzle.pile import CutPiece

Mask = NDArray[np.bool_]
Colour = NDArray[np.float32]  # (3,) Lab

TALL = 4.0  # times as high as wide a strip is, at least
ALIKE = 0.15  # share by which strips of one pile differ in length, at most
MOST = 0.8  # share of what is tall that must be of one length
WORKING = 1000  # px of the longer side at which strips are looked for
CALM = 12  # part of a sheet's height: whatever is lower is no strip, nor joins two
REACH = 4  # px at the working size that the edge of a strip is off what the search has left of it, at most
BIN = 8  # 255ths of L, a and b within which colours count as one when the most frequent are looked for
APART = 25.0  # 255ths of Lab, at least, between the ground and the paper
FAR = 30.0  # 255ths of Lab off the ground that something is none, if that is less than half of the way to the paper
COLOURED = 30.0  # 255ths of a and b off grey that make a ground a coloured one,
DARKER = 0.5  # on which a step of L counts this much of one of a or b
SEEN = 0.01  # share of a sheet that its paper is, at least
PLAIN = 0.9  # share of a strip's own file that must be of one colour at its left and right edge, or there is no ground
PART = 0.02  # size of a part of a strip for that of the largest, at least
HIDDEN = 0.85  # times the usual width below which a border of a strip is hidden in a row
NOTCH, NOTCH_LONG = (
    3.0,
    0.04,
)  # px that a border is hidden for, and share of a strip's length up to which it is
STEEP = 4.0  # px from a row to the next by which a border jumps where print begins to hide it
DARK = 80.0  # 255ths of L below which a ground is as dark as print
WIDE = 1.6  # times the usual width that something is wide which must be two strips


def find_strips(pictures: Sequence[Pixels], names: Sequence[str] = ()) -> tuple[CutPiece, ...]:
    """The strips that files show, one each or lying apart on sheets; none where the files show something else.

    Strips are tall and narrow and of about one length. What touches the left or the right border of a sheet is the
    scanner's lid.
    """
    if all(is_tall(picture) for picture in pictures):
        pieces = _lifted(pictures, names)
        return tuple(pieces) if len(pieces) > 1 and _of_one_length(pieces) else ()
    found: list[CutPiece] = []
    for page, picture in enumerate(pictures):
        on_page = _on_sheet(picture, page)
        if not on_page:
            return ()
        found += on_page
    if len(found) < 2 or not _of_one_length(found):
        return ()
    _check_apart(found)
    return tuple(
        CutPiece(each.pixels, each.mask, each.page, each.corner, f"no. {k}")
        for k, each in enumerate(found, 1)
    )


def is_tall(picture: Pixels) -> bool:
    """Whether a picture (H, W, 3) has the shape of a strip."""
    return picture.shape[0] >= TALL * picture.shape[1]


def _of_one_length(pieces: Sequence[CutPiece]) -> bool:
    """Whether most of some pieces are about as long as each other."""
    lengths = np.array([each.mask.any(1).sum() for each in pieces])
    return bool((np.abs(lengths / np.median(lengths) - 1) < ALIKE).mean() >= MOST)


def _check_apart(pieces: Sequence[CutPiece]) -> None:
    """Refuse strips that are as wide as two."""
    widths = np.array([np.median(each.mask.sum(1)) for each in pieces])
    wide = [piece for piece, width in zip(pieces, widths, strict=True) if width > WIDE * np.median(widths)]
    if wide and len(pieces) > 2:
        raise ApartError(
            f"of {len(pieces)} strips {len(wide)} look like two that touch (the first at x = {wide[0].corner[0]:.0f} "
            f"on sheet {wide[0].page + 1}); lay all strips apart and scan again"
        )


def _lifted(pictures: Sequence[Pixels], names: Sequence[str]) -> list[CutPiece]:
    """The strips of their own files (h, w, 3 each), which fill them all, or all lie on plain grounds."""
    masks = [_on_ground(picture) for picture in pictures]
    grounds = sum(mask is not None for mask in masks) >= MOST * len(masks)
    return [
        CutPiece(
            picture,
            mask if grounds and mask is not None else np.ones(picture.shape[:2], bool),
            page,
            name=names[page] if names else f"no. {page + 1}",
        )
        for page, (picture, mask) in enumerate(zip(pictures, masks, strict=True))
    ]


def _on_ground(picture: Pixels) -> Mask | None:
    """(h, w) what of a strip's own file (h, w, 3) is the strip; None where there is no ground around it."""
    colours = _lab(picture)
    edges = np.concatenate([colours[:, 0], colours[:, -1]])
    ground, paper = np.median(edges, 0), np.median(colours[:, colours.shape[1] // 2], 0)
    plain = (np.abs(edges - ground).max(1) < APART).mean()
    if plain < PLAIN or np.linalg.norm(paper - ground) < APART:
        return None
    return _whole(_stands_out(colours, ground, paper), ground[0] < DARK)


def _on_sheet(sheet: Pixels, page: int) -> list[CutPiece]:
    """The strips on a sheet (H, W, 3), from left to right."""
    scale = min(1.0, WORKING / max(sheet.shape[:2]))
    small = _lab(cv2.resize(sheet, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    pair = _two_colours(small)
    for ground, paper in () if pair is None else (pair, pair[::-1]):
        cores = _cores(_stands_out(small, ground, paper))
        if cores:
            pieces = [_cut(sheet, core, cores, scale, ground, paper, page) for core in cores]
            return sorted(pieces, key=lambda piece: piece.corner[0] + piece.pixels.shape[1] / 2)
    return []


def _lab(picture: Pixels) -> NDArray[np.float32]:
    """(H, W, 3) RGB -> L, a and b in 255ths."""
    lab: NDArray[np.float32] = cv2.cvtColor(picture, cv2.COLOR_RGB2LAB).astype(np.float32)
    return lab


def _two_colours(small: NDArray[np.float32]) -> tuple[Colour, Colour] | None:
    """The ground and the paper of a sheet (h, w, 3): the two most frequent colours, the paler of which is the paper."""
    flat = small.reshape(-1, 3)
    found: list[Colour] = []
    while len(found) < 2:
        codes = (flat // BIN).astype(np.int64) @ (1024, 32, 1)
        count = np.bincount(codes) if len(codes) else np.zeros(1)
        if count.max() < SEEN * small.shape[0] * small.shape[1]:
            return None
        near = np.linalg.norm(flat - flat[codes == count.argmax()].mean(0), axis=1) < APART
        found.append(np.median(flat[near], axis=0))
        flat = flat[np.linalg.norm(flat - found[-1], axis=1) >= 2 * APART]
    palest = [float(colour[0] - np.hypot(*(colour[1:] - 128))) for colour in found]
    return (found[0], found[1]) if palest[1] > palest[0] else (found[1], found[0])


def _stands_out(colours: NDArray[np.float32], ground: Colour, paper: Colour) -> Mask:
    """(H, W) what of a picture in Lab is no ground; on a coloured ground a shadow counts less."""
    weights = np.array([DARKER if np.hypot(*(ground[1:] - 128)) > COLOURED else 1.0, 1, 1], np.float32)
    far = (((colours - ground.astype(np.float32)) * weights) ** 2).sum(2)
    half = float(np.linalg.norm((paper - ground) * weights)) / 2
    mask: Mask = far > min(half, FAR) ** 2
    return mask


def _cores(mask: Mask) -> list[Mask]:
    """What is left of each strip (h, w) when all that is low has been taken from what stands out."""
    height, width = mask.shape
    calm = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((height // CALM, 1), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(calm)
    cores = []
    longest = 0
    for k, (x, _, wide, high, area) in enumerate(stats.tolist()):
        if k and x > 0 and x + wide < width and high >= TALL * area / high:
            cores.append(labels == k)
            longest = max(longest, high)
    return [core for core in cores if core.any(1).sum() > longest / 2]


def _cut(
    sheet: Pixels, core: Mask, cores: Sequence[Mask], scale: float, ground: Colour, paper: Colour, page: int
) -> CutPiece:
    """A strip cut out of its sheet (H, W, 3), of which a smaller copy has shown the cores of all."""
    reach = np.ones((2 * REACH + 1, 2 * REACH + 1), np.uint8)
    rows, columns = np.flatnonzero(core.any(1)), np.flatnonzero(core.any(0))
    top, bottom = max(0, rows[0] - REACH), min(len(core), rows[-1] + 1 + REACH)
    left, right = max(0, columns[0] - REACH), min(core.shape[1], columns[-1] + 1 + REACH)
    near = cv2.dilate(core[top:bottom, left:right].astype(np.uint8), reach)
    for other in cores:
        if other is not core:
            near[other[top:bottom, left:right]] = 0
    y0, y1 = round(top / scale), min(sheet.shape[0], round(bottom / scale))
    x0, x1 = round(left / scale), min(sheet.shape[1], round(right / scale))
    pixels = sheet[y0:y1, x0:x1]
    near = cv2.resize(near, (x1 - x0, y1 - y0), interpolation=cv2.INTER_NEAREST)
    mask = near.astype(bool) & _stands_out(_lab(pixels), ground, paper)
    return CutPiece(
        np.ascontiguousarray(pixels), _whole(mask, ground[0] < DARK), page, (float(x0), float(y0))
    )


def _whole(mask: Mask, dark: bool) -> Mask:
    """The strip of which a mask (h, w) shows the largest part, and perhaps others below or above it; its rows are full.

    On a dark ground, print may hide a border: it runs on from the rows before to those behind.
    """
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    if len(stats) < 2:
        return mask
    largest = stats[1 + stats[1:, cv2.CC_STAT_AREA].argmax()]
    left, right = stats[:, cv2.CC_STAT_LEFT], stats[:, cv2.CC_STAT_LEFT] + stats[:, cv2.CC_STAT_WIDTH]
    kept = (stats[:, cv2.CC_STAT_AREA] > PART * largest[cv2.CC_STAT_AREA]) & (right > largest[0])
    kept &= left < largest[0] + largest[cv2.CC_STAT_WIDTH]
    kept[0] = False
    part = kept[labels]
    some = np.asarray(part.any(1))
    every, x = np.arange(len(part)), np.arange(part.shape[1])
    first, last = part.argmax(1), len(x) - 1 - part[:, ::-1].argmax(1)
    between = np.zeros(len(part), bool)
    if dark:
        wide = some & (last - first + 1 > HIDDEN * np.median((last - first + 1)[some]))
        rows = np.flatnonzero(wide)
        between = (every >= rows[0]) & (every <= rows[-1])
        first = np.where(between, _without_notches(first, wide), first)
        last = np.where(between, len(x) - 1 - _without_notches(len(x) - 1 - last, wide), last)
    filled: Mask = (x >= first[:, None]) & (x <= last[:, None]) & (some | between)[:, None]
    return filled


def _without_notches(border: Ints, sound: Mask) -> Floats:
    """(h,) the column of a border in each row, which runs straight past rows that are not sound, or where it jumps."""
    every = np.arange(len(border))
    line = np.interp(every, every[sound], border[sound]).astype(np.float32)
    few = np.ones((2 * round(NOTCH_LONG * len(border) / 2) + 1, 1), np.uint8)
    outer = cv2.morphologyEx(line[:, None], cv2.MORPH_OPEN, few, borderType=cv2.BORDER_REPLICATE)[:, 0]
    steps = np.abs(np.diff(line, prepend=line[0]))
    _, labels = cv2.connectedComponents((line - outer > NOTCH).astype(np.uint8)[:, None])
    runs = labels[:, 0]
    steep = np.unique(np.append(runs[steps > STEEP], runs[np.append(steps[1:], 0) > STEEP]))
    sound = sound & ~(np.isin(runs, steep) & (runs > 0))
    return np.interp(every, every[sound], border[sound]) if sound.any() else line.astype(np.float64)
