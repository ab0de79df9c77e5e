"""What one command may cost."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Annotated

import typer

from ganzzle.errors import GanzzleError

MEGAPIXELS = 100  # of a picture that is to be solved: it takes some 40 bytes a pixel
# Importing and compiling are never broken off: what is there by half cannot be begun again in the same process.
WHOLE = "<frozen importlib", f"{os.sep}numba{os.sep}core{os.sep}"
LATER = 0.1  # seconds until it is tried again
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit", min=0.1, max=1e6, metavar="SECONDS", help="Give up after so long. Default: never."
    ),
]
MegapixelsOption = Annotated[
    int,
    typer.Option(
        "--megapixels",
        min=1,
        max=178,
        help="Largest picture that is taken; it needs 40 MB of memory for each.",
    ),
]


class TimeLimitError(GanzzleError):
    """Something took longer than it was allowed to."""


class _TimeIsUp(BaseException):
    """Passes by whatever catches errors of its own."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Around work that is given up after so many seconds; compiled code and imports that run then are waited for.

    Only the main thread of a Unix process can be stopped so; elsewhere there is no limit.
    """
    there = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not there:
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    except _TimeIsUp:
        raise TimeLimitError(
            f"this took longer than the {seconds:g} s of --time-limit; give it longer, or fewer and smaller pieces"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if any(part in frame.f_code.co_filename for part in WHOLE):
            signal.setitimer(signal.ITIMER_REAL, LATER)
            return
        frame = frame.f_back
    raise _TimeIsUp
