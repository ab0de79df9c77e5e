"""Laying pieces by hand in a real headless Chromium: mouse, touch, keyboard, and the race."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from page_helpers import (
    Open,
    drag,
    expect_board,
    open_picture,
    place_on_screen,
    set_pace,
    settle,
    slot_on_screen,
    slots_of,
    state,
    touch_drag,
)
from playwright.sync_api import Page, expect


def test_a_race_won_by_hand_with_the_mouse(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(64, 64)
    open_picture(page, picture, "2x2")
    set_pace(page, 60)
    page.click("#race")
    state(page, "race")
    expect(page.locator("#status")).to_have_text("Go!")
    for _ in range(4):
        drag_one_home(page)
    expect(page.locator("#status")).to_contain_text("You win")
    assert page.evaluate("document.body.dataset.winner") == "you"
    page.locator("h1").click()
    expect_board(page, picture)


def drag_one_home(page: Page) -> None:
    """Drag a piece from the pile to the slot whose pixels it has."""
    found = page.evaluate(
        """async () => {
          const canvas = document.querySelector("canvas");
          const stage = canvas.stage;
          const i = stage.pieces.findIndex((piece) => piece.slot < 0);
          const { x, y } = stage.pieces[i];
          const goal = stage.slotCentre(stage.puzzle.truth.placement[i]);
          return [x, y, goal.x, goal.y];
        }"""
    )
    start, goal = place_on_screen(page, *found[:2]), place_on_screen(page, *found[2:])
    drag(page, start, goal)


def test_the_machine_wins_against_someone_who_sleeps(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    open_picture(page, draw(64, 64), "2x2")
    set_pace(page, 60)
    page.clock.install()
    page.click("#race")
    expect(page.locator("#race")).to_have_text("Give up")
    expect(page.locator("#status")).to_have_text("Go!")
    for _ in range(4):
        page.clock.fast_forward(60_000)
    expect(page.locator("#status")).to_contain_text("The machine wins")
    expect(page.locator("#race")).to_have_text("Race again")
    page.click("#race")
    expect(page.locator("#status")).to_have_text("Go!")
    assert set(slots_of(page)) == {-1}
    expect(page.locator("#pace")).to_be_disabled()
    expect(page.locator("#race")).to_have_text("Give up")
    page.click("#race")
    state(page, "whole")
    expect(page.locator(".lane")).to_have_count(1)


def test_on_a_phone_both_boards_of_a_race_are_seen(open_page: Open) -> None:
    page = open_page("/#grid=3x3", 390, 844, reduced_motion="reduce", has_touch=True, is_mobile=True)
    set_pace(page, 60)
    page.click("#race")
    expect(page.locator("#status")).to_have_text("Go!")
    settle(page)
    tops_and_bottoms = page.evaluate(
        """() => [...document.querySelectorAll(".table")].map((one) => {
          const { top, bottom } = one.getBoundingClientRect();
          return [top, bottom];
        })"""
    )
    assert all(top >= 0 and bottom <= 844 for top, bottom in tops_and_bottoms)


def test_everything_works_with_the_keyboard_alone(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    open_picture(page, draw(64, 64), "2x2")
    tab_to(page, "shuffle")
    page.keyboard.press("Enter")
    state(page, "shuffled")
    expect(page.locator("#shuffle")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "CANVAS":
            break
    truth = page.evaluate("document.querySelector('canvas').stage.puzzle.truth.placement")
    for _ in range(4):
        page.keyboard.press("n")
        held = page.evaluate("document.querySelector('canvas').stage.held")
        expect(page.locator("#status")).to_contain_text(f"Piece {held + 1} in hand")
        for key in ("ArrowUp", "ArrowLeft"):
            page.keyboard.press(key)
        if truth[held] >= 2:
            page.keyboard.press("ArrowDown")
        if truth[held] % 2:
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("Done by hand")
    page.keyboard.press("Enter")  # lift the piece under the cursor
    expect(page.locator("#status")).to_contain_text("in hand")
    page.keyboard.press("Escape")
    expect(page.locator("#status")).to_have_text("Put back.")
    tab_to(page, "solve")
    page.keyboard.press("Enter")
    state(page, "solved")


def tab_to(page: Page, element: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(40):
        if page.evaluate("document.activeElement.id") == element:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"#{element} cannot be reached with the Tab key")


def test_touch_on_a_narrow_screen(open_page: Open, draw) -> None:
    page = open_page(
        width=360, height=740, has_touch=True, is_mobile=True, device_scale_factor=2, reduced_motion="reduce"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.click("#more-summary")
    open_picture(page, draw(64, 64), "2x2")
    page.click("#shuffle")
    state(page, "shuffled")
    truth = page.evaluate("document.querySelector('canvas').stage.puzzle.truth.placement")
    page.locator("canvas").scroll_into_view_if_needed()
    touch_drag(page, truth.index(0))
    expect(page.locator("#status")).to_have_text("1 of 4 pieces laid.")
    page.click("#solve")
    state(page, "solved")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_click_on_the_solved_picture_changes_nothing(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    open_picture(page, draw(64, 64), "2x2")
    page.click("#solve")
    state(page, "solved")
    said = page.locator("#status").text_content()
    page.mouse.click(*slot_on_screen(page, 0))
    expect(page.locator(".result")).to_be_visible()
    assert page.locator("#status").text_content() == said


def test_what_was_corrected_by_hand_can_be_saved(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    open_picture(page, draw(64, 64), "2x2")
    page.click("#solve")
    state(page, "solved")
    before = slots_of(page)
    drag(page, slot_on_screen(page, 0), slot_on_screen(page, 3))
    after = slots_of(page)
    assert sorted(after) == sorted(before)
    assert after != before
    expect(page.locator('.result [data-is="solver"]')).to_have_text("by hand")
    with page.expect_download() as file:
        page.click('[data-is="json"]')
    assert json.loads(Path(file.value.path()).read_text())["placement"] == after


def test_a_finger_on_the_solved_picture_moves_no_piece(open_page: Open, draw) -> None:
    page = open_page(width=360, height=740, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page.click("#more-summary")
    open_picture(page, draw(64, 64), "2x2")
    page.click("#solve")
    state(page, "solved")
    before = slots_of(page)
    session = page.context.new_cdp_session(page)
    start, goal = slot_on_screen(page, 2), slot_on_screen(page, 0)
    for kind, point in (("touchStart", start), ("touchMove", goal), ("touchEnd", None)):
        points = [] if point is None else [{"x": point[0], "y": point[1]}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(page.locator(".result")).to_be_visible()
    assert slots_of(page) == before


def test_a_race_that_is_refused_leaves_a_puzzle_to_solve(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    open_picture(page, draw(64, 64), "2x2")
    refusal = {"status": 429, "content_type": "application/json", "body": '{"error": "too busy"}'}
    page.route("**/api/solve", lambda route: route.fulfill(**refusal))
    page.click("#race")
    state(page, "shuffled")
    expect(page.locator("canvas")).to_have_count(1)
    page.unroute("**/api/solve")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator('[data-is="direct"]')).to_have_text("100 %")


@pytest.mark.parametrize(("wrong", "word"), [(1, "piece"), (2, "pieces")])
def test_the_machine_owns_up(open_page: Open, wrong: int, word: str) -> None:
    said = open_page().evaluate(
        """async (wrong) => (await import("/static/js/words.js")).machineErred(wrong)""", wrong
    )
    assert said == f"The machine is done, with {wrong} wrong {word}. You can still win!"


def test_another_race_has_another_pile(open_page: Open) -> None:
    page = open_page("/#grid=2x2&solver=gallagher", reduced_motion="reduce")
    page.select_option("#pace", "0.6")
    page.click("#race")
    expect(page.locator("#race")).to_have_text("Race again")
    set_pace(page, 60)
    with page.expect_request("**/api/shuffle"):
        page.click("#race")
    expect(page.locator("#status")).to_have_text("Go!")


def test_a_held_piece_is_seen_whole_in_the_first_row(open_page: Open) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    page.click("#shuffle")
    expect(page.locator("#status")).to_contain_text("Press Solve")
    page.locator("canvas").focus()
    page.keyboard.press("n")
    top = page.evaluate(
        """() => {
          const { pieces, held, puzzle } = document.querySelector("canvas").stage;
          return pieces[held].y - (pieces[held].scale * puzzle.height) / 2;
        }"""
    )
    assert top >= 0
