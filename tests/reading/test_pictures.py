"""Reading and writing pictures of every kind, piece folders, shards."""

from __future__ import annotations

import io
import os
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from ganzzle.errors import PictureError
from ganzzle.files import write_whole
from ganzzle.reading.modes import picture_of
from ganzzle.reading.pictures import (
    decode_picture,
    decode_pieces,
    piece_files,
    read_picture,
    read_pieces,
    resize_picture,
    write_picture,
)


@pytest.mark.parametrize("ending", [".png", ".webp", ".tif", ".tiff", ".bmp", ".PNG"])
def test_lossless_formats_come_back_exactly(tmp_path, draw, ending):
    picture = draw(31, 47)
    path = write_picture(tmp_path / f"a{ending}", picture)
    assert np.array_equal(read_picture(path), picture)


@pytest.mark.parametrize("ending", [".jpg", ".jpeg", ".jfif"])
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


@pytest.mark.parametrize("mode", ["RGBA", "RGBa", "LA", "La"])
def test_levels_that_were_multiplied_by_alpha_are_laid_on_white_too(mode):
    grey = Image.new("LA", (2, 2), (100, 51))
    image = grey.convert("RGBA").convert(mode) if mode.startswith("RGB") else grey.convert(mode)
    assert np.abs(picture_of(image).astype(int) - 224).max() <= 3  # a fifth of 100 and four fifths of white


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


@pytest.mark.parametrize(("ending", "longest"), [("webp", 16_383), ("jpg", 65_500)])
def test_a_picture_too_long_for_its_format_is_refused(tmp_path, ending, longest):
    write_picture(tmp_path / f"fits.{ending}", np.zeros((longest, 2, 3), np.uint8))
    with pytest.raises(PictureError, match=r"ends in \.png"):
        write_picture(tmp_path / f"long.{ending}", np.zeros((longest + 1, 2, 3), np.uint8))
    assert [path.name for path in tmp_path.iterdir()] == [f"fits.{ending}"]


@pytest.mark.parametrize(("top", "seen"), [(200, 200), (255, 255), (51400, 200)])
def test_grey_of_32_bits_keeps_its_brightness(top, seen):
    assert picture_of(Image.fromarray(np.full((4, 4), top, np.int32))).max() == seen


@pytest.mark.parametrize(
    ("white", "kind"), [(1, "f4"), (255, "f4"), (65535, "f4"), (255, "i4"), (65535, "i4")]
)
def test_pieces_of_one_pile_are_scaled_alike(tmp_path, white, kind):
    rows = {"dark": [0, 0.002], "middle": [0.25, 0.5], "bright": [0.75, 1]}
    for name, row in rows.items():
        levels = np.rint(np.array([row]) * white) if kind == "i4" else np.array([row]) * white
        Image.fromarray(levels.astype(kind)).save(tmp_path / f"{name}.tif")
    expected = {name: [round(255 * level) for level in row] for name, row in rows.items()}
    pieces = read_pieces(tmp_path)
    assert [piece[0, :, 0].tolist() for piece in pieces] == [expected[name] for name in sorted(rows)]
    files = [(path.name, path.read_bytes()) for path in sorted(tmp_path.iterdir())]
    assert np.array_equal(decode_pieces(files), pieces)


def test_float_pieces_do_not_change_the_others(tmp_path):
    Image.fromarray(np.array([[0, 0.5]], np.float32)).save(tmp_path / "a.tif")
    Image.fromarray(np.array([[0, 40000]], np.int32)).save(tmp_path / "b.tif")
    Image.fromarray(np.array([[0, 40]], np.uint8)).save(tmp_path / "c.png")
    Image.fromarray(np.array([[0, 2570]], np.uint16)).save(tmp_path / "d.png")
    assert read_pieces(tmp_path)[:, 0, 1, 0].tolist() == [128, 156, 40, 10]


@pytest.mark.parametrize(
    ("levels", "seen"),
    [
        ([0, 0.5, 1.1], [0, 128, 255]),  # resized, so a little above white
        ([-20, 100, 270], [0, 100, 255]),
        ([0, 5e5, 1e6], [0, 128, 255]),  # no common range: the brightest is white
        ([np.nan, 0.5, np.inf], [0, 128, 255]),
        ([0, 0, 0], [0, 0, 0]),
    ],
)
def test_floats_beyond_their_range(levels, seen):
    assert picture_of(Image.fromarray(np.array([levels], np.float32)))[0, :, 1].tolist() == seen


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


def test_pieces_cut_by_hand_differ_by_a_few_pixels(tmp_path, draw):
    rng = np.random.default_rng(0)
    for k in range(9):
        write_picture(tmp_path / f"{k}.png", draw(*rng.integers(78, 83, 2), k))
    count, height, width, _ = read_pieces(tmp_path).shape
    assert count == 9
    assert 78 <= height <= 82
    assert 78 <= width <= 82


def test_transparent_margins_are_cut_off(tmp_path, draw):
    pieces = draw(80, 20, 1).reshape(4, 20, 20, 3)
    for k, piece in enumerate(pieces):
        sheet = Image.new("RGBA", (40, 36), (90, 0, 0, 0))
        sheet.paste(Image.fromarray(piece), (3 + k, 5 + 2 * k))
        sheet.save(tmp_path / f"{k}.png")
    assert np.array_equal(read_pieces(tmp_path), pieces)
    files = [(path.name, path.read_bytes()) for path in sorted(tmp_path.iterdir())]
    assert np.array_equal(decode_pieces(files), pieces)


def test_pieces_of_a_transparent_picture_stay_whole(tmp_path, draw):
    for k in range(4):
        sheet = Image.new("RGBA", (40, 40))
        sheet.paste(Image.fromarray(draw(40, 10 * (k + 1), k)), (0, 0))
        sheet.save(tmp_path / f"{k}.png")
    assert read_pieces(tmp_path).shape == (4, 40, 40, 3)


def test_files_of_other_formats_are_named(tmp_path, draw, caplog):
    """A pile of HEIC photos is not an empty folder, and a GIF among PNG files is not a lost piece."""
    (tmp_path / "IMG_1.HEIC").write_bytes(b"\0\0\0\x18ftypheic")
    (tmp_path / "._a.gif").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("no picture")
    with pytest.raises(PictureError, match=r"IMG_1\.HEIC is a HEIC or AVIF photo"):
        read_pieces(tmp_path)
    write_picture(tmp_path / "a.png", draw(8, 8))
    assert len(read_pieces(tmp_path)) == 1
    assert caplog.messages == [
        f"{tmp_path}: only PNG, JPEG, WebP, TIFF and BMP files are read; left out: IMG_1.HEIC"
    ]


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


def test_too_little_memory_is_no_damage(draw, monkeypatch):
    def give_up(*_):
        raise MemoryError

    file = io.BytesIO()
    Image.fromarray(draw(20, 20)).save(file, "PNG")
    monkeypatch.setattr("ganzzle.reading.pictures.picture_of", give_up)
    with pytest.raises(MemoryError):
        decode_picture(file.getvalue())


def test_a_copy_comes_after_its_original(tmp_path, draw):
    for name in ("b (1).png", "b copy.png", "b.png", "a - Copy.png", "a.png", "b.jpg"):
        write_picture(tmp_path / name, draw(20, 20))
    names = [path.name for path in piece_files(tmp_path)]
    assert names == ["a.png", "a - Copy.png", "b.jpg", "b.png", "b (1).png", "b copy.png"]
