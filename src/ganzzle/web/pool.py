"""A bounded pool of worker processes for the event loop: admission, a queue, time limits, cancelling."""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from statistics import fmean
from typing import Any, TypeVar

from ganzzle.memory import free_unused
from ganzzle.web.limits import ApiError, Settings
from ganzzle.web.requests import Job
from ganzzle.web.worker import TIRED, start_mother, start_worker

Answer = tuple[int, bytes]  # status and body
T = TypeVar("T")
START_SECONDS = 300.0  # longest wait for the first worker


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection


@dataclass(eq=False)
class _Shared:
    """One running job and how many requests wait for its answer."""

    task: asyncio.Task[Answer]
    waiters: int = 0


class Pool:
    """Runs jobs in worker processes. A worker whose job is cancelled or too slow is killed and replaced."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.limits = settings.limits
        self.admitted = 0  # requests that are here now, waiting or worked on
        self.ready = 0  # workers that are up
        self._method = "spawn"
        self._woken = False  # a worker has been up
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._running: dict[bytes, _Shared] = {}
        self._workers: set[_Worker] = set()
        self._chores: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._closing = asyncio.Event()  # no job is begun any more
        self._uploads: dict[str, int] = {}  # slow ones that are being read, by client
        self._seconds: deque[float] = deque([1.0], maxlen=32)  # how long the latest jobs took

    def start(self) -> None:
        """Begin to start the workers; jobs wait until the first is there."""
        self._method = start_mother(self.settings)
        for _ in range(self.limits.workers):
            self._chore(self._add_worker())

    def close_soon(self) -> None:
        """Take no more work, and give up what is under way; may be called by a signal handler."""
        self._loop.call_soon_threadsafe(self._closing.set)

    async def unless_closing(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives, or 503 as soon as the server is about to end, in which case the work is cancelled."""
        answer, closing = asyncio.ensure_future(work), asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait({answer, closing}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise ApiError(
                    503, "The server is being stopped; please try again later.", {"Retry-After": "10"}
                )
            return answer.result()
        finally:
            closing.cancel()
            answer.cancel()
            await asyncio.wait({answer})  # its place is free before that of another is counted

    async def stop(self) -> None:
        """End every worker now."""
        self._closing.set()
        tasks = [*self._chores, *(shared.task for shared in self._running.values())]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in self._chores:  # those the cancelled jobs began
            task.cancel()
        for one in self._workers:
            self._loop.remove_reader(one.process.sentinel)
            one.process.kill()
        for one in self._workers:
            await in_thread(one.process.join, 5)
        self._workers.clear()

    @contextmanager
    def admission(self) -> Iterator[None]:
        """A place for one request, from before its body is read until its answer; 429 if all are taken."""
        if self.admitted >= self.limits.workers + self.limits.queue:
            wait = max(1, min(60, round(fmean(self._seconds) * self.admitted / self.limits.workers)))
            message = f"Too many puzzles at once; please try again in {wait} s."
            raise ApiError(429, message, {"Retry-After": str(wait)})
        self.admitted += 1
        try:
            yield
        finally:
            self.admitted -= 1

    @contextmanager
    def slow_upload(self, client: str) -> Iterator[None]:
        """Count an upload as slow while it goes on; 429 where its client has half of all places for such already."""
        if self._uploads.get(client, 0) >= max(1, (self.limits.workers + self.limits.queue) // 2):
            raise ApiError(
                429, "Too many slow uploads at once; send them one after the other.", {"Retry-After": "5"}
            )
        self._uploads[client] = self._uploads.get(client, 0) + 1
        try:
            yield
        finally:
            self._uploads[client] -= 1
            if not self._uploads[client]:
                del self._uploads[client]

    async def run(self, job: Job) -> Answer:
        """Do a job. Identical jobs at the same time are done once; when the last who waits leaves, it is cancelled."""
        key = job.digest()
        if key not in self._running:
            shared = self._running[key] = _Shared(asyncio.create_task(self._perform(job)))
            shared.task.add_done_callback(lambda _: self._forget(key, shared))
        shared = self._running[key]
        shared.waiters += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiters -= 1
            if shared.waiters == 0 and not shared.task.done():
                self._forget(key, shared)  # a request that comes now must not join a job on its way out
                shared.task.cancel()

    def _forget(self, key: bytes, shared: _Shared) -> None:
        if self._running.get(key) is shared:
            del self._running[key]

    async def _perform(self, job: Job) -> Answer:
        message = pickle.dumps((time.monotonic(), job))
        try:
            # The very first start may have to compile the solvers; that is a one-time wait.
            async with asyncio.timeout(self.limits.wait_seconds if self._woken else START_SECONDS):
                one = await self._idle.get()
        except TimeoutError:
            raise ApiError(
                503, "The server is too busy right now; please try again.", {"Retry-After": "10"}
            ) from None
        started = time.monotonic()
        try:
            async with asyncio.timeout(self.limits.solve_seconds):
                reply = await in_thread(_ask, one.pipe, message)
        except TimeoutError:
            self._replace(one)
            limit = f"{self.limits.solve_seconds:g} s"
            raise ApiError(503, f"This took longer than {limit} and was stopped; try fewer pieces.") from None
        except (EOFError, OSError):
            self._replace(one)
            raise ApiError(503, "The solver stopped unexpectedly; please try again.") from None
        except asyncio.CancelledError:
            self._replace(one)
            raise
        self._seconds.append(time.monotonic() - started)
        if reply[:1] == TIRED or not one.process.is_alive():
            self._replace(one)
        else:
            self._idle.put_nowait(one)
        del message
        free_unused()
        return int(reply[1:4]), reply[4:]

    async def _add_worker(self) -> None:
        while (one := await self._started_worker()) is None:
            await asyncio.sleep(1)  # a machine short of memory gets a moment
        self.ready += 1
        self._woken = True
        self._idle.put_nowait(one)
        self._loop.add_reader(one.process.sentinel, self._died, one)

    async def _started_worker(self) -> _Worker | None:
        """A worker that takes jobs, or None where it died while starting."""
        try:
            one = _Worker(*await in_thread(start_worker, self._method, self.settings))
        except (EOFError, OSError):
            return None
        self._workers.add(one)  # at once, so that `stop` ends it, too
        try:
            await in_thread(one.pipe.recv_bytes)
        except (EOFError, OSError):
            one.process.kill()
            await self._bury(one)
            return None
        return one

    def _died(self, one: _Worker) -> None:
        """A worker's process has ended. That of a job is seen by whoever waits for the job."""
        self._loop.remove_reader(one.process.sentinel)
        others = [self._idle.get_nowait() for _ in range(self._idle.qsize())]
        for other in others:
            if other is not one:
                self._idle.put_nowait(other)
        if one in others:
            self._replace(one)

    def _replace(self, one: _Worker) -> None:
        self._loop.remove_reader(one.process.sentinel)
        one.process.kill()  # the thread that waits in `_ask` ends with the pipe
        self.ready -= 1
        self._chore(self._bury(one))
        self._chore(self._add_worker())

    async def _bury(self, one: _Worker) -> None:
        await in_thread(one.process.join, 10)
        self._workers.discard(one)

    def _chore(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


async def in_thread(function: Callable[..., T], *values: Any) -> T:
    """Call a function that blocks. Unlike an executor's, the thread never holds up the end of the program."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if not future.done():
            future.set_exception(error) if error else future.set_result(result)  # type: ignore[arg-type]

    def call() -> None:
        result, error = None, None
        try:
            result = function(*values)
        except BaseException as caught:
            error = caught
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=call, daemon=True).start()
    return await future


def _ask(pipe: Connection, message: bytes) -> bytes:
    pipe.send_bytes(message)
    return pipe.recv_bytes(256_000_000)
