"""How much memory a process has, and giving back what it does not need; only on Linux, elsewhere nothing is done."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

LINUX = sys.platform == "linux"
STATUS = Path("/proc/self/status")


def bytes_used() -> int:
    """Bytes of memory that are this process's own: not files, nor what it shares with others through them."""
    if not LINUX:
        return 0
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(lines["RssAnon"].split()[0]) << 10


def bytes_there() -> int | None:
    """Bytes of memory that the machine has; None where that is not known."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def limit_bytes(most: int) -> None:
    """Let this process have no more private memory than so many bytes: it hears of a MemoryError instead."""
    if LINUX:
        import resource

        with suppress(ValueError, OSError):  # a lower limit is there already
            resource.setrlimit(
                resource.RLIMIT_DATA, (most + _reserved(), resource.getrlimit(resource.RLIMIT_DATA)[1])
            )


def free_unused() -> None:
    """Give the system back what was freed: the C library keeps it, and more with every thread."""
    if (trim := _trim()) is not None:
        trim(0)


def _reserved() -> int:
    """Bytes of private memory that are reserved but not used, as the stacks of threads."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return max(0, (int(lines["VmData"].split()[0]) - int(lines["RssAnon"].split()[0])) << 10)


@cache
def _trim() -> Any:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if LINUX else None
