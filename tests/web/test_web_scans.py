"""Pages with jigsaw pieces: the API, and the page in a real headless Chromium."""

from __future__ import annotations

import numpy as np
import pytest
from page_helpers import Open, state
from PIL import Image
from playwright.sync_api import expect
from web_helpers import Server, decoded, png

from ganzzle.puzzle import Pixels
from ganzzle.reading.pictures import resize_picture
from ganzzle.samples import sample_picture
from ganzzle.samples.jigsaws import JigsawPages, jigsaw_pages


@pytest.fixture(scope="module")
def drawn() -> JigsawPages:
    return jigsaw_pages(sample_picture("balloons"), (3, 4), seed=4, pages=2, side=90)


def files(drawn: JigsawPages) -> list[tuple[str, bytes]]:
    return [(f"page-{k}.png", png(page)) for k, page in enumerate(drawn.pages, 1)]


def looks_like(found: Pixels, picture: Pixels) -> bool:
    there = resize_picture(picture, 24, 32).astype(float)
    ways = [np.ascontiguousarray(np.rot90(found, k)) for k in range(4)]
    return min(float(np.abs(resize_picture(way, 24, 32) - there).mean()) for way in ways) < 14


def test_several_pages_are_looked_at_and_solved(server: Server, drawn: JigsawPages) -> None:
    sent = [("picture", one) for one in files(drawn)]
    seen = server.post("/api/pile", sent).json()
    assert (seen["kind"], seen["count"], len(seen["pages"])) == ("cut", 12, 2)
    assert {one["page"] for one in seen["outlines"]} == {0, 1}
    answer = server.post("/api/solve", sent, with_picture="true", with_guide="true").json()
    assert sorted(answer["grid"]) == [3, 4]
    assert sorted(answer["placement"]) == list(range(12))
    assert len(answer["guides"]) == 2
    assert looks_like(decoded(answer["pictures"][0]), sample_picture("balloons"))
    assert answer["timings"]["solve_ms"] > 0


def test_pages_that_show_no_pieces_are_refused(server: Server) -> None:
    blank = png(np.full((300, 200, 3), 230, np.uint8))
    refused = server.post("/api/solve", [("picture", ("a.png", blank)), ("picture", ("b.png", blank))])
    assert refused.status_code == 422
    assert "stand out" in refused.json()["error"]


def test_pieces_lift_off_the_pages_and_make_the_picture(open_page: Open, drawn: JigsawPages) -> None:
    page = open_page()
    state(page, "whole")
    given = [{"name": name, "mimeType": "image/png", "buffer": data} for name, data in files(drawn)]
    page.locator("#open-pile").set_input_files(given)
    expect(page.locator("#status")).to_have_text("12 jigsaw pieces on 2 pages. Press Solve.")
    expect(page.locator("#scans")).to_be_visible()
    page.click("#solve")
    expect(page.locator("#status")).to_contain_text("12 jigsaw pieces laid", timeout=60_000)
    state(page, "solved")
    expect(page.locator("#scans-guides img")).to_have_count(2)
    shot = page.locator("#scans-canvas").evaluate("(canvas) => canvas.toDataURL('image/png')")
    canvas = decoded(shot)
    with page.expect_download() as saved:
        page.click("#scans-png")
    with Image.open(saved.value.path()) as image:
        solved = np.asarray(image.convert("RGB"))
    assert looks_like(solved, sample_picture("balloons"))
    height, width = canvas.shape[:2]
    middle = canvas[height // 3 : 2 * height // 3, width // 3 : 2 * width // 3]
    assert middle.std() > 10  # the picture lies in the middle of the table
    page.locator("#samples label").first.click()
    state(page, "whole")
    expect(page.locator("#scans")).to_be_hidden()
