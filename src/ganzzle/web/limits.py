"""How much the server takes on, and the one kind of error its handlers raise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ganzzle.cores import cores
from ganzzle.solvers import SolverInfo, default_solver, ready_solvers

MOST_PUZZLES = 8  # that may be mixed in one pile
TELL_APART = ("hybrid", "assembler", "paikin-tal")  # the solvers that take a mixed pile


@dataclass(frozen=True)
class Limits:
    """What one server does at a time and what one request may cost; all of it is checked before decoding."""

    workers: int = field(default_factory=lambda: min(4, cores()))  # solves at the same time
    queue: int = 16  # requests that may wait for a worker
    requests: int = 256  # of every kind, let in at the same time
    connections: int = 512  # open at the same time
    header_seconds: float = 15.0  # longest time in which a connection has no whole request
    wait_seconds: float = 60.0  # longest wait in the queue
    solve_seconds: float = 60.0  # longest solve
    upload_seconds: float = 60.0  # longest upload
    slow_seconds: float = 3.0  # an upload that takes longer is slow: it counts against its client's share,
    rate: int = 4_000  # and from then on has to bring so many bytes a second; a client has to take as many
    send_seconds: float = 20.0  # of its answer, on average over so long
    worker_bytes: int = 2 << 30  # that a worker may take for one job
    kept_bytes: int = 256 << 20  # that a worker may keep after a job; one that keeps more is replaced
    upload_bytes: int = 40_000_000
    pixels: int = 25_000_000  # of all pictures of a request together
    pieces: int = 1024  # also the most slots of a grid


@dataclass(frozen=True)
class Settings:
    """What `ganzzle serve` was told."""

    limits: Limits = field(default_factory=Limits)
    device: str = "auto"
    solvers: Mapping[str, SolverInfo] = field(default_factory=ready_solvers)
    default: str = field(default_factory=default_solver)
    hosts: frozenset[str] | None = frozenset({"localhost", "127.0.0.1", "[::1]"})  # None: any Host header


class ApiError(Exception):
    """An answer other than 200: the status and a sentence a person understands."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}
