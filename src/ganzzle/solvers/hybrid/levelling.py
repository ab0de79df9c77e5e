"""Pieces whose brightness or colour differs, as when they were scanned one by one.

A board tells it: colours jump at most of its seams, by far more than they change beside them. Then every piece is
shifted by the colour that makes the jumps around it smallest, and the network looks at the pieces anew, as long as that
makes the board fit better. Colours that differ mislead the network more than brightness does, so it looks at the pieces
in grey first. Only what the network sees is levelled, never the picture of the solution. Worn rims are left out of it;
noise hides the jumps, so noisy pieces are left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.linalg import spsolve

from ganzzle.puzzle import Floats, Grid, Ints, Pixels, Puzzle
from ganzzle.solvers.base import Arrangement
from ganzzle.solvers.hybrid.confidence import FITTED, made_to_fit
from ganzzle.solvers.hybrid.rules import DOUBTFUL, LARGEST, Wear

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

# So many times as much as beside them colours change at the seams of an uneven board, and of one of worn pieces.
UNEVEN, UNEVEN_WORN = 1.3, 1.0
SAME = 0.5  # levels of 255 added to every change: less cannot be seen
LOOKS = 8  # at the levelled pieces, at most
BETTER = 1e-3  # by which each must make the board fit better
REWEIGHED = 10  # times that jumps which stand out are weighed less
STAYING = 0.05  # how much the wish of each piece to stay as it is weighs against one seam


def arrange_levelled(hybrid: Hybrid, puzzle: Puzzle, found: Arrangement, seed: int) -> Arrangement:
    """What was found, or if its board is uneven, what is found once the pieces are levelled and it fits better."""
    grid = puzzle.grid
    assert grid is not None
    fit = found.details.get("fit", 1.0)  # what others put together has none
    if fit >= DOUBTFUL or grid.slots > LARGEST:
        return found
    wear = Wear.of(puzzle)
    height, width = puzzle.piece_size
    inside = slice(None), slice(wear.width, height - wear.width), slice(wear.width, width - wear.width)
    pieces, gap = puzzle.pieces[inside], 2 * wear.width + 1
    if wear.noisy or min(pieces.shape[1:3]) <= gap:
        return found
    if unevenness(pieces, found.placement, grid, gap) <= (UNEVEN_WORN if wear.width else UNEVEN):
        return found

    def look_at(shown: Floats) -> Arrangement:
        seen = puzzle.pieces.copy()
        seen[inside] = np.clip(shown, 0, 255).round()
        return hybrid.arrange_as_they_are([Puzzle(seen, grid)], seed)[0]

    best = found
    without_colour = look_at(np.repeat(pieces.mean(3, keepdims=True), 3, 3))
    guide = without_colour if without_colour.details["fit"] > fit else found
    for _ in range(LOOKS):
        guide = look_at(pieces - colour_shifts(pieces, guide.placement, grid)[:, None, None])
        if guide.details["fit"] <= fit + BETTER:
            break
        best, fit = guide, guide.details["fit"]
    if best is found:
        return found
    assert best.confidence is not None
    confidence = made_to_fit(best.confidence)
    return replace(best, confidence=confidence, details={**best.details, "fit": fit**FITTED})


def unevenness(pieces: Pixels, placement: Ints, grid: Grid, gap: int = 1) -> float:
    """How many times as much colours change at the seams of a board as beside them, by the medians; 0 without seams.

    `gap`: how many px the last line of one of the pieces (N, h, w, 3) is from the first of the next; below h and w.
    """
    _, jumps, beside = _seams(pieces, placement, grid, gap)
    if not len(jumps):
        return 0.0
    at_seams, near = (np.median(np.abs(change).mean(1)) + SAME for change in (jumps, beside))
    return float(at_seams / near)


def colour_shifts(pieces: Pixels, placement: Ints, grid: Grid) -> Floats:
    """(N, 3) the colours by which pieces are off their neighbours on a board: taken away, the jumps are smallest.

    Jumps that stand out, as where colours really change or a piece lies wrong, count less.
    """
    pairs, jumps, _ = _seams(pieces, placement, grid)
    count, seams = len(pieces), len(pairs)
    rows = np.repeat(np.arange(seams), 2)
    differences = csr_array((np.tile([-1.0, 1.0], seams), (rows, pairs.ravel())), shape=(seams, count))
    weight = np.ones(seams)
    shifts: Floats = np.zeros((count, 3))
    for _ in range(REWEIGHED if seams else 0):
        weighed = differences.T @ diags_array(weight)
        wanted = (weighed @ differences + STAYING * eye_array(count)).tocsc()
        shifts = spsolve(wanted, weighed @ jumps).reshape(count, 3)
        left = np.abs(jumps - differences @ shifts).mean(1)
        weight = 1 / np.maximum(left / max(np.median(left), SAME), 1)
    return shifts


def _seams(pieces: Pixels, placement: Ints, grid: Grid, gap: int = 1) -> tuple[Ints, Floats, Floats]:
    """(M, 2) the pieces at each seam of a board, (M, 3) the mean jump of the colours from the first to the second, and
    (M, 3) how much they change beside it over as many px, inside the piece where that is more."""
    at = np.full(grid.slots, -1)
    at[placement] = np.arange(len(pieces))
    found = []
    for slots, across in zip(grid.adjacencies(), (2, 1), strict=True):
        both = at[slots]
        both = both[(both >= 0).all(1)]
        lines = np.take(pieces, (0, gap, -1 - gap, -1), across).mean(
            3 - across, dtype=np.float64
        )  # (N, 4, 3)
        first, second = lines[both.T]
        beside = np.maximum(np.abs(first[:, 3] - first[:, 2]), np.abs(second[:, 1] - second[:, 0]))
        found.append((both, second[:, 0] - first[:, 3], beside))
    pairs, jumps, beside = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return pairs, jumps, beside
