"""Laying the solved picture from all pixels of the scan: a solver has seen the pieces smaller."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ganzzle.arrays import Floats, Pixels
from ganzzle.damage.levels import colour_shifts
from ganzzle.pieces import cut, turn_pieces
from ganzzle.puzzle import Grid
from ganzzle.reading.loose.finding import Loose
from ganzzle.reading.loose.straight import straightened
from ganzzle.reading.pictures import resize_picture
from ganzzle.solution import Solution, check_fill

MOST = 100_000_000  # px of a picture
SMALLEST = 3  # px of a side of a slot: one at both edges is a gap


def lay(
    scan: Pixels, loose: Loose, solution: Solution, fill: str = "black", even: bool = False, most: int = MOST
) -> Pixels:
    """The solution as a picture of the pixels that its loose pieces have in a scan (H, W, 3), but of `most` px at most.

    Pieces lie as far apart as they are large. What is mixed with the ground at their edges is not used: the seams are
    drawn from what lies on both sides of them. `fill` and `even` are those of `Solution.picture`.
    """
    check_fill(fill)
    height, width = loose.piece_size
    scale = min(1.0, (most / (solution.grid.slots * height * width)) ** 0.5)
    slot_size = max(SMALLEST, int(height * scale)), max(SMALLEST, int(width * scale))
    page = _Page.empty(solution.grid, slot_size, gap=int(np.ceil(loose.trim * scale)))
    image = Image.fromarray(scan)
    shifts = _shifts(solution) if even else np.zeros((len(solution.placement), 3))
    for k, slot, turn, shift in zip(
        loose.belonging(solution), solution.placement, solution.turns, shifts, strict=True
    ):
        tall, wide = page.piece_size
        piece = straightened(image, loose.corners[k], loose.gains[k], (wide, tall), page.gap / scale)
        page.put(np.clip(np.rot90(piece, turn) - shift, 0, 255).round().astype(np.uint8), int(slot))
    if fill == "imagine" and solution.mental_image is not None:
        painted = cut(solution.picture(fill, even), solution.grid)
        for slot in np.flatnonzero(~page.filled):
            page.put(resize_picture(painted[slot], *page.piece_size), int(slot))
    return page.finished()


def _shifts(solution: Solution) -> Floats:
    """(N, 3) the colours by which the pieces of a solution are off their neighbours."""
    pieces = turn_pieces(solution.puzzle.bare_pieces, solution.turns)
    return colour_shifts(pieces, solution.placement, solution.grid)


@dataclass(frozen=True, eq=False)
class _Page:
    """A picture on whose slots pieces are laid one by one; the seams between them are drawn at the end."""

    pixels: Pixels  # (H, W, 3)
    filled: NDArray[np.bool_]  # (rows, cols) the slots with a piece
    slot_size: tuple[int, int]  # height and width in px
    gap: int  # px at every edge of a slot that its piece leaves open

    @classmethod
    def empty(cls, grid: Grid, slot_size: tuple[int, int], gap: int) -> _Page:
        """A black one."""
        pixels = np.zeros((grid.rows * slot_size[0], grid.cols * slot_size[1], 3), np.uint8)
        return cls(pixels, np.zeros((grid.rows, grid.cols), bool), slot_size, gap)

    @property
    def piece_size(self) -> tuple[int, int]:
        """Height and width in px of what is laid on a slot."""
        height, width = self.slot_size
        return height - 2 * self.gap, width - 2 * self.gap

    def put(self, piece: Pixels, slot: int) -> None:
        """Lay a piece (h, w, 3)."""
        place = divmod(slot, self.filled.shape[1])
        rows, cols = (
            slice(k * side + self.gap, k * side + self.gap + length)
            for k, side, length in zip(place, self.slot_size, self.piece_size, strict=True)
        )
        self.pixels[rows, cols] = piece
        self.filled[place] = True

    def finished(self) -> Pixels:
        """(H, W, 3) with seams, without the gap around it."""
        height, width = self.slot_size
        _close_seams(self.pixels, self.filled, width, self.gap)
        _close_seams(self.pixels.swapaxes(0, 1), self.filled.T, height, self.gap)  # and where four meet
        return self.pixels[self.gap : -self.gap, self.gap : -self.gap]


def _close_seams(pixels: Pixels, filled: NDArray[np.bool_], wide: int, gap: int) -> None:
    """Draw the seams between the columns of a picture (H, W, 3) whose slots are `wide` px wide: `gap` px to both sides
    become a ramp from the last colour on the left to the first on the right, where both slots (rows, cols) are
    filled."""
    share = ((np.arange(2 * gap) + 1) / (2 * gap + 1))[:, None]
    tall = len(pixels) // len(filled)
    for col in range(1, filled.shape[1]):
        begin, end = col * wide - gap, col * wide + gap
        left, right = (pixels[:, at, None].astype(np.float32) for at in (begin - 1, end))
        ramp = np.rint(left + share * (right - left)).astype(np.uint8)
        both = np.repeat(filled[:, col - 1] & filled[:, col], tall)
        pixels[both, begin:end] = ramp[both]
