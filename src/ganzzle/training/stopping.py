"""Ending a run in good order when the process is asked to end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stop_requests() -> Iterator[list[int]]:
    """A list that is filled when the process is asked to end (Ctrl-C, SIGTERM), so that the step can be finished."""
    received: list[int] = []
    kinds = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [signal.signal(kind, lambda number, _frame: received.append(number)) for kind in kinds]
    except ValueError:  # not the main thread: the one who started it handles signals
        yield received
        return
    try:
        yield received
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)
