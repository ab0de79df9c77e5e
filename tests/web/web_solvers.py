"""Solvers for the server's tests; the workers import them by name."""

from __future__ import annotations

import os
import signal
import time

import numpy as np

from ganzzle.puzzle import Puzzle
from ganzzle.solvers.base import Arrangement, Solver


class Slow(Solver):
    """Never comes back in time."""

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        time.sleep(120)
        return Arrangement(np.arange(len(puzzle)))


class Nap(Solver):
    """Comes back after half a second."""

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        time.sleep(0.5)
        return Arrangement(np.arange(len(puzzle)))


class Dying(Solver):
    """Takes its process with it, as a crash in native code does."""

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        os.kill(os.getpid(), signal.SIGKILL)
        return Arrangement(np.arange(len(puzzle)))


class Failing(Solver):
    """Has a bug."""

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        raise RuntimeError("a bug")


class Dreamer(Solver):
    """Lays the pieces as they come, surely wrong, has a mental image, and knows that it is not sure."""

    calibrated = True

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        ramp = np.linspace(0, 255, 48).astype(np.uint8)
        image = np.stack(np.broadcast_arrays(ramp[:, None], ramp[None, :], np.uint8(90)), -1)
        confidence = np.linspace(0, 1, len(puzzle))
        return Arrangement(
            np.arange(len(puzzle)), confidence=confidence, mental_image=np.ascontiguousarray(image)
        )
