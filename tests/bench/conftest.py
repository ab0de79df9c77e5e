"""Solvers of the tests' own, as a user would bring them."""

from __future__ import annotations

import os
import sys

import pytest

SOLVERS_FILE = '''
import os
import pathlib
import signal
import time

import numpy as np
from ganzzle.errors import SolverError
from ganzzle.puzzle import Grid
from ganzzle.solvers import Arrangement, Solver

class Random(Solver):
    """Lays the pieces down by chance, turns some of them, and is never sure."""

    def __init__(self, rotated=False):
        self.rotated = rotated

    def arrange(self, puzzle, seed):
        rng = np.random.default_rng(seed + len(puzzle))
        slots = rng.permutation(puzzle.grid.slots)[:len(puzzle)]
        turns = rng.integers(0, 4, len(puzzle)) if self.rotated else None
        image = np.full((8, 8, 3), 99, np.uint8)
        return Arrangement(slots, turns, rng.random(len(puzzle)), mental_image=image)

class Mortal(Random):
    """Kills its process at the first 4x4 puzzle it is ever given."""

    def arrange(self, puzzle, seed):
        mark = pathlib.Path(__file__).with_name("killed")
        if puzzle.grid.slots == 16 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().arrange(puzzle, seed)

class Slow(Random):
    """Leaves its process id, and takes very long until a file says that it may be quick."""

    def arrange(self, puzzle, seed):
        here = pathlib.Path(__file__).parent
        if len(puzzle) <= 9 and not (here / "quick").exists():
            (here / "at-work").mkdir(exist_ok=True)
            (here / "at-work" / str(os.getpid())).touch()
            time.sleep(600)
        return super().arrange(puzzle, seed)

class OnlyThree(Random):
    only_grid = Grid(3, 3)

class Weightless(Solver):
    def __init__(self):
        raise SolverError("the weights of 'po-la' are not here")

    def arrange(self, puzzle, seed):
        raise AssertionError
'''
RANDOM = "bench_solvers:Random"


@pytest.fixture
def random_solver(tmp_path, monkeypatch) -> str:
    """The name of a solver that is not part of the package, importable here and in worker processes."""
    (tmp_path / "bench_solvers.py").write_text(SOLVERS_FILE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    sys.modules.pop("bench_solvers", None)
    return RANDOM
