"""Opening pictures on the page, also those that cannot be read, and what errors say."""

from __future__ import annotations

import numpy as np
from page_helpers import Open, board, state
from playwright.sync_api import expect
from web_helpers import encoded


def test_errors_are_shown_and_the_page_goes_on(open_page: Open) -> None:
    page = open_page(reduced_motion="reduce")
    heic = b"\x00\x00\x00\x18ftypheic" + bytes(64)
    page.locator("#open-picture").set_input_files(
        {"name": "IMG.HEIC", "mimeType": "image/heic", "buffer": heic}
    )
    expect(page.locator("#error")).to_contain_text("HEIC")
    page.click("#error button")
    expect(page.locator("#error")).to_be_hidden()
    page.fill("#rows", "99")
    expect(page.locator("#error")).to_contain_text("2 to 20")
    page.fill("#rows", "5")
    state(page, "whole")
    expect(page.locator("#error")).to_be_hidden()
    page.select_option("#solver", "failing")
    page.click("#solve")
    expect(page.locator("#error")).to_contain_text("The solver failed")
    expect(page.locator(".said")).to_be_hidden()
    page.select_option("#solver", "gallagher")
    page.click("#solve")
    state(page, "solved")


def test_a_file_that_cannot_be_read_leaves_the_table_as_it_was(open_page: Open) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    before = board(page)
    said = page.locator("#status").text_content()
    assert said
    page.locator("#open-picture").set_input_files(
        {"name": "notes.png", "mimeType": "image/png", "buffer": b"no picture"}
    )
    expect(page.locator("#error")).to_contain_text("notes.png is not a picture")
    state(page, "solved")
    expect(page.locator("#status")).to_have_text(said)
    expect(page.locator(".result")).to_be_visible()
    assert np.array_equal(board(page), before)


def test_a_large_picture_is_reduced_before_it_is_sent(open_page: Open) -> None:
    page = open_page(reduced_motion="reduce")
    y, x = np.mgrid[0:4000, 0:6000]
    photo = encoded(np.stack([x // 24, y // 16, (x * y) % 256], -1).astype(np.uint8), "JPEG", quality=97)
    assert len(photo) > 4_000_000
    with page.expect_request("**/api/shuffle") as sent:
        page.locator("#open-picture").set_input_files(
            {"name": "IMG_1.jpg", "mimeType": "image/jpeg", "buffer": photo}
        )
    state(page, "whole")
    length = int(sent.value.all_headers()["content-length"])
    assert length < 2_000_000
    assert board(page).shape == (640, 960, 3)
    left, right = board(page)[:, [5, -5], 0].mean(0)
    assert left < 10 < 240 < right


def test_a_picture_that_only_the_browser_reads_is_opened(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(64, 64)
    page.locator("#open-picture").set_input_files(
        {"name": "mine.gif", "mimeType": "image/gif", "buffer": encoded(picture, "GIF")}
    )
    expect(page.locator('#samples input[value=":picture"]')).to_be_checked()
    state(page, "whole")
    expect(page.locator("#error")).to_be_hidden()
