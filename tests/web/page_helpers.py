"""Looking at the page from outside: its state, its board, its places on the screen."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Page, expect
from web_helpers import PATIENCE, png

Open = Callable[..., Page]
RESTING = ("empty", "whole", "shuffled", "solved")  # states in which the page lays itself out and waits
# Until nothing has changed its place for three frames: the page scrolls, fades and lays out anew after an answer.
SETTLED = """async () => {
  const parts = () => [...document.querySelectorAll("body, .bar, .said, .table, canvas, .result")];
  const places = () => JSON.stringify(parts().map((one) => one.getBoundingClientRect()));
  const end = performance.now() + 10000;
  for (let before = "", same = 0; same < 3 && performance.now() < end;) {
    await new Promise(requestAnimationFrame);
    const now = places();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}"""
# What a click changed is painted with the next frame: look when no frame is due any more.
BOARD = """async (canvas) => {
  const end = performance.now() + 60000;
  while (canvas.stage.frame && performance.now() < end) await new Promise(requestAnimationFrame);
  const [x, y, width, height] = canvas.dataset.board.split(" ").map(Number);
  const data = canvas.getContext("2d").getImageData(x, y, width, height).data;
  let text = "";
  for (let k = 0; k < data.length; k += 8192) text += String.fromCharCode(...data.subarray(k, k + 8192));
  return [width, height, btoa(text)];
}"""


def state(page: Page, name: str) -> None:
    page.wait_for_selector(f"body[data-state={name}]")
    if name in RESTING:
        settle(page)


def settle(page: Page) -> None:
    """Wait until everything on the page has its place."""
    page.evaluate(SETTLED)


def stop_clock(page: Page) -> None:
    """From now on the page has only the time that `page.clock` gives it, however slow the machine is."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)


def run_until_said(page: Page, text: str) -> None:
    """With a stopped clock: let time pass until the status says this. Answers of the server take no time."""
    end = time.monotonic() + PATIENCE
    while page.locator("#status").text_content() != text:
        assert time.monotonic() < end, f"it never said: {text}"
        page.clock.run_for(50)


def set_pace(page: Page, seconds: float) -> None:
    """In the next race the machine lays a piece every so many seconds."""
    page.evaluate("(pace) => { document.getElementById('pace').selectedOptions[0].value = pace; }", seconds)


def board(page: Page, which: int = 0) -> np.ndarray:
    """The board's pixels on the visible canvas, (H, W, 3), when nothing moves on it."""
    width, height, data = page.locator("canvas").nth(which).evaluate(BOARD)
    pixels = np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)
    assert (pixels[..., 3] == 255).all()
    return pixels[..., :3]


def expect_board(page: Page, pixels: np.ndarray, which: int = 0) -> None:
    """The board shows these pixels, (H, W, 3), now or soon: a busy machine may paint late."""
    end = time.monotonic() + 60
    while not np.array_equal(board(page, which), pixels) and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert np.array_equal(board(page, which), pixels)


def open_picture(page: Page, picture: np.ndarray, grid: str) -> None:
    rows, cols = grid.split("x")
    page.locator("#open-picture").set_input_files(
        {"name": "mine.png", "mimeType": "image/png", "buffer": png(picture)}
    )
    expect(page.locator('#samples input[value=":picture"]')).to_be_checked()
    state(page, "whole")
    page.fill("#rows", rows)
    page.fill("#cols", cols)
    expect(page.locator("#status")).to_have_text(f"{int(rows) * int(cols)} pieces. Press Shuffle.")
    state(page, "whole")


def place_on_screen(page: Page, x: float, y: float) -> tuple[float, float]:
    """From a place on the table to one on the screen."""
    canvas = page.locator("canvas").first
    canvas.scroll_into_view_if_needed()
    settle(page)
    box = canvas.bounding_box()
    assert box is not None
    width, height = canvas.evaluate("(c) => [c.width, c.height]")
    return box["x"] + x * box["width"] / width, box["y"] + y * box["height"] / height


def slots_of(page: Page) -> list[int]:
    """Where the pieces lie."""
    return page.evaluate("document.querySelector('canvas').stage.slots")


def slot_on_screen(page: Page, slot: int) -> tuple[float, float]:
    """The middle of a slot."""
    x, y = page.evaluate(
        "(slot) => { const { x, y } = document.querySelector('canvas').stage.slotCentre(slot); return [x, y]; }",
        slot,
    )
    return place_on_screen(page, x, y)


def drag(page: Page, start: tuple[float, float], goal: tuple[float, float]) -> None:
    """With the mouse, from one place on the screen to another."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + goal[0]) / 2, (start[1] + goal[1]) / 2)
    page.mouse.move(*goal)
    page.mouse.up()


def touch_drag(page: Page, i: int) -> None:
    """Drag piece i to its slot with a finger."""
    x, y, goal_x, goal_y = page.evaluate(
        """(i) => {
          const stage = document.querySelector("canvas").stage;
          const goal = stage.slotCentre(stage.puzzle.truth.placement[i]);
          stage.raise(i);
          return [stage.pieces[i].x, stage.pieces[i].y, goal.x, goal.y];
        }""",
        i,
    )
    session = page.context.new_cdp_session(page)
    start, goal = place_on_screen(page, x, y), place_on_screen(page, goal_x, goal_y)
    for kind, point in (("touchStart", start), ("touchMove", goal), ("touchEnd", None)):
        points = [] if point is None else [{"x": point[0], "y": point[1]}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
