"""Training runs side by side on one machine, a process each: one that fails or hangs does not stop the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Job:
    """One run: its name, which is also that of its folder and its weights, and the command."""

    name: str
    command: Sequence[str]


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    name: str
    weights: Path
    seconds: float  # of the whole process
    record: Mapping[str, str] = field(default_factory=dict)  # what the weights say about their training
    problem: str = ""  # why there are no weights


class Processes:
    """Those that run now, each in a session of its own, so that Ctrl-C does not reach them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(self, command: Sequence[str], limit: float, **options: Any) -> int | None:
        """The exit status of a command; None if it took longer than `limit` seconds or all were stopped."""
        with self._lock:
            if self._stopped:
                return None
            process = subprocess.Popen(command, start_new_session=True, **options)
            self._running.add(process)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.wait()
            return None
        finally:
            with self._lock:
                self._running.remove(process)

    def stop(self) -> None:
        """End those that run; no other is started any more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):  # it has just ended by itself
        os.killpg(process.pid, signal.SIGKILL)


def train_command(config: str, name: str, changes: Iterable[str], out: Path) -> list[str]:
    """The `ganzzle train` command of a run called `name`, in a folder of that name in `out`."""
    command = [sys.executable, "-m", "ganzzle", "train", config, "--set", f"name={name}"]
    for change in changes:
        command += ["--set", change]
    return [*command, "--out", str(out / name)]


def run_job(job: Job, out: Path, limit: float, processes: Processes | None = None) -> Ran:
    """Run one, at most `limit` seconds; its output goes to a log beside its folder in `out`."""
    started, log = time.monotonic(), out / f"{job.name}.log"
    weights = out / job.name / f"{job.name}.safetensors"
    problem = _run(processes or Processes(), job.command, out, log, limit)
    seconds = time.monotonic() - started
    if not problem:
        try:
            with safe_open(str(weights), framework="np") as file:
                return Ran(job.name, weights, seconds, file.metadata())
        except (OSError, SafetensorError):
            problem = f"there is no {weights}"
    return Ran(job.name, weights, seconds, problem=problem)


def run_jobs(jobs: Iterable[Job], out: Path, parallel: int, limit: float) -> Iterator[Ran]:
    """Run them, so many at a time; each is given when it has ended."""
    out.mkdir(parents=True, exist_ok=True)
    processes = Processes()
    with ThreadPoolExecutor(parallel) as pool:
        try:
            for done in as_completed([pool.submit(run_job, job, out, limit, processes) for job in jobs]):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.stop()
            raise


def last_line(log: Path) -> str:
    """The last thing a run said."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "nothing was said")


def _run(processes: Processes, command: Sequence[str], out: Path, log: Path, limit: float) -> str:
    """Run a command with one thread and the decoded pictures shared; what went wrong, or nothing."""
    source = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    environment = {"OMP_NUM_THREADS": "1", "GANZZLE_CACHE": str(out / "decoded"), **os.environ}
    environment["PYTHONPATH"] = source
    with open(log, "w", encoding="utf-8") as file:
        code = processes.run(command, limit, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT)
    if code is None:
        return f"stopped after {limit:.0f} s"
    return f"exit status {code}: {last_line(log)}" if code else ""
