"""Reading and writing pictures of every kind, piece folders, shards."""

from __future__ import annotations

import io
import os
import tarfile
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from ganzzle.errors import PictureError
from ganzzle.pictures import (
    count_pictures,
    decode_picture,
    iterate_pictures,
    picture_of,
    read_picture,
    read_pieces,
    resize_picture,
    source_files,
    write_picture,
    write_whole,
)


@pytest.mark.parametrize("ending", [".png", ".webp", ".tif", ".tiff", ".bmp", ".PNG"])
def test_lossless_formats_come_back_exactly(tmp_path, draw, ending):
    picture = draw(31, 47)
    path = write_picture(tmp_path / f"a{ending}", picture)
    assert np.array_equal(read_picture(path), picture)


@pytest.mark.parametrize("ending", [".jpg", ".jpeg"])
def test_jpeg_comes_back_nearly(tmp_path, draw, ending):
    picture = draw(31, 47)
    read = read_picture(write_picture(tmp_path / f"a{ending}", picture))
    assert np.abs(read.astype(int) - picture).mean() < 3


def test_grey_becomes_three_equal_channels(tmp_path, draw):
    grey = draw(10, 12)[..., 0]
    Image.fromarray(grey).save(tmp_path / "grey.png")
    assert np.array_equal(read_picture(tmp_path / "grey.png"), grey[..., None].repeat(3, 2))
    Image.fromarray(grey > 128).save(tmp_path / "black-and-white.png")
    assert set(np.unique(read_picture(tmp_path / "black-and-white.png"))) == {0, 255}


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_16_bit_is_scaled_to_8(tmp_path, ending):
    levels = np.array([[0, 257, 32768, 65278, 65535]], np.uint16)
    Image.fromarray(levels).save(tmp_path / f"deep.{ending}")
    assert read_picture(tmp_path / f"deep.{ending}")[0, :, 0].tolist() == [0, 1, 128, 254, 255]


def test_float_tiff(tmp_path):
    Image.fromarray(np.array([[0, 0.5, 1]], np.float32)).save(tmp_path / "unit.tif")
    assert read_picture(tmp_path / "unit.tif")[0, :, 0].tolist() == [0, 128, 255]
    Image.fromarray(np.array([[0, 100, np.nan, 255]], np.float32)).save(tmp_path / "bytes.tif")
    assert read_picture(tmp_path / "bytes.tif")[0, :, 0].tolist() == [0, 100, 0, 255]


def test_palette_with_and_without_transparency(tmp_path):
    image = Image.new("P", (2, 1))
    image.putpalette([255, 0, 0, 0, 0, 255])
    image.putdata([0, 1])
    image.save(tmp_path / "palette.png")
    assert read_picture(tmp_path / "palette.png").tolist() == [[[255, 0, 0], [0, 0, 255]]]
    image.save(tmp_path / "clear.png", transparency=0)
    assert read_picture(tmp_path / "clear.png").tolist() == [[[255, 255, 255], [0, 0, 255]]]


def test_alpha_is_laid_on_white(tmp_path):
    rgba = np.array([[[200, 0, 0, 255], [200, 0, 0, 0], [0, 0, 0, 128]]], np.uint8)
    Image.fromarray(rgba).save(tmp_path / "alpha.png")
    assert read_picture(tmp_path / "alpha.png").tolist() == [[[200, 0, 0], [255, 255, 255], [127, 127, 127]]]
    Image.fromarray(rgba[..., [0, 3]]).save(tmp_path / "grey-alpha.png")
    assert read_picture(tmp_path / "grey-alpha.png")[0, 1].tolist() == [255, 255, 255]


@pytest.mark.parametrize("name", ["c.jpg", "c.tif"])
def test_cmyk_becomes_rgb(tmp_path, name):
    Image.new("CMYK", (8, 8), (0, 255, 255, 0)).save(tmp_path / name)
    red, green, blue = read_picture(tmp_path / name)[4, 4]
    assert red > 200
    assert green < 60
    assert blue < 60


def test_exif_orientation_is_obeyed(tmp_path, draw):
    picture = draw(20, 30)
    exif = Image.Exif()
    exif[0x0112] = 6  # turn clockwise to see it upright
    Image.fromarray(picture).save(tmp_path / "phone.png", exif=exif)
    assert np.array_equal(read_picture(tmp_path / "phone.png"), np.rot90(picture, -1))


def test_damaged_pictures_are_named(tmp_path, draw):
    (tmp_path / "text.png").write_text("hello")
    (tmp_path / "empty.png").touch()
    data = io.BytesIO()
    Image.fromarray(draw(64, 64)).save(data, "JPEG")
    (tmp_path / "cut.jpg").write_bytes(data.getvalue()[: len(data.getvalue()) // 2])
    for name, says in (("text.png", "not a picture"), ("empty.png", "not a picture"), ("cut.jpg", "cut short"),
                       ("none.png", "does not exist")):  # fmt: skip
        with pytest.raises(PictureError, match=says) as error:
            read_picture(tmp_path / name)
        assert name in str(error.value)
    with pytest.raises(PictureError, match="folder"):
        read_picture(tmp_path)


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "WEBP", "TIFF", "BMP"])
def test_damage_anywhere_is_a_picture_error_or_a_picture(draw, file_format):
    data = io.BytesIO()
    Image.fromarray(draw(24, 24)).save(data, file_format)
    rng = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(data.getvalue())
        for at in rng.integers(0, len(damaged), 6):
            damaged[at] = rng.integers(0, 256)
        with suppress(PictureError):
            assert decode_picture(bytes(damaged)).shape[2] == 3


