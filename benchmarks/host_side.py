"""What a batch of 6x6 puzzles costs the processor beside the network: Python, which one thread runs at a time, and
compiled code, which all cores run at once.

    python -m benchmarks.host_side

The network looks at the puzzles once; what it said is kept, and all the rest is done again with it. Times are the least
of some runs; that of compiled code comes from a profile. The rest is Python with what it calls of numpy.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from numba.core.dispatcher import Dispatcher

from ganzzle import Puzzle
from ganzzle.cores import cores
from ganzzle.samples import draw_landscape
from ganzzle.solvers import base, hybrid
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.rules import Wear
from ganzzle.solvers.hybrid.sight import Sight

REPEATS = 5


class Inline(Executor):
    """Does the work at once, in the thread that asks for it."""

    def __init__(self, _workers: int | None = None) -> None:
        pass

    def submit(self, work: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """`work(*args)`, done."""
        done: Future[Any] = Future()
        done.set_result(work(*args, **options))
        return done


@contextmanager
def one_thread() -> Iterator[None]:
    """Everything in this thread."""
    with patch.object(hybrid, "ThreadPoolExecutor", Inline), patch.object(base, "ThreadPoolExecutor", Inline):
        yield


@contextmanager
def network_kept(solver: Hybrid, puzzles: Sequence[Puzzle]) -> Iterator[None]:
    """The network answers as it did the first time; puzzles are still brought together for it."""
    said: list[Sight] = []
    look = solver.eyes.look

    def remember(some: Sequence[Puzzle], wear: Wear) -> Sight:
        said.append(look(some, wear))
        return said[-1]

    def repeat(some: Sequence[Puzzle], _wear: Wear) -> Sight:
        np.stack([puzzle.pieces for puzzle in some])
        said.append(said.pop(0))
        return said[-1]

    with patch.object(solver.eyes, "look", remember):
        solver.solve_batch(puzzles)
    with patch.object(solver.eyes, "look", repeat):
        yield


def compiled_names() -> set[tuple[str, int, str]]:
    """File, line and name of every compiled function of the package, as a profile has them."""
    modules = [module for name, module in sys.modules.items() if name.startswith("ganzzle")]
    codes = [x.py_func.__code__ for m in modules for x in vars(m).values() if isinstance(x, Dispatcher)]
    return {(code.co_filename, code.co_firstlineno, code.co_name) for code in codes}


def compiled_seconds(work: Callable[[], object]) -> float:
    """CPU seconds in compiled code, in one thread."""
    times = []
    for _ in range(REPEATS):
        profile = cProfile.Profile(time.thread_time)
        profile.runcall(work)
        compiled = compiled_names()
        entries = pstats.Stats(profile).stats.items()  # type: ignore[attr-defined]
        times.append(sum(own for where, (_, _, own, *_) in entries if where in compiled))
    return min(times)


def least(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Seconds by a clock, the least of some runs."""
    times = []
    for _ in range(REPEATS):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def main() -> None:
    """Print milliseconds a puzzle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzles", type=int, default=128)
    count = parser.parse_args().puzzles
    puzzles = [Puzzle.from_picture(draw_landscape(seed=k), "6x6", seed=k, piece=32) for k in range(count)]
    solver = Hybrid(device="cpu", quick=False)
    with network_kept(solver, puzzles):

        def work() -> object:
            return solver.solve_batch(puzzles)

        work()
        with one_thread():
            compiled = compiled_seconds(work)
            alone = least(work, time.thread_time)
        together = least(work, time.perf_counter)
    one, own, rest, many = (1000 * x / count for x in (alone, compiled, alone - compiled, together))
    print(f"\n{count} 6x6 puzzles at once, all but the network, ms a puzzle")
    print(f"  one thread: {one:.3f} of CPU time, {own:.3f} compiled code and {rest:.3f} the rest")
    print(f"  on {cores()} cores: {many:.3f}, that is {1000 / many:.0f} puzzles a second")


if __name__ == "__main__":
    main()
