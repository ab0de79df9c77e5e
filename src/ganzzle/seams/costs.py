"""The seam costs. Each is one function with one signature:

    cost(pieces) -> compare        pieces (N, h, w, 3) uint8 RGB
    compare(left, right) -> (A, B) float32, the cost of piece right[b] lying at the right of piece left[a]

`left` and `right` pick pieces: slices or index arrays. The first call looks at the pieces once; `compare` may then be
called as often as needed, from several threads. Only the seam "right of" is ever described: the other sides are had by
mirroring and transposing the pieces (see tables.py), so a new cost, a learned one too, is one function and one line in
the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.errors import SolverError
from ganzzle.puzzle import Pixels
from ganzzle.seams import kernels
from ganzzle.seams.lab import SCALE, fixed_lab

Table = NDArray[np.float32]
Compare = Callable[[Any, Any], Table]
CostFunction = Callable[[Pixels], Compare]

# Gallagher's dummy gradients: with them no covariance is singular.
_DUMMIES = np.array(
    [[0, 0, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1], [0, 1, 0], [1, 0, 0], [-1, 0, 0], [0, -1, 0], [0, 0, -1]],
    float,
)


def l1_lab(pieces: Pixels) -> Compare:
    """Paikin & Tal 2015: sum over k, channel of |2 x_i(k,K) - x_i(k,K-1) - x_j(k,1)| in LAB. Asymmetric."""
    guess, _, edge, _ = _lab_edges(pieces)

    def compare(left: Any, right: Any) -> Table:
        a, b = guess[left], edge[right]
        out = np.empty((len(a), len(b)), np.float32)
        kernels.l1(a, b, 1 / SCALE, out)
        return out

    return compare


def lpq(pieces: Pixels) -> Compare:
    """Pomeranz et al. 2011: (sum |i's prediction - j|^p + |j's prediction - i|^p)^(q/p) in LAB, p = 3/10, q = 1/16."""
    p, q = 0.3, 1 / 16
    guess, last, first, guess_back = (edge.astype(np.int32) for edge in _lab_edges(pieces))
    # A difference is a whole number of LAB units / SCALE, so its power is looked up instead of computed.
    reach = max(np.ptp(np.concatenate([guess.ravel(), first.ravel()])), np.ptp([guess_back, last]))
    table = ((np.arange(int(reach) + 1) / SCALE) ** p).astype(np.float32)

    def compare(left: Any, right: Any) -> Table:
        a, b = last[left], first[right]
        out = np.empty((len(a), len(b)), np.float32)
        kernels.powers(guess[left], a, guess_back[right], b, table, out)
        return out ** np.float32(q / p)

    return compare


def mgc(pieces: Pixels) -> Compare:
    """Gallagher 2012: Mahalanobis distance of the gradient across the seam from those beside it, in RGB, both ways."""
    columns = np.stack(_border_columns(pieces)).astype(np.float64)  # (4, N, L, 3)
    before, last, first, after = columns
    expected, inverse = _gradient_statistics(last, last - before)
    expected_back, inverse_back = _gradient_statistics(first, first - after)
    last, first = (np.ascontiguousarray(c.transpose(0, 2, 1), np.float32) for c in (last, first))

    def compare(left: Any, right: Any) -> Table:
        a, b = last[left], first[right]
        out = np.zeros((len(a), len(b)), np.float32)
        back = np.zeros((len(b), len(a)), np.float32)
        kernels.mahalanobis(expected[left], inverse[left], b, out)
        kernels.mahalanobis(expected_back[right], inverse_back[right], a, back)
        return out + back.T

    return compare


@dataclass(frozen=True)
class SeamCost:
    """A cost by name. Symmetric: cost(i, j at the right) = cost(j, i at the left), so half of it can be saved."""

    name: str
    function: CostFunction
    symmetric: bool


COSTS: dict[str, SeamCost] = {
    cost.name: cost
    for cost in (
        SeamCost("l1-lab", l1_lab, symmetric=False),
        SeamCost("lpq", lpq, symmetric=True),
        SeamCost("mgc", mgc, symmetric=True),
    )
}


def find_cost(cost: str | SeamCost) -> SeamCost:
    """A cost by name, or the cost itself when one is given."""
    if isinstance(cost, SeamCost):
        return cost
    if not isinstance(cost, str) or cost not in COSTS:
        raise SolverError(f"there is no seam cost '{cost}'; there are: {', '.join(COSTS)}")
    return COSTS[cost]


def _border_columns(pieces: Pixels) -> tuple[Pixels, Pixels, Pixels, Pixels]:
    """(N, L, 3) each: the last column but one, the last, the first, the second. One px wide: all the same."""
    width = pieces.shape[2]
    return pieces[:, :, max(width - 2, 0)], pieces[:, :, -1], pieces[:, :, 0], pieces[:, :, min(1, width - 1)]


def _lab_edges(pieces: Pixels) -> tuple[Table, Table, Table, Table]:
    """(N, 3L) each: prediction beyond the right border, last column, first column, prediction beyond the left one."""
    before, last, first, after = (fixed_lab(c).reshape(len(pieces), -1) for c in _border_columns(pieces))
    return 2 * last - before, last, first, 2 * first - after


def _gradient_statistics(border: NDArray[np.float64], gradient: NDArray[np.float64]) -> tuple[Table, Table]:
    """Expected next column (N, 3, L) and inverse covariance (N, 6) of the gradients (N, L, 3) at a border."""
    count = len(gradient)
    padded = np.concatenate([gradient, np.broadcast_to(_DUMMIES, (count, *_DUMMIES.shape))], 1)
    centred = padded - padded.mean(1, keepdims=True)
    covariance = np.einsum("nki,nkj->nij", centred, centred) / (padded.shape[1] - 1)
    p = np.linalg.inv(covariance)
    packed = np.stack([p[:, 0, 0], p[:, 1, 1], p[:, 2, 2], 2 * p[:, 0, 1], 2 * p[:, 0, 2], 2 * p[:, 1, 2]], 1)
    expected = border + gradient.mean(1, keepdims=True)
    return np.ascontiguousarray(expected.transpose(0, 2, 1), np.float32), packed.astype(np.float32)
