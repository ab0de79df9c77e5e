"""The server under load: many clients, good, bad and slow ones mixed. `python -m benchmarks.load --seconds 60`.

Prints the answers by status, p50 and p95 of the solves, the memory of all the server's processes over time, and the
throughput as a ratio to the same solver called directly in as many processes, before and after on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import multiprocessing
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from PIL import Image

from benchmarks.pictures import draw_picture
from ganzzle.pieces import assemble
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers import default_solver, load_solver

GRID = (12, 12)
PIECE = 32
PUZZLES = 6
BAD_SHARE = 0.2
SLOW = 24  # connections that say nothing, that send a byte a second, or that take no answer, as many of each
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass
class Load:
    """What the clients saw and what the server weighed."""

    end: float = float("inf")  # solves that end later do not count for the throughput
    in_time: int = 0
    given_up: int = 0  # slow connections that the server has closed
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # of every good solve
    megabytes: list[float] = field(default_factory=list)  # once a second

    @property
    def broken(self) -> int:
        """Answers that may never happen: 5xx other than 503."""
        return sum(number for status, number in self.statuses.items() if status >= 500 and status != 503)


def run(seconds: float = 60, clients: int = 16, workers: int = 0, solver: str = "") -> Load:
    """Measure and print."""
    workers = workers or min(4, os.cpu_count() or 1)
    name = solver or default_solver()
    print(
        f"\nLoad: {clients} clients for {seconds:g} s, {workers} workers, {name}, {GRID[0]}x{GRID[1]} pieces",
        flush=True,
    )
    with _Direct(name, workers) as direct:
        before = direct.solves_a_second(seconds / 6)
        with _Server(workers) as server:
            load = asyncio.run(_attack(server, name, seconds, clients))
        after = direct.solves_a_second(seconds / 6)
    served, called = load.in_time / seconds, (before + after) / 2
    p50, p95 = np.percentile(load.seconds, [50, 95])
    calm = load.megabytes[len(load.megabytes) // 4 :]
    print(
        f"  answers by status             {dict(sorted(load.statuses.items()))}, 5xx but 503: {load.broken}"
    )
    print(f"  a solve, with the queue       p50 {p50:.2f} s, p95 {p95:.2f} s")
    print(f"  slow connections closed       {load.given_up}")
    print(
        f"  memory after the first quarter {calm[0]:.0f} MB, at the end {calm[-1]:.0f} MB, most {max(calm):.0f} MB"
    )
    print(
        f"  solves a second               {served:.2f}, called directly {before:.2f} before and {after:.2f} after"
    )
    print(f"  ratio to calling directly     {served / called:.2f}", flush=True)
    return load


async def _attack(server: _Server, solver: str, seconds: float, clients: int) -> Load:
    load = Load()
    sheets = [_sheet(seed) for seed in range(PUZZLES)]
    async with httpx.AsyncClient(
        base_url=server.address, timeout=120, limits=httpx.Limits(max_connections=None)
    ) as client:
        await _good(client, Load(), sheets[0], solver, 0)  # the workers are up
        _bad_requests()
        load.end = time.perf_counter() + seconds
        watcher = asyncio.create_task(_watch(server, load))
        host, port = server.address.removeprefix("http://").split(":")
        slow = [asyncio.create_task(_slow(host, int(port), k % 3, load)) for k in range(SLOW)]
        await asyncio.gather(*(_one_client(client, load, sheets, solver, k) for k in range(clients)))
        for task in (watcher, *slow):
            task.cancel()
    return load


async def _one_client(
    client: httpx.AsyncClient, load: Load, sheets: list[bytes], solver: str, number: int
) -> None:
    draw = random.Random(number)
    while time.perf_counter() < load.end:
        if draw.random() < BAD_SHARE:
            await _bad(client, load, draw)
        else:
            # A seed of its own, so that no two requests are the same job.
            wait = await _good(client, load, draw.choice(sheets), solver, draw.randrange(2**31))
            await asyncio.sleep(wait)


async def _good(client: httpx.AsyncClient, load: Load, sheet: bytes, solver: str, seed: int) -> float:
    fields = {"grid": f"{GRID[0]}x{GRID[1]}", "solver": solver, "seed": str(seed)}
    start = time.perf_counter()
    answer = await client.post("/api/solve", data=fields, files={"picture": ("scrambled.png", sheet)})
    load.statuses[answer.status_code] += 1
    if answer.status_code == 200:
        load.seconds.append(time.perf_counter() - start)
        load.in_time += time.perf_counter() < load.end
    return float(answer.headers.get("retry-after", 0))


async def _bad(client: httpx.AsyncClient, load: Load, draw: random.Random) -> None:
    kinds = _bad_requests()
    (kind,) = draw.choices(kinds, [1.0 if k else 0.2 for k in range(len(kinds))])
    answer = await client.post("/api/solve", **kind)
    load.statuses[answer.status_code] += 1


async def _slow(host: str, port: int, kind: int, load: Load) -> None:
    """Hold a connection as long as the server allows it, then the next one."""
    upload = b"Content-Length: 1000000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
    heads = [b"GET / HTTP/1.1\r\n", b"POST /api/solve HTTP/1.1\r\nHost: localhost\r\n" + upload]
    heads.append(b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
    while True:
        try:
            reader, writer = await asyncio.open_connection(host, port, limit=1024)
            writer.write(heads[kind])
            while not reader.at_eof() and not writer.is_closing():
                await asyncio.sleep(1)
                if kind == 1:
                    writer.write(b"x")
                    await writer.drain()
            writer.close()
        except OSError:
            pass
        load.given_up += 1


@cache
def _bad_requests() -> list[dict[str, Any]]:
    """The first is dear to send, so it is sent less often."""
    bomb = io.BytesIO()
    Image.new("1", (20000, 20000)).save(bomb, "PNG")
    return [
        {"data": {"grid": "2x2"}, "files": {"picture": bytes(50_000_000)}},
        {"data": {"grid": "2x2"}, "files": {"picture": bomb.getvalue()}},
        {"data": {"grid": "2x2"}, "files": {"picture": b"no picture"}},
        {"data": {"grid": "999x999"}, "files": {"picture": b"x"}},
        {"data": {"solver": "magic"}, "files": {"picture": b"x"}},
        {"content": b"--b\r\nrubbish", "headers": {"content-type": "multipart/form-data; boundary=b"}},
        {"json": {"grid": "2x2"}},
    ]


async def _watch(server: _Server, load: Load) -> None:
    while True:
        load.megabytes.append(server.megabytes())
        await asyncio.sleep(1)


def _puzzle(seed: int) -> Puzzle:
    return Puzzle.from_picture(draw_picture(GRID[0] * PIECE, GRID[1] * PIECE, seed), GRID, seed=seed)


def _sheet(seed: int) -> bytes:
    puzzle = _puzzle(seed)
    file = io.BytesIO()
    Image.fromarray(assemble(puzzle.pieces, Grid.of(GRID), np.arange(len(puzzle)))).save(file, "PNG")
    return file.getvalue()


class _Server:
    """`ganzzle serve` in processes of its own."""

    def __init__(self, workers: int) -> None:
        command = [sys.executable, "-m", "ganzzle", "serve", "--port", "0", "--workers", str(workers)]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    def __enter__(self) -> _Server:
        assert self.process.stdout is not None
        found = re.search(r"http://\S+:\d+", self.process.stdout.readline())
        assert found is not None, "the server did not start"
        self.address = found[0].replace("localhost", "127.0.0.1")
        return self

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        self.process.wait(20)

    def megabytes(self) -> float:
        """The memory of the process and all below it; shared pages count once."""
        parents: dict[int, int] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
        family = [self.process.pid]
        for one in family:
            family += [child for child, parent in parents.items() if parent == one]
        return sum(map(_proportional_kilobytes, family)) / 1000


def _proportional_kilobytes(pid: int) -> int:
    try:
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
    except OSError:
        return 0
    return int(found[1]) if found else 0


class _Direct:
    """The same solver without a server, in as many processes, each with one thread as the server's workers."""

    def __init__(self, name: str, workers: int) -> None:
        self.name, self.workers = name, workers

    def __enter__(self) -> _Direct:
        before = {key: os.environ.get(key) for key in ONE_THREAD}
        os.environ.update(ONE_THREAD)
        self.pool = multiprocessing.get_context("spawn").Pool(self.workers)
        self.pool.map(_solve_for, [(self.name, 0.01)] * self.workers, chunksize=1)
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.terminate()
        self.pool.join()

    def solves_a_second(self, seconds: float) -> float:
        """All processes at the same time."""
        return sum(self.pool.map(_solve_for, [(self.name, seconds)] * self.workers, chunksize=1))


def _solve_for(task: tuple[str, float]) -> float:
    """Solve puzzles for so many seconds -> solves a second."""
    name, seconds = task
    solver = load_solver(name)
    puzzles = [_puzzle(seed) for seed in range(PUZZLES)]
    solver.solve(puzzles[0])
    done, start = 0, time.perf_counter()
    while done == 0 or time.perf_counter() < start + seconds:
        solver.solve(puzzles[done % PUZZLES], done)
        done += 1
    return done / (time.perf_counter() - start)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--solver", default="")
    raise SystemExit(1 if run(**vars(parser.parse_args())).broken else 0)
