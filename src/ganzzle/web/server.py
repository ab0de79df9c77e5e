"""uvicorn as it is run here: connections that say nothing are closed, and a signal to end is told to the pool first."""

from __future__ import annotations

import asyncio
import signal
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from ganzzle.web.limits import Limits


class Server(uvicorn.Server):
    """Answers those who wait for a solution before it ends."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called at SIGINT and SIGTERM; the pool is told in the loop's own time."""
        pool = getattr(self.config.app.state, "pool", None)  # type: ignore[union-attr]
        if pool is not None:
            pool.close_soon()
        super().handle_exit(signal.Signals(sig), frame)


def make_server(app: FastAPI, limits: Limits, **options: Any) -> Server:
    """A server for the application, without a socket yet; `options` are uvicorn's."""
    config = uvicorn.Config(
        app,
        http=_patient(limits),
        ws="none",
        log_level="error",  # what clients do wrong is answered, not logged
        server_header=False,
        **{"timeout_graceful_shutdown": 2, **options},
    )
    return Server(config)


def _patient(limits: Limits) -> type[H11Protocol]:
    """uvicorn's protocol with limits: to the connections, to the time in which one has nothing to be answered, and to
    that in which it takes nothing of its answer."""

    class Patient(H11Protocol):
        idle: asyncio.TimerHandle | None = None
        sending: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                transport.abort()
            else:
                self._count_anew()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_answering():
                self._stop_counting()
            elif self.idle is None:
                self._count_anew()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._count_anew()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._look_again()

        def resume_writing(self) -> None:
            self._stop_looking()
            super().resume_writing()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_counting()
            self._stop_looking()
            super().connection_lost(exc)

        def _is_answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _count_anew(self) -> None:
            self._stop_counting()
            self.idle = self.loop.call_later(limits.header_seconds, self._give_up)

        def _stop_counting(self) -> None:
            if self.idle is not None:
                self.idle.cancel()
                self.idle = None

        def _look_again(self) -> None:
            """After a while, see whether the client has taken enough of its answer in the meantime."""
            left = self.transport.get_write_buffer_size()
            self.sending = self.loop.call_later(limits.send_seconds, self._check_sent, left)

        def _check_sent(self, before: int) -> None:
            if before - self.transport.get_write_buffer_size() < limits.send_seconds * limits.rate:
                self.transport.abort()
            else:
                self._look_again()

        def _stop_looking(self) -> None:
            if self.sending is not None:
                self.sending.cancel()
                self.sending = None

        def _give_up(self) -> None:
            if not self._is_answering():
                self.transport.close()

    return Patient
