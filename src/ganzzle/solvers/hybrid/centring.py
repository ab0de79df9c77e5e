"""Plain margins: where neither seams nor slots say clearly how far in a picture lies, it lies in the middle.

A product on white paper, or a photograph with bars at two sides, may lie a line further up, down, left or right, and
every seam still fits. Only the slots speak then, and of many lines each piece alone cannot tell two apart. Whoever made
the picture mostly put it in the middle: if a shift of the whole board makes two plain margins equal, but for a small
part of a line, and little speaks against it, it is made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Ints, Pixels
from ganzzle.board import Assembly, assembly_of, placement_energy
from ganzzle.grid import Grid
from ganzzle.pieces import assemble
from ganzzle.puzzle import Puzzle

Table = NDArray[np.float32]

FEW = 200  # slots up to which they tell lines apart
PLAIN = 8  # levels by which the pixels of a plain line differ
MOST = 0.98  # how many of them differ no more
UNEQUAL = 1 / 3  # of a line, by which equal margins differ at most
LEAST = -2.3  # log-potential that the mean seam along the cut and the mean slot lose together, at most


def centred(
    puzzle: Puzzle,
    found: Assembly,
    slots: Table,
    right: Table,
    down: Table,
    border: Table,
    twins: Ints,
    slot_weight: float,
) -> Assembly:
    """What was found or, if its plain margins may as well be equal, the same shifted until they are.

    `slots` (N, N), which count `slot_weight` times, `right` and `down` (N, N), `border` (N, 4) and `twins` (N,) are as
    for `assemble_pieces`. Only complete puzzles of many pieces are shifted.
    """
    grid = puzzle.grid
    assert grid is not None
    if grid.slots <= FEW or len(puzzle) < grid.slots:
        return found
    picture = assemble(puzzle.pieces, grid, found.placement)
    placement = found.placement
    for axis, length in ((0, grid.cols), (1, grid.rows)):
        shift = shift_to_middle(*margins(picture, axis), puzzle.pieces.shape[1 + axis])
        if shift == 0:
            continue
        shifted = rolled(placement, grid, axis, shift)
        before, after = (placement_energy(p, right, down, grid, border=border) for p in (placement, shifted))
        by_slots = [slots[np.arange(len(p)), p].mean() for p in (placement, shifted)]
        if (after - before) / length + by_slots[1] - by_slots[0] >= LEAST:
            placement = shifted
    if placement is found.placement:
        return found
    return assembly_of(placement, right, down, grid, slot_weight * slots, border, twins)


def margins(picture: Pixels, axis: int) -> tuple[int, int]:
    """How many px of a picture (H, W, 3) are plain at its top and bottom (axis 0) or at its left and right (1)."""
    lines = picture.swapaxes(0, axis)
    return plain_lines(lines), plain_lines(lines[::-1])


def plain_lines(lines: Pixels) -> int:
    """How many of the first of lines (L, M, 3) have one colour each, all along."""
    for k, line in enumerate(lines):
        unlike = np.abs(line - line[len(line) // 2].astype(np.int16)).max(-1)
        if (unlike <= PLAIN).mean() < MOST:
            return k
    return len(lines)


def shift_to_middle(before: int, after: int, line: int) -> int:
    """By how many lines of `line` px a board must be shifted on to have equal margins; 0 where none can be equal, or
    where the picture reaches the border at one side."""
    if before + after < line or min(before, after) == 0:
        return 0
    shift = round((after - before) / (2 * line))
    unequal = abs(after - before - 2 * shift * line)
    return shift if unequal <= UNEQUAL * line else 0


def rolled(placement: Ints, grid: Grid, axis: int, shift: int) -> Ints:
    """(N,) a placement with all its rows (axis 0) or columns (1) `shift` further on; the last go to the beginning."""
    row, col = np.divmod(placement, grid.cols)
    row, col = ((row + shift) % grid.rows, col) if axis == 0 else (row, (col + shift) % grid.cols)
    return row * grid.cols + col
