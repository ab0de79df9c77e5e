"""Clients that are slow, silent or hostile, workers that die, and a server that is told to end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import numpy as np
import pytest
from web_helpers import Server, make_settings, png, quiet, running, wait_until

from ganzzle.memory import bytes_used
from ganzzle.solvers import devices

HERE = Path(__file__).parent
TINY = png(np.arange(16 * 16 * 3, dtype=np.uint8).reshape(16, 16, 3))
HEAD = (
    b"POST /api/solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
    b"Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
)
SERVE = """
import sys
sys.path.insert(0, sys.argv[1])
from web_helpers import make_settings
from dataclasses import replace
from ganzzle.cli import main, serve
serve.Settings = lambda limits, device, hosts: replace(make_settings(), limits=limits, hosts=hosts)
main(["serve", "--port", "0", "--workers", "1", "--device", "cpu"])
"""


@pytest.fixture(scope="module")
def strict() -> Iterator[Server]:
    """A server with little patience and few places."""
    short = {"header_seconds": 2.0, "slow_seconds": 1.0, "send_seconds": 1.0}
    with running(make_settings(workers=1, queue=4, connections=20, **short)) as one:
        yield one


@contextmanager
def lines(server: Server, count: int, said: bytes = b"", **options: int) -> Iterator[list[socket.socket]]:
    """Connections to the server that have said something."""
    host, port = server.address.removeprefix("http://").split(":")
    opened = []
    try:
        for _ in range(count):
            line = socket.socket()
            for name, value in options.items():
                line.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
            line.settimeout(60)
            line.connect((host, int(port)))
            line.sendall(said)
            opened.append(line)
        yield opened
    finally:
        for line in opened:
            line.close()


def say_on(line: socket.socket) -> None:
    """Send a byte now and then, for up to a minute."""
    for _ in range(1200):
        line.sendall(b"x")
        time.sleep(0.05)


@pytest.mark.parametrize("said", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
def test_a_connection_without_a_whole_request_is_closed(strict: Server, said: bytes) -> None:
    with lines(strict, 5, said) as opened:
        assert [line.recv(100) for line in opened] == [b""] * 5


def test_so_is_one_that_goes_on_sending_after_its_answer(strict: Server) -> None:
    said = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\n"
    with lines(strict, 1, said) as (line,), pytest.raises(OSError, match=r"reset|Broken pipe|aborted"):
        say_on(line)


def test_there_are_only_so_many_connections(strict: Server) -> None:
    with lines(strict, 40) as opened:
        time.sleep(0.5)
        closed = 0
        for line in opened:
            line.setblocking(False)
            with suppress(BlockingIOError):
                try:
                    closed += line.recv(1) == b""
                except ConnectionError:
                    closed += 1
        assert 15 <= closed < 40


def test_slow_uploads_do_not_keep_others_out(strict: Server) -> None:
    quiet(strict)
    with lines(strict, 5, HEAD) as opened:
        wait_until(lambda: strict.pool.admitted == 5, "the uploads did not arrive")
        start = time.monotonic()
        wait_until(lambda: strict.solve(TINY, grid="2x2").status_code == 200, "the others stay out")
        assert time.monotonic() - start < 30
        answers = [line.recv(12) for line in opened]
        assert {b"HTTP/1.1 408", b"HTTP/1.1 429"} >= set(answers)


def test_an_upload_that_is_slow_but_steady_is_taken() -> None:
    body = (
        b'--b\r\nContent-Disposition: form-data; name="grid"\r\n\r\n2x2\r\n'
        b'--b\r\nContent-Disposition: form-data; name="solver"\r\n\r\ngallagher\r\n'
        b'--b\r\nContent-Disposition: form-data; name="picture"; filename="a.png"\r\n\r\n'
        + TINY + b"\r\n--b--\r\n"
    )  # fmt: skip

    def slowly() -> Iterator[bytes]:
        for k in range(0, len(body), 100):
            yield body[k : k + 100]
            time.sleep(0.15)

    with running(make_settings(workers=1, slow_seconds=0.3, rate=10)) as server:
        kind = {"content-type": "multipart/form-data; boundary=b"}
        assert server.client.post("/api/solve", content=slowly(), headers=kind).status_code == 200


def test_who_does_not_take_an_answer_is_left(strict: Server) -> None:
    quiet(strict)
    noise = png(np.random.default_rng(0).integers(0, 256, (960, 960, 3), np.uint8))
    request = httpx.Request("POST", strict.address, data={"grid": "4x4"}, files={"picture": ("a.png", noise)})
    body = request.read()
    head = f"POST /api/shuffle HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    said = f"{head}Content-Type: {request.headers['content-type']}\r\n\r\n".encode() + body
    with lines(strict, 1, said, SO_RCVBUF=4096) as (line,):
        wait_until(lambda: strict.pool.admitted == 1, "the request did not arrive")
        wait_until(lambda: strict.pool.admitted == 0, "it was not answered")
        time.sleep(4)
        got = 0
        with suppress(ConnectionError):
            while part := line.recv(1 << 20):
                got += len(part)
        assert got < 2 * len(body)  # the answer holds two such pictures, as text


def test_a_worker_that_dies_idle_is_replaced_at_once(strict: Server) -> None:
    quiet(strict)
    before = {one.process.pid for one in strict.pool._workers}
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not before & {one.process.pid for one in strict.pool._workers}, "it is still counted")
    quiet(strict)
    assert strict.client.get("/api/health").json()["workers"] == 1
    assert strict.solve(TINY, grid="2x2").status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="memory is looked at in /proc")
def test_a_worker_that_keeps_much_memory_is_replaced() -> None:
    with running(make_settings(workers=1, kept_bytes=-(1 << 40))) as server:  # any is too much
        before = {one.process.pid for one in server.pool._workers}
        assert server.solve(TINY, grid="2x2").status_code == 200
        quiet(server)
        assert not before & {one.process.pid for one in server.pool._workers}
    assert bytes_used() > 0


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_job_that_needs_too_much_memory_is_refused_and_the_server_goes_on() -> None:
    with running(make_settings(workers=1, worker_bytes=30_000_000)) as server:
        large = png(np.zeros((4000, 4000, 3), np.uint8))
        answer = server.solve(large, grid="2x2")
        assert answer.status_code == 503
        assert "memory" in answer.json()["error"]
        assert server.client.get("/api/health").status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_waits_hears_that_the_server_ends(number: signal.Signals) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(HERE)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert server.stdout is not None
        found = re.search(r"http://localhost:\d+", server.stdout.readline())
        assert found
        with httpx.Client(base_url=found[0].replace("localhost", "127.0.0.1"), timeout=300) as client:
            files = {"picture": ("a.png", TINY), "grid": (None, "2x2")}
            assert client.post("/api/solve", files=files).status_code == 200  # a worker is there
            with ThreadPoolExecutor(2) as threads:
                slow = threads.submit(client.post, "/api/solve", files={**files, "solver": (None, "slow")})
                wait_until(lambda: client.get("/api/health").json()["requests"] == 1, "it did not arrive")
                time.sleep(0.5)
                server.send_signal(number)
                answer = slow.result()
        assert answer.status_code == 503
        assert "being stopped" in answer.json()["error"]
        assert server.wait(120) in (0, 143)
        assert server.stderr is not None
        assert server.stderr.read().count("\n") <= 1
    finally:
        server.kill()


def test_cuda_without_a_gpu_is_refused(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert devices.is_cpu("auto")
    ran = command("serve", "--device", "cuda", "--port", "0")
    assert ran.code == 2
    assert "there is no GPU" in ran.err


def test_only_pages_of_this_server_may_ask(strict: Server) -> None:
    own = strict.address.removeprefix("http://")
    for origin, status in (
        (strict.address, 200),
        ("http://evil.example", 403),
        ("null", 403),
        ("", 403),
        (f"http://evil.example#{own}", 403),
        (f"http://localhost:{own.split(':')[1]}", 403),  # another site, though the same machine
    ):
        assert strict.client.get("/api/health", headers={"origin": origin}).status_code == status, origin
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.", "[::2]", "0.0.0.0"):
        assert strict.client.get("/api/health", headers={"host": host}).status_code in (400, 403), host
    answer = strict.client.options(
        "/api/solve", headers={"origin": "http://evil.example", "access-control-request-method": "POST"}
    )
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
