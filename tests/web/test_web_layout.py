"""How the page is laid out, on screens of every shape, in a real headless Chromium."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from page_helpers import Open, open_picture, run_until_said, set_pace, state, stop_clock, touch_drag
from PIL import Image
from playwright.sync_api import expect
from web_helpers import encoded

from ganzzle.solvers import default_solver

SCREENSHOT = Path(__file__).parents[2] / "docs" / "web.png"


def test_the_grids_to_choose_from_are_in_one_row(open_page: Open) -> None:
    page = open_page()
    tops = {box["y"] for chip in page.locator("#chips button").all() if (box := chip.bounding_box())}
    assert len(tops) == 1


def test_the_first_screen_of_a_phone_shows_the_whole_picture(open_page: Open) -> None:
    page = open_page("/", 390, 844, has_touch=True, is_mobile=True)
    for part in ("#open-picture", "#shuffle", ".table"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 844


def test_the_users_own_files_are_seen_to_be_chosen_on_a_narrow_screen(open_page: Open, draw) -> None:
    page = open_page("/", 320, 640, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page.locator("#open-picture").set_input_files(
        {"name": "mine.png", "mimeType": "image/png", "buffer": encoded(draw(64, 64), "PNG")}
    )
    state(page, "whole")
    thumb = page.locator('#samples label:has(input[value=":picture"])').bounding_box()
    row = page.locator("#samples").bounding_box()
    assert thumb is not None
    assert row is not None
    assert thumb["x"] + thumb["width"] <= row["x"] + row["width"] + 1


@pytest.mark.parametrize("width", [1000, 1024, 1100, 1280])
def test_the_buttons_of_a_wide_page_are_in_one_row(open_page: Open, width: int) -> None:
    page = open_page("/#grid=3x3", width, 700)
    boxes = [page.locator(f"#{name}").bounding_box() for name in ("shuffle", "solve", "race", "copy-link")]
    middles = [box["y"] + box["height"] / 2 for box in boxes if box]
    assert len(middles) == 4
    assert max(middles) - min(middles) < 2


@pytest.mark.parametrize(("height", "width"), [(640, 160), (480, 270), (160, 800)])
def test_results_are_readable_whatever_the_shape(open_page: Open, draw, height: int, width: int) -> None:
    page = open_page("/#solver=dreamer", reduced_motion="reduce")
    open_picture(page, draw(height, width), "4x4")
    page.click("#solve")
    state(page, "solved")
    for card in page.locator(".result dd:visible").all():
        assert card.evaluate("(one) => one.clientHeight < 2 * parseFloat(getComputedStyle(one).fontSize)")
    image = page.locator(".mental img").bounding_box()
    assert image is not None
    assert image["width"] / image["height"] == pytest.approx(width / height, rel=0.05)
    top, bottom = page.evaluate(
        """() => {
          const box = (name) => document.querySelector(name).getBoundingClientRect();
          const [inner, outer] = [box(".result"), box(".lane")];
          return [inner.top - outer.top, outer.bottom - inner.bottom];
        }"""
    )
    assert min(top, bottom) > -1


def test_the_result_in_a_low_window_can_be_scrolled_to_its_top(open_page: Open, draw) -> None:
    page = open_page("/#solver=dreamer", height=420, reduced_motion="reduce")
    open_picture(page, draw(480, 270), "4x4")
    page.click("#solve")
    state(page, "solved")
    gap = page.evaluate(
        """() => {
          const result = document.querySelector(".result");
          result.scrollTop = 0;
          return result.querySelector("dl").getBoundingClientRect().top - result.getBoundingClientRect().top;
        }"""
    )
    assert gap >= 0


def test_light_and_dark(open_page: Open) -> None:
    colours = [
        open_page(color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    light, dark = (sum(map(int, text[4:-1].split(","))) for text in colours)
    assert dark < 200 < 600 < light


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_table_below_the_fold_is_shown_when_something_begins(open_page: Open, motion: str) -> None:
    page = open_page("/#grid=3x3", width=360, height=740, reduced_motion=motion)
    assert page.evaluate("scrollY") == 0
    page.evaluate("document.getElementById('shuffle').click()")  # which scrolls nothing by itself
    state(page, "shuffled")
    page.wait_for_function(
        "() => document.querySelector('canvas').getBoundingClientRect().bottom <= innerHeight"
    )


def test_nothing_is_wider_than_a_narrow_screen(open_page: Open) -> None:
    page = open_page("/#grid=3x3", width=320, height=640, reduced_motion="reduce")
    page.click("#more-summary")
    for button in ("shuffle", "solve"):
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.click(f"#{button}")
    state(page, "solved")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_finished_picture_is_in_the_middle_where_its_result_is_below(open_page: Open) -> None:
    page = open_page("/#grid=3x3", width=768, reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    left, right = page.evaluate(
        """() => {
          const { stage } = document.querySelector("canvas");
          const [canvas, table] = [stage.canvas, stage.canvas.parentElement].map((one) => one.getBoundingClientRect());
          const middle = canvas.left + (stage.slotCentre(4).x * canvas.width) / stage.canvas.width;
          return [middle - table.left, table.right - middle];
        }"""
    )
    assert abs(left - right) < 3


def test_screenshot(open_page: Open, tmp_path: Path) -> None:
    """The picture in the README, six bits a colour. It is taken anew when GANZZLE_SCREENSHOT=1 says so."""
    page = open_page(f"/#sample=portrait&grid=10x10&seed=4&solver={default_solver()}", width=1280, height=760)
    stop_clock(page)
    page.click("#solve")
    run_until_said(page, "Then it lays the pieces, the surest first")
    page.clock.run_for(1600)  # half of them lie
    path = SCREENSHOT if os.environ.get("GANZZLE_SCREENSHOT") == "1" else tmp_path / "web.png"
    path.parent.mkdir(exist_ok=True)
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shown.point([round(round(v * 63 / 255) * 255 / 63) for v in range(256)] * 3).save(path, optimize=True)
    assert 50_000 < path.stat().st_size < 450_000
    laid = page.evaluate("document.querySelector('canvas').stage.laid")
    assert 20 < laid < 80
    page.clock.resume()
    state(page, "solved")


def test_a_new_picture_does_not_move_the_table(open_page: Open) -> None:
    page = open_page("/#grid=3x3", 390, 844)
    moving = page.evaluate("document.getAnimations().map((one) => one.transitionProperty)")
    assert "max-height" not in moving
    assert "transform" not in moving


@pytest.mark.parametrize("width", [360, 390])
def test_a_race_takes_one_row_on_a_phone(open_page: Open, width: int) -> None:
    page = open_page("/#grid=3x3", width, 740, has_touch=True, is_mobile=True)
    race, pace = (page.locator(name).bounding_box() for name in ("#race", "#pace"))
    assert race is not None
    assert pace is not None
    assert race["x"] + race["width"] <= pace["x"]
    assert abs(race["y"] - pace["y"]) < 10
    needed = page.evaluate(
        """() => {
          const pace = document.getElementById("pace");
          pace.style.flex = "none";
          return pace.offsetWidth;
        }"""
    )
    assert needed <= pace["width"]  # its longest words are not cut off


@pytest.mark.parametrize(("width", "height"), [(320, 256), (740, 360)])
def test_a_low_window_shows_the_table(open_page: Open, width: int, height: int) -> None:
    """As a phone on its side does, and a page that is enlarged four times."""
    page = open_page("/#grid=3x3&solver=gallagher", width, height, reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    top, bottom = page.evaluate(
        """() => {
          const { top, bottom } = document.querySelector(".table").getBoundingClientRect();
          return [top, bottom];
        }"""
    )
    assert top >= 0
    assert bottom <= height + 1
    bar = page.locator(".actions").bounding_box()
    assert bar is not None
    assert bar["y"] + bar["height"] <= top


def test_what_has_the_focus_is_not_under_the_bar(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=dreamer", 360, 640, reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.locator('.result [data-is="json"]').focus()
    for _ in range(4):
        page.keyboard.press("Shift+Tab")
        gap = page.evaluate(
            """() => document.activeElement.getBoundingClientRect().top
              - document.querySelector(".bar").getBoundingClientRect().bottom"""
        )
        assert gap >= 0 or page.evaluate("document.activeElement.tagName") == "CANVAS"


def test_the_ring_of_the_chosen_thumbnail_is_seen_whole(open_page: Open, draw) -> None:
    page = open_page("/", 320, 640, reduced_motion="reduce")
    page.locator("#open-picture").set_input_files(
        {"name": "mine.png", "mimeType": "image/png", "buffer": encoded(draw(64, 64), "PNG")}
    )
    state(page, "whole")
    thumb = page.locator('#samples label:has(input[value=":picture"])').bounding_box()
    row = page.locator("#samples").bounding_box()
    assert thumb is not None
    assert row is not None
    assert thumb["x"] - 4 >= row["x"]
    assert thumb["x"] + thumb["width"] + 4 <= row["x"] + row["width"]


@pytest.mark.parametrize("width", [390, 320])
def test_the_long_name_of_a_file_is_broken(open_page: Open, draw, width: int) -> None:
    page = open_page("/#grid=3x3", width, 844, has_touch=True, is_mobile=True, reduced_motion="reduce")
    name = "screenshot_of_my_holiday_" * 4
    fits = "document.documentElement.scrollWidth <= innerWidth && innerWidth"
    page.locator("#open-picture").set_input_files(
        {"name": f"{name}.png", "mimeType": "image/png", "buffer": b"no picture"}
    )
    expect(page.locator("#error")).to_contain_text(name)
    assert page.evaluate(fits) == width
    pieces: list[Any] = [
        {"name": f"{i}.png", "mimeType": "image/png", "buffer": encoded(draw(32, 32, i), "PNG")}
        for i in (1, 2)
    ]
    other = {"name": f"{name}.txt", "mimeType": "text/plain", "buffer": b"-"}
    page.locator("#open-pile").set_input_files([*pieces, other])
    expect(page.locator("#status")).to_contain_text(name)
    assert page.evaluate(fits) == width


STATUS_BELOW_BAR = """() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const { top, bottom } = box("#status");
  return top >= box(".bar").bottom && bottom <= innerHeight;
}"""
# What the status says and whether it is seen then, once nothing is scrolled any more.
WATCH_STATUS = """() => {
  const status = document.getElementById("status");
  window.seen = {};
  const look = () => {
    const { top, bottom } = status.getBoundingClientRect();
    const bar = document.querySelector(".bar").getBoundingClientRect();
    window.seen[status.textContent] = top >= bar.bottom && top >= 0 && bottom <= innerHeight;
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568)])
def test_what_is_said_in_a_race_is_seen_on_a_phone(open_page: Open, width: int, height: int) -> None:
    page = open_page("/#grid=2x2", width, height, has_touch=True, is_mobile=True, reduced_motion="reduce")
    set_pace(page, 60)
    stop_clock(page)
    page.evaluate(WATCH_STATUS)
    page.evaluate("document.getElementById('race').click()")
    run_until_said(page, "Go!")
    page.clock.resume()
    touch_drag(page, 0)
    expect(page.locator("#hand-set")).to_be_visible()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    for _ in range(4):
        page.clock.fast_forward(60_000)
    expect(page.locator("#status")).to_contain_text("The machine wins")
    page.wait_for_function(STATUS_BELOW_BAR)
    expect(page.locator("#hand-set")).to_be_hidden()
    seen = page.evaluate("window.seen")
    assert all(seen[word] for word in ("3…", "2…", "1…"))


