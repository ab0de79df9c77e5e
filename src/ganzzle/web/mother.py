"""Imported by the mother process alone, before it forks workers: loads and tries every solver once."""

from __future__ import annotations

import gc
import json
import os
from contextlib import suppress

import numpy as np

from ganzzle.puzzle import Puzzle
from ganzzle.solvers import SOLVERS
from ganzzle.web import jobs  # noqa: F401  (a worker needs it: forked with it, it need not import it again)
from ganzzle.web.worker import MOTHER, solver_of


def prepare(device: str, solvers: list[str]) -> None:
    """Load the solvers and let each solve a tiny puzzle, so that a worker is fast from its first request on."""
    import torch

    torch.set_num_threads(1)
    if device != "cpu" and torch.cuda.is_available():
        return  # a GPU cannot be used on both sides of a fork; each worker loads its solvers itself
    noise = np.random.default_rng(0).integers(0, 256, (6, 6, 3), np.uint8)
    puzzle = Puzzle.from_picture(noise.repeat(32, 0).repeat(32, 1), (3, 3), piece=32)
    for name in solvers:
        with suppress(
            Exception
        ):  # the request that asks for this solver will hear why; the others must not suffer
            solver_of(SOLVERS[name], device).solve(puzzle)
    gc.collect()
    gc.freeze()  # the workers share these pages as long as nobody writes to them


if os.environ.get(MOTHER):
    prepare(**json.loads(os.environ[MOTHER]))
