"""Processes that work side by side, and that end when the process that started them does."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from typing import Any

from ganzzle.cores import cores
from ganzzle.errors import GanzzleError


@contextmanager
def worker_pool(
    workers: int,
    start: Callable[..., None] | None = None,
    arguments: tuple[Any, ...] = (),
    *,
    killed: str,
) -> Iterator[ProcessPoolExecutor]:
    """A pool of `workers` processes, each begun with `start(*arguments)`.

    Where the block is left by an exception, Ctrl-C and SIGTERM among them, work under way is not waited for: the
    processes are ended. A process that somebody else killed is a GanzzleError that says `killed`.
    """
    others = {process.pid for process in active_children()}
    # Spawned, because torch and numba do not survive a fork once their threads run.
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (start, arguments)) as pool:
        try:
            yield pool
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                if process.pid not in others:
                    process.terminate()
            if isinstance(error, BrokenProcessPool):
                raise GanzzleError(killed) from None
            raise


def prepare_worker(workers: int) -> None:
    """What each of the `workers` does first: it takes its share of the cores."""
    threads = max(1, cores() // workers)
    os.environ |= {"OMP_NUM_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads)}
    if "torch" in sys.modules:  # the program that was started imports it, so it has looked already
        sys.modules["torch"].set_num_threads(threads)


def _begin(start: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a stopped worker ends quietly; its parent says so
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if start is not None:
        start(*arguments)


def _end_with_parent() -> None:
    """A parent that is killed cannot tell its workers, which would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
