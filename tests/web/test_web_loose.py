"""Photos of loose pieces: the API, and the page in a real headless Chromium."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_helpers import Open, board, drag, slot_on_screen, state
from PIL import Image
from playwright.sync_api import expect
from web_helpers import Server, decoded, encoded, png

from ganzzle.drawing.guide import LINE
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.reading.pictures import resize_picture
from ganzzle.samples import sample_picture
from ganzzle.samples.scatter import Scattered, scattered
from ganzzle.web.limits import ApiError, Limits
from ganzzle.web.reading import read_pictures, read_pile
from ganzzle.web.requests import Job


@pytest.fixture(scope="module")
def picture() -> Pixels:
    return resize_picture(sample_picture("portrait"), 256, 192)


@pytest.fixture(scope="module")
def table(picture: Pixels) -> Scattered:
    return scattered(Puzzle.from_picture(picture, (4, 3), seed=1), seed=1)


def looks_like(found: Pixels, picture: Pixels, turned: bool = True) -> bool:
    """Whether a solved picture (H, W, 3) is the true one, seen from afar; either way up if it was turned."""
    there = resize_picture(picture, 32, 24).astype(float)
    ways = [np.ascontiguousarray(np.rot90(found, k)) for k in range(4 if turned else 1)]
    return min(float(np.abs(resize_picture(way, 32, 24) - there).mean()) for way in ways) < 8


def pile(server: Server, data: bytes, **fields: object) -> Any:
    return server.post("/api/pile", [("picture", ("photo.png", data))], **fields)


def test_a_photo_of_loose_pieces_is_solved(server: Server, picture: Pixels, table: Scattered) -> None:
    answer = server.solve(png(table.picture), solver="hybrid", with_picture="true").json()
    assert sorted(answer["grid"]) == [3, 4]
    assert sorted(answer["placement"]) == list(range(12))
    corners = np.array(answer["corners"])
    assert corners.shape == (12, 4, 2)
    assert np.abs(corners.mean(1) - table.middles).max() < 2  # laid line by line, and so found
    assert looks_like(decoded(answer["picture"]), picture)


def test_pieces_laid_upright_are_not_turned(server: Server, picture: Pixels) -> None:
    table = scattered(Puzzle.from_picture(picture, (4, 3), seed=2), seed=2, most=5)
    assert pile(server, png(table.picture)).json()["turned"] is False
    answer = server.solve(png(table.picture), solver="hybrid", grid="4x3", with_picture="true").json()
    assert answer["turns"] == [0] * 12
    assert looks_like(decoded(answer["picture"]), picture, turned=False)


def test_a_pile_of_loose_pieces_is_solved_from_its_sheet(
    server: Server, picture: Pixels, table: Scattered
) -> None:
    answer = pile(server, png(table.picture)).json()
    assert (answer["count"], answer["grid"], answer["turned"]) == (12, None, True)
    assert answer["rim"] > 0
    assert answer["piece"] == answer["full"]
    sheet = decoded(answer["sheet"])
    assert sheet[0].any()  # no black rims
    fields = {
        "layout": "{}x{}".format(*answer["layout"]),
        "count": 12,
        "rim": answer["rim"],
        "rotated": "true",
        "solver": "hybrid",
    }
    solved = server.solve(png(sheet), with_picture="true", **fields).json()
    assert solved["corners"] is None
    assert looks_like(decoded(solved["picture"]), picture)


def test_the_picture_has_all_pixels_of_the_photo(server: Server, picture: Pixels) -> None:
    """A solver sees pieces of 160 px at most."""
    large = resize_picture(picture, 800, 600)
    table = scattered(Puzzle.from_picture(large, (4, 3), seed=1), seed=1)
    fields = {"solver": "hybrid", "with_picture": "true"}
    found = decoded(server.solve(png(table.picture), **fields).json()["picture"])
    assert sorted(found.shape[:2]) == pytest.approx([600, 800], abs=6)  # a px or two are lost at the edges
    assert looks_like(found, picture)


def test_two_puzzles_of_loose_pieces(server: Server, picture: Pixels) -> None:
    other = resize_picture(sample_picture("landscape"), 256, 192)
    pieces = np.concatenate([Puzzle.from_picture(each, (4, 3)).pieces for each in (picture, other)])
    table = scattered(Puzzle(pieces[np.random.default_rng(7).permutation(24)]), most=5)
    fields = {"puzzles": 2, "grid": "4x3", "solver": "hybrid", "with_guide": "true"}
    answer = server.solve(png(table.picture), **fields).json()
    assert np.shape(answer["corners"]) == (24, 4, 2)
    assert [len(part["pieces"]) for part in answer["puzzles"]] == [12, 12]
    one, two = (decoded(part["guide"], "jpeg") for part in answer["puzzles"])
    assert not np.array_equal(one, two)


def test_the_guide_is_the_photo_with_a_label_on_every_piece(server: Server, table: Scattered) -> None:
    data = png(table.picture)
    answer = server.solve(data, solver="hybrid", with_guide="true").json()
    guide = decoded(answer["guide"], "jpeg").astype(int)
    assert guide.shape == table.picture.shape
    changed = np.abs(guide - table.picture).max(2) > 60
    corners = np.array(answer["corners"])
    for low, high in zip(corners.min(1).astype(int), corners.max(1).astype(int), strict=True):
        assert changed[low[1] : high[1], low[0] : high[0]].mean() > 0.02
    assert changed[:8].mean() < 0.001  # beside the pieces it is the photo
    assert server.solve(data, solver="hybrid").json()["guide"] is None


def test_other_pieces_have_no_guide(server: Server, draw) -> None:
    answer = server.solve(png(draw(64, 96)), grid="2x3", with_guide="true").json()
    assert (answer["guide"], answer["corners"]) == (None, None)
    assert server.solve(png(draw(64, 96)), grid="2x3", with_guide="yes").status_code == 422


def test_the_grid_of_loose_pieces_may_not_suit(server: Server, table: Scattered) -> None:
    data = png(table.picture)
    few = pile(server, data, grid="4x4")
    assert few.status_code == 422
    assert few.json()["error"].startswith("12 pieces are too few for the grid 4x4")
    assert pile(server, data, grid="4x4", missing="true").json()["grid"] == [4, 4]
    many = pile(server, data, grid="2x3")
    assert many.status_code == 422
    assert "12 pieces" in many.json()["error"]


def test_what_cannot_be_told_apart_is_said(server: Server, table: Scattered) -> None:
    touching = table.picture.copy()
    (x, y), (to, _) = table.middles[:2].astype(int)
    touching[y - 20 : y + 20, x:to] = 255 - np.array(table.ground)
    answer = server.solve(png(touching))
    assert answer.status_code == 422
    assert "cannot be told apart" in answer.json()["error"]
    assert answer.json()["unreadable"] is True


def test_a_solver_that_turns_nothing_is_refused(server: Server, table: Scattered) -> None:
    answer = server.solve(png(table.picture), solver="pomeranz")
    assert answer.status_code == 422
    assert "does not take turned pieces" in answer.json()["error"]


def test_loose_pieces_are_counted(table: Scattered) -> None:
    job = Job("solve", (("photo.png", png(table.picture)),), scrambled=True)
    with pytest.raises(ApiError) as refused:
        read_pile(job, Limits(pieces=11), read_pictures(job.files, Limits()))
    assert refused.value.status == 413
    assert refused.value.message == "12 loose pieces are seen, which is more than the 11 pieces allowed."


def test_a_rim_belongs_to_a_layout(server: Server, draw) -> None:
    assert server.solve(png(draw(64, 64)), rim=2).status_code == 422
    assert server.solve(png(draw(64, 64)), rim=99, layout="2x2").status_code == 422


def test_a_photo_is_opened_on_the_page(
    open_page: Open, picture: Pixels, table: Scattered, draw, tmp_path: Path
) -> None:
    page = open_page("/#solver=pomeranz", reduced_motion="reduce")
    file = {"name": "photo.png", "mimeType": "image/png", "buffer": png(table.picture)}
    page.locator("#open-pile").set_input_files(file)
    expect(page.locator("#status")).to_have_text("12 pieces. Press Solve.")
    expect(page.locator("#may-turn")).to_be_checked()
    expect(page.locator("#puzzles")).to_be_visible()
    page.click("#solve")
    state(page, "solved")
    expect(page.locator('[data-is="solver"]')).to_have_text("hybrid")
    assert looks_like(board(page), picture)
    with page.expect_download() as saved:
        page.click('[data-is="json"]')
    assert np.shape(json.loads(Path(saved.value.path()).read_text())["corners"]) == (12, 4, 2)
    expect(page.locator(".guide img")).to_be_visible()
    # Other pieces are not turned because these were.
    pieces = Puzzle.from_picture(draw(64, 96), (2, 3), seed=1).pieces
    files = [{**file, "name": f"{i}.png", "buffer": png(piece)} for i, piece in enumerate(pieces)]
    page.locator("#open-pile").set_input_files(files)
    expect(page.locator("#status")).to_have_text("6 pieces. Press Solve.")
    expect(page.locator("#may-turn")).not_to_be_checked()
    page.click("#solve")
    state(page, "solved")
    expect(page.locator(".guide")).to_be_hidden()
    expect(page.locator('[data-is="guide"]')).to_be_hidden()


def marked_sides(guide: Pixels, corners: np.ndarray) -> list[int]:
    """Which side of every piece (N, 4, 2) has the red line in a guide."""
    middle = corners.mean(1, keepdims=True)
    sides = (corners + np.roll(corners, -1, 1)) / 2  # (N, 4, 2)
    x, y = (0.92 * sides + 0.08 * middle).round().astype(int).transpose(2, 0, 1)
    return np.abs(guide[y, x].astype(int) - LINE).sum(-1).argmin(1).tolist()


@pytest.mark.parametrize("kind", ["png", "tiff"])  # Chromium reads no TIFF
def test_the_guide_on_the_page(open_page: Open, table: Scattered, kind: str) -> None:
    page = open_page("/#solver=hybrid", reduced_motion="reduce")
    data = encoded(table.picture, kind.upper())
    file = {"name": f"photo.{kind}", "mimeType": f"image/{kind}", "buffer": data}
    page.locator("#open-pile").set_input_files(file)
    expect(page.locator("#status")).to_have_text("12 pieces. Press Solve.")
    page.click("#solve")
    state(page, "solved")
    guides, answers = [], []
    for by_hand in (False, True):
        if by_hand:  # two pieces change places
            drag(page, slot_on_screen(page, 0), slot_on_screen(page, 5))
            expect(page.locator('[data-is="solver"]')).to_have_text("by hand")
        with page.expect_download() as saved:
            page.click('[data-is="guide"]')
        assert saved.value.suggested_filename == "ganzzle-guide.jpg"
        guides.append(np.asarray(Image.open(saved.value.path()).convert("RGB")))
        with page.expect_download() as saved:
            page.click('[data-is="json"]')
        answers.append(json.loads(Path(saved.value.path()).read_text()))
        assert marked_sides(guides[-1], np.array(answers[-1]["corners"])) == answers[-1]["turns"]
    if kind == "png":
        assert guides[0].shape == table.picture.shape
    assert answers[0]["placement"] != answers[1]["placement"]
    changed = np.abs(guides[0].astype(int) - guides[1]).max(2) > 60
    inside = [
        bool(changed[int(y) - 10 : int(y) + 10, int(x) - 10 : int(x) + 10].any())
        for x, y in np.array(answers[0]["corners"]).mean(1)
    ]
    moved = [a != b for a, b in zip(answers[0]["placement"], answers[1]["placement"], strict=True)]
    assert inside == moved  # only these two have other labels
