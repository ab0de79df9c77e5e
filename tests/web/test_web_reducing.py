"""The page reduces a pile that is too large for the server before it sends it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from page_helpers import Open, board, state
from PIL import Image
from playwright.sync_api import expect
from web_helpers import Server, make_settings, png, running

from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.reading.pictures import resize_picture
from ganzzle.samples import sample_picture
from ganzzle.samples.scatter import scattered

MORE = "To send it, the page reduced"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that takes no more than half a megapixel."""
    with running(make_settings(upload_bytes=1_000_000, pixels=500_000)) as one:
        yield one


def piece_files(pieces: Pixels) -> list[Any]:
    return [
        {"name": f"{i}.png", "mimeType": "image/png", "buffer": png(piece)} for i, piece in enumerate(pieces)
    ]


def test_a_pile_of_large_pieces_is_saved_in_full(open_page: Open, draw) -> None:
    page = open_page("/#solver=gallagher", reduced_motion="reduce")
    picture = draw(90, 120).repeat(10, 0).repeat(10, 1)
    page.locator("#open-pile").set_input_files(
        piece_files(Puzzle.from_picture(picture, (3, 4), seed=1).pieces)
    )
    expect(page.locator("#status")).to_have_text(f"12 pieces. Press Solve. {MORE} 1.1 megapixels to 0.5.")
    page.click("#solve")
    state(page, "solved")
    assert board(page).shape[0] < 900
    with page.expect_download() as saved:
        page.click('[data-is="png"]')
    assert np.array_equal(np.asarray(Image.open(saved.value.path()).convert("RGB")), picture)


def test_a_large_photo_of_loose_pieces(open_page: Open) -> None:
    page = open_page("/#solver=hybrid", reduced_motion="reduce")
    picture = resize_picture(sample_picture("portrait"), 640, 480)
    photo = scattered(Puzzle.from_picture(picture, (4, 3), seed=1), seed=1).picture
    assert photo.shape[0] * photo.shape[1] > 500_000
    page.locator("#open-pile").set_input_files(
        {"name": "photo.png", "mimeType": "image/png", "buffer": png(photo)}
    )
    expect(page.locator("#status")).to_contain_text(f"12 pieces. Press Solve. {MORE}")
    page.click("#solve")
    state(page, "solved")
    expect(page.locator("#error")).to_be_hidden()
    with page.expect_download() as saved:
        page.click('[data-is="guide"]')
    guide = np.asarray(Image.open(saved.value.path()).convert("RGB"))
    assert 400_000 < guide.shape[0] * guide.shape[1] <= 500_000  # drawn on the photo that was sent


def test_pieces_of_too_many_bytes(open_page: Open) -> None:
    page = open_page(reduced_motion="reduce")
    noise = np.random.default_rng(0).integers(0, 256, (9, 200, 200, 3), np.uint8)
    assert noise[..., 0].size < 500_000 < 1_000_000 < sum(len(png(piece)) for piece in noise)
    page.locator("#open-pile").set_input_files(piece_files(noise))
    expect(page.locator("#status")).to_contain_text(f"9 pieces. Press Solve. {MORE} 0.4 megapixels to 0.")


def test_small_piles_go_as_they_are_also_where_no_limits_are_told(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    files = piece_files(Puzzle.from_picture(draw(64, 96), (2, 3), seed=1).pieces)
    page.locator("#open-pile").set_input_files(files)
    expect(page.locator("#status")).to_have_text("6 pieces. Press Solve.")
    page.route("**/api/health", lambda route: route.fulfill(status=404, json={"error": "no such page"}))
    page.locator("#open-pile").set_input_files(files[:4])
    expect(page.locator("#status")).to_have_text("4 pieces. Press Solve.")
    large = piece_files(np.zeros((2, 600, 600, 3), np.uint8))
    page.locator("#open-pile").set_input_files(large)
    expect(page.locator("#error")).to_contain_text("0.5 megapixels allowed")


def test_a_server_that_is_away_is_asked_for_its_limits_again(open_page: Open, draw) -> None:
    page = open_page(reduced_motion="reduce")
    page.route("**/api/health", lambda route: route.abort())
    files = piece_files(Puzzle.from_picture(draw(64, 96), (2, 3), seed=1).pieces)
    page.locator("#open-pile").set_input_files(files)
    expect(page.locator("#error")).to_contain_text("cannot be reached")
    page.unroute("**/api/health")
    page.click("#again")
    expect(page.locator("#status")).to_have_text("6 pieces. Press Solve.")
    expect(page.locator("#error")).to_be_hidden()
