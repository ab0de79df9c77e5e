"""Opening pictures on the page, also those that cannot be read, and what errors say."""

from __future__ import annotations

import numpy as np
import pytest
from page_helpers import Open, board, expect_board, state
from playwright.sync_api import Route, expect
from web_helpers import encoded

from ganzzle.puzzle import Puzzle


def test_errors_are_shown_and_the_page_goes_on(open_page: Open) -> None:
    page = open_page(reduced_motion="reduce")
    heic = b"\x00\x00\x00\x18ftypheic" + bytes(64)
    page.locator("#open-picture").set_input_files(
        {"name": "IMG.HEIC", "mimeType": "image/heic", "buffer": heic}
    )
    expect(page.locator("#error")).to_contain_text("HEIC")
    page.click("#dismiss")
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
    expect_board(page, before)


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


def test_pieces_that_only_the_browser_reads_are_opened(open_page: Open, draw) -> None:
    page = open_page("/#solver=gallagher", reduced_motion="reduce")
    picture = draw(96, 96)
    grey = np.repeat(picture[..., :1], 3, axis=2)  # a GIF keeps 256 colours
    pieces = Puzzle.from_picture(grey, (3, 3), seed=1).pieces
    page.locator("#open-pile").set_input_files(
        [
            {"name": f"{i}.gif", "mimeType": "image/gif", "buffer": encoded(piece[..., 0], "GIF")}
            for i, piece in enumerate(pieces)
        ]
    )
    expect(page.locator("#status")).to_have_text("9 pieces. Press Solve.")
    page.click("#solve")
    state(page, "solved")
    expect_board(page, grey)


@pytest.mark.parametrize("path", ["solvers", "samples", "shuffle"])
def test_a_server_that_is_away_at_first_is_asked_again(open_page: Open, path: str) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    page.route(f"**/api/{path}", lambda route: route.abort())
    page.reload()
    expect(page.locator("#error")).to_contain_text("The server cannot be reached")
    state(page, "empty")
    expect(page.locator("#status")).to_be_empty()
    page.click("#dismiss")
    expect(page.locator("#error")).to_be_hidden()
    page.reload()
    expect(page.locator("#error")).to_be_visible()
    page.unroute(f"**/api/{path}")
    page.click("#again")
    state(page, "whole")
    expect(page.locator("#error")).to_be_hidden()
    expect(page.locator("#samples input")).to_have_count(3)
    expect(page.locator("#rows")).to_have_value("3")


def test_files_that_were_refused_by_a_busy_server_are_sent_again(open_page: Open, draw) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    refusal = {"status": 429, "content_type": "application/json", "body": '{"error": "Too busy."}'}
    page.route("**/api/shuffle", lambda route: route.fulfill(**refusal))
    picture = draw(96, 96)
    page.locator("#open-picture").set_input_files(
        {"name": "mine.png", "mimeType": "image/png", "buffer": encoded(picture, "PNG")}
    )
    expect(page.locator("#error")).to_contain_text("Too busy.")
    expect(page.locator('#samples input[value=":picture"]')).to_have_count(0)
    page.unroute("**/api/shuffle")
    page.click("#again")
    expect(page.locator('#samples input[value=":picture"]')).to_be_checked()
    state(page, "whole")
    assert np.array_equal(board(page).shape, picture.shape)


def test_what_does_not_pass_is_not_tried_again(open_page: Open) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    page.fill("#rows", "99")
    expect(page.locator("#error")).to_be_visible()
    expect(page.locator("#again")).to_be_hidden()


def test_a_file_that_is_opened_while_the_page_wakes_up_waits_for_it(open_page: Open, draw) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    mine = {"name": "mine.png", "mimeType": "image/png", "buffer": encoded(draw(90, 60), "PNG")}

    def open_first(route: Route) -> None:
        page.locator("#open-picture").set_input_files(mine)
        route.continue_()

    page.route("**/api/solvers", open_first)
    page.reload()
    expect(page.locator('#samples input[value=":picture"]')).to_be_checked()
    expect(page.locator("#status")).to_have_text("9 pieces. Press Shuffle.")
    assert board(page).shape == (90, 60, 3)


def test_an_error_below_the_fold_is_scrolled_to(open_page: Open) -> None:
    page = open_page("/#grid=3x3", 360, 500, reduced_motion="reduce")
    page.click("#more-summary")
    page.evaluate("scrollTo(0, 0)")
    page.locator("#open-picture").set_input_files(
        {"name": "notes.png", "mimeType": "image/png", "buffer": b"no picture"}
    )
    expect(page.locator("#error")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568)])
def test_a_photo_that_is_no_pile_is_cut_on_a_phone(open_page: Open, draw, width: int, height: int) -> None:
    page = open_page("/#grid=3x3", width, height, has_touch=True, is_mobile=True, reduced_motion="reduce")
    plain = np.full((90, 90, 3), 9, np.uint8)
    page.locator("#open-pile").set_input_files(
        {"name": "mine.png", "mimeType": "image/png", "buffer": encoded(plain, "PNG")}
    )
    expect(page.locator("#error")).to_contain_text("No grid stands out")
    expect(page.locator("#error")).to_be_in_viewport(ratio=1)
    expect(page.locator("#rows")).not_to_be_focused()  # no keyboard comes up
    expect(page.locator("#rows")).to_have_value("")
    expect(page.locator('#chips [aria-pressed="true"]')).to_have_count(0)
    page.click("#again")
    expect(page.locator('#samples input[value=":picture"]')).to_be_checked()
    expect(page.locator("#status")).to_have_text("9 pieces. Press Shuffle.")
    expect(page.locator("#error")).to_be_hidden()


def test_a_grid_that_was_refused_is_not_shuffled(open_page: Open) -> None:
    page = open_page("/#grid=8x8", reduced_motion="reduce")
    page.fill("#rows", "21")
    expect(page.locator("#error")).to_contain_text("2 to 20")
    page.click("#dismiss")
    page.click("#shuffle")
    expect(page.locator("#error")).to_contain_text("2 to 20")
    state(page, "whole")


def test_a_change_that_could_not_be_loaded_is_loaded_before_it_is_solved(open_page: Open) -> None:
    page = open_page("/#grid=8x8&solver=gallagher", reduced_motion="reduce")
    page.route("**/api/shuffle", lambda route: route.abort())
    page.fill("#rows", "3")
    expect(page.locator("#error")).to_contain_text("cannot be reached")
    page.unroute("**/api/shuffle")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator("#status")).to_have_text("All 24 pieces right.")


def test_a_server_that_is_away_is_asked_for_a_solution_again(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=gallagher", reduced_motion="reduce")
    page.route("**/api/solve", lambda route: route.abort())
    page.click("#solve")
    expect(page.locator("#error")).to_contain_text("cannot be reached")
    expect(page.locator("#error")).not_to_contain_text("`")
    page.unroute("**/api/solve")
    page.click("#again")
    state(page, "solved")
    expect(page.locator("#error")).to_be_hidden()
