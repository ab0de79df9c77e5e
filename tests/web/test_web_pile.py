"""Real piles on the page: piece files, folders and scrambled pictures in a real headless Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_helpers import Open, board, expect_board, open_picture, state
from PIL import Image
from playwright.sync_api import Page, Route, expect
from web_helpers import PATIENCE, encoded, png

from ganzzle.pieces import assemble
from ganzzle.puzzle import Grid, Pixels, Puzzle

TIMES = "\u00d7"


def file(name: str, data: bytes, kind: str = "image/png") -> Any:
    return {"name": name, "mimeType": kind, "buffer": data}


def piece_files(puzzle: Puzzle, kind: str = "png", **options: Any) -> list[Any]:
    return [
        file(f"{i}.{kind}", encoded(p, kind.upper(), **options), f"image/{kind}")
        for i, p in enumerate(puzzle.pieces)
    ]


def scrambled(picture: Pixels, grid: tuple[int, int]) -> bytes:
    puzzle = Puzzle.from_picture(picture, grid, seed=3)
    return png(assemble(puzzle.pieces, Grid.of(grid), np.arange(len(puzzle))))


def enlarged(picture: Pixels) -> Pixels:
    return picture.repeat(10, 0).repeat(10, 1)


def solve(page: Page) -> None:
    page.click("#solve")
    state(page, "solved")


def let_turn(page: Page) -> None:
    with page.expect_response("**/api/pile"):
        page.check("#may-turn")
    state(page, "shuffled")


def saved_picture(page: Page) -> Pixels:
    with page.expect_download() as saved:
        page.click('[data-is="png"]')
    return np.asarray(Image.open(saved.value.path()).convert("RGB"))


def test_a_real_pile_of_files(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(64, 96)
    page.locator("#open-pile").set_input_files(piece_files(Puzzle.from_picture(picture, (2, 3), seed=1)))
    expect(page.locator("#status")).to_have_text("6 pieces. Press Solve.")
    expect(page.locator("#race")).to_be_hidden()
    assert page.locator("#chips button").all_text_contents() == [f"2{TIMES}3", f"3{TIMES}2"]
    expect(page.locator("#rows")).to_be_disabled()
    expect(page.locator("#rows")).to_have_value("")  # nothing of the grid before
    solve(page)
    expect(page.locator("#rows")).to_have_value("2")
    expect(page.locator("#status")).to_contain_text("6 pieces laid, grid 2")
    expect(page.locator(".score").first).to_be_hidden()
    expect_board(page, picture)
    page.click("#samples label:has(input[value=portrait])")
    state(page, "whole")
    expect(page.locator("#rows")).to_be_enabled()
    expect(page.locator("#find-grid")).to_be_hidden()


def test_a_pile_of_turned_pieces(open_page: Open, draw) -> None:
    page = open_page("/#solver=pomeranz", reduced_motion="reduce")
    picture = draw(96, 96)
    page.locator("#open-pile").set_input_files(
        piece_files(Puzzle.from_picture(picture, (3, 3), rotated=True))
    )
    expect(page.locator("#status")).to_have_text("9 pieces. Press Solve.")
    expect(page.locator("#rotated")).to_be_hidden()
    let_turn(page)
    solve(page)
    expect(page.locator('[data-is="solver"]')).to_have_text("hybrid")
    # Nothing says which way is up.
    assert any(np.array_equal(np.rot90(board(page), k), picture) for k in range(4))


def test_a_pile_that_lost_a_piece(open_page: Open, draw) -> None:
    page = open_page("/#solver=hybrid", reduced_motion="reduce")
    picture = draw(192, 256, 4)
    files = piece_files(Puzzle.from_picture(picture, (6, 8), seed=1))
    page.locator("#open-pile").set_input_files(files[:-1])
    expect(page.locator("#status")).to_have_text("47 pieces. Press Solve.")
    solve(page)
    expect(page.locator("#status")).to_have_text(f"47 pieces laid, grid 6 {TIMES} 8, 1 missing.")
    assert [page.input_value(f"#{name}") for name in ("rows", "cols")] == ["6", "8"]
    found = board(page)
    assert found.shape == picture.shape
    assert np.mean((found == picture).all(2)) == pytest.approx(47 / 48, abs=0.01)


def test_many_missing_pieces_are_said(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(96, 128)
    page.locator("#open-pile").set_input_files(
        piece_files(Puzzle.from_picture(picture, (3, 4), seed=1, piece=32))[:-2]
    )
    expect(page.locator("#status")).to_have_text("10 pieces. Press Solve.")
    expect(page.locator("#rows")).to_be_disabled()
    expect(page.locator("#missing-hint")).to_contain_text("A few lost pieces")
    page.check("#some-missing")
    expect(page.locator("#find-grid")).not_to_be_checked()
    expect(page.locator("#missing-hint")).to_contain_text("the whole picture")
    expect(page.locator("#status")).to_have_text("10 pieces, 2 missing. Press Solve.")
    assert [page.input_value(f"#{name}") for name in ("rows", "cols")] == ["3", "4"]
    grids = ["3x4", "4x3", "4x4", "4x5", "5x4"]  # those with room for them, the next larger first
    assert page.locator("#chips button").all_text_contents() == [grid.replace("x", TIMES) for grid in grids]
    solve(page)
    expect(page.locator("#status")).to_have_text(f"10 pieces laid, grid 3 {TIMES} 4, 2 missing.")
    assert np.mean((board(page) == picture).all(2)) == pytest.approx(10 / 12, abs=0.01)
    page.uncheck("#some-missing")  # as it was before
    expect(page.locator("#find-grid")).to_be_checked()
    expect(page.locator("#rows")).to_be_disabled()
    page.check("#some-missing")
    page.check("#find-grid")
    expect(page.locator("#some-missing")).not_to_be_checked()
    state(page, "shuffled")


def test_too_few_pieces_are_a_slip_or_missing(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    page.locator("#open-pile").set_input_files(
        piece_files(Puzzle.from_picture(draw(64, 96), (2, 3), seed=1))[:-1]
    )
    expect(page.locator("#status")).to_have_text("5 pieces. Press Solve.")
    expect(page.locator("#chips")).to_be_hidden()  # five pieces fill no grid
    page.uncheck("#find-grid")
    page.fill("#rows", "3")
    page.fill("#cols", "3")
    expect(page.locator("#error")).to_contain_text("5 pieces are too few for the grid 3x3")
    page.check("#some-missing")
    expect(page.locator("#status")).to_have_text("5 pieces, 4 missing. Press Solve.")
    expect(page.locator("#error")).to_be_hidden()
    page.locator("#open-pile").set_input_files(file("mixed.png", scrambled(draw(120, 200), (3, 5))))
    expect(page.locator("#status")).to_contain_text("15 pieces")
    expect(page.locator("#some-missing")).to_be_hidden()
    expect(page.locator("#find-grid")).to_be_checked()


def test_a_strip_can_be_said(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(32, 32 * 22)
    page.locator("#open-pile").set_input_files(piece_files(Puzzle.from_picture(picture, (1, 22), seed=1)))
    expect(page.locator("#status")).to_have_text("22 pieces. Press Solve.")
    page.uncheck("#find-grid")
    page.fill("#rows", "1")
    page.fill("#cols", "22")
    expect(page.locator("#status")).to_have_text("22 pieces. Press Solve.")
    expect(page.locator("#error")).to_be_hidden()
    solve(page)
    expect_board(page, picture)
    page.click("#samples label:has(input[value=portrait])")  # which is cut into 2 to 20
    expect(page.locator("#status")).to_have_text("40 pieces. Press Shuffle.")


def test_a_new_pile_shows_nothing_of_the_picture_before(open_page: Open, draw) -> None:
    page = open_page("/#grid=4x4&missing=0.25&solver=dreamer", reduced_motion="reduce")
    page.click("#solve")
    state(page, "solved")
    page.locator("#open-pile").set_input_files(piece_files(Puzzle.from_picture(draw(64, 96), (2, 3), seed=1)))
    expect(page.locator("#status")).to_have_text("6 pieces. Press Solve.")
    assert len(np.unique(board(page).reshape(-1, 3), axis=0)) < 4  # the felt and its lines


def test_what_is_no_picture_is_left_out(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    others = [file("puzzle.json", b"{}", "application/json"), file("._0.png", b"x")]
    files = piece_files(Puzzle.from_picture(draw(64, 64), (2, 2)))
    page.locator("#open-pile").set_input_files(others + files)
    expect(page.locator("#status")).to_have_text(
        "4 pieces. Press Solve. Left out, not being pictures: puzzle.json, ._0.png."
    )


def test_a_folder_is_dropped(open_page: Open, draw, tmp_path: Path) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(64, 64)
    folder = tmp_path / "pieces"
    folder.mkdir()
    for i, piece in enumerate(Puzzle.from_picture(picture, (2, 2), seed=2).pieces):
        (folder / f"{i}.png").write_bytes(png(piece))
    (folder / "puzzle.json").write_text("{}")
    line = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        line.send("Input.dispatchDragEvent", {"type": kind, "x": 700, "y": 400, "data": data})
    expect(page.locator("#status")).to_contain_text("4 pieces. Press Solve.")
    expect(page.locator("#drop")).to_be_hidden()
    solve(page)
    expect_board(page, picture)


def test_the_grid_of_a_scrambled_picture_is_found_or_given(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = draw(120, 200)
    page.locator("#open-pile").set_input_files(file("mixed.png", scrambled(picture, (3, 5))))
    expect(page.locator("#status")).to_have_text(f"15 pieces, grid 3 {TIMES} 5. Press Solve.")
    solve(page)
    expect_board(page, picture)
    page.uncheck("#find-grid")
    page.fill("#rows", "6")
    page.fill("#cols", "10")
    expect(page.locator("#status")).to_have_text("60 pieces. Press Solve.")
    page.click('[data-grid="8x8"]')
    expect(page.locator("#status")).to_have_text("64 pieces. Press Solve.")


def test_after_an_error_the_table_shows_what_is_selected(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    chosen, error = page.locator("#samples input:checked"), page.locator("#error")
    page.locator("#open-pile").set_input_files(file("plain.png", png(np.full((90, 90, 3), 9, np.uint8))))
    expect(error).to_contain_text("No grid stands out")
    expect(chosen).to_have_attribute("value", ":pile")
    expect(page.locator("canvas")).to_have_count(0)
    expect(page.locator("#solve")).to_be_disabled()
    expect(page.locator("#find-grid")).not_to_be_checked()
    expect(page.locator("#grid-hint")).to_be_visible()
    expect(page.locator("#rows")).to_be_focused()
    page.keyboard.type("9")
    page.fill("#cols", "9")
    expect(page.locator("#status")).to_have_text("81 pieces. Press Solve.")
    expect(page.locator("#grid-hint")).to_be_hidden()
    page.click('[data-grid="3x3"]')
    expect(page.locator("#status")).to_have_text("9 pieces. Press Solve.")
    expect(error).to_be_hidden()
    # A file that cannot be read at all leaves everything as it was, also where it is of the same kind.
    page.locator("#open-pile").set_input_files(file("a.png", b"not a picture"))
    expect(error).to_contain_text("a.png is not a picture")
    expect(chosen).to_have_attribute("value", ":pile")
    state(page, "shuffled")
    assert page.evaluate("document.querySelector('canvas').stage.puzzle.count") == 9
    good = piece_files(Puzzle.from_picture(draw(64, 96), (2, 3), seed=1))
    for name, bad in (("c.jpg", encoded(draw(64, 64), "JPEG")[:600]), ("d.png", png(draw(70, 50)))):
        page.locator("#open-pile").set_input_files([*good, file(name, bad)])
        expect(error).to_contain_text(name)
        assert page.evaluate("document.querySelector('canvas').stage.puzzle.count") == 9
    page.locator("#open-picture").set_input_files(file("b.png", b"not a picture"))
    expect(error).to_contain_text("b.png is not a picture")
    expect(chosen).to_have_attribute("value", ":pile")
    expect(page.locator("#find-grid")).to_be_visible()
    open_picture(page, draw(64, 64), "2x2")


@pytest.mark.parametrize("rotated", [False, True])
def test_the_picture_of_a_large_pile_is_saved_in_full(open_page: Open, draw, rotated: bool) -> None:
    page = open_page(reduced_motion="reduce")
    picture = enlarged(draw(210, 210))
    page.locator("#open-pile").set_input_files(
        piece_files(Puzzle.from_picture(picture, (2, 2), seed=5, rotated=rotated))
    )
    expect(page.locator("#status")).to_have_text("4 pieces. Press Solve.")
    if rotated:
        let_turn(page)
    solve(page)
    assert max(board(page).shape) <= 2048
    saved = saved_picture(page)
    assert any(np.array_equal(np.rot90(saved, k), picture) for k in (range(4) if rotated else [0]))
    expect(page.locator('[data-is="note"]')).to_be_hidden()


def test_the_picture_of_a_large_scrambled_one_is_saved_in_full(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    picture = enlarged(draw(140, 240))
    page.locator("#open-pile").set_input_files(file("mixed.png", scrambled(picture, (2, 3))))
    expect(page.locator("#status")).to_have_text(f"6 pieces, grid 2 {TIMES} 3. Press Solve.")
    solve(page)
    assert np.array_equal(saved_picture(page), picture)


def test_but_not_cut_across_its_gutters(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    puzzle = Puzzle.from_picture(enlarged(draw(140, 240)), (2, 3), seed=5)
    spaced = np.pad(puzzle.pieces, ((0, 0), (0, 8), (0, 8), (0, 0)), constant_values=255)
    page.locator("#open-pile").set_input_files(file("a.png", png(assemble(spaced, Grid(2, 3), np.arange(6)))))
    expect(page.locator("#status")).to_have_text(f"6 pieces, grid 2 {TIMES} 3. Press Solve.")
    solve(page)
    assert saved_picture(page).shape == board(page).shape
    expect(page.locator('[data-is="note"]')).to_contain_text("Reduced to")


def test_it_is_said_where_the_saved_picture_is_reduced(open_page: Open, draw) -> None:
    """Chromium reads no TIFF."""
    page = open_page(reduced_motion="reduce")
    puzzle = Puzzle.from_picture(enlarged(draw(206, 206)), (2, 2), seed=6)
    page.locator("#open-pile").set_input_files(piece_files(puzzle, "tiff", compression="tiff_lzw"))
    expect(page.locator("#status")).to_have_text("4 pieces. Press Solve.")
    solve(page)
    assert saved_picture(page).shape == (2048, 2048, 3)
    expect(page.locator('[data-is="note"]')).to_contain_text(f"Reduced to 2048 {TIMES} 2048 px")


def test_a_doubtful_answer_says_so(open_page: Open, draw) -> None:
    page = open_page("/#solver=dreamer", reduced_motion="reduce")
    page.locator("#open-pile").set_input_files(piece_files(Puzzle.from_picture(draw(64, 96), (2, 3), seed=1)))
    state(page, "shuffled")
    solve(page)
    expect(page.locator("#status")).to_contain_text("only 50 % sure")
    expect(page.locator("#status")).to_contain_text("may be turned")
    expect(page.locator('[data-is="sure"]')).to_have_text("50.0 %")


def test_nearly_sure_is_less_than_all(open_page: Open, draw) -> None:
    page = open_page("/#solver=dreamer", reduced_motion="reduce")

    def nearly_sure(route: Route) -> None:
        answer = route.fetch(timeout=1000 * PATIENCE).json()
        route.fulfill(json={**answer, "sure": 0.9998})

    page.route("**/api/solve", nearly_sure)
    page.locator("#open-pile").set_input_files(file("mixed.png", scrambled(draw(120, 200), (3, 5))))
    expect(page.locator("#status")).to_contain_text("15 pieces")
    solve(page)
    sure = page.locator('[data-is="sure"]')
    expect(sure).to_have_text("99.9 %")
    assert sure.evaluate("(one) => one.clientHeight < 2 * parseFloat(getComputedStyle(one).fontSize)")
