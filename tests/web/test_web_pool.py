"""The pool of workers, with workers that do not do as they should."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import pytest
from web_helpers import make_settings

from ganzzle.web import pool
from ganzzle.web.pool import Pool


def start(target: Any) -> tuple[BaseProcess, Connection]:
    """A process with this side of its pipe, as `start_worker` gives it."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def die(pipe: Connection) -> None:
    os._exit(1)


def live(pipe: Connection) -> None:
    pipe.send_bytes(b"ready")
    pipe.poll(60)


def test_a_worker_that_dies_while_starting_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    lives = iter([die, live])
    started = []

    def start_worker(*_: Any) -> tuple[BaseProcess, Connection]:
        started.append(start(next(lives)))
        return started[-1]

    monkeypatch.setattr(pool, "start_worker", start_worker)

    async def add_one() -> None:
        workers = Pool(make_settings())
        await workers._add_worker()
        assert [one.process for one in workers._workers] == [started[1][0]]
        assert workers.ready == 1
        assert started[0][0].exitcode is not None
        await workers.stop()
        assert not workers._workers

    asyncio.run(add_one())
    assert started[1][0].exitcode is not None
