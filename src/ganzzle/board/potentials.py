"""From seam costs to log-potentials: how likely a seam is, judged against its rivals on both sides.

A cost says little by itself (a flat sky fits everything), its ratio to the best rival a lot. Every seam (i, j) gets the
score  -sum over costs of weight * (log(cost / best rival of j beside i) + log(cost / best rival of i beside j)),
a softmax with a class "nothing lies here" turns the scores of a side into probabilities, and the potential is the mean
of the logarithms seen from i and from j.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.candidates import FLOOR, Candidates
from ganzzle.board.problem import DOWN, LEFT, RIGHT, UP, Table
from ganzzle.compiling import njit


def seam_potentials(
    costs: Sequence[tuple[NDArray[np.floating], NDArray[np.floating], float, float]], nothing: float
) -> tuple[Table, Table, Table]:
    """Potentials right (N, N), down (N, N) and border (N, 4) from several costs.

    Each cost is (right, down, weight, floor): two (N, N) tables, lower is better, and a floor that is added before the
    logarithm so that costs near zero do not count as infinitely better than others. `nothing` is the score of the
    class "nothing lies here".
    """
    count = len(costs[0][0])
    tables = []
    border = np.empty((count, 4), np.float32)
    for axis, (side, opposite) in enumerate(((RIGHT, LEFT), (DOWN, UP))):
        score = np.zeros((count, count), np.float32)
        for cost in costs:
            logs = np.log(np.asarray(cost[axis], np.float32) + np.float32(cost[3]))
            _add_ratios(logs, np.float32(cost[2]), score)
        tables.append(_normalise(score, np.float32(nothing), border[:, side], border[:, opposite]))
    return tables[0], tables[1], border


def candidate_potentials(
    ids: NDArray[np.integer], costs: NDArray[np.floating], weight: float, floor: float, nothing: float
) -> Candidates:
    """The same from one symmetric cost of the k best neighbours a side: ids and costs (4, N, k), the cheapest first."""
    logs = np.log(costs.astype(np.float32) + np.float32(floor))
    opposite = np.array([LEFT, RIGHT, UP, DOWN])[:, None, None]
    rank = np.arange(ids.shape[2])
    own_rival = np.where(rank == 0, logs[:, :, 1:2], logs[:, :, :1])
    other_best, other_second = logs[opposite, ids, 0], logs[opposite, ids, 1]
    other_rival = np.where(logs <= other_best, other_second, other_best)
    score = -np.float32(weight) * (2 * logs - own_rival - other_rival)
    top = np.maximum(score.max(2, keepdims=True), np.float32(nothing))
    total = np.exp(score - top).sum(2, keepdims=True) + np.exp(nothing - top)
    norm = (top + np.log(total))[:, :, 0]
    potential = score - (norm[:, :, None] + norm[opposite, ids]) / 2
    by_piece = np.ascontiguousarray(np.clip(potential, FLOOR, 0).swapaxes(0, 1))
    border = np.ascontiguousarray(np.clip((nothing - norm) / 2, FLOOR, 0).T.astype(np.float32))
    # Scores depend on both sides, so a list may need sorting again.
    order = np.argsort(-by_piece, 2, kind="stable")
    sorted_ids = np.take_along_axis(ids.swapaxes(0, 1), order, 2).astype(np.int64)
    return Candidates(sorted_ids, np.take_along_axis(by_piece, order, 2).astype(np.float32), border)


@njit(cache=True, nogil=True)
def _add_ratios(logs: Table, weight: np.float32, score: Table) -> None:
    """Subtract from the score, for one cost, the weighted log-ratios to the best rival in the row and in the column."""
    count = len(logs)
    first = np.full((2, count), np.inf, np.float32)  # best of each row, of each column
    second = np.full((2, count), np.inf, np.float32)
    for i in range(count):
        for j in range(count):
            value = logs[i, j]
            if i == j:
                continue
            for axis, line in ((0, i), (1, j)):
                if value < first[axis, line]:
                    second[axis, line] = first[axis, line]
                    first[axis, line] = value
                elif value < second[axis, line]:
                    second[axis, line] = value
    for i in range(count):
        for j in range(count):
            value = logs[i, j]
            if i == j:
                continue
            row = second[0, i] if value == first[0, i] else first[0, i]
            col = second[1, j] if value == first[1, j] else first[1, j]
            if row < np.inf:  # a piece with one possible neighbour has no rival to be compared with
                score[i, j] -= weight * (value - row)
            if col < np.inf:
                score[i, j] -= weight * (value - col)


@njit(cache=True, nogil=True)
def _normalise(score: Table, nothing: np.float32, border: Table, border_back: Table) -> Table:
    """Half the sum of row-wise and column-wise log-softmax; half the "nothing" classes go to the borders."""
    count = len(score)
    top_row = np.full(count, nothing, np.float32)
    top_col = np.full(count, nothing, np.float32)
    for i in range(count):
        score[i, i] = -np.inf
        for j in range(count):
            top_row[i] = max(top_row[i], score[i, j])
            top_col[j] = max(top_col[j], score[i, j])
    total_row, total_col = np.empty(count, np.float32), np.empty(count, np.float32)
    for i in range(count):
        total_row[i] = np.exp(nothing - top_row[i])
        total_col[i] = np.exp(nothing - top_col[i])
    for i in range(count):
        for j in range(count):
            total_row[i] += np.exp(score[i, j] - top_row[i])
            total_col[j] += np.exp(score[i, j] - top_col[j])
    norm_row, norm_col = total_row, total_col
    for i in range(count):
        norm_row[i] = top_row[i] + np.log(total_row[i])
        norm_col[i] = top_col[i] + np.log(total_col[i])
    out = np.empty((count, count), np.float32)
    for i in range(count):
        border[i] = (nothing - norm_row[i]) / 2
        border_back[i] = (nothing - norm_col[i]) / 2
        for j in range(count):
            out[i, j] = score[i, j] - (norm_row[i] + norm_col[j]) / 2
    return out
