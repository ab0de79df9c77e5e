"""Folders, shards and globs of pictures."""

from __future__ import annotations

import io
import tarfile

import numpy as np
import pytest
from PIL import Image

from ganzzle.errors import PictureError
from ganzzle.reading.pictures import write_picture
from ganzzle.reading.sources import count_pictures, iterate_pictures, source_files


def make_shard(path, pictures):
    """A tar shard of PNGs, with a text file among them."""
    with tarfile.open(path, "w") as shard:
        for name, picture in pictures.items():
            data = io.BytesIO()
            Image.fromarray(picture).save(data, "PNG")
            member = tarfile.TarInfo(name)
            member.size = data.tell()
            data.seek(0)
            shard.addfile(member, data)
        note = tarfile.TarInfo("readme.txt")
        note.size = 2
        shard.addfile(note, io.BytesIO(b"hi"))


def test_sources_folders_shards_and_globs(tmp_path, draw):
    pictures = {f"{k}.png": draw(8, 8, k) for k in range(5)}
    (tmp_path / "folder" / "deeper").mkdir(parents=True)
    for k, name in enumerate(pictures):
        write_picture(tmp_path / "folder" / ("deeper" if k > 2 else "") / name, pictures[name])
    make_shard(tmp_path / "b.tar", pictures)
    make_shard(tmp_path / "a.tar", {"x/9.png": draw(8, 8, 9)})
    for source, count in (("folder", 5), ("b.tar", 5), ("*.tar", 6), ("folder/0.png", 1), ("", 11)):
        found = list(iterate_pictures(str(tmp_path / source)))
        assert len(found) == count_pictures(str(tmp_path / source)) == count
        assert all(name == "9.png" or np.array_equal(pictures[name], picture) for name, picture in found)
    assert [name for name, _ in iterate_pictures(str(tmp_path / "*.tar"), limit=2)] == ["9.png", "0.png"]


def test_a_glob_takes_what_a_folder_would(tmp_path, draw):
    for name in ("a.png", "sub/b.png", "sub/below/c.png"):
        write_picture(tmp_path / name, draw(8, 8))
    (tmp_path / "notes.txt").write_text("not a picture")
    for pattern, names in (("*", "abc"), ("**/*.png", "abc"), ("**", "abc"), ("*.png", "a"), ("sub/*", "bc")):
        found = [name for name, _ in iterate_pictures(str(tmp_path / pattern))]
        assert sorted(found) == [f"{name}.png" for name in names]
    with pytest.raises(PictureError, match="nothing matches"):
        count_pictures(str(tmp_path / "*.txt"))


def test_sources_that_hold_nothing(tmp_path, draw):
    make_shard(tmp_path / "empty.tar", {})
    (tmp_path / "text.tar").write_text("hello")
    (tmp_path / "folder").mkdir()
    make_shard(tmp_path / "cut.tar", {f"{k}.png": draw(90, 90, k) for k in range(3)})
    data = (tmp_path / "cut.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(data[: len(data) // 2])
    complaints = {
        "empty.tar": "no pictures", "text.tar": "plain tar", "folder": "no pictures", "nothing*": "nothing matches",
        "gone": "does not exist", "cut.tar": "cut short",
    }  # fmt: skip
    for source, says in complaints.items():
        with pytest.raises(PictureError, match=says):
            list(iterate_pictures(str(tmp_path / source)))
    for source, says in (("", "empty"), ("x" * 5000, "does not exist"), ("a\0b", "does not exist")):
        with pytest.raises(PictureError, match=says):
            count_pictures(source)


def test_a_shard_that_is_cut_or_damaged_is_never_read_short(tmp_path, draw):
    """tarfile itself stops quietly at a bad header that is not the first one."""
    make_shard(tmp_path / "whole.tar", {f"{k}.png": draw(20, 20, k) for k in range(8)})
    with tarfile.open(tmp_path / "whole.tar") as shard:
        third, last = (shard.getmembers()[k].offset for k in (3, 8))
    data = (tmp_path / "whole.tar").read_bytes()
    damaged = {
        "at a header": data[:third], "in a header": data[: third + 100], "in the last member": data[: last + 600],
        "at the end": data[: last + 1024], "noise": data[:third] + b"x" * 600 + data[third + 600 :],
        "zeros": data[:third] + bytes(600) + data[third + 600 :], "two in one": data + data,
    }  # fmt: skip
    for name, bad in damaged.items():
        (tmp_path / f"{name}.tar").write_bytes(bad)
        with pytest.raises(PictureError, match=rf"{name}\.tar is damaged or cut short"):
            list(iterate_pictures(tmp_path / f"{name}.tar"))
        with pytest.raises(PictureError, match=rf"{name}\.tar is damaged or cut short"):
            count_pictures(tmp_path / f"{name}.tar")
    for name, fine in {"one block of zeros": data[: last + 1536], "many": data + bytes(1 << 21)}.items():
        (tmp_path / f"{name}.tar").write_bytes(fine)
        assert len(list(iterate_pictures(tmp_path / f"{name}.tar"))) == 8


@pytest.mark.parametrize("mode", ["w", "w|", "a"])
@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_shards_of_every_kind_are_read(tmp_path, draw, kind, mode):
    names = ["a.png", "é.png", f"{'long' * 20}/{'name' * 20}.png"]
    if mode == "a":
        make_shard(tmp_path / "shard.tar", {"0.png": draw(9, 9)})
    with tarfile.open(tmp_path / "shard.tar", mode, format=kind) as shard:
        shard.add(write_picture(tmp_path / "one.png", draw(9, 9)), names[0])
        for name in names[1:]:
            shard.add(tmp_path / "one.png", name)
    found = [name for name, _ in iterate_pictures(tmp_path / "shard.tar")]
    assert found == ["0.png"] * (mode == "a") + [name.rsplit("/", 1)[-1] for name in names]


def test_compressed_shards_are_refused(tmp_path, draw):
    write_picture(tmp_path / "a.png", draw(9, 9))
    with tarfile.open(tmp_path / "shard.tar", "w:gz") as shard:
        shard.add(tmp_path / "a.png", "a.png")
    with pytest.raises(PictureError, match="not a plain tar file"):
        list(iterate_pictures(tmp_path / "shard.tar"))


def test_nothing_is_read_beyond_the_limit(tmp_path, draw):
    write_picture(tmp_path / "folder" / "0.png", draw(8, 8))
    (tmp_path / "folder" / "1.png").write_bytes(b"broken")
    assert [name for name, _ in iterate_pictures(tmp_path / "folder", limit=1)] == ["0.png"]
    assert list(iterate_pictures(tmp_path / "folder", limit=0)) == []
    with pytest.raises(PictureError, match=r"1\.png"):
        list(iterate_pictures(tmp_path / "folder", limit=2))


def test_a_name_that_is_there_is_no_glob(tmp_path, draw, monkeypatch):
    write_picture(tmp_path / "my [1] pics" / "a.png", draw(8, 8))
    write_picture(tmp_path / "my [1] pics" / "b.png", draw(8, 8))
    assert count_pictures(tmp_path / "my [1] pics") == 2
    assert [p.name for p in source_files("[b]*", tmp_path / "my [1] pics")] == ["b.png"]
    monkeypatch.chdir(tmp_path / "my [1] pics")
    assert [str(p) for p in source_files("*.png")] == ["a.png", "b.png"]


@pytest.mark.data
def test_the_research_shards_are_whole(data_root):
    shards = source_files("*/*.tar", data_root)
    assert len(shards) > 3
    assert all(count_pictures(shard) for shard in shards)
