"""`ganzzle shuffle` and `ganzzle solve`: there and back."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from ganzzle.puzzle import Puzzle
from ganzzle.reading.pictures import read_picture, read_pieces, resize_picture, write_picture
from ganzzle.samples import sample_picture


def test_names_reveal_nothing(pile, photo, draw):
    names = sorted(path.name for path in pile.iterdir())
    assert names == [f"piece-{k:03}.png" for k in range(1, 25)] + ["puzzle.json"]
    pieces, picture = read_pieces(pile), read_picture(photo)
    in_order = [
        np.array_equal(piece, picture[40 * (k // 6) :, 40 * (k % 6) :][:40, :40])
        for k, piece in enumerate(pieces)
    ]
    assert sum(in_order) < 5
    truth = json.loads((pile / "puzzle.json").read_text())
    assert truth["grid"] == [4, 6]
    assert sorted(piece["slot"] for piece in truth["pieces"]) == list(range(24))


def test_solving_a_folder_gives_the_picture_back(command, pile, photo, tmp_path):
    ran = command(
        "solve", pile, "--grid", "4x6", "--out", tmp_path / "solved.png", "--json", tmp_path / "s.json"
    )
    assert ran.code == 0
    assert ran.err == ""
    assert np.array_equal(read_picture(tmp_path / "solved.png"), read_picture(photo))
    assert "direct 100.0 %" in ran.out
    assert "% sure" in ran.out
    record = json.loads((tmp_path / "s.json").read_text())
    assert record["grid"] == [4, 6]
    assert record["pieces"] == [f"piece-{k:03}.png" for k in range(1, 25)]
    truth = {
        piece["file"]: piece["slot"] for piece in json.loads((pile / "puzzle.json").read_text())["pieces"]
    }
    assert record["placement"] == [truth[name] for name in record["pieces"]]
    assert record["turns"] == [0] * 24
    assert len(record["confidence"]) == 24
    assert record["seconds"] > 0
    assert record["accuracy"]["direct"] == 100


def test_the_truth_is_not_used_for_solving(solve, pile, tmp_path):
    """A lying puzzle.json changes the accuracy that is printed, never the answer; without it none is printed."""
    solve(pile, "--grid", "4x6", "--out", tmp_path / "a.png")
    truth = json.loads((pile / "puzzle.json").read_text())
    slots = [piece["slot"] for piece in truth["pieces"]]
    for piece, slot in zip(truth["pieces"], slots[1:] + slots[:1], strict=True):
        piece["slot"] = slot
    (pile / "puzzle.json").write_text(json.dumps(truth))
    lied = solve(pile, "--grid", "4x6", "--out", tmp_path / "b.png")
    assert "direct 0.0 %" in lied.out
    (pile / "puzzle.json").unlink()
    unknown = solve(pile, "--grid", "4x6", "--out", tmp_path / "c.png")
    assert "direct" not in unknown.out
    assert (
        (tmp_path / "a.png").read_bytes()
        == (tmp_path / "b.png").read_bytes()
        == (tmp_path / "c.png").read_bytes()
    )


def test_the_grid_of_a_folder_is_found(solve, pile, photo, tmp_path):
    ran = solve(pile, "--out", tmp_path / "solved.png")
    assert "grid 4x6, found" in ran.out
    assert np.array_equal(read_picture(tmp_path / "solved.png"), read_picture(photo))


@pytest.mark.parametrize("grid", [[], ["--grid", "4x6"]])
def test_a_scrambled_picture_with_and_without_grid(solve, command, photo, tmp_path, grid):
    assert command("shuffle", photo, "--grid", "4x6", "--out", tmp_path / "mixed.png").code == 0
    assert not np.array_equal(read_picture(tmp_path / "mixed.png"), read_picture(photo))
    ran = solve(tmp_path / "mixed.png", *grid, "--out", tmp_path / "solved.png", "--json", "-")
    assert np.array_equal(read_picture(tmp_path / "solved.png"), read_picture(photo))
    record = json.loads(ran.out)
    assert record["grid"] == [4, 6]
    assert record["pieces"][7] == "r2c2"


@pytest.mark.parametrize("grid", [[], ["--grid", "4x6"]])
def test_a_scrambled_picture_with_gutters_that_was_resized(solve, photo, tmp_path, grid):
    puzzle = Puzzle.from_picture(photo, "4x6", seed=1)
    laid = np.full((4 * 45 + 15, 6 * 45 + 15, 3), 255, np.uint8)
    for k, piece in enumerate(puzzle.pieces):
        laid[10 + 45 * (k // 6) :, 10 + 45 * (k % 6) :][:40, :40] = piece
    height, width = laid.shape[:2]
    laid = np.asarray(Image.fromarray(laid).resize((width * 9 // 8, height * 9 // 8)))
    write_picture(tmp_path / "screen.png", laid)
    ran = solve(tmp_path / "screen.png", *grid, "--json", tmp_path / "s.json")
    assert (ran.code, ran.err) == (0, "")
    record = json.loads((tmp_path / "s.json").read_text())
    assert record["grid"] == [4, 6]
    assert record["placement"] == puzzle.truth.placement.tolist()


def test_the_default_output_lies_beside_the_input(solve, pile):
    assert solve(pile, "--grid", "4x6", "--json", "-").code == 0
    assert [path.name for path in pile.parent.iterdir() if "solved" in path.name] == []
    ran = solve(pile, "--grid", "4x6")
    assert f"wrote {pile}-solved.png" in ran.out
    assert len(read_pieces(pile)) == 24
    assert "--force" in solve(pile, "--grid", "4x6").err


def test_missing_pieces(solve, command, photo, tmp_path):
    command("shuffle", photo, "--grid", "4x6", "--out", tmp_path / "some", "--corrupt", "missing:0.1")
    assert len(read_pieces(tmp_path / "some")) == 22
    ran = solve(tmp_path / "some", "--grid", "4x6", "--missing", "--json", tmp_path / "s.json")
    assert ran.code == 0
    placement = json.loads((tmp_path / "s.json").read_text())["placement"]
    assert len(set(placement)) == 22
    assert max(placement) < 24


def test_lost_pieces_that_nobody_announced(command, draw, tmp_path):
    photo = write_picture(tmp_path / "photo.png", draw(192, 256, 4))
    command("shuffle", photo, "--grid", "6x8", "--out", tmp_path / "some")
    (tmp_path / "some" / "piece-017.png").unlink()
    ran = command("solve", tmp_path / "some", "--out", tmp_path / "s.png")
    assert "47 pieces of 32x32 px, grid 6x8, found; 1 is missing" in ran.out
    assert "direct 100.0 %" in ran.out


@pytest.mark.parametrize("gone", [1, 3])
def test_lost_pieces_that_lie_turned(command, tmp_path, gone):
    photo = write_picture(tmp_path / "photo.png", sample_picture("portrait"))
    command("shuffle", photo, "--grid", "6x6", "--piece", "32", "--rotated", "--out", tmp_path / "some")
    for k in range(1, gone + 1):
        (tmp_path / "some" / f"piece-{k:03}.png").unlink()
    ran = command("solve", tmp_path / "some", "--rotated", "--out", tmp_path / "s.png")
    assert f"{36 - gone} pieces of 32x32 px, grid 6x6, found; {gone} " in ran.out
    assert "direct 100.0 %" in ran.out


def test_an_even_picture(solve, command, photo, tmp_path):
    command("shuffle", photo, "--grid", "4x6", "--corrupt", "uneven:0.02", "--out", tmp_path / "uneven")
    for name, options in (("as-it-is.png", []), ("even.png", ["--even"])):
        ran = solve(tmp_path / "uneven", "--grid", "4x6", *options, "--out", tmp_path / name)
        assert "direct 100.0 %" in ran.out
    plain, even = (
        np.abs(read_picture(tmp_path / name).astype(int) - read_picture(photo)).mean()
        for name in ("as-it-is.png", "even.png")
    )
    assert even < plain


def test_strips(solve, command, photo, tmp_path):
    command("shuffle", photo, "--grid", "1x12", "--out", tmp_path / "strips")
    ran = solve(tmp_path / "strips", "--out", tmp_path / "page.png")
    assert "12 pieces of 20x160 px, grid 1x12, found" in ran.out
    assert np.array_equal(read_picture(tmp_path / "page.png"), read_picture(photo))


def test_piece_size_corruption_turns_and_seed(command, photo, tmp_path):
    options = ["--grid", "2x3", "--piece", "16", "--corrupt", "erode:2", "--rotated", "--seed", "5"]
    ran = command("shuffle", photo, *options, "--out", tmp_path / "a", "--json", "-")
    record = json.loads(ran.out)
    assert (record["grid"], record["pieces"], record["seed"]) == ("2x3", 6, 5)
    pieces = read_pieces(tmp_path / "a")
    assert pieces.shape == (6, 16, 16, 3)
    assert not pieces[:, :2].any()
    truth = json.loads((tmp_path / "a" / "puzzle.json").read_text())
    assert len({piece["turns"] for piece in truth["pieces"]}) > 1
    command("shuffle", photo, *options, "--out", tmp_path / "b")
    assert np.array_equal(read_pieces(tmp_path / "b"), pieces)


def test_arrival_order_and_names_do_not_matter(solve, pile, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for k, path in enumerate(sorted(pile.glob("*.png"), reverse=True)):
        shutil.copy(path, other / f"fragment {k * 7 % 24}.png")
    solve(pile, "--grid", "4x6", "--out", tmp_path / "a.png")
    solve(other, "--grid", "4x6", "--out", tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_turned_pieces(command, photo, tmp_path):
    command("shuffle", photo, "--grid", "4x6", "--rotated", "--out", tmp_path / "turned")
    ran = command(
        "solve", tmp_path / "turned", "--grid", "4x6", "--rotated", "--out", tmp_path / "solved.png"
    )
    assert "direct 100.0 %, neighbour 100.0 %" in ran.out
    solved, original = read_picture(tmp_path / "solved.png"), read_picture(photo)
    assert any(np.array_equal(np.rot90(solved, k), original) for k in (0, 2))


def test_a_pile_of_two_puzzles(solve, command, draw, tmp_path):
    for k in range(2):
        write_picture(tmp_path / f"{k}.png", draw(120, 160, 20 + k))
        command(
            "shuffle", tmp_path / f"{k}.png", "--grid", "3x4", "--seed", k, "--out", tmp_path / f"pile-{k}"
        )
    (tmp_path / "pile").mkdir()
    for k in range(2):
        for path in (tmp_path / f"pile-{k}").glob("*.png"):
            shutil.copy(path, tmp_path / "pile" / f"{path.stem}-{'xa'[k]}.png")
    outputs = ["--out", tmp_path / "out.png", "--json", tmp_path / "out.json"]
    ran = solve(tmp_path / "pile", "--puzzles", 2, "--grid", "3x4", *outputs)
    assert ran.code == 0
    assert "24 pieces of 40x40 px, 2 puzzles" in ran.out
    found = [read_picture(tmp_path / f"out-{k}.png") for k in (1, 2)]
    for k in range(2):
        assert any(np.array_equal(read_picture(tmp_path / f"{k}.png"), picture) for picture in found)
    record = json.loads((tmp_path / "out.json").read_text())
    assert record["grids"] == [[3, 4], [3, 4]]
    groups = {(name[-5], puzzle) for name, puzzle in zip(record["pieces"], record["puzzle"], strict=True)}
    assert len(groups) == 2


def test_a_trace_shows_the_pieces_being_placed(solve, pile, tmp_path):
    ran = solve(pile, "--grid", "4x6", "--out", tmp_path / "a.png", "--trace", tmp_path / "a.gif")
    assert f"wrote {tmp_path / 'a.gif'}" in ran.out
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames > 10
    assert "--force" in solve(pile, "--grid", "4x6", "--json", "-", "--trace", tmp_path / "a.gif").err
    assert ".gif" in solve(pile, "--grid", "4x6", "--json", "-", "--trace", tmp_path / "b.png").err


def test_a_piece_of_another_picture_is_left_over(command, tmp_path):
    for name in ("portrait", "landscape"):
        write_picture(tmp_path / f"{name}.png", resize_picture(sample_picture(name), 128, 128))
        command("shuffle", tmp_path / f"{name}.png", "--grid", "4x4", "--out", tmp_path / name)
    shutil.copy(tmp_path / "landscape" / "piece-003.png", tmp_path / "portrait" / "a stranger.png")
    for grid in ([], ["--grid", "4x4"]):
        ran = command(
            "solve", tmp_path / "portrait", *grid, "--out", tmp_path / "out.png", "--json",
            tmp_path / "out.json", "--force",
        )  # fmt: skip
        assert ran.code == 0
        assert "16 pieces of 32x32 px, grid 4x4" in ran.out
        assert "left over, not of this picture: a stranger.png" in ran.out
        assert "direct 100.0 %" in ran.out
        record = json.loads((tmp_path / "out.json").read_text())
        assert record["left_over"] == ["a stranger.png"]
        assert record["placement"][record["pieces"].index("a stranger.png")] == -1
        assert sorted(record["placement"]) == list(range(-1, 16))
    assert np.array_equal(read_picture(tmp_path / "out.png"), read_picture(tmp_path / "portrait.png"))
