"""How good a solution is. The definitions, for the n pieces that are there:

* direct      = |{i : slot(i) = true slot(i) and turn(i) = true turn(i)}| / n
* neighbour   = |{(a, b) truly adjacent : b lies at the same side of a}| / |{(a, b) truly adjacent}|
                over ordered right and down pairs of which both pieces are there; 1 if there is no such pair
* perfect     = 1 if direct = 1, else 0

*Strict* takes every piece for itself. *Interchangeable* lets pixel-identical pieces (compared upright, before noise
was added) stand in for each other: a piece is right when it is identical to the one that belongs on its slot, and an
adjacency is right when the solution has one of the same kind, each true one used once:
sum over kinds k of min(count in the solution, count in the truth) / true count, where a kind is (group of a, group of
b, side). A turn that leaves a piece's pixels as they are is no mistake then either.

*Ceiling*: nobody can tell identical pieces apart, so of k that belong on k slots any order puts one right, on average:
the strict direct accuracy that can be expected of the best solver there could be is (different pieces) / n.

*Turned pieces*: sides are those of the upright pieces, so two pieces that are turned wrong together still are
neighbours; and a pile of turned pieces does not say which side is up, so the direct accuracy is that of the best of the
four turns of the whole solution. All values lie in 0..1 here; the commands print per cent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.damage.corruption import periods_of, twins_of
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, Ints, Puzzle, Truth
from ganzzle.solution import Solution

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Score:
    """Accuracies of one solution, each in 0..1."""

    direct: float
    neighbour: float
    perfect: float
    direct_interchangeable: float
    neighbour_interchangeable: float
    perfect_interchangeable: float
    direct_ceiling: float


def score(solution: Solution) -> Score:
    """Compare a solution with its puzzle's truth."""
    count = len(solution.puzzle)
    direct, neighbour = _accuracies(_Comparison.of(solution, np.arange(count), np.full(count, 4)))
    direct_i, neighbour_i = _accuracies(_interchangeable(solution))
    return Score(
        direct,
        neighbour,
        float(direct == 1),
        direct_i,
        neighbour_i,
        float(direct_i == 1),
        ceiling(solution.puzzle),
    )


def ceiling(puzzle: Puzzle) -> float:
    """The strict direct accuracy that can be expected at most of any solver of a puzzle that knows its truth."""
    return len(np.unique(twins_of(puzzle))) / len(puzzle)


def correct_pieces(solution: Solution) -> Bools:
    """(N,) bool: the pieces that lie, upright, where they (or an identical piece) belong."""
    return _best_turn(_interchangeable(solution))[1]


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A solution beside the truth; pieces of one group stand in for each other."""

    grid: Grid
    placement: Ints  # (N,)
    true_grid: Grid
    true_placement: Ints  # (N,)
    extra: Ints  # (N,) quarter turns too many
    group: Ints  # (N,)
    period: Ints  # (N,) quarter turns after which a piece looks the same: 1, 2 or 4
    turned: bool  # the pile had turned pieces, so nobody knows which side is up

    @classmethod
    def of(cls, solution: Solution, group: Ints, period: Ints) -> _Comparison:
        truth = _truth_of(solution)
        true_grid = truth.grid or solution.puzzle.grid or solution.grid
        extra = (solution.turns - truth.turns) % 4
        turned = bool(truth.turns.any())
        return cls(
            solution.grid, solution.placement, true_grid, truth.placement, extra, group, period, turned
        )


def _truth_of(solution: Solution) -> Truth:
    if solution.puzzle.truth is None:
        raise PuzzleError("this puzzle does not know its truth, so its solution cannot be scored")
    return solution.puzzle.truth


def _interchangeable(solution: Solution) -> _Comparison:
    puzzle, any_turned = solution.puzzle, _truth_of(solution).turns.any() or solution.turns.any()
    periods = periods_of(puzzle) if any_turned else np.full(len(puzzle), 4)
    return _Comparison.of(solution, twins_of(puzzle), periods)


def _best_turn(c: _Comparison) -> tuple[int, Bools]:
    """The turn of the whole solution that puts most pieces right, and (N,) which pieces these are."""
    turns = range(4) if c.turned else range(1)
    right = [_right_pieces(c, turn) for turn in turns]
    best = int(np.argmax([r.sum() for r in right]))
    return best, right[best]


def _right_pieces(c: _Comparison, whole_turn: int) -> Bools:
    """(N,) the pieces that are right after the whole solution has been turned counter-clockwise."""
    rows, cols = c.grid.rows, c.grid.cols
    row, col = np.divmod(c.placement, cols)
    for _ in range(whole_turn):
        row, col = cols - 1 - col, row
        rows, cols = cols, rows
    group_of_slot = np.full(c.true_grid.slots, -1)
    group_of_slot[c.true_placement] = c.group
    inside = (row < c.true_grid.rows) & (col < c.true_grid.cols)
    slot = np.where(inside, row * c.true_grid.cols + col, 0)
    return inside & (group_of_slot[slot] == c.group) & ((c.extra + whole_turn) % c.period == 0)


def _accuracies(c: _Comparison) -> tuple[float, float]:
    """Direct and neighbour accuracy."""
    whole_turn, right = _best_turn(c)
    direct = float(right.mean())
    a, b, side = _neighbours(c.true_grid, c.true_placement)
    if len(a) == 0:
        return direct, 1.0
    expected = _kinds(c, a, b, side)
    found = _kinds(c, *_upright_neighbours(c, whole_turn))
    kinds, counts = np.unique(expected, return_counts=True)
    found_kinds, found_counts = np.unique(found, return_counts=True)
    _, there, here = np.intersect1d(kinds, found_kinds, assume_unique=True, return_indices=True)
    return direct, float(np.minimum(counts[there], found_counts[here]).sum() / len(expected))


def _neighbours(grid: Grid, placement: Ints) -> tuple[Ints, Ints, Ints]:
    """(E,) a, (E,) b, (E,) side for all neighbours that are there: b is right of (0) or below (1) a."""
    at = np.full(grid.slots, -1)
    at[placement] = np.arange(len(placement))
    right, down = grid.adjacencies()
    pairs = at[np.concatenate([right, down])]
    side = np.repeat([0, 1], [len(right), len(down)])
    there = (pairs >= 0).all(1)
    return pairs[there, 0], pairs[there, 1], side[there]


def _upright_neighbours(c: _Comparison, whole_turn: int) -> tuple[Ints, Ints, Ints]:
    """The neighbours of the solution, each pair seen with its own pieces upright."""
    a, b, side = _neighbours(c.grid, c.placement)
    # A turn that cannot be seen counts as the turn of the whole.
    whole = -whole_turn % 4
    extra = np.where((c.extra - whole) % c.period == 0, whole, c.extra)
    together = (extra[a] - extra[b]) % np.minimum(c.period[a], c.period[b]) == 0
    a, b, side = a[together], b[together], side[together]
    turn = np.where(c.period[a] >= c.period[b], extra[a], extra[b])
    # Turned by 1: what lies right is truly below. By 2: all is reversed. By 3: what lies below is truly right.
    true_side = np.where(turn % 2 == 1, 1 - side, side)
    swap = (turn == 2) | ((turn == 1) & (side == 1)) | ((turn == 3) & (side == 0))
    return np.where(swap, b, a), np.where(swap, a, b), true_side


def _kinds(c: _Comparison, a: Ints, b: Ints, side: Ints) -> Ints:
    """One number for (group of a, group of b, side)."""
    groups = int(c.group.max()) + 1
    return (c.group[a] * groups + c.group[b]) * 2 + side
