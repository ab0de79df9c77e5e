"""Numba's `njit`, also where nothing can be kept on disk."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numba
from numba.core import event

LOG = logging.getLogger("ganzzle")
Kernel = TypeVar("Kernel", bound=Callable[..., Any])
ROOM = 8 << 20  # bytes that a cache must have room for: all kernels take about so much


def njit(**options: Any) -> Callable[[Kernel], Kernel]:
    """`numba.njit(**options)`, without its cache where none can be kept."""
    compiled: Callable[[Kernel], Kernel] = numba.njit(
        **{**options, "cache": options.get("cache") and _cache_is_kept()}
    )
    return compiled


@cache
def _cache_is_kept() -> bool:
    """Whether numba finds a folder for its cache with room in it; if not, says so once."""
    if numba.config.DISABLE_JIT:
        return False
    try:
        folder = numba.njit(cache=True)(_nothing).stats.cache_path
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
    except (RuntimeError, OSError):
        LOG.warning(
            "compiled code cannot be kept on this machine, so it is compiled anew each time; "
            "NUMBA_CACHE_DIR may name a folder with %d MB of room",
            ROOM >> 20,
        )
        return False
    return True


def _nothing() -> None:
    """What is asked where its cache would lie."""


class _Announcer(event.Listener):
    """Says once that kernels are being compiled, so that the user knows what is waited for."""

    said = False

    def on_start(self, started: event.Event) -> None:
        """Called when a kernel is neither in memory nor in the cache."""
        if not self.said and started.data["dispatcher"].py_func.__module__.startswith("ganzzle."):
            self.said = True
            LOG.info("compiling for this machine, which may take some seconds; the next time it is there")

    def on_end(self, _: event.Event) -> None:
        """Nothing to say."""


event.register("numba:compile", _Announcer())
