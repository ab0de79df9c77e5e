"""Imported by the mother process alone, before it forks workers: loads every solver once."""

from __future__ import annotations

import gc
import json
import os
from contextlib import suppress

from ganzzle.solvers import SOLVERS
from ganzzle.web import jobs  # noqa: F401  (a worker needs it: forked with it, it need not import it again)
from ganzzle.web.worker import MOTHER, solver_of, warm


def prepare(device: str, solvers: list[str], default: str) -> None:
    """Load all the weights, and let the default solver compile, so that a worker is fast from its first request on."""
    import torch

    torch.set_num_threads(1)
    if device != "cpu" and torch.cuda.is_available():
        return  # a GPU cannot be used on both sides of a fork; each worker loads its solvers itself
    for name in solvers:
        # The request that asks for a broken solver will hear why; the others must not suffer.
        with suppress(Exception):
            solver = solver_of(SOLVERS[name], device)
            solver.load()
            if name == default:
                warm(solver)
    gc.collect()
    gc.freeze()  # the workers share these pages as long as nobody writes to them


if os.environ.get(MOTHER):
    prepare(**json.loads(os.environ[MOTHER]))
