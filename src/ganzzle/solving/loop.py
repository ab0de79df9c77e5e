"""The one way in: a pile, and the answer to it.

Strips and cut pieces have boards of their own; tiles go through the hypotheses of what the pile may be.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ganzzle.errors import PuzzleError
from ganzzle.pile import Pile
from ganzzle.puzzle import Puzzle
from ganzzle.solution import Answer

if TYPE_CHECKING:
    from ganzzle.solvers.base import Solver

Progress: TypeAlias = Callable[
    [str, float], None
]  # what is being done, and the share of it that is done, 0..1


def solve(
    pile: Pile | Puzzle, solver: str | Solver = "hybrid", seed: int = 0, progress: Progress | None = None
) -> Answer:
    """The answer to a pile, by a solver or the one of that name. The same pile and seed give the same answer, whatever
    the order of its pieces."""
    if isinstance(pile, Puzzle):
        pile = pile.pile()
    if not isinstance(pile, Pile):
        raise PuzzleError(
            f"solve takes a Pile or a Puzzle, not {type(pile).__name__}; "
            f'make one, for example with Puzzle.from_folder("pieces/")'
        )
    start = time.perf_counter()
    answer = _answer(pile, solver, seed, progress)
    return replace(answer, seconds=time.perf_counter() - start)


def _answer(pile: Pile, solver: str | Solver, seed: int, progress: Progress | None) -> Answer:
    """The answer by the kind of the pile's pieces."""
    if pile.kind == "cut":
        from ganzzle.solving.cut_pieces import solve_cut
        from ganzzle.solving.up import with_up

        return with_up(solve_cut(pile, seed, progress))
    if pile.kind == "strips":
        from ganzzle.solving.strips import solve_strips

        return solve_strips(pile, seed, progress)
    from ganzzle.solvers import load_solver
    from ganzzle.solving.tiles import solve_tiles

    machine = load_solver(solver) if isinstance(solver, str) else solver
    return solve_tiles(pile, machine, seed, progress)
