"""The page in a real headless Chromium: what can be done on it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
from page_helpers import Open, board, expect_board, open_picture, run_until_said, state, stop_clock
from PIL import Image
from playwright.sync_api import expect
from web_helpers import Server, png

from ganzzle.web import app

STATIC = Path(app.__file__).parent / "static"


def test_upload_shuffle_solve_ends_with_the_original_pixel_by_pixel(open_page: Open, draw) -> None:
    page = open_page()
    picture = draw(160, 240)
    open_picture(page, picture, "4x6")
    page.click("#shuffle")
    expect(page.locator("#status")).to_have_text("Press Solve, or drag the pieces yourself.")
    assert not np.array_equal(board(page), picture)
    page.click("#solve")
    state(page, "solved")
    expect_board(page, picture)
    result = page.locator(".result")
    expect(result.locator('[data-is="direct"]')).to_have_text("100 %")
    expect(result.locator('[data-is="neighbour"]')).to_have_text("100 %")
    expect(result.locator('[data-is="solver"]')).to_have_text("gallagher")
    expect(result.locator(".wrong")).to_be_hidden()


def test_the_next_step_stands_out(open_page: Open) -> None:
    page = open_page("/#grid=3x3", reduced_motion="reduce")
    expect(page.locator(".actions .primary")).to_have_text("Shuffle")
    page.click("#shuffle")
    expect(page.locator("#status")).to_have_text("Press Solve, or drag the pieces yourself.")
    expect(page.locator(".actions .primary")).to_have_text("Solve")


def test_the_verdict_counts_pieces_in_plain_words(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=gallagher", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator("#status")).to_have_text("All 9 pieces right.")
    page.select_option("#solver", "dreamer")
    page.click("#solve")
    expect(page.locator("#status")).to_have_text(re.compile(r"^(None|\d) of 9 pieces right\.$"))


def test_parts_that_fit_in_the_wrong_place_are_praised(open_page: Open) -> None:
    said = open_page().evaluate(
        """async () => {
          const { solvedSummary } = await import("/static/js/words.js");
          const score = { right: [false, false, true, false], direct: 0.25, neighbour: 0.75 };
          const solution = { placement: [0, 1, 2, 3], grid: [2, 2] };
          return solvedSummary([{ score, solution, doubtful: false }], [solution], {});
        }"""
    )
    assert said == "1 of 4 pieces right. Large parts fit, but lie in the wrong place."


def test_four_hundred_pieces_with_reduced_motion(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(320, 320)
    open_picture(page, picture, "20x20")
    page.click("#solve")
    state(page, "solved")
    expect_board(page, picture)


def test_downloads(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(96, 96)
    open_picture(page, picture, "3x3")
    page.click("#solve")
    state(page, "solved")
    with page.expect_download() as png_file:
        page.click('[data-is="png"]')
    assert np.array_equal(np.asarray(Image.open(png_file.value.path()).convert("RGB")), picture)
    with page.expect_download() as json_file:
        page.click('[data-is="json"]')
    answer = json.loads(Path(json_file.value.path()).read_text())
    assert sorted(answer["placement"]) == list(range(9))
    assert answer["grid"] == [3, 3]


def test_empty_slots_are_black_in_the_picture_that_is_saved(open_page: Open) -> None:
    page = open_page("/#grid=4x4&missing=0.25&solver=gallagher", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    with page.expect_download() as file:
        page.click('[data-is="png"]')
    saved = np.asarray(Image.open(file.value.path()).convert("RGB"))
    slots = page.evaluate("document.querySelector('canvas').stage.slots")
    height, width = saved.shape[0] // 4, saved.shape[1] // 4
    for slot in range(16):
        row, col = divmod(slot, 4)
        cell = saved[row * height : (row + 1) * height, col * width : (col + 1) * width]
        assert cell.any() == (slot in slots)


def test_a_link_without_sliders_resets_them(open_page: Open) -> None:
    page = open_page("/#grid=4x4&missing=0.25&solver=dreamer", reduced_motion="reduce")
    expect(page.locator("#status")).to_contain_text("12 pieces")
    page.evaluate("location.hash = '#grid=4x4&solver=dreamer'")
    expect(page.locator("#status")).to_contain_text("16 pieces")


def test_wrong_pieces_and_the_mental_image_are_shown(open_page: Open) -> None:
    page = open_page("/#grid=6x6&solver=dreamer", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator(".mental")).to_be_visible()
    assert page.locator(".mental img").evaluate("(image) => image.naturalWidth") == 48
    before = board(page)
    page.check('[data-is="wrong"]')
    assert not np.array_equal(board(page), before)
    page.uncheck('[data-is="wrong"]')
    expect_board(page, before)


def test_turned_pieces_go_to_a_solver_that_takes_them(open_page: Open, draw) -> None:
    page = open_page("/#solver=assembler&versus=pomeranz", reduced_motion="reduce")
    open_picture(page, draw(128, 128), "4x4")
    page.click("#spoil summary")
    with page.expect_response("**/api/shuffle"):
        page.check("#rotated")
    assert [page.input_value(f"#{name}") for name in ("solver", "versus")] == ["hybrid", "paikin-tal"]
    expect(page.locator("#solver-hint")).to_contain_text("assembler does not take turned pieces")
    expect(page.locator('#solver option[value="assembler"]')).to_be_disabled()
    state(page, "whole")
    page.click("#solve")
    state(page, "solved")
    for which in range(2):
        expect(page.locator('[data-is="direct"]').nth(which)).to_have_text("100 %")
    page.uncheck("#rotated")
    assert [page.input_value(f"#{name}") for name in ("solver", "versus")] == ["assembler", "pomeranz"]
    expect(page.locator('#solver option[value="assembler"]')).to_be_enabled()


def test_two_solvers_side_by_side(open_page: Open) -> None:
    page = open_page(reduced_motion="reduce")
    page.select_option("#solver", "pomeranz")
    page.check("#compare")
    page.select_option("#versus", "dreamer")
    expect(page.locator(".lane h2").nth(1)).to_have_text("dreamer")
    state(page, "whole")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator("#status")).to_have_text(
        re.compile(r"^pomeranz: all 64 pieces right\. dreamer: (none|\d+) of 64 pieces right\.$")
    )
    names = [page.locator('[data-is="solver"]').nth(k).text_content() for k in range(2)]
    assert names == ["pomeranz", "dreamer"]
    tops = [
        card.evaluate("(one) => one.offsetTop")
        for card in page.locator(".lane:first-child dl > div:visible").all()
    ]
    assert tops[0] == tops[1] < tops[2] == tops[3]  # no card is alone in its row
    assert not np.array_equal(board(page, 0), board(page, 1))


def test_a_solve_can_be_stopped(open_page: Open, server: Server) -> None:
    page = open_page("/#grid=3x3&solver=slow", reduced_motion="reduce")
    page.click("#solve")
    expect(page.locator("#solve")).to_have_text("Stop")
    page.wait_for_function("() => document.getElementById('status').textContent === 'Thinking'")
    begun = page.evaluate("performance.now()")
    page.wait_for_function("(begun) => performance.now() > begun + 400", arg=begun)  # no double click
    page.click("#solve")
    expect(page.locator("#status")).to_have_text("Stopped.")
    state(page, "shuffled")


def test_uneven_colours_are_asked_for(open_page: Open) -> None:
    page = open_page("/#grid=4x4&worn=1")
    with page.expect_request("**/api/shuffle") as asked:
        page.locator("#uneven").fill("0.05")
    assert "uneven:0.05+erode:1" in (asked.value.post_data or "")
    expect(page.locator("#uneven-out")).to_have_text("5 %")


def test_a_link_restores_the_setting(open_page: Open) -> None:
    link = "/#sample=landscape&grid=6x9&seed=42&missing=0.2&worn=2&solver=pomeranz&versus=dreamer"
    page = open_page(link)
    assert page.input_value("#rows") == "6"
    assert page.input_value("#cols") == "9"
    assert page.input_value("#missing") == "0.2"
    assert page.input_value("#solver") == "pomeranz"
    assert page.input_value("#versus") == "dreamer"
    expect(page.locator('#samples input[value="landscape"]')).to_be_checked()
    expect(page.locator("#status")).to_have_text("43 pieces. Press Shuffle.")
    assert page.evaluate("location.hash") == link[1:]


def test_every_module_is_asked_for_at_once(open_page: Open) -> None:
    """The page does not wait for one module to learn of the next."""
    page = open_page()
    named = page.evaluate(
        """() => [...document.querySelectorAll("link[rel=modulepreload], script[src]")].map((one) =>
          (one.href || one.src).split("/").pop())"""
    )
    modules = {path.name for path in (STATIC / "js").iterdir()} - {"docs.js"}
    assert set(named) == modules


def test_every_control_has_a_name(open_page: Open) -> None:
    page = open_page()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas, img, a")].filter((one) => {
          const name = one.getAttribute("aria-label") || one.textContent.trim() || one.title
            || [...(one.labels || [])].map((label) => label.textContent.trim()).join("");
          return !name && one.getAttribute("alt") === null && one.offsetParent;
        }).map((one) => one.outerHTML)"""
    )
    assert nameless == []
    label = page.locator("canvas").get_attribute("aria-label")
    assert label == "8 by 8 puzzle, 64 of 64 pieces laid"


