"""Pictures that show strips or cut pieces: pages on which several lie apart, or one a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np

from ganzzle.arrays import Pixels
from ganzzle.errors import PuzzleError
from ganzzle.files import PathName
from ganzzle.grid import Grid
from ganzzle.pile import CutPiece, Pile
from ganzzle.reading.cut_pages import find_cut_pieces
from ganzzle.reading.pictures import piece_files, read_picture, resize_picture
from ganzzle.reading.shredded import find_strips, is_tall

T = TypeVar("T")

LOOKED_AT = 5  # files of a folder, at most, that tell whether the others need to be read
SMALLEST = 120  # px of the longer side of a picture that shows a cut piece, or strips
THUMB = 160  # px of the longer side at which the ground is looked for
RING = 0.02  # share of a picture's sides, at its border, where the ground shows
NEAR = 40  # levels by which the ground differs from its median at most
PLAIN = 0.6  # share of the border that must be ground: a lid, a table's edge and pieces may lie there, too
SEEN = 0.02, 0.9  # share of a picture that is no ground, at least and at most
FULL = 0.93  # share of its own box that something fills at least that is a rectangle
LONG = 400  # px of a strip's length at least: shorter ones are not of a page that could be read
RECTANGLE = 0.88  # share of the smallest rectangle around it that a tile fills at least
PAPER = 0.6  # share of strips' px that are as bright as their paper, at least: a page is mostly blank
BLANK = 12  # levels by which these differ from the paper at most


@dataclass(frozen=True, eq=False)
class Scans:
    """A pile of strips or cut pieces, and what is wrong with its pictures, in words."""

    pile: Pile
    complaints: tuple[str, ...] = ()


def scan_files(paths: Sequence[PathName]) -> list[Path]:
    """The picture files that some paths name, a folder standing for all it holds."""
    return [file for path in map(Path, paths) for file in (piece_files(path) if path.is_dir() else [path])]


def may_be_scans(files: Sequence[Path]) -> bool:
    """Whether a few of some files look as if all of them showed strips or cut pieces, so that reading them pays."""
    looks = [may_be_scan(read_picture(file)) for file in some_of(files)]
    return sum(looks) > len(looks) / 2


def some_of(every: Sequence[T]) -> list[T]:
    """A few of all, evenly spread."""
    return [every[k] for k in np.unique(np.linspace(0, len(every) - 1, LOOKED_AT).round().astype(int))]


def may_be_scan(picture: Pixels) -> bool:
    """Whether a picture (H, W, 3) is as tall as a strip, or shows something that is no rectangle on a plain ground."""
    longer = max(picture.shape[:2])
    if longer < SMALLEST:
        return False
    if is_tall(picture):
        return True
    height, width = (max(8, round(side * THUMB / longer)) for side in picture.shape[:2])
    small = resize_picture(picture, height, width).astype(np.int16)
    ring = np.ones((height, width), bool)
    edge = max(1, round(RING * min(height, width)))
    ring[edge:-edge, edge:-edge] = False
    ground = np.median(small[ring], axis=0)
    off = np.abs(small - ground).max(2) > NEAR
    if 1 - off[ring].mean() < PLAIN or not SEEN[0] < off.mean() < SEEN[1]:
        return False
    rows, cols = np.flatnonzero(off.any(1)), np.flatnonzero(off.any(0))
    return bool(off[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1].mean() < FULL)


def read_scans(pictures: Sequence[PathName | Pixels]) -> Scans:
    """The pile that some pictures (files, folders of them, or arrays) show; an error where they show none."""
    arrays = [one for one in pictures if isinstance(one, np.ndarray)]
    files = scan_files([one for one in pictures if not isinstance(one, np.ndarray)])
    names = [file.name for file in files] + [f"picture {k + 1}" for k in range(len(arrays))]
    found = find_scans([*map(read_picture, files), *arrays], names)
    if found is None:
        raise PuzzleError("no strips or jigsaw pieces stand out; lay them apart on a plain ground")
    return found


def find_scans(
    pictures: Sequence[Pixels],
    names: Sequence[str] = (),
    name: str = "",
    grid: Grid | None = None,
    puzzles: int | None = None,
) -> Scans | None:
    """The pile of strips or cut pieces that pictures show, each with many or one; None where they show neither."""
    known = {"grid": grid, "puzzles": puzzles, "name": name, "pages": tuple(pictures)}
    strips = find_strips(pictures, names)
    long = bool(strips) and np.median([piece.mask.any(1).sum() for piece in strips]) >= LONG
    if long and are_of_paper([piece.pixels[piece.mask] for piece in strips]):
        return Scans(Pile(strips, kind="strips", **known))  # type: ignore[arg-type]
    found = find_cut_pieces(pictures, names)
    if not found.pieces or are_rectangles(found.pieces):
        return None
    return Scans(Pile(found.pieces, kind="cut", **known), tuple(found.complaints))  # type: ignore[arg-type]


def are_rectangles(pieces: Sequence[CutPiece]) -> bool:
    """Whether most pieces fill the smallest rectangle around them, as tiles do and pieces with tabs do not."""
    fills = []
    for piece in pieces:
        ys, xs = np.nonzero(piece.mask)
        _, (width, height), _ = cv2.minAreaRect(np.stack([xs, ys], 1).astype(np.float32))
        fills.append(len(xs) / ((width + 1) * (height + 1)))
    return bool(np.median(fills) >= RECTANGLE)


def are_of_paper(strips: Sequence[Pixels]) -> bool:
    """Whether strips, each given by its (n, 3) px, are mostly blank, as those of a written page."""
    blank = []
    for pixels in strips:
        counts = np.bincount(pixels.mean(1).astype(np.int64), minlength=256)
        paper = int(np.convolve(counts, np.ones(5), "same").argmax())
        blank.append(counts[max(0, paper - BLANK) : paper + BLANK + 1].sum() / max(1, len(pixels)))
    return bool(np.mean(blank) >= PAPER)
