"""Broken and strange pictures, drawn by a seed."""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, TiffImagePlugin

FORMATS = {"png": "PNG", "jpg": "JPEG", "webp": "WEBP", "tif": "TIFF", "bmp": "BMP"}
FLIPS = 3  # files a format with some bytes changed


def encoded(pixels: Any, kind: str, **options: Any) -> bytes:
    """A picture, an array or one of Pillow's, as the bytes of a file."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, body: bytes, *more: bytes, depth: int = 8, colour: int = 2) -> bytes:
    """A PNG that claims a size, whatever its body holds."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    chunks = [chunk(b"IHDR", header), *more, chunk(b"IDAT", zlib.compress(body, 9)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def flat_png(side: int) -> bytes:
    """A whole black PNG, made without ever holding its pixels."""
    press = zlib.compressobj(1)
    body = b"".join(press.compress(bytes(3 * side + 1)) for _ in range(side)) + press.flush()
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def broken(rng: np.random.Generator, picture: np.ndarray) -> Iterator[tuple[str, bytes]]:
    """Files of every format, each spoilt in several ways."""
    for ending, kind in FORMATS.items():
        data = encoded(picture, kind)
        yield f"empty.{ending}", b""
        yield f"header.{ending}", data[: int(rng.integers(4, 40))]
        yield f"cut.{ending}", data[: int(len(data) * rng.uniform(0.3, 0.9))]
        yield f"tail.{ending}", data + bytes(rng.integers(0, 256, 5000, np.uint8))
        yield f"noise.{ending}", data[:8] + bytes(rng.integers(0, 256, 4000, np.uint8))
        yield f"text.{ending}", b"I am not a picture\n" * 9
        for k in range(FLIPS):
            flipped = bytearray(data)
            for place in rng.integers(8, min(len(data), 600 * (k + 1)), 6):
                flipped[place] = int(rng.integers(256))
            yield f"flip{k}.{ending}", bytes(flipped)
    yield "bomb.png", png(60_000, 60_000, b"\0" * 999)
    yield "large.png", png(13_000, 13_000, b"\0" * 999)
    yield "flat.png", flat_png(12_000)
    yield "negative.png", png(0, 0, b"")
    yield "wide.png", png(2**31 - 1, 1, b"\0" * 99)
    text = chunk(b"zTXt", b"note\0\0" + zlib.compress(bytes(64 << 20), 9))
    yield "note.png", png(8, 8, bytes(8 * 25), text)
    yield "profile.png", png(8, 8, bytes(8 * 25), chunk(b"iCCP", b"a\0\0" + zlib.compress(b"x" * 99)))
    yield "vector.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"
    yield "film.gif", encoded(picture, "GIF")
    yield "phone.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(64)
    yield "postscript.jpg", b"%!PS-Adobe-3.0\n%%BoundingBox: 0 0 9 9\n"


def strange(rng: np.random.Generator, picture: np.ndarray) -> Iterator[tuple[str, bytes]]:
    """Whole files that few programs write: odd modes, sizes and metadata."""
    image = Image.fromarray(picture)
    for mode in ("1", "L", "LA", "P", "RGBA", "I;16"):
        other = (
            Image.fromarray(picture[..., 0].astype(np.uint16) * 257)
            if mode == "I;16"
            else image.convert(mode)
        )
        yield f"mode-{mode.replace(';', '')}.png", encoded(other, "PNG")
    for mode in ("CMYK", "YCbCr", "LAB"):
        yield f"mode-{mode}.tif", encoded(image.convert(mode), "TIFF")
    yield "mode-CMYK.jpg", encoded(image.convert("CMYK"), "JPEG")
    floats = picture[..., 0].astype(np.float32)
    for name, value in (("nan", np.nan), ("infinite", np.inf), ("negative", -1e30)):
        spoilt = floats.copy()
        spoilt[::7, ::5] = value
        yield f"float-{name}.tif", encoded(Image.fromarray(spoilt), "TIFF")
    yield "whole32.tif", encoded(Image.fromarray(picture[..., 0].astype(np.int32) * 70_000), "TIFF")
    for height, width in ((1, 1), (1, 64), (64, 1), (2, 3), (3, 20_000), (7, 7)):
        pixels = rng.integers(0, 256, (height, width, 3), np.uint8)
        yield f"size-{height}x{width}.png", encoded(pixels, "PNG")
    for orientation in (3, 6, 99):
        exif = Image.Exif()
        exif[0x0112] = orientation
        yield f"turned-{orientation}.jpg", encoded(image, "JPEG", exif=exif)
    yield (
        "exif.jpg",
        encoded(image, "JPEG", exif=b"Exif\0\0MM\0*" + bytes(rng.integers(0, 256, 60, np.uint8))),
    )
    yield "frames.webp", encoded(image, "WEBP", save_all=True, append_images=[image.rotate(90)])
    yield "frames.png", encoded(image, "PNG", save_all=True, append_images=[image.rotate(90)])
    pages = TiffImagePlugin.ImageFileDirectory_v2()
    yield "pages.tif", encoded(image, "TIFF", save_all=True, append_images=[image], tiffinfo=pages)
    clear = np.dstack([picture, np.zeros(picture.shape[:2], np.uint8)])
    yield "clear.png", encoded(clear, "PNG")
    yield "black.png", encoded(np.zeros((96, 96, 3), np.uint8), "PNG")
    yield "white.jpg", encoded(np.full((96, 96, 3), 255, np.uint8), "JPEG")
    yield "dots.png", encoded(rng.integers(0, 256, (96, 96, 3), np.uint8), "PNG")
    stripes = np.zeros((96, 96, 3), np.uint8)
    stripes[::2] = 255
    yield "stripes.png", encoded(stripes, "PNG")


def write_pictures(folder: Path, seed: int, picture: np.ndarray) -> list[Path]:
    """All of them in a folder, and things that are no files beside them."""
    rng = np.random.default_rng(seed)
    folder.mkdir()
    for name, data in (*broken(rng, picture), *strange(rng, picture)):
        (folder / name).write_bytes(data)
    os.mkfifo(folder / "pipe.png")
    (folder / "zero.png").symlink_to("/dev/zero")
    (folder / "tty.jpg").symlink_to("/dev/tty")
    (folder / "gone.png").symlink_to("nowhere.png")
    (folder / "loop.png").symlink_to("loop.png")
    (folder / "memory.png").symlink_to("/proc/self/mem")
    (folder / "folder.png").mkdir()
    with open(folder / "sparse.png", "wb") as file:
        file.truncate(1 << 40)
    return sorted(folder.iterdir())
