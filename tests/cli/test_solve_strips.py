"""`ganzzle shuffle --shred` and `ganzzle solve` with the strips."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ganzzle import read_picture, write_picture
from ganzzle.samples.documents import draw_document

COUNT = 10


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return write_picture(tmp_path_factory.mktemp("page") / "page.png", draw_document(1400, seed=9))


@pytest.fixture
def shredded(command, page, tmp_path):
    """A function that shreds the page, with options of `shuffle`, and says which folder the strips are in."""

    def write(*options):
        ran = command("shuffle", page, "--shred", COUNT, "--out", tmp_path / "strips", *options)
        assert ran.code == 0, ran.err
        assert f"{COUNT} strips" in ran.out
        return tmp_path / "strips"

    return write


def right(folder, record):
    """The share of true neighbours that lie side by side in a record of `solve --json`, read either way round."""
    truth = [piece["slot"] for piece in json.loads((folder / "puzzle.json").read_text())["pieces"]]
    row = np.array(truth)[np.argsort(record["placement"])]
    return max((np.diff(row) == step).mean() for step in (1, -1))


@pytest.mark.parametrize("options", [(), ("--scatter",), ("--scatter", "--rotated")])
def test_a_shredded_page_comes_back(command, shredded, page, tmp_path, options):
    folder = shredded(*options)
    ran = command("solve", folder, "--json", tmp_path / "a.json", "--out", tmp_path / "a.png")
    assert ran.code == 0, ran.err
    assert f"{COUNT} strips" in ran.out
    record = json.loads((tmp_path / "a.json").read_text())
    assert record["grid"] == [1, COUNT]
    assert right(folder, record) == 1
    back, whole = read_picture(tmp_path / "a.png"), read_picture(page)
    assert back.shape[:2] == pytest.approx(whole.shape[:2], rel=0.04)


def test_strips_of_the_same_seed_are_the_same(command, shredded, page, tmp_path):
    folder = shredded("--seed", 3)
    assert command("shuffle", page, "--shred", COUNT, "--out", tmp_path / "b", "--seed", 3).code == 0
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--shred", 4, "--grid", "2x2", "--out", "out"], "leave --grid"),
        (["--shred", 4, "--out", "out.png"], "a folder"),
        (["--shred", 4000, "--out", "out"], "1 to"),
        (["--out", "out"], "--shred N"),
    ],
)
def test_what_cannot_be_shredded_is_refused(command, page, tmp_path, monkeypatch, options, says):
    monkeypatch.chdir(tmp_path)
    ran = command("shuffle", page, *options)
    assert ran.code == 2
    assert says in ran.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("count", [2, 6])
def test_blank_strips_are_never_sure(command, tmp_path, count):
    for k in range(count):
        write_picture(tmp_path / "blank" / f"{k}.png", np.full((900, 60 + k, 3), 250, np.uint8))
    ran = command("solve", tmp_path / "blank", "--out", tmp_path / "a.png", "--json", tmp_path / "a.json")
    assert ran.code == 0, ran.err
    assert max(json.loads((tmp_path / "a.json").read_text())["confidence"]) < 0.8
    assert "without ink" in ran.out


def test_strips_of_two_widths(command, shredded, tmp_path):
    folder = shredded()
    for file in sorted(folder.glob("*.png"))[::2]:
        picture = read_picture(file)
        file.unlink()
        write_picture(file, np.pad(picture, ((0, 0), (9, 9), (0, 0))))
    ran = command("solve", folder, "--out", tmp_path / "a.png", "--json", tmp_path / "a.json")
    assert ran.code == 0, ran.err
    assert right(folder, json.loads((tmp_path / "a.json").read_text())) == 1


def test_a_sheet_with_nothing_on_it_is_refused(command, tmp_path):
    sheet = write_picture(tmp_path / "sheet.png", np.full((1200, 900, 3), (238, 200, 40), np.uint8))
    ran = command("solve", sheet, sheet)
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1
