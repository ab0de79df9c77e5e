"""The mental image on the page: it has its moment before a piece is laid, and can be looked at afterwards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from page_helpers import Open, board, expect_board, run_until_said, slots_of, state, stop_clock
from PIL import Image
from playwright.sync_api import expect

DREAMER = "/#grid=4x4&solver=dreamer"
IMAGINES = "First it imagines the picture"

# While the status says that it imagines: how many pieces are laid, and how much brighter the board's lower right is.
WATCH = """() => {
  const canvas = document.querySelector("canvas"), status = document.getElementById("status");
  window.watched = [];
  const brightness = (x, y) => {
    const data = canvas.getContext("2d").getImageData(x, y, 40, 40).data;
    return data.reduce((sum, value, k) => sum + (k % 4 < 2 ? value : 0), 0) / 3200;
  };
  const look = () => {
    if (status.textContent === "First it imagines the picture") {
      const [x, y, width, height] = canvas.dataset.board.split(" ").map(Number);
      const laid = canvas.stage.slots.filter((slot) => slot >= 0).length;
      window.watched.push([laid, brightness(x + width - 40, y + height - 40) - brightness(x, y)]);
    }
    requestAnimationFrame(look);
  };
  look();
}"""


def test_the_picture_is_imagined_before_a_piece_is_laid(open_page: Open) -> None:
    page = open_page(DREAMER)
    stop_clock(page)
    page.evaluate(WATCH)
    page.click("#solve")
    run_until_said(page, IMAGINES)
    run_until_said(page, "Then it lays the pieces, the surest first")
    page.clock.resume()
    state(page, "solved")
    laid, brighter = np.array(page.evaluate("window.watched")).T
    assert not laid.any()
    # The dreamer's image is darker at the top left than at the bottom right, and comes into focus.
    assert brighter[-1] > 150
    assert brighter[0] < brighter[-1] - 10


def test_without_a_mental_image_the_pieces_are_laid_at_once(open_page: Open) -> None:
    page = open_page("/#grid=4x4&solver=gallagher")
    stop_clock(page)
    page.click("#solve")
    run_until_said(page, "It lays the pieces, the surest first")
    page.clock.resume()
    state(page, "solved")
    expect(page.locator(".mental")).to_be_hidden()


def test_stop_while_it_imagines_lays_the_pieces_at_once(open_page: Open) -> None:
    page = open_page(DREAMER)
    stop_clock(page)
    page.click("#solve")
    run_until_said(page, IMAGINES)
    page.clock.run_for(500)
    page.click("#solve")
    page.wait_for_selector("body[data-state=solved]")  # while its clock stands still
    assert sorted(slots_of(page)) == list(range(16))


def test_another_picture_while_it_imagines(open_page: Open) -> None:
    page = open_page(DREAMER)
    stop_clock(page)
    page.click("#solve")
    run_until_said(page, IMAGINES)
    page.click('#chips [data-grid="3x3"]')
    expect(page.locator("#status")).to_have_text("9 pieces. Press Shuffle.")
    page.clock.run_for(5000)
    expect(page.locator("#status")).to_have_text("9 pieces. Press Shuffle.")


def test_the_mental_image_covers_the_table_and_is_not_saved(open_page: Open) -> None:
    page = open_page(DREAMER, reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    solved = board(page)
    button = page.locator(".mental button")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    covered = board(page).astype(int)
    assert covered[-40:, -40:, :2].mean() - covered[:40, :40, :2].mean() > 150
    with page.expect_download() as file:
        page.click('[data-is="png"]')
    assert np.array_equal(np.asarray(Image.open(file.value.path()).convert("RGB")), solved)
    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "false")
    expect_board(page, solved)


def test_the_mental_image_goes_when_a_new_solve_begins(open_page: Open) -> None:
    page = open_page(DREAMER, reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    page.click(".mental button")
    page.select_option("#solver", "gallagher")
    page.click("#solve")
    expect(page.locator(".mental button")).to_have_attribute("aria-pressed", "false")
    state(page, "solved")
    expect(page.locator(".mental")).to_be_hidden()


# What the button said since.
WORDS_OF_SOLVE = """() => {
  const button = document.getElementById("solve");
  window.words = [];
  new MutationObserver(() => window.words.push(button.textContent)).observe(button, { childList: true });
}"""


def test_a_film_of_it_is_saved(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=dreamer")
    page.click("#solve")
    state(page, "solved")
    said = page.locator("#status").text_content()
    assert said
    page.evaluate(WORDS_OF_SOLVE)
    with page.expect_download() as film:
        page.click('[data-is="film"]')
    assert "Stop" in page.evaluate("window.words")
    assert film.value.suggested_filename in ("ganzzle.webm", "ganzzle.mp4")
    start = Path(film.value.path()).read_bytes()
    assert len(start) > 20_000
    assert start[:4] == b"\x1aE\xdf\xa3" or start[4:8] == b"ftyp"
    state(page, "solved")
    expect(page.locator("#status")).to_have_text(said)
    expect(page.locator(".result")).to_be_visible()


def test_a_film_that_is_stopped_leaves_the_result_and_no_file(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=dreamer")
    page.click("#solve")
    state(page, "solved")
    downloads: list[object] = []
    page.on("download", lambda file: downloads.append(file))
    page.click('[data-is="film"]')
    state(page, "solving")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator(".result")).to_be_visible()
    assert sorted(slots_of(page)) == list(range(9))
    assert downloads == []


def test_who_wants_no_motion_is_offered_no_film(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=dreamer", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator('[data-is="png"]')).to_be_visible()
    expect(page.locator('[data-is="film"]')).to_be_hidden()


def test_the_mental_image_fills_the_slots_of_missing_pieces_also_where_it_is_saved(open_page: Open) -> None:
    page = open_page("/#grid=4x4&missing=0.25&solver=dreamer", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    seen = board(page)
    empty = next(slot for slot in range(16) if slot not in slots_of(page))
    with page.expect_download() as file:
        page.click('[data-is="png"]')
    saved = np.asarray(Image.open(file.value.path()).convert("RGB"))
    page.click(".mental button")  # which shows it at full strength
    imagined = board(page)
    height, width = saved.shape[0] // 4, saved.shape[1] // 4
    row, col = divmod(empty, 4)
    inside = np.s_[row * height + 9 : (row + 1) * height - 9, col * width + 9 : (col + 1) * width - 9]
    for picture in (seen, saved):
        assert np.abs(picture[inside].astype(int) - imagined[inside]).max() < 9
