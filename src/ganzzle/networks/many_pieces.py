"""Classical distances between the edges of very many pieces, weighed some rows at a time.

What a pair is told, 3 * FEATURES numbers relative to the best of its row and column, and what the small network makes
of it on its way, would take gigabytes for all pairs of a few thousand pieces; the log distances alone do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ganzzle.networks.borders import (
    FEATURES,
    PairDistance,
    best_logs,
    border_strips,
    edge_pixels,
    log_distances,
    pair_logs,
    relative,
)

ROWS = 64  # edges that are compared with all others at once


@torch.no_grad()
def weighed_in_parts(
    weigh: Callable[[Tensor], Tensor], pieces: Tensor, side: int, l1: PairDistance | None = None
) -> Tensor:
    """`weigh` (..., 3 * FEATURES) -> (..., 1) on all pairs of edges of one puzzle, (N, 3, h, w) -> (N, N).

    `side` 0: the right edges to the left ones, 2: the lower to the upper ones.
    """
    parts = _parts_on_cpu if pieces.device.type == "cpu" else _parts_on_gpu
    weighed = torch.empty(len(pieces), len(pieces), device=pieces.device)
    with torch.autocast(pieces.device.type, enabled=False):
        for rows, features in parts(pieces.float(), side, l1):
            weighed[rows] = weigh(features)[..., 0].float()
    return weighed


def _rows(count: int) -> list[slice]:
    return [slice(k, min(k + ROWS, count)) for k in range(0, count, ROWS)]


def _parts_on_cpu(pieces: Tensor, side: int, _: PairDistance | None) -> Iterator[tuple[slice, Tensor]]:
    """Rows of the table of all pairs and what is known of them, (r, N, 3 * FEATURES)."""
    from ganzzle.networks.distance_kernels import best_distances, relative_rows

    count = len(pieces)
    edges = edge_pixels(pieces.contiguous().numpy(), side)
    logs: NDArray[np.float32] = np.empty((FEATURES, count, count), np.float32)

    def compare(rows: slice) -> None:
        logs[:, rows] = log_distances(edges, rows)

    with ThreadPoolExecutor(torch.get_num_threads()) as pool:
        list(pool.map(compare, _rows(count)))
    best = best_distances(logs)
    for rows in _rows(count):
        features = torch.empty(rows.stop - rows.start, count, 3 * FEATURES)
        relative_rows(logs, *best, rows.start, features.numpy())
        yield rows, features


def _parts_on_gpu(pieces: Tensor, side: int, l1: PairDistance | None) -> Iterator[tuple[slice, Tensor]]:
    """The same in torch."""
    first, second = (strip[None] for strip in border_strips(pieces)[side : side + 2])
    parts = _rows(len(pieces))
    table = torch.cat([pair_logs(first[:, rows], second, l1) for rows in parts], 1)
    by_row, by_column = best_logs(table)
    for rows in parts:
        yield rows, relative(table[:, rows], by_row[:, rows], by_column)[0]
