"""The unknown grid, by what the network says of the pieces' seams and borders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import canonical_order, fit_of
from ganzzle.solvers.hybrid.mixing import mixed
from ganzzle.solvers.hybrid.obvious import solve_obvious
from ganzzle.solvers.hybrid.rules import LARGEST, LARGEST_HARD, Wear, classical_weight, is_hard

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.solver import Hybrid

Table = NDArray[np.float32]

# Fewer pieces may fit well in a wrong grid, so all grids are tried; from this number on only likely ones.
MANY = 60
TRIED = 6  # grids that many pieces are tried in, at most
SURE = 0.96  # fit at which no more of them are tried: hardly any wrong grid of many pieces reaches it
AS_SURE = 5e-4  # by how much a less square grid must fit better: near 1, smaller differences mean nothing
COMPARED = 6  # grids that more than LARGEST pieces are put together in, at most
ROUNDS = 2  # of the search for each of them: enough to tell them apart


def solve_unknown_grid(hybrid: Hybrid, puzzle: Puzzle, seed: int) -> Solution:
    """The solution in the grid in which it fits best, of some that fit as well the first.

    Of many pieces only the likely grids are tried, until one is sure; of very many, the seams find the grid.
    """
    grids = Grid.that_fit(len(puzzle))
    if len(grids) == 1:
        return replace(hybrid.solve(replace(puzzle, grid=grids[0]), seed), puzzle=puzzle)
    if len(puzzle) > LARGEST:
        return _solve_very_many(hybrid, puzzle, grids, seed)
    obvious = solve_obvious(hybrid, puzzle, seed) if hybrid.quick else None
    if obvious is not None:
        return obvious
    many = len(puzzle) >= MANY
    best, most = None, -1.0
    for grid in _likely_grids(hybrid, puzzle, grids, seed)[:TRIED] if many else grids:
        solution = hybrid.solve(replace(puzzle, grid=grid), seed)
        fit = fit_of(solution)
        if fit > most + AS_SURE:
            best, most = solution, fit
        if many and fit >= SURE:
            break
    assert best is not None
    return replace(best, puzzle=puzzle)


def _likely_grids(hybrid: Hybrid, puzzle: Puzzle, grids: list[Grid], seed: int) -> list[Grid]:
    """The grids, likeliest first, by the borders. What the network sees depends a little on the grid it is told, so the
    likeliest one is told next."""
    pieces = puzzle.pieces[canonical_order(puzzle.pieces, seed)]
    ranked, told = grids, list[Grid]()
    while ranked[0] not in told:
        told.append(ranked[0])
        *_, border = hybrid.potentials(Puzzle(pieces, ranked[0]))
        ranked = ranked_by_borders(border, grids)
    return ranked


def _solve_very_many(hybrid: Hybrid, puzzle: Puzzle, grids: list[Grid], seed: int) -> Solution:
    """Take the grid that the seams speak for: the assembler's, or, where they need the network, its own."""
    hidden = Puzzle(puzzle.pieces[canonical_order(puzzle.pieces, seed)], grids[0])
    wear = Wear.of(hidden)
    if len(puzzle) > LARGEST_HARD or not is_hard(hidden, wear):
        from ganzzle.solvers.assembler import Assembler

        return replace(Assembler().solve(puzzle, seed), solver=hybrid.name)
    _, *seams = hybrid.potentials(hidden)
    tables = mixed([hidden], [table[None] for table in seams], grids[0], classical_weight(hidden, wear))
    right, down, border = (table[0] for table in tables)
    grid = grid_by_seams(right, down, border, grids)
    return replace(hybrid.solve(replace(puzzle, grid=grid), seed), puzzle=puzzle)


def ranked_by_borders(border: Table, grids: Sequence[Grid]) -> list[Grid]:
    """The grids, likeliest first, by the borders' log-potentials (N, 4): every row has one piece with nothing to its
    right, every column one with nothing below."""
    rows, cols = np.log(np.exp(2 * border).sum(0)).reshape(2, 2).mean(1)
    return sorted(grids, key=lambda g: abs(np.log(g.rows) - rows) + abs(np.log(g.cols) - cols))


def grid_by_seams(right: Table, down: Table, border: Table, grids: Sequence[Grid]) -> Grid:
    """The grid in which the seams (N, N), (N, N) and borders (N, 4) of very many pieces give the most energy.

    Compared are those that hold most of what the seams put together without a frame, and by turns those that the
    borders speak for.
    """
    from ganzzle.board import assemble_pieces, largest_part
    from ganzzle.solving.grids import grids_that_hold

    holding = grids_that_hold(*largest_part(right, down, border), grids)
    by_turns = chain.from_iterable(zip_longest(holding, ranked_by_borders(border, grids)))
    compared = list(dict.fromkeys(grid for grid in by_turns if grid is not None))[:COMPARED]
    energies = [assemble_pieces(right, down, grid, border=border, rounds=ROUNDS).energy for grid in compared]
    return compared[int(np.argmax(energies))]
