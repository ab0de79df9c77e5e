"""Puzzles of training pictures that were held out, and the accuracy of what the assembler makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ganzzle import Puzzle, score
from ganzzle.board import assemble_pieces
from ganzzle.puzzle import Floats
from ganzzle.solution import Solution
from ganzzle.training.calibrate import held_out_pictures


def assembled_accuracy(puzzle: Puzzle, slots: Floats, seams: Sequence[Floats]) -> float:
    """Direct accuracy (identical pieces interchangeable) in per cent of one puzzle put together.

    `slots` (n, S) and `seams`, right (n, n), down (n, n) and border (n, 4), are log-potentials.
    """
    assert puzzle.grid is not None
    assembly = assemble_pieces(seams[0], seams[1], puzzle.grid, slots, seams[2])
    count = len(puzzle)
    solution = Solution(puzzle, puzzle.grid, assembly.placement, np.zeros(count, np.int64), np.ones(count))
    return 100 * score(solution).direct_interchangeable


def measured(
    cell: str, source: str, pictures: int, accuracies: Callable[[Puzzle], Sequence[float]]
) -> Floats:
    """(pictures, ways) the accuracies of a cell's puzzles, e.g. "10x10 erode:2"; those without any are left out."""
    grid, corruption = cell.split()
    rows = [
        accuracies(Puzzle.from_picture(p, grid, seed=[7, k], piece=32, corrupt=corruption))
        for k, p in enumerate(held_out_pictures(source, pictures))
    ]
    return np.array([row for row in rows if len(row)])
