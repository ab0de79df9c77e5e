"""A die that cuts a picture into jigsaw pieces: outlines with tabs of many shapes, drawn by seed."""

from __future__ import annotations

import numpy as np

from ganzzle.arrays import Floats
from ganzzle.grid import Grid

STEPS = 16  # points of each of the four curves of a seam
WANDER = 0.06  # share of a side by which corners are off the grid


def die_cut(grid: Grid, side: float, rng: np.random.Generator, repeating: bool = False) -> list[Floats]:
    """The outlines (n, 2), x and y in px, of the pieces of a grid, slot by slot, clockwise from the upper left corner.

    Pieces are about `side` px wide and tall. A repeating cut is the same in every row, so that shapes do not tell
    rows apart.
    """
    rows, cols = grid.rows, grid.cols
    corners = np.stack(np.meshgrid(np.arange(cols + 1), np.arange(rows + 1)), -1).astype(float)
    wander = rng.uniform(-WANDER, WANDER, corners.shape)
    level = [_seam(rng) for _ in range((rows + 1) * cols)]  # from left to right
    upright = [_seam(rng) for _ in range(rows * (cols + 1))]  # from top to bottom
    if repeating:
        wander[:] = wander[:1]
        level = level[:cols] * (rows + 1)
        upright = upright[: cols + 1] * rows
    wander[[0, -1], :, 1] = 0
    wander[:, [0, -1], 0] = 0
    corners = (corners + wander) * side

    def across(row: int, col: int) -> Floats:
        return _laid(level[row * cols + col], corners[row, col], corners[row, col + 1], row in (0, rows))

    def down(row: int, col: int) -> Floats:
        seam = upright[row * (cols + 1) + col]
        return _laid(seam, corners[row, col], corners[row + 1, col], col in (0, cols))

    return [
        np.concatenate([across(r, c)[:-1], down(r, c + 1)[:-1], across(r + 1, c)[:0:-1], down(r, c)[:0:-1]])
        for r in range(rows)
        for c in range(cols)
    ]


def _seam(rng: np.random.Generator) -> Floats:
    """A curve (n, 2) from (0, 0) to (1, 0) with a tab to one side."""
    middle, lean = rng.uniform(0.43, 0.57), rng.uniform(-0.03, 0.03)
    tall = rng.uniform(0.2, 0.27)
    halves = []
    for start in (middle, 1 - middle):
        neck, head = rng.uniform(0.06, 0.09), rng.uniform(0.12, 0.16)
        shoulder, bow = rng.uniform(0.02, 0.06), rng.uniform(-0.05, 0.05)
        root = np.array([start - neck, shoulder])
        pull = np.array([-1.3 * (head - neck), 0.5 * (tall - shoulder)])  # which way the neck opens
        top = np.array([start + lean, tall])
        lean = -lean
        halves.append(
            np.concatenate(
                [
                    _bezier(np.zeros(2), np.array([0.6 * start, bow]), root - 0.9 * pull, root),
                    _bezier(root, root + pull, top - [head, 0], top)[1:],
                ]
            )
        )
    left, right = halves
    curve = np.concatenate([left, ([1, 0] + [-1, 1] * right)[-2::-1]])
    return curve * [1, rng.choice([-1, 1])]


def _bezier(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """Points (n, 2) of a cubic Bezier curve."""
    t = np.linspace(0, 1, STEPS)[:, None]
    return (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d


def _laid(seam: Floats, begin: Floats, end: Floats, straight: bool) -> Floats:
    """A seam (n, 2) laid from one corner to another."""
    along = end - begin
    across = np.array([-along[1], along[0]])
    return begin + seam[:, :1] * along + (0 if straight else seam[:, 1:] * across)
