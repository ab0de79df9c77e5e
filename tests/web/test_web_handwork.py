"""Hand work on the page: taking it back, and not losing it."""

from __future__ import annotations

import pytest
from page_helpers import (
    Open,
    board,
    drag,
    expect_board,
    open_picture,
    place_on_screen,
    set_pace,
    slot_on_screen,
    slots_of,
    state,
)
from playwright.sync_api import Dialog, Page, expect


def shuffled_page(open_page: Open, address: str = "/#sample=landscape&grid=2x2&seed=3") -> Page:
    page = open_page(address, reduced_motion="reduce")
    page.click("#shuffle")
    expect(page.locator("#status")).to_have_text("Press Solve, or drag the pieces yourself.")
    return page


def place_of(page: Page, i: int) -> tuple[float, float]:
    """Where piece i lies on the screen, on top of the others."""
    place = "(i) => { const { stage } = document.querySelector('canvas'); stage.raise(i); return stage.pieces[i]; }"
    piece = page.evaluate(place, i)
    return place_on_screen(page, piece["x"], piece["y"])


def lay(page: Page, i: int, slot: int) -> None:
    drag(page, place_of(page, i), slot_on_screen(page, slot))


def turns_of(page: Page) -> list[int]:
    return page.evaluate("document.querySelector('canvas').stage.turns")


def test_undo_and_redo_with_the_buttons(open_page: Open) -> None:
    page = shuffled_page(open_page)
    undo, redo = page.locator("#undo"), page.locator("#redo")
    expect(undo).to_be_hidden()
    lay(page, 0, 0)
    lay(page, 1, 1)
    lay(page, 2, 1)  # piece 1 gives way
    assert slots_of(page) == [0, -1, 1, -1]
    expect(redo).to_be_disabled()
    undo.click()
    assert slots_of(page) == [0, 1, -1, -1]
    expect(page.locator("#status")).to_have_text("Undone. 2 of 4 pieces laid.")
    undo.click()
    undo.click()
    assert slots_of(page) == [-1] * 4
    expect(undo).to_be_disabled()
    expect(redo).to_be_focused()
    redo.click()
    assert slots_of(page) == [0, -1, -1, -1]
    expect(page.locator("#status")).to_have_text("Done again. 1 of 4 pieces laid.")
    lay(page, 3, 2)  # a new move ends what could be redone
    expect(redo).to_be_disabled()
    page.click("#shuffle")
    expect(undo).to_be_hidden()


