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

from ganzzle.damage.levels import UNEVEN, inner_part, levelled, unevenness
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.solvers.base import Arrangement
from ganzzle.solvers.hybrid.confidence import FITTED, made_to_fit
from ganzzle.solvers.hybrid.rules import DOUBTFUL, LARGEST, Wear

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

UNEVEN_WORN = 1.0  # `UNEVEN` for worn pieces: across the worn gap colours change less than beside it
LOOKS = 8  # at the levelled pieces, at most
BETTER = 1e-3  # by how much each of these looks must make the board fit better


def arrange_levelled(hybrid: Hybrid, puzzle: Puzzle, found: Arrangement, seed: int) -> Arrangement:
    """What was found, or if its board is uneven, what is found once the pieces are levelled and it fits better."""
    grid = puzzle.grid
    assert grid is not None
    fit = 1.0 if found.fit is None else found.fit  # what others put together has none
    if fit >= DOUBTFUL or grid.slots > LARGEST:
        return found
    wear = Wear.of(puzzle)
    inside, gap = inner_part(puzzle.pieces, wear.width), 2 * wear.width + 1
    pieces = puzzle.pieces[inside]
    if wear.noisy or min(pieces.shape[1:3]) <= gap:
        return found
    if unevenness(pieces, found.placement, grid, gap) <= (UNEVEN_WORN if wear.width else UNEVEN):
        return found

    def look_at(seen: Pixels) -> Arrangement:
        return hybrid.arrange_as_they_are([Puzzle(seen, grid)], seed)[0]

    best = found
    grey = puzzle.pieces.copy()
    grey[inside] = pieces.mean(3, keepdims=True).round()
    without_colour = look_at(grey)
    guide = without_colour if (without_colour.fit or 0.0) > fit else found
    for _ in range(LOOKS):
        guide = look_at(levelled(puzzle.pieces, guide.placement, grid, wear.width))
        if (guide.fit or 0.0) <= fit + BETTER:
            break
        best, fit = guide, (guide.fit or 0.0)
    if best is found:
        return found
    assert best.confidence is not None
    confidence = made_to_fit(best.confidence)
    return replace(best, confidence=confidence, fit=fit**FITTED, levelled=True)
