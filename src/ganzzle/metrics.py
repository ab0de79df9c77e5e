"""How good a solution is. The definitions, for the n pieces that are there:

* direct      = |{i : slot(i) = true slot(i) and turn(i) = true turn(i)}| / n
* neighbour   = |{(a, b) truly adjacent : b lies at the same side of a, both turned right}| / |{(a, b) truly adjacent}|
                over ordered right and down pairs of which both pieces are there; 1 if there is no such pair
* perfect     = 1 if direct = 1, else 0

*Strict* takes every piece for itself. *Interchangeable* lets pixel-identical pieces (compared upright, before noise was
added) stand in for each other: slot s is right when the piece on it is identical to the piece that belongs there, and an
adjacency is right when the solution has one of the same kind, each true one used once:
sum over kinds k of min(count in the solution, count in the truth) / true count, where a kind is (group of a, group of b,
side). All values lie in 0..1 here; the commands print per cent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ganzzle.corruption import twin_groups
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, Ints, Solution, turn_pieces


@dataclass(frozen=True)
class Score:
    """Accuracies of one solution, each in 0..1."""

    direct: float
    neighbour: float
    perfect: float
    direct_interchangeable: float
    neighbour_interchangeable: float
    perfect_interchangeable: float


def score(solution: Solution) -> Score:
    """Compare a solution with its puzzle's truth."""
    puzzle = solution.puzzle
    truth = puzzle.truth
    if truth is None:
        raise PuzzleError("this puzzle does not know its truth, so its solution cannot be scored")
    # The truth's grid may differ from the solution's when the solver had to guess it.
    true_grid = puzzle.grid or solution.grid
    turned_right = (solution.turns - truth.turns) % 4 == 0
    twins = truth.twins
    if twins is None:
        twins = twin_groups(turn_pieces(puzzle.pieces, truth.turns))
    strict = np.arange(len(puzzle))
    direct, neighbour = _accuracies(solution, truth.placement, true_grid, strict, turned_right)
    direct_i, neighbour_i = _accuracies(solution, truth.placement, true_grid, twins, turned_right)
    return Score(direct, neighbour, float(direct == 1), direct_i, neighbour_i, float(direct_i == 1))


def correct_pieces(solution: Solution) -> np.ndarray:
    """(N,) bool: the pieces that lie, upright, where they (or an identical piece) belong."""
    truth = solution.puzzle.truth
    if truth is None:
        raise PuzzleError("this puzzle does not know its truth")
    twins = truth.twins
    if twins is None:
        twins = twin_groups(turn_pieces(solution.puzzle.pieces, truth.turns))
    turned_right = (solution.turns - truth.turns) % 4 == 0
    return _right_pieces(solution.grid, solution.puzzle.grid, solution.placement, truth.placement, twins) & turned_right


def _right_pieces(grid: Grid, true_grid: Grid | None, placement: Ints, true_placement: Ints, group: Ints) -> np.ndarray:
    true_grid = true_grid or grid
    group_of_slot = np.full(true_grid.slots, -1)
    group_of_slot[true_placement] = group
    row, col = np.divmod(placement, grid.cols)
    inside = (row < true_grid.rows) & (col < true_grid.cols)
    return inside & (group_of_slot[np.where(inside, row * true_grid.cols + col, 0)] == group)


def _accuracies(
    solution: Solution, true_placement: Ints, true_grid: Grid, group: Ints, turned_right: np.ndarray
) -> tuple[float, float]:
    right = _right_pieces(solution.grid, true_grid, solution.placement, true_placement, group)
    direct = float(np.mean(right & turned_right))
    groups = int(group.max()) + 1
    expected = _adjacency_kinds(true_grid, true_placement, group, groups)
    # A wrongly turned piece takes part in no adjacency.
    group_here = np.where(turned_right, group, -1)
    found = _adjacency_kinds(solution.grid, solution.placement, group_here, groups)
    if len(expected) == 0:
        return direct, 1.0
    kinds, counts = np.unique(expected, return_counts=True)
    found_kinds, found_counts = np.unique(found, return_counts=True)
    _, there, here = np.intersect1d(kinds, found_kinds, assume_unique=True, return_indices=True)
    return direct, float(np.minimum(counts[there], found_counts[here]).sum() / len(expected))


def _adjacency_kinds(grid: Grid, placement: Ints, group: Ints, groups: int) -> Ints:
    """One number for every adjacency of two pieces that are there: (group, group, side)."""
    at = np.full(grid.slots, -1)
    at[placement] = group
    kinds = []
    for side, pairs in enumerate(grid.adjacencies()):
        a, b = at[pairs[:, 0]], at[pairs[:, 1]]
        there = (a >= 0) & (b >= 0)
        kinds.append((a[there] * groups + b[there]) * 2 + side)
    return np.concatenate(kinds)