def test_large_pictures_are_refused_before_they_are_decoded(draw, tmp_path):
    write_picture(tmp_path / "a.png", draw(50, 50))
    with pytest.raises(PictureError, match="50x50 px, more than"):
        read_picture(tmp_path / "a.png", max_pixels=2000)


def test_formats_that_are_not_welcome(draw):
    data = io.BytesIO()
    Image.fromarray(draw(8, 8)).save(data, "GIF")
    with pytest.raises(PictureError, match="not a picture this program can read"):
        decode_picture(data.getvalue(), "a.gif")


def test_writing_never_leaves_half_a_file(tmp_path):
    def fail(file):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(PictureError, match="No space left"):
        write_whole(tmp_path / "a.png", fail)
    assert list(tmp_path.iterdir()) == []


def test_writing_needs_force_to_overwrite(tmp_path, draw):
    path = write_picture(tmp_path / "new" / "a.png", draw(4, 4))
    before = path.read_bytes()
    with pytest.raises(PictureError, match="--force"):
        write_picture(path, draw(5, 5))
    assert path.read_bytes() == before
    write_picture(path, draw(5, 5), force=True)
    assert read_picture(path).shape == (5, 5, 3)
    with pytest.raises(PictureError, match="ends in one of"):
        write_picture(tmp_path / "a.xyz", draw(4, 4))
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(PictureError, match="is a folder"):
        write_picture(tmp_path / "folder.png", draw(4, 4))


def test_written_files_have_the_usual_rights(tmp_path, draw):
    umask = os.umask(0o022)
    try:
        path = write_picture(tmp_path / "a.png", draw(4, 4))
    finally:
        os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o644


def test_pieces_of_a_folder(tmp_path, draw):
    for k, name in enumerate(("zebra.png", "a.bmp", "Hidden.PNG")):
        write_picture(tmp_path / name, draw(6, 8, k))
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / ".hidden.png").write_text("nor is this")
    assert read_pieces(tmp_path).shape == (3, 6, 8, 3)
    write_picture(tmp_path / "odd.png", draw(6, 11))
    with pytest.raises(PictureError, match=r"odd.png is 11x6 px but most are 8x6"):
        read_pieces(tmp_path)


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


@pytest.mark.parametrize(("ending", "longest"), [("webp", 16_383), ("jpg", 65_500)])
def test_a_picture_too_long_for_its_format_is_refused(tmp_path, ending, longest):
    write_picture(tmp_path / f"fits.{ending}", np.zeros((longest, 2, 3), np.uint8))
    with pytest.raises(PictureError, match=r"ends in \.png"):
        write_picture(tmp_path / f"long.{ending}", np.zeros((longest + 1, 2, 3), np.uint8))
    assert [path.name for path in tmp_path.iterdir()] == [f"fits.{ending}"]


@pytest.mark.parametrize(("top", "seen"), [(200, 200), (255, 255), (51400, 200)])
def test_grey_of_32_bits_keeps_its_brightness(top, seen):
    assert picture_of(Image.fromarray(np.full((4, 4), top, np.int32))).max() == seen


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


def test_resizing_ignores_the_aspect_and_keeps_equal_sizes(draw):
    picture = draw(40, 60)
    assert resize_picture(picture, 20, 20).shape == (20, 20, 3)
    assert resize_picture(picture, 40, 60) is picture


def test_pieces_that_differ_by_a_pixel_are_resized(tmp_path, draw, caplog):
    for k in range(5):
        write_picture(tmp_path / f"{k}.png", draw(20 + (k == 3), 30 - (k == 4), k))
    with caplog.at_level("INFO", "ganzzle"):
        assert read_pieces(tmp_path).shape == (5, 20, 30, 3)
    assert "2 of 5 pieces" in caplog.text


def test_the_odd_one_out_is_named(tmp_path, draw):
    write_picture(tmp_path / "big photo.png", draw(90, 90))
    for k in range(3):
        write_picture(tmp_path / f"piece-{k}.png", draw(20, 20, k))
    with pytest.raises(PictureError, match=r"big photo.png is 90x90 px but most are 20x20"):
        read_pieces(tmp_path)


def test_a_phone_photo_is_told_from_other_unknown_files(tmp_path):
    (tmp_path / "a.heic.png").write_bytes(b"\x00\x00\x00\x18ftypheic" + bytes(64))
    with pytest.raises(PictureError, match="HEIC"):
        read_picture(tmp_path / "a.heic.png")
