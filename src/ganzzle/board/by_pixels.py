"""Potentials from the pieces alone: seam costs, weighed by how worn the pieces are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.board.candidates import Candidates
from ganzzle.board.potentials import candidate_potentials, seam_potentials
from ganzzle.board.problem import Table
from ganzzle.damage.wear import wear_width
from ganzzle.puzzle import Grid, Pixels
from ganzzle.seams import DOWN, LEFT, RIGHT, UP, seam_candidates, seam_table

NOISY = 0.01  # pieces with more noise than this (sigma on the 0..1 scale) are compared at several scales
RIM_TOLERANCE = 6  # how far a worn rim's colour may vary, of 255
FLOORS = {"mgc": 8.0, "l1-lab": 40.0}  # added to the costs before their logarithm is taken
FITTED_SHARE = 1 / 12  # of sides without a neighbour in the puzzles the weights were fitted on
LISTED = 12  # neighbours kept for each side in puzzles too large for full tables
LARGE_WEIGHT = 2.35  # of mgc when it is the only cost


class Weight(NamedTuple):
    """One cost, computed on pieces shrunk by a factor, and how much its log-ratios count."""

    cost: str
    shrink: int
    weight: float


CLEAN = [Weight("mgc", 1, 1.45), Weight("l1-lab", 1, 1.7)]


def piece_potentials(pieces: Pixels, grid: Grid) -> tuple[Table, Table, Table]:
    """Log-potentials right (N, N), down (N, N) and border (N, 4) of pieces (N, h, w, 3)."""
    whole, rim = trim_rim(pieces)
    weights, nothing = choose_weights(noise_level(whole), rim)
    nothing += _prior(len(pieces), grid)
    costs = [(*_both_ways(shrink(whole, w.shrink), w.cost), w.weight, FLOORS[w.cost]) for w in weights]
    return seam_potentials(costs, nothing)


def large_potentials(pieces: Pixels, grid: Grid) -> Candidates:
    """The best neighbours of every side of pieces (N, h, w, 3), by one cost only, in memory that grows with N alone."""
    whole, rim = trim_rim(pieces)
    weights, nothing = choose_weights(noise_level(whole), rim)
    weight = LARGE_WEIGHT * weights[0].weight / CLEAN[0].weight
    ids, costs = seam_candidates(whole, "mgc", LISTED)
    return candidate_potentials(ids, costs, weight, FLOORS["mgc"], nothing + _prior(len(pieces), grid))


def choose_weights(noise: float, rim: int) -> tuple[list[Weight], float]:
    """The costs to use and the score of "nothing lies here", fitted on training pictures for each kind of wear."""
    if noise > NOISY:
        fine = [Weight("mgc", 1, 2.4), Weight("mgc", 2, 1.1), Weight("mgc", 4, 0.8)]
        return [*fine, Weight("l1-lab", 4, 0.3)], -2.0
    if rim:
        # The wider the gap, the less a prediction across it is worth.
        return [Weight("mgc", 1, 1.5 / (1 + 0.45 * rim)), Weight("l1-lab", 1, 2.2 / (1 + 0.15 * rim))], -1.5
    return CLEAN, -0.4


def side_share(count: int, grid: Grid) -> float:
    """Expected share of a piece's sides that have no neighbour: the frame, and slots that stay empty."""
    frame = (grid.rows + grid.cols) / (2 * grid.slots)
    share = frame + (1 - frame) * (1 - count / grid.slots)
    return float(np.clip(share, 1e-3, 0.9))


def _prior(count: int, grid: Grid) -> float:
    """What the share of sides without a neighbour adds to the score of "nothing lies here"."""
    share = side_share(count, grid)
    return float(np.log(share / (1 - share)) - np.log(FITTED_SHARE / (1 - FITTED_SHARE)))


def trim_rim(pieces: Pixels) -> tuple[Pixels, int]:
    """Cut off a rim that carries no picture, or has one colour on all pieces (worn or framed), at most a quarter of
    them; and its width."""
    height, width = pieces.shape[1:3]
    rim = wear_width(pieces)
    while rim < min(height, width) // 4 and _is_worn(pieces, rim):
        rim += 1
    return np.ascontiguousarray(pieces[:, rim : height - rim, rim : width - rim]), rim


def _is_worn(pieces: Pixels, depth: int) -> bool:
    """Whether the ring of pixels at a depth has one colour on all pieces."""
    height, width = pieces.shape[1:3]
    rows = pieces[:, [depth, height - 1 - depth], depth : width - depth]
    cols = pieces[:, depth : height - depth, [depth, width - 1 - depth]]
    lines = [rows.reshape(-1, 3), cols.reshape(-1, 3)]
    lowest = np.min([line.min(0) for line in lines], 0).astype(int)
    highest = np.max([line.max(0) for line in lines], 0).astype(int)
    return bool((highest - lowest <= RIM_TOLERANCE).all())


def noise_level(pieces: Pixels) -> float:
    """Sigma of the noise on the 0..1 scale, judged by the flattest tenth of the pieces.

    Noise differs between the channels, texture hardly does: the less of both, brightness and colour, counts.
    """
    if min(pieces.shape[1:3]) < 3:
        return 0.0
    scaled = pieces.astype(np.float32) / np.float32(255)
    return min(
        np.sqrt(3) * _roughness(scaled.mean(3)), _roughness(scaled[..., 0] - scaled[..., 1]) / np.sqrt(2)
    )


def _roughness(values: NDArray[np.floating]) -> float:
    """Sigma of white noise in (N, h, w), by a difference of Laplacians: blind to slopes, its deviation is 6 sigma."""
    rows = values[:, :-2] - 2 * values[:, 1:-1] + values[:, 2:]
    detail = rows[:, :, :-2] - 2 * rows[:, :, 1:-1] + rows[:, :, 2:]
    return float(np.quantile(np.sqrt(np.pi / 2) * np.abs(detail).mean((1, 2)) / 6, 0.1))


def shrink(pieces: Pixels, factor: int) -> Pixels:
    """Average blocks of factor x factor pixels (the remainder at the lower and right border is left out)."""
    count, height, width = pieces.shape[:3]
    rows, cols = height // factor, width // factor
    if factor == 1 or rows < 2 or cols < 2:
        return pieces
    blocks = pieces[:, : rows * factor, : cols * factor].reshape(count, rows, factor, cols, factor, 3)
    return np.rint(blocks.mean((2, 4), dtype=np.float32)).astype(np.uint8)


def _both_ways(pieces: Pixels, cost: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(N, N) right and down: the cost of a seam as both of its pieces see it, added up."""
    table = seam_table(pieces, cost)
    return table[RIGHT] + table[LEFT].T, table[DOWN] + table[UP].T
