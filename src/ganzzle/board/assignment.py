"""Assignment: log-domain Sinkhorn, the Hungarian method, Hungarian attention.

Matrices are (B, N, M): pieces by slots. Missing pieces are rows that do not count (`present` is False there); they are
kept as rows of zeros, so that the slots nobody claims have somebody to go to and the matrix stays square.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from ganzzle.board.lap import assign
from ganzzle.puzzle import Ints


def log_sinkhorn(
    scores: Tensor, iterations: int = 20, balance: Callable[[Tensor], Tensor] | None = None
) -> Tensor:
    """log S of a square matrix: rows and columns of S sum to one. (B, N, N) -> (B, N, N) float32.

    It ends with the columns, as F_c(F_r(.)) does, so columns sum to one exactly and rows nearly. `balance` is a
    compiled form of one round.
    """
    balance = balance or balanced
    log_s = scores.float()
    for _ in range(iterations):
        log_s = balance(log_s)
    return log_s


def balanced(log_s: Tensor) -> Tensor:
    """One round of Sinkhorn: rows, then columns sum to one. (B, N, N) -> (B, N, N)."""
    return log_s.log_softmax(2).log_softmax(1)  # one kernel each, where logsumexp and a difference are many


def with_missing(scores: Tensor, present: Tensor) -> Tensor:
    """The rows of missing pieces set to zero. scores (B, N, N), present (B, N)."""
    return scores.float() * present[:, :, None]


def hungarian(scores: np.ndarray) -> Ints:
    """(N, M) with N <= M -> (N,): the column of each row in the assignment of the greatest sum."""
    rows, columns = scores.shape
    square = np.zeros((columns, columns), np.float32)
    square[:rows] = scores
    return assign(square)[:rows]


@torch.no_grad()
def soft_hungarian(
    log_s: Tensor,
    sharpness: float = 20.0,
    iterations: int = 20,
    rounds: int = 8,
    balance: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Nearly Hung(S) without leaving the device: (B, N, N) log S -> (B, N, N) of 0 and 1.

    Sinkhorn on the sharpened matrix comes close to the best permutation. Its entries that are the largest of their
    row and of their column are taken, their rows and columns struck out, and so on. A few rows may stay empty.
    The exact method would make the GPU wait for the host at every step.
    """
    plan = log_sinkhorn(
        (sharpness * (log_s - log_s.amax(2, keepdim=True))).clamp(min=-1e4), iterations, balance
    )
    chosen = torch.zeros_like(plan, dtype=torch.bool)
    for _ in range(rounds):
        rows_done, columns_done = chosen.any(2, keepdim=True), chosen.any(1, keepdim=True)
        left = plan.masked_fill(rows_done | columns_done, -torch.inf)
        best = (left == left.amax(2, keepdim=True)) & (left == left.amax(1, keepdim=True))
        # Of equal entries only the first of a row, then the first of a column, may be taken.
        best = best & (left > -torch.inf) & (best.cumsum(2) == 1)
        chosen = chosen | (best & (best.cumsum(1) == 1))
    return chosen.to(log_s.dtype)


def hungarian_attention_loss(log_s: Tensor, solved: Tensor, truth: Tensor, present: Tensor) -> Tensor:
    """Binary cross entropy of S where Z = OR(Hung(S), S_G) looks, a piece. All (B, N, N); present (B, N)."""
    attention = torch.maximum(solved, truth) * present[:, :, None]
    log_not = torch.log1p(-log_s.exp().clamp(max=1 - 1e-4))
    entropy = truth * log_s.clamp(min=-50) + (1 - truth) * log_not
    return -(attention * entropy).sum() / present.sum().clamp(min=1)


def contrastive_loss(scores: Tensor, slots: Tensor, present: Tensor) -> Tensor:
    """Cross entropy of each piece over the slots and of each slot over the pieces, averaged.

    scores (B, N, N) with the temperature in them, slots (B, N) the true slot of each piece, present (B, N).
    """
    scores = scores.float()
    right = scores.gather(2, slots[:, :, None])[:, :, 0]
    over_slots = scores.logsumexp(2)
    # A missing piece competes for no slot.
    over_pieces = scores.masked_fill(~present[:, :, None], -torch.inf).logsumexp(1).gather(1, slots)
    weight = present.float()
    return ((0.5 * (over_slots + over_pieces) - right) * weight).sum() / weight.sum().clamp(min=1)
