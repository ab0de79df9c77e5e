"""How many cores there are for this process."""

from __future__ import annotations

import os

LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")  # what people and our worker processes set


def cores() -> int:
    """The cores this process may use: those the system gives it, or fewer where the environment says so."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = [int(text) for name in LIMITS if (text := os.environ.get(name, "")).isdecimal()]
    return max(1, min([there, *asked]))
