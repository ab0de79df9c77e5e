"""Servers for the tests of the web room."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from web_helpers import Server, make_settings, running


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the usual limits."""
    with running(make_settings()) as one:
        yield one


@pytest.fixture(scope="session")
def small_server() -> Iterator[Server]:
    """One worker, one place in the queue, and little patience."""
    limits = {
        "upload_bytes": 200_000,
        "pixels": 200_000,
        "pieces": 64,
        "solve_seconds": 1.5,
        "upload_seconds": 1.5,
    }
    with running(make_settings(workers=1, queue=1, **limits)) as one:
        yield one
