"""The real application on a real port, and pictures to send to it and to read back."""

from __future__ import annotations

import base64
import io
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import numpy as np
from PIL import Image

from ganzzle.puzzle import Puzzle
from ganzzle.solvers import SolverInfo, ready_solvers
from ganzzle.web.app import create_app
from ganzzle.web.limits import Limits, Settings
from ganzzle.web.server import make_server

PATIENCE = 300.0  # s; a solver's first hard puzzle waits for its kernels, on a busy machine for minutes
HELPERS = {
    name: SolverInfo(name, f"web_solvers:{name.capitalize()}", f"The {name} one.", "none")
    for name in ("slow", "nap", "dying", "failing", "dreamer")
}


@dataclass
class Server:
    """A running server and a client for it."""

    address: str
    pool: Any
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.address, timeout=PATIENCE)

    def post(self, path: str, files: list[tuple[str, Any]] | None = None, **fields: object) -> httpx.Response:
        """A multipart request: fields by keyword, files as (field, (name, bytes))."""
        parts: list[tuple[str, Any]] = [(name, (None, str(value))) for name, value in fields.items()]
        return self.client.post(path, files=parts + (files or []))

    def solve(self, picture: bytes, **fields: object) -> httpx.Response:
        """Solve a scrambled picture."""
        return self.post("/api/solve", [("picture", ("scrambled.png", picture))], **fields)


@contextmanager
def running(settings: Settings) -> Iterator[Server]:
    """Serve the application from a thread until the block ends."""
    app = create_app(settings)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    # Idle connections are left to the client to close: one that both give up at a time breaks the next request.
    waits = {"timeout_graceful_shutdown": 1, "timeout_keep_alive": 60}
    server = make_server(app, settings.limits, **waits)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    wait_until(lambda: server.started, "the server did not start")
    wait_until(lambda: app.state.pool.ready == settings.limits.workers, "the workers did not start", PATIENCE)
    try:
        yield Server(address, app.state.pool)
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the server did not stop"


@contextmanager
def held(server: Server) -> Iterator[None]:
    """Once nobody uses the server: its workers stand still until the block ends, whatever they are given."""
    quiet(server)
    workers = [one.process.pid for one in server.pool._workers]
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGCONT)


def quiet(server: Server) -> None:
    """Wait until all that earlier tests began, and left, has come to its end."""
    pool, count = server.pool, server.pool.limits.workers
    wait_until(
        lambda: (pool.admitted, pool._idle.qsize(), len(pool._workers)) == (0, count, count),
        "the server is not idle",
    )


def waiting(server: Server) -> list[int]:
    """For every job that is there: how many requests wait for its answer."""
    return [shared.waiters for shared in list(server.pool._running.values())]


def wait_until(condition: Callable[[], bool], message: str, seconds: float = 120) -> None:
    """Poll, for what another thread or process does in its own time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, message
        time.sleep(0.02)


def make_settings(**limits: Any) -> Settings:
    """All solvers that are ready and the tests' own, with some limits changed."""
    return Settings(
        limits=replace(
            Limits(workers=2, wait_seconds=PATIENCE, solve_seconds=PATIENCE, header_seconds=PATIENCE),
            **limits,
        ),
        device="cpu",
        solvers={**ready_solvers(), **HELPERS},
        default="gallagher",
    )


def mixed_pile(pictures: list[np.ndarray], grid: tuple[int, int]) -> np.ndarray:
    """(N, h, w, 3) the pieces of some pictures, all in one pile."""
    pieces = np.concatenate([Puzzle.from_picture(picture, grid).pieces for picture in pictures])
    return pieces[np.random.default_rng(7).permutation(len(pieces))]


def png(picture: np.ndarray) -> bytes:
    """A picture as PNG bytes."""
    return encoded(picture, "PNG")


def encoded(picture: np.ndarray, kind: str, **options: Any) -> bytes:
    """A picture in any format."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, kind, **options)
    return file.getvalue()


def decoded(address: str, kind: str = "png") -> np.ndarray:
    """The picture in a data: address."""
    head, _, data = address.partition(",")
    assert head == f"data:image/{kind};base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
