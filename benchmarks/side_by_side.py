"""Training runs side by side on one machine, a process each: one that fails or hangs does not stop the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

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


def train_command(config: str, name: str, changes: Iterable[str], out: Path) -> list[str]:
    """The `ganzzle train` command of a run called `name`, in a folder of that name in `out`."""
    command = [sys.executable, "-m", "ganzzle", "train", config, "--set", f"name={name}"]
    for change in changes:
        command += ["--set", change]
    return [*command, "--out", str(out / name)]


def run_job(job: Job, out: Path, limit: float) -> Ran:
    """Run one, at most `limit` seconds; its output goes to a log beside its folder in `out`."""
    started, log = time.monotonic(), out / f"{job.name}.log"
    weights = out / job.name / f"{job.name}.safetensors"
    problem = _run(job.command, out, log, limit)
    seconds = time.monotonic() - started
    if not problem:
        try:
            with safe_open(str(weights), framework="np") as file:
                return Ran(job.name, weights, seconds, file.metadata())
        except (OSError, SafetensorError):
            problem = f"there is no {weights}"
    return Ran(job.name, weights, seconds, problem=problem)


_running: list[subprocess.Popen[bytes]] = []


def run_jobs(jobs: Iterable[Job], out: Path, parallel: int, limit: float) -> Iterator[Ran]:
    """Run them, so many at a time; each is given when it has ended."""
    out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(parallel) as pool:
        try:
            for done in as_completed([pool.submit(run_job, job, out, limit) for job in jobs]):
                yield done.result()
        except BaseException:  # Ctrl-C does not reach them: each has a session of its own
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(_running):  # each leaves the list when it ends
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            raise


def last_line(log: Path) -> str:
    """The last thing a run said."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "nothing was said")


def _run(command: Sequence[str], out: Path, log: Path, limit: float) -> str:
    """Run a command with one thread and the decoded pictures shared; what went wrong, or nothing."""
    source = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    environment = {"OMP_NUM_THREADS": "1", "GANZZLE_CACHE": str(out / "decoded"), **os.environ}
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**environment, "PYTHONPATH": source},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        _running.append(process)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"stopped after {limit:.0f} s"
        finally:
            _running.remove(process)
    return f"exit status {code}: {last_line(log)}" if code else ""