@pytest.mark.parametrize("button", ["shuffle", "solve"])
def test_what_is_said_on_a_small_phone_is_not_under_the_bar(open_page: Open, button: str) -> None:
    page = open_page("/#grid=3x3", 320, 568, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page.evaluate("(id) => document.getElementById(id).click()", button)
    state(page, {"shuffle": "shuffled", "solve": "solved"}[button])
    page.wait_for_function(
        "() => document.querySelector('.table').getBoundingClientRect().bottom <= innerHeight + 1"
    )
    page.wait_for_function(STATUS_BELOW_BAR)
    bar = page.locator(".bar").bounding_box()
    assert bar is not None
    assert bar["height"] < 70
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    for name in (".said", ".table"):
        page.evaluate("(name) => document.querySelector(name).scrollIntoView()", name)
        gap = page.evaluate(
            """(name) => document.querySelector(name).getBoundingClientRect().top
              - document.querySelector(".bar").getBoundingClientRect().bottom""",
            name,
        )
        assert gap >= 0


@pytest.mark.parametrize(("width", "height"), [(844, 390), (800, 900)])
def test_the_sources_take_few_rows_up_to_a_wide_page(open_page: Open, width: int, height: int) -> None:
    page = open_page("/#grid=3x3", width, height)
    samples, own = (page.locator(name).bounding_box() for name in ("#samples", "#open-picture"))
    assert samples is not None
    assert own is not None
    assert own["y"] < samples["y"] + samples["height"]
    assert own["x"] >= samples["x"] + samples["width"]


def test_the_result_is_under_a_low_table(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=dreamer", 844, 390, reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    table, result = (page.locator(name).bounding_box() for name in (".table", ".result"))
    assert table is not None
    assert result is not None
    assert result["y"] >= table["y"] + table["height"]
    page.evaluate("document.getElementById('play').scrollIntoView()")
    shuffle = page.locator("#shuffle").bounding_box()
    assert shuffle is not None
    assert shuffle["y"] > 7  # not at the very edge
