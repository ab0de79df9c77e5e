"""Strips and cut pieces laid into one picture by their poses, without gaps, doubled rims or fringes of the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints, Pixels

if TYPE_CHECKING:
    from ganzzle.pile import CutPiece
    from ganzzle.solution import LaidSolution

EDGE = 0.03  # part of the mean side of a piece that at its border is bevelled, or tinted by the ground, and not drawn
FRINGE = 2.0  # px at the border of a torn strip that are mixed with the ground,
TINTED, TINT = (
    14,
    9,
)  # px further inside which may be tinted by it, and how far their colour is off the paper's then
PAPER, PAPER_STEP = (
    0.6,
    7,
)  # share of a strip's px that are darker than its paper; every how many-th is looked at
COLOURFUL = 0.02  # share of a piece's inside that has other colours, from which on it is no plain paper
LEAST_EDGE = 1.5  # px of it at least: these are mixed with the ground
FAINT = 0.01  # what a px of such an edge counts as lying inside its piece, beside one that is not
GAP = 0.03  # part of the mean side of a piece that a gap between two may be wide, to be filled from both

Depth = NDArray[np.float32]  # (H, W) how far inside its piece each px of the picture is, in px of the picture


class Board(NamedTuple):
    """A picture of laid pieces, and which piece each of its pixels shows."""

    picture: Pixels  # (H, W, 3), black where nothing lies
    owner: Ints  # (H, W) number of the piece, -1 where nothing lies


def laid_picture(solution: LaidSolution) -> Pixels:
    """The picture (H, W, 3) of laid pieces, each px of the piece it lies deepest in; what lies nowhere is black."""
    return lay_out(solution).picture


def lay_out(solution: LaidSolution, scale: float = 1.0) -> Board:
    """The laid pieces of a solution, `scale` times as large as they are."""
    height, width = (max(1, round(scale * side)) for side in solution.size)
    picture = np.zeros((height, width, 3), np.uint8)
    owner = np.full((height, width), -1)
    deepest = np.zeros((height, width), np.float32)
    poses = scale * solution.poses
    side = float(np.sqrt(height * width / max(1, solution.grid.slots)))
    edge = max(LEAST_EDGE, EDGE * side)
    pieces = solution.puzzle.cut_pieces
    if solution.puzzle.kind == "strips":  # which have no bevel, and ink up to the cut
        torn = not all(piece.mask.all() for piece in pieces)
        pieces = tuple(replace(one, mask=_untinted(one)) for one in pieces) if torn else pieces
        edge = scale * (FRINGE if torn else 0.5)
    for number, (piece, pose) in enumerate(zip(pieces, poses, strict=True)):
        _lay(piece, pose, number, edge, picture, owner, deepest)
    board = _without_gaps(Board(picture, owner), deepest, max(2, round(GAP * side)), edge)
    if solution.puzzle.kind == "strips":  # what was torn away is paper: letters are not drawn out
        _show_paper(board, deepest, edge, pieces)
    return board


def _show_paper(board: Board, deepest: Depth, edge: float, strips: Sequence[CutPiece]) -> None:
    """Give what lies in the gaps between strips the colour of their paper."""
    papers = [
        np.quantile(one.pixels[one.mask][::PAPER_STEP], PAPER, axis=0).astype(np.uint8) for one in strips
    ]
    gaps = (deepest <= edge) & (board.owner >= 0)
    board.picture[gaps] = np.array(papers)[board.owner[gaps]]


def _lay(
    piece: CutPiece, pose: Floats, number: int, edge: float, picture: Pixels, owner: Ints, deepest: Depth
) -> None:
    """Draw one piece where it lies deeper in itself than any piece drawn before in theirs."""
    inside = np.pad(piece.mask.astype(np.uint8), 1)  # where its pixels end the piece ends, too
    depth = cv2.distanceTransform(inside, cv2.DIST_L2, 5)[1:-1, 1:-1]
    left, top, right, bottom = _reach(piece.mask.shape, pose, owner.shape)
    if right <= left or bottom <= top:
        return
    shifted = pose - np.array([[0, 0, left], [0, 0, top]])
    size = right - left, bottom - top
    factor = float(np.sqrt(abs(np.linalg.det(pose[:, :2]))))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    colours = cv2.warpAffine(piece.pixels, shifted, size, flags=how, borderMode=cv2.BORDER_REPLICATE)
    depths = factor * cv2.warpAffine(depth, shifted, size, flags=cv2.INTER_LINEAR)
    depths = np.where(depths > edge, depths, FAINT * depths)
    part = slice(top, bottom), slice(left, right)
    deeper = depths > deepest[part]
    picture[part][deeper] = colours[deeper]
    owner[part][deeper] = number
    deepest[part][deeper] = depths[deeper]


def _untinted(piece: CutPiece) -> NDArray[np.bool_]:
    """(h, w) the mask of a piece without the px near its border that are tinted by a coloured ground, where it is of
    paper: where hardly anything inside has such a colour."""
    depth = cv2.distanceTransform(np.pad(piece.mask.astype(np.uint8), 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    chroma = cv2.cvtColor(piece.pixels, cv2.COLOR_RGB2LAB)[..., 1:].astype(np.float32)
    inner = depth > TINTED
    if not inner.any():
        return piece.mask
    off = np.abs(chroma - np.median(chroma[inner], axis=0)).max(2) > TINT
    return piece.mask if off[inner].mean() > COLOURFUL else piece.mask & ~(off & ~inner)


def _reach(shape: tuple[int, ...], pose: Floats, whole: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the part of a picture of a `whole` shape that a piece of a shape reaches."""
    height, width = shape
    corners = np.array([[0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]])
    at = corners @ pose[:, :2].T + pose[:, 2]
    left, top = np.maximum(0, np.floor(at.min(0)).astype(int)).tolist()
    right, bottom = np.minimum(whole[::-1], np.ceil(at.max(0)).astype(int) + 1).tolist()
    return left, top, right, bottom


def _without_gaps(board: Board, deepest: Depth, widest: int, edge: float) -> Board:
    """The board with its gaps of up to `widest` px, and the edges of its pieces, filled from what lies nearest inside
    and blended across the seam."""
    there, sound = deepest > 0, deepest > edge
    if not sound.any():
        return board
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * widest + 1,) * 2)
    framed = np.pad(there.astype(np.uint8), widest)
    closed = cv2.morphologyEx(framed, cv2.MORPH_CLOSE, kernel)[widest:-widest, widest:-widest]
    fill = ((closed > 0) | there) & ~sound
    unsound = (~sound).astype(np.uint8)
    _, nearest = cv2.distanceTransformWithLabels(unsound, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    index = np.zeros(int(nearest.max()) + 1, np.int64)
    index[nearest[sound]] = np.flatnonzero(sound)
    picture, owner = board.picture.copy(), board.owner.copy()
    picture[fill] = board.picture.reshape(-1, 3)[index[nearest[fill]]]
    owner[fill] = board.owner.ravel()[index[nearest[fill]]]
    blended = cv2.GaussianBlur(picture, (0, 0), max(0.5, edge / 2))
    inner = cv2.erode(closed, np.ones((3, 3), np.uint8), iterations=round(edge) + 1) > 0  # not at the border
    picture[fill & inner] = blended[fill & inner]
    return Board(picture, owner)
