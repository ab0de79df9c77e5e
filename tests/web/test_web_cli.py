"""`ganzzle serve` as a user starts it: a process of its own."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import numpy as np
from web_helpers import png, wait_until


def test_serve(tmp_path: Path) -> None:
    """It answers, writes nothing, and ends with all its processes."""
    place = tmp_path / "empty"
    place.mkdir()
    environment = {**os.environ, "TMPDIR": str(place), "HOME": str(place), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "ganzzle", "serve", "--port", "0", "--workers", "1", "--device", "cpu"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=place
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        found = re.search(r"http://localhost:(\d+)", line)
        assert found, line
        port = int(found[1])
        assert listens(port, "127.0.0.1")
        assert not listens(port, "127.0.0.2")  # another address of this machine
        # Beyond any spooling limit.
        big = np.random.default_rng(0).integers(0, 256, (1200, 1200, 3), np.uint8)
        files = {"picture": ("big.png", png(big)), "grid": (None, "3x3")}
        answer = httpx.post(f"http://127.0.0.1:{port}/api/pile", files=files, timeout=300)
        assert answer.status_code == 200
        family = processes_below(server.pid)
        assert len(family) >= 2
        # What is left in the temporary folder is the socket between the processes, nothing of the request.
        assert [f for f in place.rglob("*") if f.is_file()] == []
        server.send_signal(signal.SIGINT)
        assert server.wait(120) == 0
        wait_until(lambda: not any(alive(pid) for pid in family), "a process was left behind")
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()
    finally:
        server.kill()


def test_a_taken_port_is_one_clear_line(command: Callable) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = command("serve", "--port", taken.getsockname()[1])
    assert ran.code == 2
    assert "try another --port" in ran.err
    assert ran.err.count("\n") == 1


def test_an_unknown_device_is_refused(command: Callable) -> None:
    ran = command("serve", "--device", "abacus")
    assert ran.code == 2
    assert "abacus" in ran.err


def listens(port: int, host: str) -> bool:
    try:
        with socket.create_connection((host, port), 60):
            return True
    except OSError:
        return False


def processes_below(pid: int) -> list[int]:
    """The ids of all descendants of a process, from /proc."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
