"""How sure answers to piles of tiles may be: the weights in `ganzzle.solving.belief`.

    python -m benchmarks.sureness --piles 20

Piles of every kind of `ganzzle bench piles`, of held-out training pictures, are solved; a logistic regression learns
from what spoke against each board whether the answer is right. No weight may be negative: none of the signs makes an
answer surer. Pictures before `FIRST` are left for other figures, and every fourth pile is left out of the fit: the last
table shows how sure the answers to these then are. Prints the constants.
"""

from __future__ import annotations

import argparse
from functools import cache
from unittest.mock import patch

import numpy as np

from ganzzle import load_solver
from ganzzle.bench.judge import SURE, judge
from ganzzle.bench.pile_kinds import KINDS
from ganzzle.bench.trials import HELD_OUT, Trial, answer, pile_of
from ganzzle.data.validation import SETS
from ganzzle.errors import GanzzleError
from ganzzle.puzzle import Floats
from ganzzle.solvers import Solver
from ganzzle.solving import belief, tiles

FIRST = 30  # pile of each kind
LEFT_OUT = 4  # of so many piles one is only judged
RIDGE = 0.02  # of the squared weights, for each pile
STEPS, STEP = 20_000, 0.05  # of the descent


@cache
def solver_of(rotated: bool) -> Solver:
    """The solver that may turn pieces, or the one that may not."""
    return load_solver("hybrid", rotated=True) if rotated else load_solver("hybrid")


def tried(kind: str, index: int) -> tuple[Floats, bool, float] | None:
    """The signs against the answer to a pile, whether it is right, and how sure the solver was of its pieces before
    anything spoke against them; None where no boards were compared."""
    pile = pile_of(Trial(kind, index, tuple(HELD_OUT + name for name in SETS), "hybrid"))
    solver = solver_of(pile.said_turned)
    seen: list[Floats] = []

    def sure_of_all(*given: object) -> float:
        seen.append(belief.signs(*given))  # type: ignore[arg-type]
        return 1.0

    with patch.object(tiles, "believed", sure_of_all):
        try:
            boards = answer(solver, pile)
        except GanzzleError:
            return None
    verdict = judge(pile, boards)
    return (seen[-1], verdict.right, verdict.sure) if seen else None


def fitted(signs: Floats, right: Floats) -> Floats:
    """(K + 1,) the weights of signs (M, K), none below 0, and the log-odds without any, of what is right (M,)."""
    inputs = np.column_stack([-signs, np.ones(len(signs))])
    found = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        off = 1 / (1 + np.exp(-inputs @ found)) - right
        slope = inputs.T @ off / len(right)
        slope[:-1] += RIDGE * found[:-1] / len(right)
        found -= STEP * slope
        found[:-1] = np.maximum(found[:-1], 0)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--piles", type=int, default=20, help="of each kind")
    options = parser.parse_args()
    rows = []
    for index in range(FIRST, FIRST + options.piles):
        rows += [(kind, index, found) for kind in KINDS if (found := tried(kind, index)) is not None]
        print(f"{index - FIRST + 1} of {options.piles}", flush=True)
    signs, right, pieces = (
        np.array(column, np.float64) for column in zip(*(row[2] for row in rows), strict=True)
    )
    kept = np.array([index % LEFT_OUT > 0 for _, index, _ in rows])
    weights = fitted(signs[kept], right[kept])
    print("WEIGHTS =", tuple(np.round(weights[:-1], 2).tolist()), "ODDS =", round(float(weights[-1]), 2))
    sure = pieces / (1 + np.exp(signs @ weights[:-1] - weights[-1]))
    print("| piles | right | median sure of right | wrong | wrong and sure | so by the pieces alone |")
    print("|---" * 6 + "|")
    for name, some in (("fitted", kept), ("left out", ~kept)):
        good, bad = some & (right == 1), some & (right == 0)
        cells = (good.sum(), f"{np.median(sure[good]):.2f}", bad.sum(), (sure[bad] >= SURE).sum())
        print("|", name, "|", *(f"{cell} |" for cell in cells), (pieces[bad] >= SURE).sum(), "|")


if __name__ == "__main__":
    main()
