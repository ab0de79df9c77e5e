"""Several puzzles mixed in one pile, on the page in a real headless Chromium."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from page_helpers import Open, board, drag, slot_on_screen, slots_of, state
from PIL import Image
from playwright.sync_api import Page, expect
from web_helpers import mixed_pile, png

TIMES = "\u00d7"


def open_pile(page: Page, pieces: np.ndarray) -> None:
    files: list[Any] = [
        {"name": f"piece-{i}.png", "mimeType": "image/png", "buffer": png(piece)}
        for i, piece in enumerate(pieces)
    ]
    page.locator("#open-pile").set_input_files(files)
    expect(page.locator("#status")).to_have_text(f"{len(pieces)} pieces. Press Solve.")


def solve_as(page: Page, puzzles: int, pieces: int) -> None:
    page.fill("#puzzles", str(puzzles))
    expect(page.locator("#status")).to_have_text(f"{pieces} pieces of {puzzles} puzzles. Press Solve.")
    page.click("#solve")
    state(page, "solved")


def test_every_puzzle_has_a_table_and_can_be_saved(open_page: Open, draw) -> None:
    page = open_page("/#solver=gallagher", reduced_motion="reduce")
    pictures = [draw(96, 128, seed) for seed in range(3)]
    pieces = mixed_pile(pictures, (3, 4))
    open_pile(page, pieces)
    solve_as(page, 3, 36)
    expect(page.locator("#solver-hint")).to_contain_text("gallagher does not take mixed puzzles.")
    expect(page.locator("#status")).to_contain_text("hybrid: 3 puzzles in")
    assert [page.input_value(f"#{name}") for name in ("rows", "cols")] == ["3", "4"]
    wanted = {picture.tobytes() for picture in pictures}
    assert {board(page, k).tobytes() for k in range(3)} == wanted
    saved = set()
    for k in range(3):
        lane = page.locator(".lane").nth(k)
        expect(lane.locator("h2")).to_have_text(f"Puzzle {k + 1}: 12 pieces, 3 {TIMES} 4")
        expect(lane.locator('[data-is="sure"]')).to_contain_text("%")
        expect(lane.locator('[data-is="time"]')).to_be_hidden()
        with page.expect_download() as file:
            lane.locator('[data-is="png"]').click()
        assert file.value.suggested_filename == f"ganzzle-{k + 1}.png"
        saved.add(np.asarray(Image.open(file.value.path()).convert("RGB")).tobytes())
        with page.expect_download() as file:
            lane.locator('[data-is="json"]').click()
        answer = json.loads(Path(file.value.path()).read_text())
        shown = board(page, k)
        for name, slot in zip(answer["pieces"], answer["placement"], strict=True):
            row, col = divmod(slot, 4)
            piece = pieces[int(name.removeprefix("piece-").removesuffix(".png"))]
            assert np.array_equal(shown[32 * row : 32 * row + 32, 32 * col : 32 * col + 32], piece)
    assert saved == wanted


def test_back_to_one_pile_and_to_one_puzzle(open_page: Open, draw) -> None:
    page = open_page("/#solver=hybrid", reduced_motion="reduce")
    pieces = mixed_pile([draw(96, 128, seed) for seed in range(2)], (3, 4))
    open_pile(page, pieces)
    solve_as(page, 2, 24)
    expect(page.locator("canvas")).to_have_count(2)
    page.click("#shuffle")
    expect(page.locator("canvas")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("Press Solve, or drag the pieces yourself.")
    assert slots_of(page) == [-1] * 24
    page.click("#solve")
    state(page, "solved")
    expect(page.locator("canvas")).to_have_count(2)
    page.click("#solve")  # once more
    state(page, "solved")
    expect(page.locator("canvas")).to_have_count(2)
    page.fill("#puzzles", "1")
    expect(page.locator("#status")).to_have_text("24 pieces. Press Solve.")
    expect(page.locator("canvas")).to_have_count(1)
    page.fill("#puzzles", "9")
    expect(page.locator("#error p")).to_have_text("A pile holds 1 to 8 puzzles.")


def test_a_piece_of_one_of_the_puzzles_is_moved_by_hand(open_page: Open, draw) -> None:
    page = open_page("/#solver=hybrid", reduced_motion="reduce")
    open_pile(page, mixed_pile([draw(96, 128, seed) for seed in range(2)], (3, 4)))
    solve_as(page, 2, 24)
    before = slots_of(page)
    drag(page, slot_on_screen(page, 0), slot_on_screen(page, 1))
    expect(page.locator("#status")).to_have_text("12 of 12 pieces laid.")
    assert slots_of(page) != before
    page.click("#undo")
    expect(page.locator("#status")).to_contain_text(f"Undone. 12 pieces laid, grid 3 {TIMES} 4")
    assert slots_of(page) == before


def test_the_grid_is_that_of_each(open_page: Open, draw) -> None:
    page = open_page("/#solver=hybrid", reduced_motion="reduce")
    expect(page.locator("#puzzles")).to_be_hidden()
    open_pile(page, mixed_pile([draw(96, 128, seed) for seed in range(2)], (3, 4))[:-1])
    page.fill("#puzzles", "2")
    expect(page.locator("#grid-legend")).to_have_text("Grid of each puzzle")
    expect(page.locator("#compare")).to_be_hidden()
    expect(page.locator("#chips")).to_be_hidden()  # 23 pieces are no two puzzles of one grid
    page.check("#some-missing")
    page.fill("#rows", "3")
    page.fill("#cols", "4")
    expect(page.locator("#status")).to_have_text("23 pieces of 2 puzzles, 1 missing. Press Solve.")
    page.click("#solve")
    state(page, "solved")
    titles = page.locator(".lane h2").all_text_contents()
    ends = {title.split(":")[1] for title in titles}
    assert ends == {f" 12 pieces, 3 {TIMES} 4", f" 11 pieces, 3 {TIMES} 4, 1 missing"}


def test_more_puzzles_than_there_are(open_page: Open, draw) -> None:
    page = open_page("/#solver=hybrid", reduced_motion="reduce")
    open_pile(page, mixed_pile([draw(64, 64)], (2, 2)))
    page.fill("#puzzles", "5")
    expect(page.locator("#error")).to_contain_text("4 pieces are too few for 5 puzzles")
    page.fill("#puzzles", "1")
    expect(page.locator("#status")).to_have_text("4 pieces. Press Solve.")
