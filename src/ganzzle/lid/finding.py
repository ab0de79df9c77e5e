"""Where does this one go? Pictures of pieces, and a lid: the likeliest places of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from ganzzle.arrays import Floats, Pixels
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid
from ganzzle.lid.looking import Lid
from ganzzle.lid.places import Place, Sampled, with_common_size
from ganzzle.pile import CutPiece

LONGEST = 1200  # px of a lid's longer side at which it is looked at
SMALLEST_PIECE = 6  # px of a piece's side
OUTLINE = 0.004  # of a piece's length by which its outline is simplified


@dataclass(frozen=True, eq=False)
class Found:
    """A piece, and where it lies on the lid, the likeliest place first."""

    name: str
    places: tuple[Place, ...]
    outlines: tuple[Floats, ...]  # (M, 2) of each place, x and y in the lid's px
    slots: tuple[tuple[int, int] | None, ...]  # row and column of each place, from 1; None: no grid is known


@dataclass(frozen=True, eq=False)
class Asked:
    """Pieces that one picture shows, or tiles of one size."""

    pieces: tuple[CutPiece, ...]
    tiles: bool  # each fills its picture and may only lie at quarter turns


def find_pieces(reference: Pixels, asked: Sequence[Asked], grid: Grid | None = None) -> list[Found]:
    """The places of pieces on a lid (H, W, 3), for a puzzle of a grid if that is known."""
    scale = min(1.0, LONGEST / max(reference.shape[:2]))
    small = (
        cv2.resize(reference, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        if scale < 1
        else reference
    )
    lid = Lid.of(np.asarray(small, np.uint8))
    found: list[Found] = []
    for group in asked:
        for piece in group.pieces:
            if min(piece.mask.shape) < SMALLEST_PIECE:
                height, width = piece.mask.shape
                raise PuzzleError(f"{piece.name or 'a piece'} has {width}x{height} px; that shows too little")
        sampled = [Sampled.of(piece.pixels, piece.mask, group.tiles) for piece in group.pieces]
        for piece, places in zip(
            group.pieces, with_common_size(lid, sampled, None if grid is None else grid.slots), strict=True
        ):
            full = [in_full(place, scale) for place in places]
            outlines = tuple(outline_of(piece, place) for place in full)
            slots = tuple(slot_of(place, reference, grid) for place in full)
            found.append(Found(piece.name, tuple(full), outlines, slots))
    return found


def in_full(place: Place, scale: float) -> Place:
    """A place on the lid in its full size."""
    to_full = np.array([[1 / scale, 0, 0.5 / scale - 0.5], [0, 1 / scale, 0.5 / scale - 0.5]])
    pose = to_full[:, :2] @ place.pose
    pose[:, 2] += to_full[:, 2]
    x, y = (to_full[:, :2] @ np.array(place.middle) + to_full[:, 2]).tolist()
    return Place(place.probability, pose, (x, y), place.size / scale)


def outline_of(piece: CutPiece, place: Place) -> Floats:
    """(M, 2) the piece's outline where it lies on the lid."""
    outlines, _ = cv2.findContours(piece.mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    longest = max(outlines, key=cv2.contourArea)
    simple = cv2.approxPolyDP(longest, OUTLINE * cv2.arcLength(longest, True), True)[:, 0].astype(np.float64)
    there: Floats = simple @ place.pose[:, :2].T + place.pose[:, 2]
    return there


def slot_of(place: Place, reference: Pixels, grid: Grid | None) -> tuple[int, int] | None:
    """Row and column, from 1, of a place on a lid that shows the puzzle alone, upright or on its side."""
    if grid is None:
        return None
    height, width = reference.shape[:2]
    if (grid.cols - grid.rows) * (width - height) < 0:  # the lid lies on its side
        grid = Grid(grid.cols, grid.rows)
    row = int(np.clip(place.middle[1] / height * grid.rows, 0, grid.rows - 1))
    col = int(np.clip(place.middle[0] / width * grid.cols, 0, grid.cols - 1))
    return row + 1, col + 1
