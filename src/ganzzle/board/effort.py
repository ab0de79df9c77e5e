"""Putting the steps together: grow a board, climb, take it apart along its weak seams and grow it again."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ganzzle.board.annealing import anneal
from ganzzle.board.best_edges import Edges, make_edges
from ganzzle.board.blending import mix
from ganzzle.board.components import single_pieces
from ganzzle.board.cyclic import turn_around
from ganzzle.board.lap import assign
from ganzzle.board.loops import with_loops
from ganzzle.board.merging import merge
from ganzzle.board.placing import place_components
from ganzzle.board.problem import Board, Ints, Problem, empty_board, energy
from ganzzle.board.repair import repair
from ganzzle.board.search import LEAST_GAIN, assign_colours, swap_until_stuck
from ganzzle.board.segments import move_segments, segments_as_components
from ganzzle.compiling import njit

DEPTH = 5  # neighbours kept for each side of a piece
DEEPEST_CUT = -3.0  # seams below a random cut between this and 0 are taken apart
LARGEST_CRUMB = 5  # so are segments of up to a random number of pieces
ANNEALED, ANNEALING = 200, 16_000  # slots up to which boards with holes are annealed, and for how many moves
LOOPED = 200  # slots above which a bad board is also looked for by seams that close into loops
LOST = 0.5  # a board that lacks more energy than this for each slot, compared with the bound, is bad
NOISE = 2.0  # the strongest shaking of the evidence when a board is grown again
CLIMBS, CLIMBS_AGAIN = 10, 4  # rounds of climbing at most: from a new board, and from one that is taken apart
SWEEPS = 20  # of swaps in each of these rounds, at most
FIRM, LOOSE = -1.0, -3.0  # segments that are moved are held together by seams above either of these


def improve(problem: Problem, board: Board, neighbours: Ints, rounds: int) -> None:
    """Climb to where no move gains energy, for at most `rounds` rounds; `neighbours` (N, 4, k) are the best ones.

    Not compiled itself, nor are `grow`, `search` and `regrow`: that would compile all the steps once more.
    """
    for _ in range(rounds):
        moved = assign_colours(problem, board)
        moved |= swap_until_stuck(problem, board, neighbours, SWEEPS)
        moved |= move_segments(problem, board, neighbours, FIRM)
        moved |= move_segments(problem, board, neighbours, LOOSE)
        moved |= turn_around(problem, board)
        if not moved:
            break


def grow(problem: Problem, edges: Edges) -> Board:
    """(P,) a board from merged components."""
    parts = single_pieces(problem.pieces)
    merge(problem, edges, parts, np.zeros(len(edges.first), np.float32))
    return place_components(problem, parts)


@njit(cache=True, nogil=True)
def slot_board(problem: Problem) -> Board:
    """(P,) the best board by the piece-slot matrix alone."""
    count, slots = problem.pieces, len(problem.cells)
    score = np.zeros((slots, slots), np.float32)
    for piece in range(count):
        for slot in range(slots):
            score[piece, slot] = problem.unary[piece, problem.cells[slot]]
    board = empty_board(problem, count)
    slot_of = assign(score)
    for piece in range(count):
        board[problem.cells[slot_of[piece]]] = piece
    return board


def finished(problem: Problem, boards: Sequence[Board]) -> Board | None:
    """The first board that reaches the bound, so that no search could better it."""
    return next((each for each in boards if energy(problem, each) >= problem.bound - LEAST_GAIN), None)


class Effort(NamedTuple):
    """How long a board is searched for: until the first of these limits is reached."""

    rounds: int
    patience: int  # rounds in a row that gained nothing
    deadline: float = math.inf  # by time.monotonic()


def search(
    problem: Problem, neighbours: Ints, starts: Sequence[Board], rng: np.random.Generator, effort: Effort
) -> tuple[Board, float]:
    """The best board found and its energy: the best of a grown one and `starts`, taken apart and regrown. `neighbours`
    (N, 4, k) are the best ones of every side.

    Where the grown one of a large puzzle is bad, another is found by the seams that close into loops, with as much
    effort again; boards with holes are also annealed. Nothing is done that a board whose energy reaches the bound makes
    needless.
    """
    done = finished(problem, starts)
    if done is not None:
        return done, energy(problem, done)
    plans = [make_edges(problem, neighbours)]
    board = grow(problem, plans[0])
    improve(problem, board, neighbours, CLIMBS)
    if len(problem.cells) > LOOPED and _short_of_bound(problem, board) > LOST * len(problem.cells):
        found, plan = _found_by_loops(problem, rng, effort)
        plans.append(plan)
        starts = [*starts, found]
    for start in starts:
        board = _better(problem, board, start, neighbours)
    holes = problem.pieces < len(problem.cells)
    if holes and len(problem.cells) <= ANNEALED and _short_of_bound(problem, board) > LEAST_GAIN:
        board = _better(problem, board, anneal(problem, board, neighbours, ANNEALING, rng), neighbours)
    return keep_regrowing(problem, plans, board, neighbours, rng, effort)


def _short_of_bound(problem: Problem, board: Board) -> float:
    """The energy that a board lacks to what no board exceeds."""
    return problem.bound - energy(problem, board)


def _better(problem: Problem, board: Board, other: Board, neighbours: Ints) -> Board:
    """The better one of a board and another after a climb, which is spared where the board is as good as can be."""
    if _short_of_bound(problem, board) <= LEAST_GAIN:
        return board
    improve(problem, other, neighbours, CLIMBS)
    return other if energy(problem, other) > energy(problem, board) else board


def _found_by_loops(problem: Problem, rng: np.random.Generator, effort: Effort) -> tuple[Board, Edges]:
    """A board that the seams which close into loops speak for, and the edges it was grown along."""
    guide, near = with_loops(problem, DEPTH)
    plan = make_edges(guide, near)
    board = grow(guide, plan)
    improve(guide, board, near, CLIMBS)
    return keep_regrowing(guide, [plan], board, near, rng, effort)[0], plan


def keep_regrowing(
    problem: Problem,
    plans: Sequence[Edges],
    board: Board,
    neighbours: Ints,
    rng: np.random.Generator,
    effort: Effort,
) -> tuple[Board, float]:
    """The board and its energy after `regrow`, along the edges of the plans by turns, for as long as the effort allows
    and a board could have more energy."""
    reached = energy(problem, board)
    in_vain = 0
    for k in range(effort.rounds):
        late = in_vain >= effort.patience or time.monotonic() > effort.deadline
        if late or reached >= problem.bound - LEAST_GAIN:
            break
        board, now = regrow(problem, plans[k % len(plans)], board, neighbours, rng)
        in_vain = 0 if now > reached + LEAST_GAIN else in_vain + 1
        reached = now
    return board, reached


def regrow(
    problem: Problem, edges: Edges, board: Board, neighbours: Ints, rng: np.random.Generator
) -> tuple[Board, float]:
    """Take the board apart along its weak seams, grow it again with shaken evidence, and keep the better parts of the
    two, then repair small regions; the new board and its energy."""
    cut = DEEPEST_CUT * rng.random()
    crumb = int(rng.integers(0, LARGEST_CRUMB))
    parts = segments_as_components(problem, board, cut, crumb)
    strength = NOISE * rng.random()
    noise = (strength * rng.standard_normal(len(edges.first))).astype(np.float32)
    merge(problem, edges, parts, noise)
    trial = place_components(problem, parts)
    improve(problem, trial, neighbours, CLIMBS_AGAIN)
    board = board.copy()
    changed = mix(problem, board, trial)
    changed |= repair(problem, board, neighbours, 10 + len(neighbours) // 16, rng)
    if changed:
        improve(problem, board, neighbours, CLIMBS_AGAIN)
    return board, energy(problem, board)
