"""`python -m ganzzle.training.calibrate`: fit the hybrid's confidence on held-out training pictures.

Half of the pictures fit the weights that `solvers/hybrid_confidence.py` holds, the other half tells how well they do:
the expected calibration error, clean and corrupted, over 15 bins.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from ganzzle.data.reading import data_root, decode_all, encoded_pictures
from ganzzle.puzzle import Floats, Pixels, Puzzle
from ganzzle.solvers.hybrid import Hybrid

SETS = ("faces/train-*.tar", "art/train-*.tar", "photos/train-*.tar")
LEAST_WEIGHT = 0.01
HELD_OUT = 96  # as in the config of hybrid; drawn with its seed, 0
CELLS = (
    ("6x6", "none"), ("10x10", "none"), ("6x6", "noise:0.2"), ("6x6", "erode:2"), ("6x6", "erode:5"),
    ("6x6", "missing:0.3"), ("10x10", "erode:2"), ("6x6", "missing:0.2+noise:0.1"),
)  # fmt: skip


def held_out_pictures(source: str, count: int) -> list[Pixels]:
    """The first pictures of a set that training with seed 0 never saw."""
    encoded = encoded_pictures(source, data_root())
    chosen = np.sort(np.random.default_rng([0, len(encoded)]).permutation(len(encoded))[:HELD_OUT])[:count]
    decoded = decode_all([encoded[i] for i in chosen], lambda picture, _: picture)
    return [picture for _, picture in decoded if picture is not None]


def gather(solver: Hybrid, pictures: list[Pixels], grid: str, corruption: str) -> tuple[Floats, np.ndarray]:
    """(M, 4) evidence of every placed piece of all pictures and (M,) whether it lies right."""
    evidence, right_place = [], []
    for k, picture in enumerate(pictures):
        puzzle = Puzzle.from_picture(picture, grid, seed=[7, k], piece=32, corrupt=corruption)
        assert puzzle.truth is not None
        (found,) = solver.judge([puzzle])
        evidence.append(found.evidence)
        right_place.append(found.assembly.placement == puzzle.truth.placement)
    return np.concatenate(evidence), np.concatenate(right_place)


def fit(evidence: Floats, right: np.ndarray) -> Floats:
    """Logistic regression, (M, 4) and (M,) -> (4,) weights; more of any evidence never makes it less sure."""
    sign = 2.0 * right - 1

    def loss(weights: Floats) -> float:
        return float(np.logaddexp(0, -sign * (evidence @ weights)).mean() + 1e-4 * weights @ weights)

    bounds = [(LEAST_WEIGHT, None)] * (evidence.shape[1] - 1) + [(None, None)]
    weights: Floats = minimize(loss, np.zeros(evidence.shape[1]), bounds=bounds).x
    return weights


def calibration_error(sure: Floats, right: np.ndarray, bins: int = 15) -> float:
    """Mean gap between confidence and accuracy over equal bins, weighted by how many pieces fall into each."""
    which = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [abs(sure[which == b].sum() - right[which == b].sum()) for b in range(bins)]
    return float(np.sum(gaps) / len(sure))


def main(pictures: int = 48) -> None:
    """Fit on the even pictures, test on the odd ones, print the weights."""
    solver = Hybrid()
    parts: dict[tuple[bool, bool], list[tuple[Floats, np.ndarray]]] = {}
    for source in SETS:
        held_out = held_out_pictures(source, pictures)
        for grid, corruption in CELLS:
            for fitting in (True, False):
                half = held_out[0 if fitting else 1 :: 2]
                parts.setdefault((fitting, corruption == "none"), []).append(
                    gather(solver, half, grid, corruption)
                )
        print(f"{source}: done", flush=True)

    def joined(fitting: bool, clean: bool) -> tuple[Floats, np.ndarray]:
        evidence, right = zip(*parts[fitting, clean], strict=True)
        return np.concatenate(evidence), np.concatenate(right)

    both = [joined(True, clean) for clean in (True, False)]
    weights = fit(np.concatenate([e for e, _ in both]), np.concatenate([r for _, r in both]))
    print("CALIBRATION =", tuple(round(float(w), 3) for w in weights))
    for clean in (True, False):
        evidence, right = joined(False, clean)
        error = calibration_error(1 / (1 + np.exp(-evidence @ weights)), right)
        kind, accuracy = "clean" if clean else "corrupted", right.mean()
        print(f"{kind}: calibration error {100 * error:.2f} %, accuracy {100 * accuracy:.2f} %")


if __name__ == "__main__":
    main()
