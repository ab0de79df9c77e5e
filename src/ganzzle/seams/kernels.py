"""The inner loops over all pairs of edges. Each runs on one core without the GIL; callers hand blocks to threads.

Rows of the second array are taken in tiles that stay in the cache. The innermost loops run along a strip and are
vectorised; `reassoc` is what allows that for a sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit

F32 = NDArray[np.float32]

_TILE = 64
_SUMS = {"reassoc", "nsz", "contract"}


@njit(nogil=True, cache=True, fastmath=_SUMS)
def l1(a: F32, b: F32, unit: float, out: F32) -> None:
    """out[i, j] = unit * sum |a[i] - b[j]|; a (A, M), b (B, M), out (A, B)."""
    for start in range(0, b.shape[0], _TILE):
        for i in range(a.shape[0]):
            for j in range(start, min(start + _TILE, b.shape[0])):
                total = np.float32(0)
                for m in range(a.shape[1]):
                    total += abs(a[i, m] - b[j, m])
                out[i, j] = total * np.float32(unit)


@njit(nogil=True, cache=True, fastmath=_SUMS)
def powers(
    guess_a: NDArray[np.int32],
    edge_a: NDArray[np.int32],
    guess_b: NDArray[np.int32],
    edge_b: NDArray[np.int32],
    table: F32,
    out: F32,
) -> None:
    """out[i, j] = sum table[|guess_a[i] - edge_b[j]|] + table[|guess_b[j] - edge_a[i]|]; all (., M)."""
    for start in range(0, edge_b.shape[0], _TILE):
        for i in range(edge_a.shape[0]):
            for j in range(start, min(start + _TILE, edge_b.shape[0])):
                total = np.float32(0)
                for m in range(edge_a.shape[1]):
                    total += (
                        table[abs(guess_a[i, m] - edge_b[j, m])] + table[abs(guess_b[j, m] - edge_a[i, m])]
                    )
                out[i, j] = total


@njit(nogil=True, cache=True, fastmath=_SUMS)
def mahalanobis(expected: F32, inverse: F32, edge: F32, out: F32) -> None:
    """out[i, j] += sum over k of v P_i v^T with v = edge[j, :, k] - expected[i, :, k].

    expected (A, 3, L), edge (B, 3, L); inverse (A, 6) holds P as 00 11 22 01 02 12, the last three doubled.
    """
    for start in range(0, edge.shape[0], _TILE):
        for i in range(expected.shape[0]):
            p0, p1, p2 = inverse[i, 0], inverse[i, 1], inverse[i, 2]
            p01, p02, p12 = inverse[i, 3], inverse[i, 4], inverse[i, 5]
            for j in range(start, min(start + _TILE, edge.shape[0])):
                total = np.float32(0)
                for k in range(edge.shape[2]):
                    x = edge[j, 0, k] - expected[i, 0, k]
                    y = edge[j, 1, k] - expected[i, 1, k]
                    z = edge[j, 2, k] - expected[i, 2, k]
                    total += x * (p0 * x + p01 * y + p02 * z) + y * (p1 * y + p12 * z) + p2 * z * z
                out[i, j] += total


@njit(nogil=True, cache=True)
def smallest(block: F32, first: int, ids: NDArray[np.int32], costs: F32) -> None:
    """The k least entries of every row of a block (R, N), sorted; row r is piece first + r, which is left out.

    Writes ids and costs, both (R, k); equal costs keep the order of their columns.
    """
    k = ids.shape[1]
    for r in range(block.shape[0]):
        filled = 0
        limit = np.float32(np.inf)
        for j in range(block.shape[1]):
            value = block[r, j]
            if (value < limit or filled < k) and j != first + r:
                at = min(filled, k - 1)
                while at > 0 and costs[r, at - 1] > value:
                    costs[r, at] = costs[r, at - 1]
                    ids[r, at] = ids[r, at - 1]
                    at -= 1
                costs[r, at] = value
                ids[r, at] = j
                filled = min(filled + 1, k)
                if filled == k:
                    limit = costs[r, k - 1]
