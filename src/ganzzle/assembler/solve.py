"""Putting the steps together: several starts, each improved until nothing moves, then rounds of taking apart."""

from __future__ import annotations

import numpy as np
from numba import njit

from ganzzle.assembler.components import make_edges, merge, shake, single_pieces
from ganzzle.assembler.cyclic import turn_around
from ganzzle.assembler.placing import place_components
from ganzzle.assembler.problem import Board, Ints, Problem, energy
from ganzzle.assembler.search import LEAST_GAIN, assign_colours, swap_until_stuck
from ganzzle.assembler.segments import move_segments, segments_as_components

DEPTH = 8  # neighbours kept for each side of a piece when components are merged


@njit(cache=True, nogil=True)
def improve(problem: Problem, board: Board, best: Ints, rounds: int) -> None:
    """Climb to where no move gains energy (or for so many rounds)."""
    for _ in range(rounds):
        moved = swap_until_stuck(problem, board, 20)
        moved |= assign_colours(problem, board)
        moved |= move_segments(problem, board, best, -1.0)
        moved |= move_segments(problem, board, best, -3.0)
        moved |= turn_around(problem, board)
        if not moved:
            break


@njit(cache=True, nogil=True)
def grow(problem: Problem, best: Ints, stages: tuple[float, ...], rank: int) -> Board:
    """(P,) a board from components merged at falling thresholds."""
    parts = single_pieces(len(problem.seams) - 2)
    edges = make_edges(problem.seams, best)
    for threshold in stages:
        merge(problem, edges, parts, threshold)
    return place_components(problem, parts, rank)


@njit(cache=True, nogil=True)
def regrow(problem: Problem, board: Board, best: Ints, rng: np.random.Generator) -> tuple[Board, float]:
    """Take the board apart along its weak seams, put it together in a shaken order, and keep the better of the two
    with its energy."""
    cut = -3.0 * rng.random()
    least = rng.integers(1, 6)
    parts = segments_as_components(problem, board, cut, least)
    edges = shake(make_edges(problem.seams, best), 1.0, rng)
    for threshold in (-1.0, -2.0, -4.0, -12.0):
        merge(problem, edges, parts, threshold)
    trial = place_components(problem, parts, 0)
    improve(problem, trial, best, 4)
    before, after = energy(problem, board), energy(problem, trial)
    if after > before + LEAST_GAIN:
        return trial, after
    return board, before
