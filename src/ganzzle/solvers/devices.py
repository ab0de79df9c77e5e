"""Where a network runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ganzzle.errors import SolverError


def pick_device(name: str) -> torch.device:
    """ "auto" takes a GPU where there is one; "cuda" without a GPU is an error."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name not in ("cpu", "cuda"):
        raise SolverError(f"device is auto, cpu or cuda, not '{name}'")
    if name == "cuda" and not torch.cuda.is_available():
        raise SolverError("there is no GPU that torch can use here; take --device cpu")
    return torch.device(name)


_ONE_AT_A_TIME = threading.RLock()  # the number of threads is the whole process's


@contextmanager
def one_thread() -> Iterator[None]:
    """Many small steps, as loading has, are quicker without threads that wait for each other on a busy machine."""
    with _ONE_AT_A_TIME:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
