"""What a network is told about two edges: border strips, and classical seam distances between all pairs, in torch.

Shapes: B puzzles, N pieces, L pixels along an edge. A strip lies with its border in row 0 and its depth going inwards,
so one network can look at all four sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

Pixels = NDArray[np.float32]
PairDistance = Callable[[Tensor, Tensor], Tensor]

MANY = 100  # pieces from which on threads are worth their start
DEPTH = 8  # pixels of a strip, from the border inwards
# Distances of a pair, each given three times: as it is, relative to its row's and to its column's best.
FEATURES = 7


def border_strips(pieces: Tensor, depth: int = DEPTH) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(B, N, 3, h, w) -> the right, left, lower and upper strips, (B, N, 3, depth, h or w) each."""
    right = pieces[..., :, -depth:].flip(-1).transpose(-1, -2)
    left = pieces[..., :, :depth].transpose(-1, -2)
    return right, left, pieces[..., -depth:, :].flip(-2), pieces[..., :depth, :]


@torch.no_grad()
def all_distances(pieces: Tensor, l1: PairDistance | None = None) -> tuple[Tensor, Tensor]:
    """`seam_distances` of the right edges to the left ones and of the lower to the upper ones, (B, N, 3, h, w) -> 2.

    `l1` is a compiled form of `l1_on_gpu`.
    """
    if pieces.device.type == "cpu":
        pieces = pieces.float().contiguous()
        work = [(one, side) for side in (0, 2) for one in pieces]
        if pieces.shape[1] < MANY or torch.get_num_threads() == 1:
            done = [_distances_on_cpu(*each) for each in work]
        else:
            with ThreadPoolExecutor(min(torch.get_num_threads(), len(work))) as pool:
                done = list(pool.map(lambda each: _distances_on_cpu(*each), work))
        return torch.stack(done[: len(pieces)]), torch.stack(done[len(pieces) :])
    right, left, lower, upper = border_strips(pieces)
    if right.shape != lower.shape:
        return seam_distances(right, left, l1), seam_distances(lower, upper, l1)
    both = seam_distances(torch.cat([right, lower]), torch.cat([left, upper]), l1)  # half as many calls
    return both[: len(pieces)], both[len(pieces) :]


def _distances_on_cpu(pieces: Tensor, side: int) -> Tensor:
    """The same for one puzzle, (N, 3, h, w) -> (N, N, 3 * FEATURES)."""
    from ganzzle.networks.distance_kernels import relative_features

    count, pixels = len(pieces), pieces.numpy()
    features = torch.empty(count, count, 3 * FEATURES)
    relative_features(log_distances(edge_pixels(pixels, side), slice(0, count)), features.numpy())
    return features