def test_the_description_of_the_api(open_page: Open, server: Server) -> None:
    page = open_page(width=360)
    page.goto(f"{server.address}/docs")
    expect(page.locator("section h2 code").first).to_have_text("/api/health")
    assert page.locator("section").count() >= 7
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("a[href='#Solved'], a[href='#SolvedMixed']").count() == 2
    kind = page.locator("#Health td", has_text="string").first  # in one line, also on a phone
    assert kind.evaluate("(cell) => cell.clientHeight < 2 * parseFloat(getComputedStyle(cell).lineHeight)")


def test_how_to_turn_a_piece_is_only_said_where_it_can_be_done(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=gallagher")
    expect(page.locator("#keys")).to_contain_text("Drag pieces")
    expect(page.locator(".turning").first).to_be_hidden()
    page.click("#spoil summary")
    page.check("#rotated")
    expect(page.locator(".turning").first).to_have_text("A click or a tap turns a piece.")


def test_what_makes_it_harder_is_seen_before_the_pieces_are_shuffled(open_page: Open, draw) -> None:
    page = open_page("/#missing=0.25&rotated=1&solver=gallagher", reduced_motion="reduce")
    picture = draw(128, 128)
    page.locator("#open-picture").set_input_files(
        {"name": "mine.png", "mimeType": "image/png", "buffer": png(picture)}
    )
    page.fill("#rows", "4")
    page.fill("#cols", "4")
    expect(page.locator("#status")).to_have_text("12 pieces. Press Shuffle.")
    state(page, "whole")
    shown = board(page)
    truth = page.evaluate("document.querySelector('canvas').stage.puzzle.truth.placement")
    for slot in range(16):
        row, col = divmod(slot, 4)
        inside = np.s_[32 * row + 2 : 32 * row + 30, 32 * col + 2 : 32 * col + 30]
        assert np.array_equal(shown[inside], picture[inside]) == (slot in truth)


def test_how_long_it_thinks_is_shown(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=gallagher", reduced_motion="reduce")
    page.route("**/api/solve", lambda route: None)  # never answered
    stop_clock(page)
    page.click("#solve")
    run_until_said(page, "Thinking")
    page.clock.run_for(4_000)
    expect(page.locator("#since")).to_be_empty()
    page.clock.fast_forward(2_000)
    expect(page.locator("#since")).to_have_text(re.compile(r"^, \d+ s$"))
    page.clock.fast_forward(20_000)
    expect(page.locator("#since")).to_have_text(re.compile(r"^, \d+ s: a hard one$"))
    expect(page.locator("#status")).to_have_text("Thinking")  # which a screen reader hears once
    page.click("#solve")
    expect(page.locator("#since")).to_be_empty()


def test_a_double_click_solves_and_does_not_stop(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=nap", reduced_motion="reduce")
    page.evaluate("document.getElementById('solve').click(), document.getElementById('solve').click()")
    state(page, "solved")
    expect(page.locator("#status")).to_contain_text("of 9 pieces right")


def test_once_the_answer_is_there_its_show_is_skipped(open_page: Open) -> None:
    page = open_page("/#grid=3x3&solver=dreamer")
    stop_clock(page)
    page.click("#solve")
    run_until_said(page, "First it imagines the picture")
    expect(page.locator("#solve")).to_have_text("Skip")
    page.click("#solve")
    page.clock.resume()
    state(page, "solved")
    expect(page.locator("#solve")).to_have_text("Solve")


def test_the_description_of_the_api_is_opened_beside_the_puzzle(open_page: Open) -> None:
    page = open_page("/#grid=3x3")
    with page.context.expect_page() as other:
        page.click("nav a")
    expect(other.value.locator("h1")).to_be_visible()
    state(page, "whole")
