"""`ganzzle find`: where on a lid pieces go."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from benchmarks.lid import spoilt

Draw = Callable[..., np.ndarray]


def write(path: Path, picture: np.ndarray) -> Path:
    cv2.imwrite(str(path), picture[..., ::-1])
    return path


def close(place: dict[str, Any], x: float, y: float, size: float) -> bool:
    """Whether a place is the slot of some size at x, y."""
    return max(abs(place["x"] - x), abs(place["y"] - y)) < size / 2


@pytest.fixture
def lid(draw: Draw, tmp_path: Path) -> tuple[np.ndarray, Path]:
    """A picture of 240 px, and the file of a lid that shows it in 240 px, spoilt in colour alone."""
    picture = draw(240, 240, 3)
    shifted = np.clip(picture * (0.8, 1.0, 1.1) + (5, 0, -8), 0, 255).astype(np.uint8)
    return picture, write(tmp_path / "lid.png", shifted)


def test_a_tile_is_found_with_row_and_column(
    lid: tuple[np.ndarray, Path], tmp_path: Path, command: Callable[..., Any]
) -> None:
    picture, box = lid
    tile = write(tmp_path / "tile.png", np.rot90(picture[80:120, 160:200]).copy())
    ran = command("find", tile, "--in", box, "--grid", "6x6", "--json", "-", "--out", tmp_path / "out.png")
    assert ran.code == 0, ran.err
    (piece,) = json.loads(ran.out)["pieces"]
    best = piece["places"][0]
    assert close(best, 180, 100, 10)
    assert (best["row"], best["column"]) == (3, 5)
    assert best["probability"] > 0.9
    assert len(piece["places"]) == 3
    assert cv2.imread(str(tmp_path / "out.png")).shape[0] >= 240


def test_pieces_of_a_folder_are_found_on_a_spoilt_lid(
    draw: Draw, tmp_path: Path, command: Callable[..., Any]
) -> None:
    picture = draw(240, 240, 4)
    lid, on_lid = spoilt(picture, (160, 160), np.random.default_rng(2))
    write(tmp_path / "lid.png", lid)
    (tmp_path / "tiles").mkdir()
    for k in range(4):
        write(tmp_path / "tiles" / f"{k}.png", picture[40 * k + 40 : 40 * k + 80, 80:120])
    ran = command("find", tmp_path / "tiles", "--in", tmp_path / "lid.png", "--grid", "6x6", "--json", "-")
    found = [piece["places"][0] for piece in json.loads(ran.out)["pieces"]]
    middles = np.array([[[5 / 12, (2 * k + 3) / 12] for k in range(4)]], np.float32)
    there = cv2.perspectiveTransform(middles, on_lid)[0]
    assert sum(close(place, *point, 25) for place, point in zip(found, there.tolist(), strict=True)) >= 3


def test_a_piece_at_an_angle_is_found(
    lid: tuple[np.ndarray, Path], tmp_path: Path, command: Callable[..., Any]
) -> None:
    picture, box = lid
    turn = cv2.getRotationMatrix2D((80, 170), 37, 3.0)
    turn[:, 2] += (150 - 80, 150 - 170)
    mask = np.zeros((240, 240), np.uint8)
    cv2.circle(mask, (80, 170), 24, 1, -1)
    cv2.circle(mask, (80, 140), 9, 1, -1)
    page = cv2.warpAffine(picture, turn, (300, 300))
    page[cv2.warpAffine(mask, turn, (300, 300)) == 0] = (250, 250, 250)
    ran = command("find", write(tmp_path / "piece.png", page), "--in", box, "--json", "-")
    place = json.loads(ran.out)["pieces"][0]["places"][0]
    assert close(place, 80, 167, 10), place


def test_what_is_not_on_the_lid_is_not_sure(
    lid: tuple[np.ndarray, Path], draw: Draw, tmp_path: Path, command: Callable[..., Any]
) -> None:
    other = write(tmp_path / "other.png", draw(240, 240, 99)[:40, :40])
    ran = command("find", other, "--in", lid[1], "--grid", "6x6")
    assert ran.code == 0
    assert "not sure" in ran.out
    assert (tmp_path / "other-found.png").exists()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["nothing.png", "--in", "lid.png"], "nothing.png"),
        (["lid.png", "--in", "nothing.png"], "nothing.png"),
        (["lid.png", "--in", "lid.png", "--grid", "six"], "grid"),
        (["lid.png", "--in", "lid.png", "--out", "lid.png", "--force"], "lid.png"),
        (["lid.png", "--in", "lid.png", "--out", "out.txt"], "out.txt"),
    ],
)
def test_bad_input_is_one_clear_line(
    lid: tuple[np.ndarray, Path],
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    asked: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = command("find", *asked)
    assert ran.code == 2
    assert says in ran.err
    assert len(ran.err.strip().splitlines()) == 1
