"""Servers for the tests of the web room."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from page_helpers import Open, state
from playwright.sync_api import Browser, Page, expect, sync_playwright
from web_helpers import PATIENCE, Server, make_settings, running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
REQUIRED = os.environ.get("GANZZLE_REQUIRE_CHROMIUM") == "1"
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
expect.set_options(timeout=120_000)  # only where it fails does it take as long


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the usual limits."""
    with running(make_settings()) as one:
        yield one


@pytest.fixture(scope="session")
def small_server() -> Iterator[Server]:
    """One worker, one place in the queue, and small requests only."""
    limits = {"upload_bytes": 200_000, "pixels": 200_000, "pieces": 64}
    with running(make_settings(workers=1, queue=1, **limits)) as one:
        yield one


@pytest.fixture(scope="module")
def hasty_server() -> Iterator[Server]:
    """Little patience, yet enough for what takes no time on an idle machine."""
    with running(make_settings(workers=1, solve_seconds=10.0, upload_seconds=5.0)) as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Without it the tests are skipped, unless GANZZLE_REQUIRE_CHROMIUM=1 asks for it."""
    if CHROMIUM is None:
        assert not REQUIRED, "there is no chromium: apt-get install chromium"
        pytest.skip("there is no Chromium on this machine (apt-get install chromium)")
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield one
        one.close()


@pytest.fixture
def open_page(browser: Browser, server: Server) -> Iterator[Open]:
    """Opens the page and waits for its first puzzle; at the end there must be no error and no request elsewhere."""
    complaints: list[str] = []
    contexts = []

    def open_one(address: str = "/", width: int = 1280, height: int = 860, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda r: (
                None if r.url.startswith((server.address, "data:", "blob:")) else complaints.append(r.url)
            ),
        )
        page.goto(server.address + address)
        state(page, "whole")
        return page

    yield open_one
    for context in contexts:
        context.close()
    # Chromium's own note on every 4xx answer, which the page shows to its user, and on these tests reading the canvas.
    expected = ("Failed to load resource", "Multiple readback operations")
    assert [text for text in complaints if not any(known in text for known in expected)] == []
