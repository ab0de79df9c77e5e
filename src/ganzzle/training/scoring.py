"""Scores on held-out pictures, for tasks that predict a piece-slot matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import torch
from torch import Tensor

from ganzzle.board.assignment import hungarian
from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import evaluation_batch
from ganzzle.puzzle import Grid

CHUNK = 2048  # pieces at a time


@torch.no_grad()
def direct_accuracies(
    solve: Callable[[PuzzleBatch], Tensor], pictures: Mapping[str, Tensor], cases: Iterable[tuple[str, str]]
) -> dict[str, float]:
    """Per cent of the pieces that are there and lie right, by "set grid corruption".

    solve: a batch -> (B, N, slots), larger is better; pictures: (M, 3, S, S) uint8 by set.
    """
    scores: dict[str, float] = {}
    for grid_text, corruption in cases:
        grid = Grid.of(grid_text)
        for name, whole in pictures.items():
            right = there = 0
            for k, part in enumerate(whole.split(max(1, CHUNK // grid.slots))):
                batch = evaluation_batch(part, grid.rows, grid.cols, corruption, seed=k)
                hits, pieces = _count_right(solve(batch), batch)
                right, there = right + hits, there + pieces
            label = f"{name} {grid}" + ("" if corruption == "none" else f" {corruption}")
            scores[label] = 100 * right / max(1, there)
    return scores


def _count_right(matrix: Tensor, batch: PuzzleBatch) -> tuple[int, int]:
    """Pieces put right and pieces there, by the Hungarian method on the rows of the pieces that are there."""
    values, slots = matrix.float().cpu().numpy(), batch.slots.cpu().numpy()
    present = batch.present.cpu().numpy()
    right = 0
    for scores, truth, there in zip(values, slots, present, strict=True):
        right += int((hungarian(scores[there]) == truth[there]).sum())
    return right, int(present.sum())
