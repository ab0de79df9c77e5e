"""The gap as an unknown: how much picture is lost at every border of bare pieces, which show no rim that would tell.

A gap is a share of a slot's shorter side, lost at each of a piece's borders. One that is told is opened: the pieces get
a black rim of that width, which is what worn pieces show, so a told gap and a rim of its width give the same board. One
that nobody told is looked for only where the pieces do not fit as they are. Upright pieces are looked at with every gap
of a ladder, and a board is made of what is seen with the likeliest ones; turned pieces are solved with two gaps far
apart and, where either fits better, with those around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ganzzle.arrays import Pixels
from ganzzle.damage.wear import is_noisy, wear_width
from ganzzle.errors import PuzzleError
from ganzzle.pieces import rim_of, with_rim
from ganzzle.pile import WIDEST_GAP
from ganzzle.puzzle import Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import fit_of

Solve: TypeAlias = Callable[[Sequence[Puzzle], int], list[Solution]]
# Solves a puzzle of known grid by what is seen with several gaps.
Blend: TypeAlias = Callable[[Puzzle, Sequence[float], int], Solution]

LADDER = (0.03, 0.05, 0.07, 0.10, 0.13, 0.16, 0.20, 0.24)  # gaps that are tried
FIRST = (2, 5)  # of these the ones that are tried at first,
STEPS = (1, 2)  # and how far around the better one the others lie
UNSURE = 0.95  # fit below which a gap is looked for
BETTER = 0.02  # by so much pieces must fit better with a gap than without
SMALLEST = 6  # px of a side of a piece in which a gap can be seen
TOUCHING = 0.3  # share of all sides that must touch another, since many lie at the border of the picture,
STEP, STEP_SEEN = 1.1, 1.0  # times the step from one px to the next inside, and levels that are added to both
SURE = 0.97  # fit at which no other gap is tried
MOST, MOST_TURNED = 900, 150  # slots up to which a gap is looked for, and of turned pieces
TURNED_FITS = 3  # power by which the fit of worn turned pieces is lowered, so that of bare ones is, too


def gap_of(text: str, side: int) -> float:
    """A gap as people write it, "5" px of pieces whose shorter side has `side` px, or "10%" -> the share of a slot."""
    number = text.strip().removesuffix("px").strip()
    percent = number.endswith("%")
    try:
        value = float(number.rstrip("% "))
    except ValueError:
        value = -1.0
    share = value / 100 if percent else value / (side + 2 * value) if value >= 0 else -1.0
    if not 0 <= share <= WIDEST_GAP:
        raise PuzzleError(
            f"'{text}' is no gap; write the px that are lost at each border of a piece, as 5, or a share, as 10%"
        )
    return share


def opened(puzzle: Puzzle) -> Puzzle:
    """A puzzle whose pieces show the gap that was told as a rim; from here on there is none but that."""
    rim = rim_of(puzzle.piece_size, puzzle.gap or 0.0)
    if rim == 0 or puzzle.sizes is not None:
        return replace(puzzle, gap=0.0)
    return replace(puzzle, pieces=with_rim(puzzle.pieces, rim), rim=puzzle.rim + rim, gap=0.0)


def solve_with_gaps(
    solve: Solve, puzzles: Sequence[Puzzle], seed: int, blend: Blend | None = None
) -> list[Solution]:
    """What `solve` finds for puzzles, each with the gap that was told or, where it fits better, one that was found:
    by `blend`, or by `solve` where pieces may be turned and there is none."""
    turned = blend is None
    solutions = _solved(solve, puzzles, seed)
    for k, (puzzle, found) in enumerate(zip(puzzles, solutions, strict=True)):
        if not _may_have_gap(puzzle, found, turned):
            continue
        if blend is None:
            solutions[k] = _with_a_gap(solve, puzzle, found, seed)
        else:
            solutions[k] = _blended(solve, blend, puzzle, found, seed)
    return solutions


def _blended(solve: Solve, blend: Blend, puzzle: Puzzle, found: Solution, seed: int) -> Solution:
    """The solution of upright pieces by several gaps, or the one that was found without."""
    best = blend(replace(puzzle, grid=found.grid), LADDER, seed)
    if fit_of(best) < fit_of(found) + BETTER:
        return found
    if puzzle.grid is None:
        (again,) = _solved(solve, [replace(puzzle, gap=best.gap)], seed)
        if again.grid != best.grid:
            best = max(best, blend(replace(puzzle, grid=again.grid), LADDER, seed), key=fit_of)
    return replace(best, puzzle=puzzle)


def _solved(solve: Solve, puzzles: Sequence[Puzzle], seed: int) -> list[Solution]:
    """Solutions of puzzles, by the gaps that are told."""
    found = solve([opened(puzzle) for puzzle in puzzles], seed)
    return [
        replace(one, puzzle=puzzle, gap=puzzle.gap or 0.0) for puzzle, one in zip(puzzles, found, strict=True)
    ]


def _may_have_gap(puzzle: Puzzle, found: Solution, turned: bool) -> bool:
    """Whether a gap nobody told is worth a look: pieces show no rim of their own, and do not fit as they are."""
    if puzzle.gap is not None or puzzle.rim or puzzle.sizes is not None:
        return False
    few = 1 < found.grid.slots <= (MOST_TURNED if turned else MOST)
    if not few or fit_of(found) >= UNSURE:
        return False
    if wear_width(puzzle.pieces) or is_noisy(puzzle.pieces):
        return False
    return not touch(puzzle.pieces, turned)


def touch(pieces: Pixels, turned: bool) -> bool:
    """Whether pieces (N, h, w, 3), which may be turned, have neighbours that begin where they end: then there is no
    gap."""
    if min(pieces.shape[1:3]) < SMALLEST:
        return True
    ways = [pieces, pieces.transpose(0, 2, 1, 3)]
    if turned and pieces.shape[1] == pieces.shape[2]:
        ways = [np.concatenate([np.rot90(pieces, k, (1, 2)) for k in range(4)])]
    elif turned:
        ways = [np.concatenate([way, way[:, ::-1, ::-1]]) for way in ways]
    steps = []
    for lying in ways:
        ends, begins = lying[:, :, [-2, -1]].astype(np.float32), lying[:, :, :2].astype(np.float32)
        across = np.stack([np.abs(end - begins[:, :, 0]).mean((1, 2)) for end in ends[:, :, 1]])
        own = np.arange(len(lying)) % len(pieces)
        across[own[:, None] == own] = np.inf
        for nearest, lines in ((across.min(1), ends), (across.min(0), begins)):
            inside = np.abs(lines[:, :, 1] - lines[:, :, 0]).mean((1, 2))
            steps.append((nearest + STEP_SEEN) / (inside + STEP_SEEN))
    return bool(np.quantile(np.concatenate(steps), TOUCHING) < STEP)


def _with_a_gap(solve: Solve, puzzle: Puzzle, found: Solution, seed: int) -> Solution:
    """The solution of turned pieces with the gap that fits best, or the one that was found without."""
    tried: dict[int, Solution] = {}

    def fit(step: int) -> float:
        if step not in tried:
            told = replace(puzzle, grid=found.grid, gap=LADDER[step])
            (tried[step],) = _solved(solve, [told], seed)
        return fit_of(tried[step])

    without = fit_of(found) ** TURNED_FITS
    best = FIRST[0] if fit(FIRST[0]) >= SURE else max(FIRST, key=fit)
    if fit(best) < without + BETTER:
        return found
    for distance in STEPS:
        near = [best - distance, best + distance]
        for step in near:
            if 0 <= step < len(LADDER) and fit(best) < SURE and fit(step) > fit(best):
                best = step
    choice = tried[best]
    if puzzle.grid is None:
        (again,) = _solved(solve, [replace(puzzle, gap=LADDER[best])], seed)
        choice = max([choice, again], key=fit_of)
    return replace(choice, puzzle=puzzle)
