"""Tiles: which of all that a pile of them may be is likeliest, and the answer made of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.arrays import Ints, Pixels
from ganzzle.grid import Grid, GridLike
from ganzzle.pieces import turn_pieces
from ganzzle.pile import Pile
from ganzzle.puzzle import Puzzle
from ganzzle.solution import Answer, Solution
from ganzzle.solvers import load_again
from ganzzle.solvers.base import canonical_order, without_known_rim
from ganzzle.solving.belief import believed, runners_up
from ganzzle.solving.boards import Laid
from ganzzle.solving.evening import is_uneven
from ganzzle.solving.evidence import Evidence
from ganzzle.solving.gaps import opened
from ganzzle.solving.missing_rims import likely_gap, may_have_gap
from ganzzle.solving.mixed import checked_grid
from ganzzle.solving.piles import check_room, refuse_hopeless, solve_pile
from ganzzle.solving.reference import OTHER_PICTURE, solve_with_reference
from ganzzle.solving.score import EMPTY
from ganzzle.solving.search import laid_out
from ganzzle.solving.turning import turns_alike, with_turned

if TYPE_CHECKING:
    from ganzzle.solvers.base import Solver
    from ganzzle.solving.loop import Progress

HOPELESS = 0.5  # belief below which a pile that suits no grid, or not the one that was given, is refused
LARGEST = 900  # pieces up to which boards are compared; of more the seams alone tell the grid


def solve_tiles(pile: Pile, solver: Solver, seed: int, progress: Progress | None = None) -> Answer:
    """The answer to a pile of tiles."""
    if pile.reference is not None and (pile.puzzles or 1) == 1:
        found = solve_with_reference(solver, pile, seed)
        if found is not None:
            return Answer(pile, (found,))
        without = solve_tiles(replace(pile, reference=None), solver, seed, progress)
        return replace(without, pile=pile, advice=(OTHER_PICTURE, *without.advice))
    solver = _turning(solver, bool(pile.turned))
    puzzle = Puzzle(pile.tiles, name=pile.name, sizes=pile.sizes, rim=pile.rim, gap=pile.gap)
    if is_compared(solver, pile):
        return compared(solver, puzzle, pile, seed)
    if pile.puzzles is not None and pile.puzzles > 1:
        return Answer(pile, tuple(solver.solve_mixed(puzzle, pile.puzzles, seed, pile.grid)))
    return Answer(pile, (solve_pile(solver, puzzle, seed, pile.grid),))


def solve_several(
    solver: Solver, puzzle: Puzzle, count: int, seed: int, grid: GridLike | None
) -> list[Solution]:
    """The solutions of so many puzzles of one pile, `grid` that of each, if it is known."""
    each = checked_grid(puzzle, count, grid)
    whole = replace(puzzle, grid=None)
    found = compared(solver, whole, _as_pile(puzzle, count, each), seed).solutions
    return [replace(one, pieces=one.members) for one in found if isinstance(one, Solution)]


def solve_alone(solver: Solver, puzzle: Puzzle, seed: int) -> Solution:
    """The solution of a pile of one puzzle whose grid is to be found."""
    pile = _as_pile(puzzle, 1)
    if not is_compared(solver, pile):
        return replace(solver.solve_by_grids(opened(puzzle), seed), puzzle=puzzle, gap=puzzle.gap or 0.0)
    answer = compared(solver, puzzle, pile, seed)
    solution = answer.solutions[0]
    assert isinstance(solution, Solution)
    if len(answer.solutions) == 1:
        return solution
    return replace(solution, left_over=np.setdiff1d(np.arange(len(puzzle)), solution.members))


def _as_pile(puzzle: Puzzle, puzzles: int, grid: Grid | None = None) -> Pile:
    return Pile(
        puzzle.pieces, grid, puzzles, name=puzzle.name, sizes=puzzle.sizes, rim=puzzle.rim, gap=puzzle.gap
    )


def is_compared(solver: Solver, pile: Pile) -> bool:
    """Whether what a pile is has to be found, and the solver can tell."""
    alone = pile.puzzles in (None, 1)
    told = pile.grid is not None and len(pile) <= pile.grid.slots and alone
    return solver.compares and not told and pile.sizes is None and 1 < len(pile) <= LARGEST


def compared(solver: Solver, puzzle: Puzzle, pile: Pile, seed: int) -> Answer:
    """The answer to a pile, which is also a puzzle of unknown grid, by the boards of all that it may be."""
    known, puzzles = pile.grid, pile.puzzles
    alone = puzzles in (None, 1)
    if known is not None and alone:
        check_room(puzzle, known)
    if puzzles is not None and puzzles > 1:
        checked_grid(replace(puzzle, grid=None), puzzles, known)
    shown = opened(puzzle)
    bare = shown if solver.sees_wear else without_known_rim(shown)
    if known is None and puzzles in (None, 1) and not solver.rotated:
        obvious = solver.obvious(bare, seed)
        if obvious is not None:
            return Answer(pile, (replace(obvious, puzzle=puzzle),))
    order = canonical_order(bare.pieces, seed)
    evidence = Evidence(bare.pieces[order], solver, Counter())
    turns = np.zeros(len(order), np.int64)
    if solver.rotated:
        turns = turns_alike(evidence)
        evidence = Evidence(turn_pieces(evidence.pieces, turns), solver, evidence.counts)
    sideways = solver.rotated and known is not None and known.rows != known.cols
    tried = laid_out(evidence, seed, None if sideways else known, puzzles)
    if puzzle.gap is None and not puzzle.rim and not solver.rotated and may_have_gap(evidence, tried[0]):
        gap = likely_gap(evidence, tried[0].score, seed, known)
        if gap:
            return compared(solver, replace(puzzle, gap=gap), replace(pile, gap=gap), seed)
    best = tried[0]
    if known is None and puzzles in (None, 1) and is_uneven(evidence, best):
        found = solver.solve_by_grids(shown, seed)
        return Answer(pile, (replace(found, puzzle=puzzle, gap=puzzle.gap or 0.0),))
    if solver.takes_turned_pieces():
        evidence, better, more = with_turned(evidence, best)
        turns = (turns + more) % 4
        if more.any():
            best, tried = better, [better, *tried[1:]]
    solutions = _solutions(solver, puzzle, order, turns, evidence, best, seed)
    sure = believed(tried, evidence)
    solutions = [replace(one, confidence=one.confidence * sure, fit=sure) for one in solutions]
    solutions.sort(key=lambda one: -len(one.puzzle))
    if alone and len(solutions) == 1 and sure < HOPELESS:
        refuse_hopeless(puzzle, known)
    return Answer(pile, tuple(solutions), runners_up=runners_up(tried, evidence))


def _solutions(
    solver: Solver, puzzle: Puzzle, order: Ints, turns: Ints, evidence: Evidence, laid: Laid, seed: int
) -> list[Solution]:
    """Each board solved by the solver now that its grid and pieces are known."""
    boards = [np.where(board >= 0, order[board], EMPTY) for board in laid.boards]
    back = np.argsort(order)
    left = _with_first_copies(boards, puzzle.pieces)
    found = []
    for board in boards:
        turn = 0
        if solver.rotated:
            members, slots = back[board[board >= 0]], np.flatnonzero(board.ravel() >= 0)
            held = Puzzle(evidence.pieces[members], Grid(*board.shape))
            turn = solver.upright_turn(held, slots, turns[members])
        board = np.rot90(board, turn)
        inside = np.sort(board[board >= 0])
        given = (turns[back[inside]] + turn) % 4
        part = replace(puzzle.reorder(inside), grid=None, truth=None)
        shown = opened(part)
        upright = Puzzle(turn_pieces(shown.pieces, given), Grid(*board.shape), rim=shown.rim, gap=0.0)
        one = solver.solve_upright(upright, seed)
        whole = len(inside) == len(puzzle)
        found.append(
            replace(
                one,
                puzzle=puzzle if whole else part,
                turns=given,
                gap=puzzle.gap or 0.0,
                pieces=None if whole else inside,
                left_over=left if len(left) and len(laid.boards) == 1 else None,
            )
        )
    return found


def _with_first_copies(boards: list[Ints], pieces: Pixels) -> Ints:
    """(K,) the pieces that are left out of some boards, once each piece on them gave way to an earlier copy of it."""
    inside = np.concatenate([board[board >= 0] for board in boards])
    left = np.setdiff1d(np.arange(len(pieces)), inside)
    for number, piece in enumerate(left.tolist()):
        later = [k for k in inside[inside > piece].tolist() if np.array_equal(pieces[k], pieces[piece])]
        if later:
            for board in boards:
                board[board == max(later)] = piece
            inside[inside == max(later)] = piece
            left[number] = max(later)
    return np.sort(left)


def _turning(solver: Solver, turned: bool) -> Solver:
    """A solver, or where pieces may be turned, the same that turns them."""
    if not turned or solver.rotated or solver.asked is None:
        return solver
    return load_again({**solver.asked, "rotated": True})
