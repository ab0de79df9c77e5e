"""Timing side by side: other work on the machine slows both sides of a ratio."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table: how long it took, and what that is to be compared with."""

    step: str
    seconds: float
    compared_with: str
    other_seconds: float

    @property
    def ratio(self) -> float:
        """How many times faster."""
        return self.other_seconds / self.seconds


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def print_table(title: str, rows: list[Row]) -> None:
    """Print rows as a plain table."""
    print(f"\n{title}")
    print(f"  {'step':<44} {'seconds':>9}   {'compared with':<36} {'seconds':>9} {'times faster':>13}")
    for row in rows:
        print(
            f"  {row.step:<44} {row.seconds:>9.4f}   {row.compared_with:<36} {row.other_seconds:>9.4f} "
            f"{row.ratio:>13.1f}",
            flush=True,
        )
