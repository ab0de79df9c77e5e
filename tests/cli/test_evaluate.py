"""`ganzzle evaluate`: options in, rows out."""

from __future__ import annotations

import json
import tarfile

import pytest

from ganzzle.reading.pictures import write_picture


@pytest.fixture
def images(tmp_path, draw):
    """A folder of three pictures."""
    for k in range(3):
        write_picture(tmp_path / "images" / f"{k}.png", draw(100, 120, k))
    return tmp_path / "images"


def test_rows_as_promised(command, images, tmp_path):
    sources = ["--images", images, "--images", images / "0.png"]
    cells = ["--grid", "2x2", "--grid", "3x4", "--corrupt", "none", "--corrupt", "noise:0.05", "--piece", 24]
    rest = ["--solver", "paikin-tal", "--limit", 2, "--seed", 9, "--json", tmp_path / "rows.json"]
    ran = command("evaluate", *sources, *cells, *rest)
    assert ran.code == 0
    assert ran.err == ""
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    found = [(row["source"], row["grid"], row["corruption"], row["puzzles"]) for row in rows]
    assert found == [
        (str(source), grid, corruption, puzzles)
        for source, puzzles in ((images, 2), (images / "0.png", 1))
        for grid in ("2x2", "3x4")
        for corruption in ("none", "noise:0.05")
    ]
    assert {row["seed"] for row in rows} == {9}
    assert {row["piece"] for row in rows} == {24}
    clean = next(row for row in rows if (row["grid"], row["corruption"]) == ("3x4", "none"))
    assert clean["direct"] == 100
    assert "100.00" in ran.out
    assert "neighbour" in ran.out


def test_a_shard_that_is_cut_is_an_error_and_not_a_smaller_set(command, images, tmp_path):
    with tarfile.open(tmp_path / "cut.tar", "w") as shard:
        shard.add(images, ".")
    with tarfile.open(tmp_path / "cut.tar") as shard:
        last = shard.getmembers()[-1].offset
    (tmp_path / "cut.tar").write_bytes((tmp_path / "cut.tar").read_bytes()[:last])
    ran = command("evaluate", "--solver", "paikin-tal", "--images", tmp_path / "cut.tar", "--grid", "2x2")
    assert ran.code == 2
    assert "damaged or cut short" in ran.err
    assert "Traceback" not in ran.err


def test_a_broken_picture_beyond_the_limit_does_not_matter(command, images):
    (images / "1.png").write_bytes(b"broken")
    arguments = ["evaluate", "--solver", "paikin-tal", "--images", images, "--grid", "2x2", "--json", "-"]
    (row,) = json.loads(command(*arguments, "--limit", 1).out)["rows"]
    assert row["puzzles"] == 1
    assert "1.png" in command(*arguments).err


def test_json_on_stdout_is_alone(command, images):
    ran = command(
        "evaluate", "--solver", "paikin-tal", "--images", images, "--grid", "2x2", "--native", "--json", "-"
    )
    (row,) = json.loads(ran.out)["rows"]
    assert row["native"]
    assert ran.err == ""


def test_official_permutations_name_the_pictures_and_their_orders(command, images, tmp_path):
    """The file and the folder may differ in endings, and the folder may hold more pictures."""
    orders = tmp_path / "orders.csv"
    orders.write_text(f"0.jpg,2,[2, 3, 1, 0]\n2.jpg,2,[0, 1, 3, 2]\n2.jpg,4,{[*range(16)]}\n")
    arguments = [
        "evaluate",
        "--solver",
        "paikin-tal",
        "--images",
        images,
        "--permutations",
        orders,
        "--json",
        "-",
    ]
    (row,) = json.loads(command(*arguments, "--grid", "2x2").out)["rows"]
    assert row["puzzles"] == 2
    rows = json.loads(command(*arguments, "--grid", "2x2", "--grid", "4x4").out)["rows"]
    assert [row["puzzles"] for row in rows] == [1, 1]
    for grid in ("3x3", "2x4"):
        assert f"no {grid} puzzles; there are: 2x2, 4x4" in command(*arguments, "--grid", grid).err
    orders.write_text("7.jpg,2,[2, 3, 1, 0]\n")
    assert "none that is asked for" in command(*arguments, "--grid", "2x2").err
    orders.write_bytes(b"\x89PNG")
    assert f"{orders} is no text file" in command(*arguments, "--grid", "2x2").err
    orders.write_text("hello")
    assert str(orders) in command(*arguments, "--grid", "2x2").err


def test_the_source_is_named_as_it_was_given(command, images, monkeypatch):
    monkeypatch.chdir(images.parent)
    (row,) = json.loads(
        command(
            "evaluate", "--solver", "paikin-tal", "--images", "./images/", "--grid", "2x2", "--json", "-"
        ).out
    )["rows"]
    assert row["source"] == "./images/"


def test_what_is_kept_is_not_solved_again(command, images, tmp_path):
    kept = tmp_path / "kept" / "evaluate.jsonl"
    arguments = ["evaluate", "--solver", "paikin-tal", "--images", images, "--grid", "2x2", "--json", "-"]
    arguments += ["--out", kept.parent]
    first = command(*arguments)
    lines = kept.read_text()
    again = command(*arguments)
    assert json.loads(again.out) == json.loads(first.out)  # also the times: they are those of then
    assert "keeps 1 part" in again.err
    assert kept.read_text() == lines
    command(*arguments, "--fresh")
    assert len(kept.read_text().splitlines()) == 1
    kept.write_text("something else\n")
    ran = command(*arguments)
    assert ran.code == 2
    assert "not what this command writes" in ran.err


def test_an_engine_that_is_none_is_refused(command, images):
    ran = command("evaluate", "--images", images, "--grid", "2x2", "--engine", "steam")
    assert ran.code == 2
    assert "there are: local, ray" in ran.err
