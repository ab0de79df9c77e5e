"""Where every cut piece of a board lies in the plane: from all sides that touch, together."""

from __future__ import annotations

import numpy as np

from ganzzle.arrays import Floats, Ints
from ganzzle.board.cut_clusters import STEPS, Cluster
from ganzzle.seams.cut_fit import Curve, aligned_gaps

INNER = slice(4, -4)  # points of a side that count: corners are worn
LOOSE = 1e-3  # of a piece's own weight by which the grid holds pieces that nothing else does
ROUNDS = 4  # of inverse iteration for the turns
OUTLIER = 3.0  # times the usual gap beyond which a pair counts less


def touching(laid: Cluster) -> Ints:
    """(P, 2) the sides that touch in a board: that of the left or the upper piece, and that of the other one."""
    pairs = []
    for (row, col), piece in laid.cells.items():
        turn = laid.places[piece][2]
        for side in (1, 2):
            other = laid.cells.get((row + STEPS[side][0], col + STEPS[side][1]))
            if other is not None:
                turned = laid.places[other][2]
                pairs.append((4 * piece + (side - turn) % 4, 4 * other + (side + 2 - turned) % 4))
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def solve_poses(laid: Cluster, curves: Curve, unit: float) -> tuple[Ints, Curve, Curve]:
    """(n,) the pieces of a board, ascending, and the turn (n,) and the shift (n,) of each as complex numbers.

    A point z of a piece lies at turn * z + shift, with columns along the real axis and rows along the imaginary one.
    """
    pieces = np.array(sorted(laid.places), np.int64)
    index = {int(piece): k for k, piece in enumerate(pieces)}
    pairs = touching(laid)
    a, b = curves[pairs[:, 0]], curves[pairs[:, 1]]
    gaps, turns, shifts = aligned_gaps(a, b, unit)
    usual = float(np.median(gaps)) if len(gaps) else 1.0
    weight = 1 / (1 + (gaps / (OUTLIER * usual + 1e-9)) ** 4)
    i = np.array([index[k] for k in (pairs[:, 0] // 4).tolist()], np.int64)
    j = np.array([index[k] for k in (pairs[:, 1] // 4).tolist()], np.int64)
    upright = np.array([_grid_turn(laid, int(piece), curves) for piece in pieces])
    turn = _turns(len(pieces), i, j, turns, weight, upright)
    middle_a = a[:, INNER].mean(1)
    middle_b = (middle_a - shifts) / turns  # the same point, seen from the other piece
    centres = np.array([curves[4 * piece : 4 * piece + 4].mean() for piece in pieces])
    spots = np.array([complex(laid.places[int(p)][1], laid.places[int(p)][0]) for p in pieces])
    grid = spots * _pitch(spots, i, j, turn, middle_a, middle_b, centres) - turn * centres
    shift = _shifts(len(pieces), i, j, turn[i] * middle_a, turn[j] * middle_b, weight, grid)
    return pieces, turn, shift


def _grid_turn(laid: Cluster, piece: int, curves: Curve) -> complex:
    """About the turn by which a piece stands upright in the grid: its upper side runs from left to right."""
    turn = laid.places[piece][2]
    total = 0j
    for side in range(4):
        curve = curves[4 * piece + (side - turn) % 4]
        total += (curve[-1] - curve[0]) * (-1j) ** side
    return complex(np.conj(total) / max(abs(total), 1e-9))


def _turns(count: int, i: Ints, j: Ints, relative: Curve, weight: Floats, upright: Curve) -> Curve:
    """(n,) turns so that turn[j] = turn[i] * relative for pairs, and that all together stand upright."""
    matrix = LOOSE * np.eye(count, dtype=complex)
    np.add.at(matrix, (i, i), weight)
    np.add.at(matrix, (j, j), weight)
    np.add.at(matrix, (j, i), -weight * relative)
    np.add.at(matrix, (i, j), -weight * np.conj(relative))
    turn = upright
    for _ in range(ROUNDS):
        solved = np.linalg.solve(matrix, LOOSE * turn)
        turn = np.asarray(solved / np.maximum(np.abs(solved), 1e-12), np.complex128)
    whole = (upright * np.conj(turn)).sum()
    return np.asarray(turn * whole / max(abs(whole), 1e-12))


def _pitch(
    spots: Curve, i: Ints, j: Ints, turn: Curve, middle_a: Curve, middle_b: Curve, centres: Curve
) -> float:
    """How far, on average, the middles of neighbouring pieces are apart."""
    if not len(i):
        return 1.0
    apart = turn[i] * (middle_a - centres[i]) + turn[j] * (centres[j] - middle_b)
    return float((apart * np.conj(spots[j] - spots[i])).real.mean())


def _shifts(count: int, i: Ints, j: Ints, at_i: Curve, at_j: Curve, weight: Floats, grid: Curve) -> Curve:
    """(n,) shifts so that at_i + shift[i] = at_j + shift[j] for pairs; pieces that nothing holds lie as in the grid."""
    matrix = LOOSE * np.eye(count)
    right = LOOSE * grid
    np.add.at(matrix, (i, i), weight)
    np.add.at(matrix, (j, j), weight)
    np.add.at(matrix, (i, j), -weight)
    np.add.at(matrix, (j, i), -weight)
    gap = weight * (at_j - at_i)
    np.add.at(right, i, gap)
    np.add.at(right, j, -gap)
    return np.asarray(np.linalg.solve(matrix, right))
