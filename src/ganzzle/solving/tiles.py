"""Tiles: which of all that a pile of them may be is likeliest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ganzzle.pile import Pile
from ganzzle.puzzle import Puzzle
from ganzzle.solution import Answer
from ganzzle.solvers import load_again, load_solver
from ganzzle.solving.piles import solve_pile
from ganzzle.solving.reference import OTHER_PICTURE, solve_with_reference

if TYPE_CHECKING:
    from ganzzle.solvers.base import Solver
    from ganzzle.solving.loop import Progress


def solve_tiles(pile: Pile, solver: str | Solver, seed: int, progress: Progress | None = None) -> Answer:
    """The answer to a pile of tiles."""
    machine = load_solver(solver) if isinstance(solver, str) else solver
    if pile.reference is not None and (pile.puzzles or 1) == 1:
        found = solve_with_reference(machine, pile, seed)
        if found is not None:
            return Answer(pile, (found,))
        without = solve_tiles(replace(pile, reference=None), machine, seed, progress)
        return replace(without, pile=pile, advice=(OTHER_PICTURE, *without.advice))
    machine = _turning(machine, bool(pile.turned))
    fits = pile.grid is not None and len(pile) <= pile.grid.slots and (pile.puzzles or 1) == 1
    puzzle = Puzzle(
        pile.tiles, pile.grid if fits else None, name=pile.name, sizes=pile.sizes, rim=pile.rim, gap=pile.gap
    )
    if pile.puzzles is not None and pile.puzzles > 1:
        return Answer(pile, tuple(machine.solve_mixed(puzzle, pile.puzzles, seed, pile.grid)))
    return Answer(pile, (solve_pile(machine, puzzle, seed, pile.grid),))


def _turning(solver: Solver, turned: bool) -> Solver:
    """A solver, or where pieces may be turned, the same that turns them."""
    if not turned or solver.rotated or solver.asked is None:
        return solver
    return load_again({**solver.asked, "rotated": True})
