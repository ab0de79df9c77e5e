"""Where a network runs. Torch, which takes a second to import, is imported only to find out."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ganzzle.errors import SolverError

if TYPE_CHECKING:
    import torch

DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # one of them is there where torch may find a GPU


def pick_device(name: str) -> torch.device:
    """ "auto" takes a GPU where there is one; "cuda" without a GPU is an error."""
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name not in ("cpu", "cuda"):
        raise SolverError(f"device is auto, cpu or cuda, not '{name}'")
    if name == "cuda" and not torch.cuda.is_available():
        raise SolverError("there is no GPU that torch can use here; take --device cpu")
    return torch.device(name)


def is_cpu(name: str) -> bool:
    """Whether `pick_device` would pick the CPU; torch is not asked where that is plain."""
    if name == "cpu":
        return True
    if name == "auto" and sys.platform in ("linux", "darwin") and not any(map(os.path.exists, DRIVERS)):
        return True
    return pick_device(name).type == "cpu"


_ONE_AT_A_TIME = threading.RLock()  # the number of threads is the whole process's


@contextmanager
def one_thread() -> Iterator[None]:
    """Many small steps, as loading has, are quicker without threads that wait for each other on a busy machine."""
    import torch

    with _ONE_AT_A_TIME:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
