"""What somebody without a mouse, with a screen reader or with strong colours needs, in a real headless Chromium."""

from __future__ import annotations

import numpy as np
import pytest
from page_helpers import Open, set_pace, state
from playwright.sync_api import Page, Route, expect

COLOURS = """([name, property]) => [...document.querySelectorAll(name)].map((one) => getComputedStyle(one)[property])"""


# What had the focus since.
FOCUSED = """() => {
  window.focused = [];
  document.addEventListener("focusin", ({ target }) => window.focused.push(target.id || target.dataset.is));
}"""


def press(page: Page, button: str) -> None:
    page.locator(button).focus()
    page.keyboard.press("Enter")


def test_a_button_that_had_to_wait_keeps_the_focus(open_page: Open) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    press(page, "#shuffle")
    state(page, "shuffled")
    for _ in range(2):  # now another puzzle is made first
        with page.expect_response("**/api/shuffle"):
            page.keyboard.press("Enter")
        expect(page.locator("#shuffle")).to_be_enabled()
        expect(page.locator("#shuffle")).to_be_focused()
    set_pace(page, 60)
    press(page, "#race")
    expect(page.locator("#status")).to_have_text("Go!")
    expect(page.locator("canvas").first).to_be_focused()
    press(page, "#race")  # give up
    state(page, "whole")
    expect(page.locator("#race")).to_be_focused()


def test_nobody_who_went_elsewhere_is_called_back(open_page: Open) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    page.click("#shuffle")
    expect(page.locator("#status")).to_contain_text("Press Solve")

    def go_elsewhere(route: Route) -> None:
        page.locator("#solver").focus()
        route.continue_()

    page.route("**/api/shuffle", go_elsewhere)
    with page.expect_response("**/api/shuffle"):
        press(page, "#shuffle")
    expect(page.locator("#shuffle")).to_be_enabled()
    expect(page.locator("#solver")).to_be_focused()


def test_the_focus_stays_near_an_error_that_is_closed(open_page: Open) -> None:
    page = open_page("/#grid=3x3")
    page.fill("#rows", "99")
    expect(page.locator("#error")).to_be_visible()
    press(page, "#dismiss")
    expect(page.locator("#error")).to_be_hidden()
    page.keyboard.press("Tab")
    expect(page.locator("#shuffle")).to_be_focused()


def test_the_focus_comes_back_to_the_film(open_page: Open) -> None:
    page = open_page("/#grid=2x2&solver=gallagher")
    page.click("#solve")
    state(page, "solved")
    page.evaluate(FOCUSED)
    with page.expect_download():
        press(page, '[data-is="film"]')
    assert page.evaluate("window.focused") == ["film", "solve", "film"]  # on Solve it is stopped
    state(page, "solved")
    expect(page.locator('[data-is="film"]')).to_be_focused()


def test_what_is_chosen_is_seen_in_forced_colours(open_page: Open) -> None:
    page = open_page("/#grid=8x8", forced_colors="active")
    chosen, *others = (float(px[:-2]) for px in page.evaluate(COLOURS, ["#samples img", "borderTopWidth"]))
    assert others
    assert chosen > max(others)
    grids = page.evaluate(COLOURS, ["#chips button", "backgroundColor"])
    assert grids.count(grids[2]) == 1
    shuffle, solve = page.evaluate(COLOURS, ["#shuffle, #solve", "backgroundColor"])
    assert shuffle != solve


def test_a_slider_says_what_is_written_beside_it(open_page: Open) -> None:
    page = open_page("/#grid=3x3&noise=0.1", reduced_motion="reduce")
    for name, text in (("noise", "10 %"), ("worn", "none")):
        expect(page.locator(f"#{name}-out")).to_have_text(text)
        expect(page.locator(f"#{name}")).to_have_attribute("aria-valuetext", text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("shade", [(20, 30, 60), (43, 106, 101), (143, 224, 212), (250, 250, 250)])
def test_the_cursor_is_seen_on_any_picture(open_page: Open, scheme: str, shade: tuple[int, ...]) -> None:
    page = open_page("/#grid=3x3", color_scheme=scheme)
    cursor, halo = page.evaluate(
        """() => ["--cursor", "--halo"].map((name) => getComputedStyle(document.body).getPropertyValue(name).trim())"""
    )
    lines = [tuple(bytes.fromhex(text[1:])) for text in (cursor, halo)]
    assert max(contrast(line, shade) for line in lines) >= 3


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Of two colours, as WCAG measures it."""

    def luminance(colour: tuple[int, ...]) -> float:
        share = np.array(colour) / 255
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_the_ring_of_the_table_is_not_cut_off(open_page: Open) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    page.locator("#pace").focus()
    page.keyboard.press("Tab")
    expect(page.locator("canvas")).to_be_focused()
    ring, own = (
        page.evaluate(COLOURS, [name, "outlineStyle"])[0] for name in (".table:has(canvas)", "canvas")
    )
    assert (ring, own) == ("solid", "none")
