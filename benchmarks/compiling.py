"""What the first solve on a fresh machine costs, by kernel: `python -m benchmarks.compiling`.

Each case runs in a process of its own with an empty cache of compiled kernels, and then in another one with the cache
it left. Seconds are of CPU time, so that other work on the machine hardly counts; those of a kernel are without the
kernels that are compiled on its way. `--case worn` runs one case only, `--kernels 40` shows more kernels of each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field

import numpy as np
from numba.core import event

from ganzzle.damage.corruption import Corruption
from ganzzle.puzzle import Puzzle
from ganzzle.samples import sample_picture
from ganzzle.solvers import load_solver

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Case:
    """A puzzle that somebody may begin with."""

    solver: str
    pieces: int  # a side
    corruption: str = "none"
    grid_known: bool = True

    def puzzle(self) -> Puzzle:
        """A drawn landscape in pieces."""
        puzzle = Puzzle.from_picture(sample_picture("landscape"), self.pieces, seed=0)
        worn = Corruption.parse(self.corruption).apply(puzzle, np.random.default_rng(0))
        return worn if self.grid_known else Puzzle(worn.pieces)


CASES = {
    "easy": Case("hybrid", 6),
    "easy-8": Case("hybrid", 8),
    "worn": Case("hybrid", 8, "erode:5"),
    "missing": Case("hybrid", 8, "missing:0.4"),
    "noisy": Case("hybrid", 8, "noise:0.3"),
    "no-grid": Case("hybrid", 6, grid_known=False),
    "assembler": Case("assembler", 10),
}


@dataclass
class Run:
    """One solve in a process of its own; seconds of CPU time."""

    solve: float = 0.0  # from the solver's loading to its answer
    whole: float = 0.0  # with everything that is imported
    kernels: dict[str, float] = field(default_factory=dict)  # compiled: name and argument types -> seconds


def main() -> None:
    """Run the cases and print what they cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=CASES, action="append", help="all of them without it")
    parser.add_argument("--kernels", type=int, default=12, help="the dearest kernels to show of each case")
    parser.add_argument("--alone", choices=CASES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(asdict(solve_once(CASES[given.alone]))))
        return
    for name in given.case or CASES:
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = in_process(name, cache), in_process(name, cache)
        print_runs(name, cold, warm, given.kernels)


def solve_once(case: Case) -> Run:
    """Load the solver and solve the puzzle in this process, noting which kernels are compiled."""
    puzzle, clock = case.puzzle(), Clock()
    event.register("numba:compile", clock)
    start = time.process_time()
    load_solver(case.solver).solve(puzzle)
    end = time.process_time()
    event.unregister("numba:compile", clock)
    return Run(end - start, end, clock.kernels)


class Clock(event.Listener):
    """CPU seconds that the compiler spends on each kernel itself, by its name and the types of its arguments."""

    def __init__(self) -> None:
        self.kernels: dict[str, float] = {}
        self._mine = threading.local()

    def on_start(self, _: event.Event) -> None:
        """A kernel begins, perhaps on the way of another one."""
        self._open().append([time.thread_time(), 0.0])

    def on_end(self, what: event.Event) -> None:
        """It is done; the kernel on whose way it was does not count it."""
        began, inner = self._open().pop()
        whole = time.thread_time() - began
        for outer in self._open()[-1:]:
            outer[1] += whole
        function = what.data["dispatcher"].py_func
        types = ", ".join(str(each) for each in what.data["args"])
        name = f"{function.__module__.removeprefix('ganzzle.')}.{function.__name__}({types})"
        self.kernels[name] = self.kernels.get(name, 0.0) + whole - inner

    def _open(self) -> list[list[float]]:
        """[began, seconds of inner kernels] of each kernel that this thread has begun."""
        if not hasattr(self._mine, "open"):
            self._mine.open = []
        found: list[list[float]] = self._mine.open
        return found


def in_process(name: str, cache: str) -> Run:
    """A case in a new process that keeps its compiled kernels in a folder."""
    command = [sys.executable, "-m", "benchmarks.compiling", "--alone", name]
    environment = {**os.environ, **ONE_THREAD, "NUMBA_CACHE_DIR": cache}
    ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return Run(**json.loads(ran.stdout.splitlines()[-1]))


def print_runs(name: str, cold: Run, warm: Run, most: int) -> None:
    """A line for the case, and one for each of its dearest kernels."""
    print(
        f"\n{name}: {cold.solve:.1f} s for the first solve ({cold.whole:.1f} with imports), {warm.solve:.1f} with a "
        f"cache; {sum(cold.kernels.values()):.1f} to compile {len(cold.kernels)} kernels",
        flush=True,
    )
    for kernel, seconds in sorted(cold.kernels.items(), key=lambda item: -item[1])[:most]:
        print(f"  {seconds:6.2f}  {kernel if len(kernel) < 160 else kernel[:157] + '...'}", flush=True)


if __name__ == "__main__":
    main()
