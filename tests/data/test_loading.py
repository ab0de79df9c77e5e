"""Reading the pictures of a training source: what is skipped, what is kept, what is refused."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from ganzzle.cli.data_options import DataError, DataOptions, SetOptions
from ganzzle.data.reading import native_canvas
from ganzzle.data.source import PictureSource


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"small_above": 9, "small_pieces": []}, "need sizes"),
        ({"small": 0.1, "small_pieces": []}, "need sizes"),
        ({"small_pieces": [8, 3]}, "4 px a side or more"),
        ({"piece": 2}, "4 px a side or more"),
    ],
)
def test_pieces_without_a_size_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        DataOptions(**options)


def test_loading_skips_corrupt_pictures_and_counts_them(folder: Path) -> None:
    (folder / "a" / "broken.png").write_bytes(b"not a picture")
    options = DataOptions(
        sets=[SetOptions("toy", "pictures")], root=str(folder.parent), size=40, validation=2, grids=["2x2"]
    )
    said: list[str] = []
    data = PictureSource.load(options, "cpu", say=said.append)
    held_out = data.validation()["toy"]
    assert len(data.pictures) + len(held_out) == 10
    assert "1 unreadable" in said[0]
    assert held_out.shape[1:] == (3, 40, 40)


def test_native_sets_keep_their_pixels(folder: Path) -> None:
    options = DataOptions(
        sets=[SetOptions("toy", "pictures", fit="native")], root=str(folder.parent), size=64, validation=0
    )
    data = PictureSource.load(options, "cpu", say=lambda text: None)
    with Image.open(folder / "a" / "001.png") as image:
        expected = torch.from_numpy(np.array(image)).permute(2, 0, 1)
    assert data.sizes[0].tolist() == [50.0, 61.0]
    assert torch.equal(data.pictures[0][:, :50, :61], expected)


def test_missing_and_damaged_sources_are_named(folder: Path, tmp_path: Path) -> None:
    def load(name: str) -> None:
        options = DataOptions(sets=[SetOptions("toy", name)], root=str(tmp_path), size=16)
        PictureSource.load(options, "cpu", say=lambda text: None)

    with pytest.raises(DataError, match=r"nothing at .*nowhere-\*\.tar"):
        load("nowhere-*.tar")
    with tarfile.open(tmp_path / "shard.tar", "w") as shard:
        shard.add(folder / "a" / "001.png", "001.png")
    whole = (tmp_path / "shard.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[:700])
    with pytest.raises(DataError, match="cut short"):
        load("cut.tar")
    with tarfile.open(tmp_path / "many.tar", "w") as shard:
        shard.add(folder, "pictures")
    with tarfile.open(tmp_path / "many.tar") as shard:
        header = shard.getmembers()[5].offset
    (tmp_path / "quiet.tar").write_bytes((tmp_path / "many.tar").read_bytes()[:header])
    with pytest.raises(DataError, match="cut short"):  # where tarfile alone sees nothing wrong
        load("quiet.tar")
    (tmp_path / "note.txt").write_text("no pictures")
    with pytest.raises(DataError, match="neither a folder"):
        load("note.txt")
    with pytest.raises(DataError, match="names no pictures"):
        PictureSource([], DataOptions())


@pytest.mark.parametrize(("height", "width"), [(96, 96), (328, 437), (100, 251), (97, 40)])
def test_a_native_canvas_keeps_the_blocks_of_the_codec(height: int, width: int) -> None:
    picture = np.zeros((height, width, 3), np.uint8)
    picture[..., 0] = np.arange(height)[:, None] % 8
    picture[..., 1] = np.arange(width) % 8
    canvas, (rows, cols) = native_canvas(picture, 96)
    assert (rows, cols) == (min(height, 96), min(width, 96))
    assert (canvas[:rows, :cols, 0] == np.arange(rows)[:, None] % 8).all()
    assert (canvas[:rows, :cols, 1] == np.arange(cols) % 8).all()


@pytest.mark.parametrize(
    "wrong",
    [{"grids": []}, {"corruptions": {}}, {"random_sides": [5, 3]}, {"crop_scale": [0.5]}, {"noise": [0.1]}, {"size": 0},
     {"crop_aspect": [0.0, 1.0]}, {"crop_scale": [0.0, 1.0]}, {"corruptions": {"none": 0.0}}, {"rims": {"black": -1.0}},
     {"grid_weights": [-1.0, 1, 1, 1, 1, 1]}, {"erosion_weights": [0.0] * 8},
     {"sets": [SetOptions("a", "x", weight=0.0)]},
     {"sets": [SetOptions("a", "x"), SetOptions("a", "y")]}],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(DataError):
        DataOptions(**wrong)  # type: ignore[arg-type]