def edge_pixels(pixels: Pixels, side: int) -> list[tuple[Pixels, Pixels]]:
    """The outer rows of the edges that meet, at the three scales: (N, 3, h, w) -> 3 x 2 x (N, 2, 3, L)."""
    from ganzzle.networks.distance_kernels import edge_rows

    along = pixels.shape[2] if side == 0 else pixels.shape[3]
    lengths = ((scale, along if scale == 1 else 32 // scale) for scale in (1, 2, 4))
    return [
        (edge_rows(pixels, side, scale, length), edge_rows(pixels, side + 1, scale, length))
        for scale, length in lengths
    ]


def log_distances(edges: Sequence[tuple[Pixels, Pixels]], rows: slice) -> Pixels:
    """Of some of the r edges that come first to all N that come second, by `edge_pixels` -> (FEATURES, r, N)."""
    from ganzzle.networks.distance_kernels import pair_distances

    logs = np.empty((FEATURES, rows.stop - rows.start, len(edges[0][1])), np.float32)
    done = 0
    for k, (first, second) in enumerate(edges):
        kinds = 3 if k == 0 else 2
        pair_distances(first[rows], second, k == 0, logs[done : done + kinds])
        done += kinds
    # Not torch's logarithm: it would start more threads from each one that works here.
    return np.log(logs, out=logs)


@torch.no_grad()
def seam_distances(first: Tensor, second: Tensor, l1: PairDistance | None = None) -> Tensor:
    """Log distances of every edge of `first` to every edge of `second`: 2 x (B, N, 3, 8, L) -> (B, N, N, 3 * FEATURES).

    L1, L1 to the linear continuation (Paikin & Tal) and the Mahalanobis gradient distance (Gallagher) at full
    resolution; L1 and the gradient distance again with strips averaged over 2 and 4 px, which survive noise and wear.
    """
    table = pair_logs(first, second, l1)
    return relative(table, *best_logs(table))


def pair_logs(first: Tensor, second: Tensor, l1: PairDistance | None = None) -> Tensor:
    """The log distances alone: (B, N, 3, 8, L) and (B, M, 3, 8, L) -> (B, N, M, FEATURES)."""
    l1 = l1 or (l1_on_gpu if first.is_cuda else _l1_on_cpu)
    distances = []
    for scale in (1, 2, 4):
        a, b = (strip.float() if scale == 1 else _averaged(strip.float(), scale) for strip in (first, second))
        a0, a1, b0, b1 = a[..., 0, :], a[..., 1, :], b[..., 0, :], b[..., 1, :]
        distances.append((l1(a0, b0) + 2e-3).log())
        if scale == 1:
            predicted = l1(2 * a0 - a1, b0) + l1(a0, 2 * b0 - b1)
            distances.append((predicted / 2 + 2e-3).log())
        if a0.shape == b0.shape:  # half as many calls
            both = _mahalanobis(torch.cat([a0, b0]), torch.cat([a1, b1]), torch.cat([b0, a0]))
            onward, back = both.chunk(2)
        else:
            onward, back = _mahalanobis(a0, a1, b0), _mahalanobis(b0, b1, a0)
        distances.append(((onward * back.transpose(1, 2)).sqrt() + 1e-2).log())
    return torch.stack(distances, -1)


def best_logs(table: Tensor) -> tuple[Tensor, Tensor]:
    """The best of every row and of every column: (B, N, N, F) -> (B, N, 1, F), (B, 1, N, F).

    A piece beside itself does not count.
    """
    others = table + torch.eye(table.shape[1], device=table.device)[None, :, :, None] * 1e4
    return others.amin(2, keepdim=True), others.amin(1, keepdim=True)


def relative(table: Tensor, row_best: Tensor, column_best: Tensor) -> Tensor:
    """Log distances (B, r, N, F), scaled, relative to the best of their rows, of their columns -> (B, r, N, 3 * F)."""
    return torch.cat([table * 0.3 + 0.6, table - row_best, table - column_best], -1).clamp(-4, 8)


def _averaged(strip: Tensor, scale: int) -> Tensor:
    """The two outer rows of a strip at a coarser scale: (B, N, 3, 8, L) -> (B, N, 3, 2, 32 // scale)."""
    outer = strip[..., : 2 * scale, :].flatten(0, 1)
    return F.adaptive_avg_pool2d(outer, (2, 32 // scale)).unflatten(0, strip.shape[:2])


def _l1_on_cpu(a: Tensor, b: Tensor) -> Tensor:
    """Mean absolute difference of all pairs of edges, 2 x (B, N, 3, L) -> (B, N, N)."""
    a, b = a.flatten(2), b.flatten(2)
    return torch.cdist(a, b, p=1) / a.shape[2]


def l1_on_gpu(a: Tensor, b: Tensor) -> Tensor:
    """The same. `cdist` took a third of a training step's GPU time, and a GPU has memory for the plain broadcast."""
    a, b = a.flatten(2).half(), b.flatten(2).half()
    return (a[:, :, None] - b[:, None]).abs().sum(-1, dtype=torch.float32) / a.shape[2]


def _mahalanobis(border: Tensor, inside: Tensor, other: Tensor) -> Tensor:
    """How far `other` is from continuing the gradient at `border`, mean over the edge.

    2 x (B, N, 3, L) and (B, M, 3, L) -> (B, N, M).
    The quadratic form is expanded into one matrix product; float64, because its terms nearly cancel.
    """
    border, inside, other = (t.transpose(2, 3).double() for t in (border, inside, other))  # (B, N, L, 3)
    gradient = border - inside
    mean = gradient.mean(2, keepdim=True)
    length = border.shape[2]
    centred = gradient - mean
    ridge = 2e-4 * torch.eye(3, device=border.device, dtype=border.dtype)
    inverse = _inverse_3x3(centred.transpose(2, 3) @ centred / length + ridge)
    expected = border + mean
    weighted = expected @ inverse
    constant = (weighted * expected).sum((2, 3))
    left = torch.cat([inverse.flatten(2), -2 * weighted.flatten(2), constant[..., None]], 2)
    squares = other.transpose(2, 3) @ other
    right = torch.cat([squares.flatten(2), other.flatten(2), torch.ones_like(other[:, :, 0, :1])], 2)
    return (left @ right.transpose(1, 2)).float().clamp(min=1e-3) / length


def _inverse_3x3(matrix: Tensor) -> Tensor:
    """Inverse of symmetric 3 x 3 matrices by cofactors, (..., 3, 3) -> (..., 3, 3); no solver call, so no sync."""
    cofactors = torch.linalg.cross(matrix.roll(-1, -2), matrix.roll(-2, -2))  # of each row the other two
    determinant = (matrix[..., 0, :] * cofactors[..., 0, :]).sum(-1)
    return cofactors / determinant[..., None, None]
