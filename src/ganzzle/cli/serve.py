"""The command `ganzzle serve`."""

from __future__ import annotations

import errno
import socket
from contextlib import suppress
from typing import Annotated

import typer

from ganzzle.cores import cores
from ganzzle.errors import GanzzleError
from ganzzle.solvers.devices import pick_device
from ganzzle.web.app import create_app
from ganzzle.web.limits import Limits, Settings
from ganzzle.web.server import make_server


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 admits other machines.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 8000,
    workers: Annotated[
        int,
        typer.Option(min=0, max=64, help="Puzzles solved at the same time; 0: one per core, at most four."),
    ] = 0,
    queue: Annotated[int, typer.Option(min=0, max=1000, help="Requests that may wait.")] = 16,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Longest solve, in seconds.")] = 60.0,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Start the web page, where you can watch puzzles being solved, and the HTTP API."""

    if device not in ("auto", "cpu", "cuda"):
        raise GanzzleError(f"there is no device '{device}'; there are: auto, cpu, cuda")
    if device == "cuda":
        pick_device(device)  # without a GPU it is refused now, not at the first puzzle
    workers = workers or min(4, cores())
    # Those that are refused a place in the queue hear it from inside.
    requests = max(64, 4 * (workers + queue))
    limits = Limits(workers=workers, queue=queue, requests=requests, solve_seconds=time_limit)
    local = {"127.0.0.1", "localhost", "::1"}
    hosts = frozenset({"localhost", "127.0.0.1", "[::1]"}) if host in local else None
    settings = Settings(limits=limits, device=device, hosts=hosts)
    listener = _listen(host, port)
    address = f"http://{'localhost' if host in local else host}:{listener.getsockname()[1]}"
    typer.echo(f"Ganzzle is at {address} (API at {address}/docs). Ctrl+C ends it.")
    if open_browser:
        import webbrowser

        webbrowser.open(address)
    server = make_server(create_app(settings), limits)
    with suppress(KeyboardInterrupt):  # Ctrl+C is how it is meant to end
        server.run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything else is started, so that a taken one is one clear line."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)  # from here on a browser waits instead of being refused
    except OSError as error:
        other = "--port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise GanzzleError(
            f"cannot listen on {host}:{port} ({error.strerror}); try another {other}"
        ) from None
    return listener
