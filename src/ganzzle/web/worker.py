"""The processes that do the work. One mother process loads every solver once and forks the workers from itself,
so that a new worker is there in milliseconds and all of them share the memory of the weights."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from ganzzle.memory import bytes_used, free_unused, limit_bytes
from ganzzle.puzzle import Puzzle
from ganzzle.solvers import SOLVERS, Solver, SolverInfo, load_solver
from ganzzle.solvers.devices import is_cpu
from ganzzle.web.limits import Settings

MOTHER = "GANZZLE_WEB_MOTHER"  # set in the mother process: the device and the solvers to load
# A process can only be forked safely while it has one thread, so the mother's libraries are told to use one;
# its workers keep to it, because several of them share the machine.
SINGLE_THREADED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
# Before an answer: whether the worker may go on, or keeps so much memory that a new one should take its place.
FRESH, TIRED = b"0", b"1"
FAILED = b'{"error": "The solver failed on these pieces; please try another one."}'

_solvers: dict[tuple[str, str, bool], Solver] = {}
_warm: set[Solver] = set()


def start_mother(settings: Settings) -> str:
    """Start the mother process where the system can fork; it gets ready on its own. Says how workers are started."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return "spawn"
    from multiprocessing import forkserver

    forkserver.set_forkserver_preload(["ganzzle.web.mother"])
    solvers = [name for name, info in settings.solvers.items() if SOLVERS.get(name) == info]
    changes = {
        **SINGLE_THREADED,
        MOTHER: json.dumps({"device": settings.device, "solvers": solvers, "default": settings.default}),
    }
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        forkserver.ensure_running()
    except OSError:  # the path of the temporary folder is too long for a socket
        return "spawn"
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return "forkserver"


def start_worker(method: str, settings: Settings) -> tuple[BaseProcess, Connection]:
    """A new worker and this side of the pipe to it. Blocks until the mother is ready."""
    context: Any = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=serve_jobs, args=(theirs, settings), daemon=True)
    try:
        process.start()
    finally:
        theirs.close()
    return process, ours


def serve_jobs(pipe: Connection, settings: Settings) -> None:
    """A worker's life: take a job, send back the status and the body, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers itself
    from ganzzle.web.jobs import perform

    def load(name: str, rotated: bool) -> Solver:
        return warm(solver_of(settings.solvers[name], settings.device, rotated))

    at_first = bytes_used()
    if is_cpu(settings.device):
        limit_bytes(at_first + settings.limits.worker_bytes)
    pipe.send_bytes(b"ready")
    while True:
        try:
            arrived, job = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            status, body = perform(job, settings.limits, load, time.monotonic() - arrived)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            status, body = 503, FAILED
        del job
        free_unused()
        tired = bytes_used() > at_first + settings.limits.kept_bytes
        pipe.send_bytes((TIRED if tired else FRESH) + b"%03d" % status + body)
        del body


def solver_of(info: SolverInfo, device: str, rotated: bool = False) -> Solver:
    """A solver with its weights, loaded once in a process."""
    key = info.target, device, rotated
    if key not in _solvers:
        registered = SOLVERS.get(info.name) == info
        options = {"rotated": True} if rotated else {}
        _solvers[key] = load_solver(info.name if registered else info.target, device=device, **options)
        _solvers[key].name = info.name
    return _solvers[key]


def warm(solver: Solver) -> Solver:
    """Let a solver solve a tiny puzzle when a process first uses it: compiling is not part of anybody's solve."""
    if solver not in _warm:
        _warm.add(solver)
        noise = np.random.default_rng(0).integers(0, 256, (6, 6, 3), np.uint8)
        picture = noise.repeat(32, 0).repeat(32, 1)
        puzzle = Puzzle.from_picture(picture, solver.only_grid or 3, piece=32)
        with suppress(Exception):  # what is wrong with it, the request that needs it will hear
            solver.solve(puzzle)
    return solver
