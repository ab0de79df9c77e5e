"""Pillow's pictures, of any mode, as RGB of 8 bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from ganzzle.arrays import Pixels

# (H, W, 3) uint8 RGB, or (H, W) grey levels, float32 or int32, whose white is not known.
Stored = NDArray[Any]
Box = tuple[int, int, int, int]  # left, top, right, bottom, px
WHITES = {"f": (1, 255, 65535), "i": (255, 65535)}  # what is white in common use, by kind of number


def picture_of(image: Image.Image) -> Pixels:
    """One of Pillow's pictures, of any mode, as (H, W, 3) uint8 RGB.

    16 bit is scaled to 8, floats and 32 bit by their brightest value (see `scaled_alike`); transparency is laid on
    white, EXIF orientation is obeyed.
    """
    return scaled_alike([stored_in(image)])[0]


def stored_in(image: Image.Image) -> Stored:
    """The same, but floats and whole numbers of 32 bits as they are, to be scaled with others."""
    image = ImageOps.exif_transpose(image)
    if image.mode in ("I", "F"):
        return np.array(image)
    if image.mode.startswith("I;16"):
        image = Image.fromarray(np.rint(np.asarray(image) / 257).astype(np.uint8))
    if _may_be_transparent(image):
        image = _with_alpha(image)
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return np.array(image.convert("RGB"))


def opaque_box(image: Image.Image) -> Box:
    """Where one of Pillow's pictures, turned as its EXIF says, is not transparent; all of it if it is nowhere."""
    image = ImageOps.exif_transpose(image)
    whole = (0, 0, *image.size)
    if not _may_be_transparent(image):
        return whole
    return _with_alpha(image).getchannel("A").point(lambda alpha: 255 * (alpha > 127)).getbbox() or whole


def _with_alpha(image: Image.Image) -> Image.Image:
    """In RGBA; grey levels that were multiplied by alpha, Pillow brings only to LA."""
    return (image.convert("LA") if image.mode == "La" else image).convert("RGBA")


def _may_be_transparent(image: Image.Image) -> bool:
    return image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info


def scaled_alike(pictures: Sequence[Stored]) -> list[Pixels]:
    """Pictures that belong together as (H, W, 3) uint8; those in RGB stay as they are.

    All levels of one kind are scaled by one white: 1 (floats only), 255 or 65535, the smallest that the brightest of
    them all does not reach twice, since resizing may leave values a little above it. Where even 65535 is too small,
    the brightest is white. What is above white is white; what is negative, or no number, is black.
    """
    whites = {kind: _white([p for p in pictures if p.dtype.kind == kind], kind) for kind in WHITES}
    return [p if p.dtype.kind == "u" else _to_eight_bits(p, whites[p.dtype.kind]) for p in pictures]


def _white(levels: Sequence[Stored], kind: str) -> float:
    brightest = max((float(each.max(initial=0, where=np.isfinite(each))) for each in levels), default=0.0)
    return next((white for white in WHITES[kind] if brightest < 2 * white), brightest)


def _to_eight_bits(levels: Stored, white: float) -> Pixels:
    share = np.nan_to_num(levels.astype(np.float64) / white, posinf=1)
    grey = np.rint(share.clip(0, 1) * 255).astype(np.uint8)
    return np.repeat(grey[..., None], 3, 2)
