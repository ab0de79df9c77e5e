"""`ganzzle solve` with pages of loose jigsaw pieces, drawn by `ganzzle shuffle`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from ganzzle import Pile, read_picture, solve, write_picture
from ganzzle.samples import sample_picture


@pytest.fixture
def pages(command, tmp_path):
    """A function that writes the pages of a 4x6 jigsaw, with options of `shuffle`, and says which folder."""

    def write(*options, grid="4x6", name="pages"):
        picture = write_picture(tmp_path / f"{name}.png", sample_picture("balloons"))
        folder = tmp_path / name
        ran = command(
            "shuffle", picture, "--grid", grid, "--out", folder, "--cut", "jigsaw", "--scatter", "--piece", 90, *options
        )  # fmt: skip
        assert ran.code == 0, ran.err
        return folder

    return write


def neighbours_right(folder, record):
    """The share of true neighbours that lie side by side in a record of `solve --json`, in whatever turn."""
    truth = json.loads((folder / "puzzle.json").read_text())
    names = sorted({piece["file"] for piece in truth["pieces"]})
    cols = record["grid"][1]
    at = {}
    for page, corners, slot in zip(record["page"], record["corners"], record["placement"], strict=True):
        middle = np.mean(corners, axis=0)
        there = [piece for piece in truth["pieces"] if piece["file"] == names[page]]
        nearest = min(there, key=lambda piece: np.hypot(piece["x"] - middle[0], piece["y"] - middle[1]))
        if slot >= 0 and nearest["row"] is not None:
            at[nearest["row"], nearest["col"]] = divmod(slot, cols)
    right = total = 0
    for row, col in at:
        for other in ((row + 1, col), (row, col + 1)):
            total += 1
            if other in at:
                right += sum(abs(np.subtract(at[row, col], at[other]))) == 1
    return right / max(1, total - truth["grid"][0] - truth["grid"][1])


@pytest.mark.parametrize(
    "options", [("--pages", 2), ("--ground", "black"), ("--ground", "green", "--spoilt")]
)
def test_pages_of_jigsaw_pieces_become_the_picture(command, pages, tmp_path, options):
    folder = pages(*options)
    ran = command("solve", folder, "--json", tmp_path / "solved.json", "--out", tmp_path / "solved.png")
    assert ran.code == 0, ran.err
    assert "24 cut pieces" in ran.out
    record = json.loads((tmp_path / "solved.json").read_text())
    assert sorted(record["grid"]) == [4, 6]
    assert neighbours_right(folder, record) == 1
    assert record["left_over"] == []
    assert min(record["confidence"]) > 0.5
    height, width, _ = read_picture(tmp_path / "solved.png").shape
    assert sorted((height, width)) == pytest.approx([360, 540], rel=0.05)


def test_the_picture_is_laid_without_gaps(command, pages, tmp_path):
    folder = pages("--ground", "pink")
    command("solve", folder, "--out", tmp_path / "solved.png")
    solved = read_picture(tmp_path / "solved.png")
    whole = Image.fromarray(sample_picture("balloons"))
    true = np.asarray(whole.resize((540, 360), Image.Resampling.BICUBIC))
    best = min(_unlike(np.rot90(solved, turn), true) for turn in range(4))
    assert best < 14  # levels: what is drawn is lit unevenly, and a px off here and there
    inside = solved[10:-10, 10:-10]
    assert (inside.max(2) == 0).mean() < 0.001


def _unlike(picture, true):
    image = Image.fromarray(np.ascontiguousarray(picture)).resize(true.shape[1::-1], Image.Resampling.BICUBIC)
    return np.abs(np.asarray(image, np.float32) - true).mean()


def test_the_guide_shows_every_page(command, pages, tmp_path):
    folder = pages("--pages", 2)
    ran = command(
        "solve", *sorted(folder.glob("*.jpg")), "--out", tmp_path / "o.png", "--guide", tmp_path / "g.png"
    )
    assert ran.code == 0, ran.err
    for number, page in enumerate(sorted(folder.glob("*.jpg")), 1):
        guide = read_picture(tmp_path / f"g-{number}.png")
        assert guide.shape == read_picture(page).shape
        assert 0.01 < (np.abs(guide.astype(int) - read_picture(page)).max(2) > 30).mean() < 0.3


def test_the_film_ends_with_the_picture(command, pages, tmp_path):
    folder = pages()
    ran = command("solve", folder, "--out", tmp_path / "solved.png", "--trace", tmp_path / "film.gif")
    assert ran.code == 0, ran.err
    with Image.open(tmp_path / "film.gif") as film:
        assert film.n_frames == 24
        film.seek(23)
        last = np.asarray(film.convert("RGB"), np.float32)
    solved = Image.fromarray(read_picture(tmp_path / "solved.png")).resize(last.shape[1::-1])
    assert np.abs(np.asarray(solved, np.float32) - last).mean() < 16


def test_lost_and_foreign_pieces_are_said(command, pages, tmp_path):
    folder = pages("--corrupt", "missing:0.1", "--foreign", 1)
    ran = command("solve", folder, "--json", tmp_path / "solved.json")
    assert ran.code == 0, ran.err
    record = json.loads((tmp_path / "solved.json").read_text())
    assert neighbours_right(folder, record) > 0.7
    assert record["placement"].count(-1) == len(record["left_over"])


@pytest.mark.parametrize("what", ["blank", "photo", "noise"])
def test_pages_with_no_pieces_are_refused_in_a_line(command, draw, tmp_path, what):
    rng = np.random.default_rng(0)
    picture = {
        "blank": np.full((600, 500, 3), 240, np.uint8),
        "photo": draw(600, 500, 1),
        "noise": rng.integers(0, 256, (600, 500, 3), np.uint8),
    }[what]
    paths = [write_picture(tmp_path / f"{k}.png", picture) for k in range(2)]
    ran = command("solve", *paths)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert list(tmp_path.glob("*solved*")) == []


def test_a_guide_needs_pages(command, draw, tmp_path):
    picture = write_picture(tmp_path / "photo.png", draw(200, 200, 1))
    command("shuffle", picture, "--grid", "4x4", "--out", tmp_path / "tiles")
    ran = command("solve", tmp_path / "tiles", "--guide", tmp_path / "guide.png")
    assert ran.code == 2
    assert "loose" in ran.err


def test_python_gives_the_answer_of_the_command(command, pages, tmp_path):
    folder = pages("--pages", 2)
    command("solve", folder, "--json", tmp_path / "solved.json")
    record = json.loads((tmp_path / "solved.json").read_text())
    answer = solve(Pile.from_scans([folder]))
    assert answer.placement.tolist() == record["placement"]
    assert answer.picture().shape[2] == 3
    one = answer.laid[0]
    turned = one.turned(1)
    assert (turned.grid.rows, turned.grid.cols) == (one.grid.cols, one.grid.rows)
    unlike = np.abs(np.rot90(one.picture(), -1).astype(int) - turned.picture())
    assert unlike.mean() < 1
