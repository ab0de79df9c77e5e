"""After the warm-up nothing is left to compile."""

from __future__ import annotations

from numba.core import event

from ganzzle.puzzle import Puzzle
from ganzzle.solvers import load_solver
from ganzzle.warming import main


def test_after_the_warm_up_a_hard_puzzle_compiles_nothing(draw):
    main()
    with event.install_recorder("numba:compile") as recorder:
        for name in ("hybrid", "pomeranz"):
            load_solver(name).solve(Puzzle.from_picture(draw(240, 240, 3), 6, seed=1, corrupt="erode:2"))
    assert not recorder.buffer
