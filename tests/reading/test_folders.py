"""Puzzle folders: neutral names, the truth beside them, nothing half-written."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Puzzle
from ganzzle.reading.folders import TRUTH_FILE, read_truth, write_puzzle
from ganzzle.reading.pictures import read_pieces, write_picture


def test_a_puzzle_goes_there_and_back(tmp_path, draw):
    puzzle = Puzzle.from_picture(draw(60, 60), 6, seed=3, rotated=True, corrupt="missing:0.1+noise:0.05")
    names = write_puzzle(tmp_path / "pile", puzzle)
    assert names == sorted(names)
    assert np.array_equal(read_pieces(tmp_path / "pile"), puzzle.pieces)
    truth = read_truth(tmp_path / "pile", names)
    assert truth.grid == puzzle.grid
    for field in ("placement", "turns", "twins", "periods"):
        assert np.array_equal(getattr(truth, field), getattr(puzzle.truth, field))


def test_force_replaces_a_puzzle_and_nothing_else(tmp_path, draw):
    folder = tmp_path / "pile"
    write_puzzle(folder, Puzzle.from_picture(draw(40, 40), 4))
    with pytest.raises(PuzzleError, match="--force"):
        write_puzzle(folder, Puzzle.from_picture(draw(40, 40), 2))
    write_puzzle(folder, Puzzle.from_picture(draw(40, 40), 2), force=True)
    assert len(read_pieces(folder)) == 4
    write_picture(folder / "mine.png", draw(20, 20))
    with pytest.raises(PuzzleError, match=r"other files \(mine.png\)"):
        write_puzzle(folder, Puzzle.from_picture(draw(40, 40), 2), force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["pile"]


@pytest.mark.parametrize("name", ["piece-photo.jpg", "piece-archive/notes.txt", "puzzle.json"])
def test_force_leaves_files_that_no_puzzle_lists(tmp_path, draw, name):
    mine = tmp_path / "pile" / name
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(PuzzleError, match="other files"):
        write_puzzle(tmp_path / "pile", Puzzle.from_picture(draw(40, 40), 2), force=True)
    assert mine.read_text() == "mine"


def test_an_empty_folder_is_taken(tmp_path, draw):
    (tmp_path / "pile").mkdir()
    write_puzzle(tmp_path / "pile", Puzzle.from_picture(draw(40, 40), 2))
    assert len(read_pieces(tmp_path / "pile")) == 4


@pytest.mark.parametrize("out", [".", "link", "pile/../link/"])
def test_a_folder_that_is_there_stays_the_same_one(tmp_path, draw, monkeypatch, out):
    """The working folder, and a folder by a link; the second time it holds a puzzle."""
    (tmp_path / "pile").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "pile")
    monkeypatch.chdir(tmp_path / "pile" if out == "." else tmp_path)
    before = (tmp_path / "pile").stat().st_ino
    for side, force in ((3, False), (2, True)):
        write_puzzle(out, Puzzle.from_picture(draw(60, 60), side), force=force)
        assert len(list((tmp_path / "pile").iterdir())) == side**2 + 1
    assert (tmp_path / "pile").stat().st_ino == before
    assert (tmp_path / "link").is_symlink()


def test_force_removes_no_file_outside_the_folder(tmp_path, draw):
    folder, outside = tmp_path / "pile", tmp_path / "mine.png"
    write_puzzle(folder, Puzzle.from_picture(draw(40, 40), 2))
    write_picture(outside, draw(20, 20))
    record = json.loads((folder / TRUTH_FILE).read_text())
    record["pieces"] += [{"file": "../mine.png"}, {"file": str(outside)}]
    (folder / TRUTH_FILE).write_text(json.dumps(record))
    write_puzzle(folder, Puzzle.from_picture(draw(40, 40), 2), force=True)
    assert outside.exists()


def test_a_link_to_a_folder_that_is_not_there_yet(tmp_path, draw):
    (tmp_path / "link").symlink_to(tmp_path / "pile")
    write_puzzle(tmp_path / "link", Puzzle.from_picture(draw(40, 40), 2))
    assert len(read_pieces(tmp_path / "pile")) == 4


def test_a_failure_leaves_nothing(tmp_path, draw, monkeypatch):
    import ganzzle.reading.folders

    def fail(path, piece):
        if path.name.endswith("3.png"):
            raise OSError(28, "No space left on device")
        return write_picture(path, piece)

    monkeypatch.setattr(ganzzle.reading.folders, "write_picture", fail)
    with pytest.raises(PuzzleError, match="No space left"):
        write_puzzle(tmp_path / "pile", Puzzle.from_picture(draw(40, 40), 2))
    assert list(tmp_path.iterdir()) == []


def test_no_truth_and_a_spoiled_truth(tmp_path, draw):
    names = write_puzzle(tmp_path, Puzzle.from_picture(draw(40, 40), 2))
    path = tmp_path / TRUTH_FILE
    good = json.loads(path.read_text())
    bad = [
        "no json", "[]", "{}", json.dumps(good | {"grid": [2]}), json.dumps(good | {"pieces": good["pieces"][:2]}),
        json.dumps(good | {"pieces": [piece | {"slot": 0} for piece in good["pieces"]]}),
        json.dumps(good | {"grid": [1, 2]}), json.dumps(good | {"grid": [2.0, 2.0]}),
        _with_first(good, slot=10**30), _with_first(good, slot=good["pieces"][0]["slot"] + 0.5),
        _with_first(good, turns=0.5), _with_first(good, twin="a"),
        _all_with(good, twin=10**12), _all_with(good, twin=-1), _all_with(good, period=0),
    ]  # fmt: skip
    for text in bad:
        path.write_text(text)
        with pytest.raises(PuzzleError, match=TRUTH_FILE):
            read_truth(tmp_path, names)
    path.unlink()
    assert read_truth(tmp_path, names) is None


def _all_with(record, **changes):
    """The text of a truth whose pieces are all changed."""
    return json.dumps(record | {"pieces": [piece | changes for piece in record["pieces"]]})


def _with_first(record, **changes):
    """The text of a truth whose first piece is changed."""
    first, *others = record["pieces"]
    return json.dumps(record | {"pieces": [first | changes, *others]})


@pytest.mark.skipif(os.name == "nt", reason="rights of Unix")
def test_a_folder_has_the_rights_that_the_user_wants(tmp_path, draw):
    umask = os.umask(0o077)
    try:
        write_puzzle(tmp_path / "pile", Puzzle.from_picture(draw(40, 40), 2))
    finally:
        os.umask(umask)
    assert (tmp_path / "pile").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "pile" / "puzzle.json").stat().st_mode & 0o777 == 0o600