@pytest.mark.parametrize("redo", ["Control+Shift+Z", "Control+Y", "Meta+Shift+Z"])
def test_undo_and_redo_with_the_keyboard(open_page: Open, redo: str) -> None:
    page = shuffled_page(open_page)
    page.locator("canvas").focus()
    for key in ("n", "Enter", "n", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert sorted(slots_of(page)) == [-1, -1, 0, 1]
    page.keyboard.press("Meta+Z" if "Meta" in redo else "Control+Z")
    assert sorted(slots_of(page)) == [-1, -1, -1, 0]
    page.keyboard.press(redo)
    assert sorted(slots_of(page)) == [-1, -1, 0, 1]
    page.keyboard.press("Enter")  # a piece in the hand goes back first
    page.keyboard.press("Control+Z")
    expect(page.locator("#status")).to_have_text("Put back.")
    assert sorted(slots_of(page)) == [-1, -1, 0, 1]


def test_the_keys_of_a_number_field_stay_its_own(open_page: Open) -> None:
    page = shuffled_page(open_page)
    lay(page, 0, 0)
    page.locator("#rows").focus()
    page.keyboard.press("Control+Z")
    assert slots_of(page) == [0, -1, -1, -1]


def test_turns_are_taken_back(open_page: Open) -> None:
    page = shuffled_page(open_page, "/#grid=2x2&rotated=1&solver=gallagher")
    page.mouse.click(*place_of(page, 0))
    assert turns_of(page) != [0] * 4
    page.click("#undo")
    assert turns_of(page) == [0] * 4
    page.locator("canvas").focus()
    for key in ("n", "r", "Escape"):  # put back is put back as it was
        page.keyboard.press(key)
    assert turns_of(page) == [0] * 4


def test_undoing_a_correction_brings_the_result_back(open_page: Open) -> None:
    page = open_page("/#grid=2x2&solver=dreamer", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    said, pixels = page.locator("#status").text_content(), board(page)
    drag(page, slot_on_screen(page, 0), slot_on_screen(page, 3))
    expect(page.locator('[data-is="solver"]')).to_have_text("by hand")
    expect(page.locator(".mental")).to_be_hidden()
    page.click("#undo")
    expect(page.locator("#status")).to_have_text(f"Undone. {said}")
    expect(page.locator('[data-is="solver"]')).to_have_text("dreamer")
    expect(page.locator('[data-is="direct"]')).to_be_visible()
    expect(page.locator(".mental")).to_be_visible()
    expect_board(page, pixels)


def test_moves_of_a_race_are_taken_back(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    open_picture(page, draw(64, 64), "2x2")
    set_pace(page, 60)
    page.click("#race")
    expect(page.locator("#status")).to_have_text("Go!")
    lay(page, 0, 0)
    page.click("#undo")
    assert slots_of(page) == [-1] * 4
    page.click("#race")
    state(page, "whole")
    expect(page.locator("#undo")).to_be_hidden()


def asked_before_leaving(page: Page) -> bool:
    """Load the page again; says whether the browser asked first."""
    asked = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    page.reload()
    state(page, "whole")
    page.remove_listener("dialog", answer)
    assert asked in ([], ["beforeunload"])
    return bool(asked)


def test_unsaved_hand_work_is_not_lost_unasked(open_page: Open) -> None:
    page = shuffled_page(open_page)
    assert not asked_before_leaving(page)
    page.click("#shuffle")
    state(page, "shuffled")
    lay(page, 0, 0)
    assert asked_before_leaving(page)
    page.click("#shuffle")
    state(page, "shuffled")
    lay(page, 0, 0)
    page.click("#undo")
    assert not asked_before_leaving(page)


def test_what_is_saved_or_done_may_be_left(open_page: Open) -> None:
    page = open_page("/#sample=landscape&grid=2x2&seed=3&solver=dreamer", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    drag(page, slot_on_screen(page, 0), slot_on_screen(page, 3))
    with page.expect_download():
        page.click('[data-is="json"]')
    assert not asked_before_leaving(page)
    page.click("#shuffle")
    state(page, "shuffled")
    for i, slot in enumerate(page.evaluate("document.querySelector('canvas').stage.puzzle.truth.placement")):
        lay(page, i, slot)
    expect(page.locator("#status")).to_contain_text("Done by hand")
    assert not asked_before_leaving(page)


def test_after_loading_again_own_files_are_asked_for(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    open_picture(page, draw(64, 64), "2x2")
    assert not asked_before_leaving(page)
    expect(page.locator("#status")).to_have_text("The page keeps no files: please open mine.png again.")
    assert not asked_before_leaving(page)
    expect(page.locator("#status")).to_have_text("4 pieces. Press Shuffle.")


def test_a_puzzle_finished_wrongly_is_judged(open_page: Open) -> None:
    page = shuffled_page(open_page)
    truth = page.evaluate("document.querySelector('canvas').stage.puzzle.truth.placement")
    wrong = [truth[1], truth[0], *truth[2:]]
    for i, slot in enumerate(wrong):
        lay(page, i, slot)
    expect(page.locator("#status")).to_have_text("All 4 laid, 2 of them right.")
    expect(page.locator('[data-is="direct"]')).to_have_text("50.0 %")
    expect(page.locator('[data-is="neighbour"]')).to_be_hidden()
    page.check('[data-is="wrong"]')
    assert page.evaluate("document.querySelector('canvas').stage.wrong") == [0, 1]
    lay(page, 0, truth[0])
    expect(page.locator("#status")).to_contain_text("Done by hand")
    expect(page.locator('[data-is="wrong"]')).to_be_hidden()
