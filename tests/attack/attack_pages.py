"""Pages of jigsaw pieces and strips, lids, and several pictures at once: whole, spoilt and mixed up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from ganzzle.samples.shredding import scattered_strips, shred


def blobs(rng: np.random.Generator, count: int, height: int = 240, width: int = 320) -> np.ndarray:
    """A plain page with some round and angular things on it, a few of which touch."""
    page = Image.new("RGB", (width, height), (230, 120, 160))
    draw = ImageDraw.Draw(page)
    for k in range(count):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        size, colour = rng.uniform(4, 60), tuple(rng.integers(0, 200, 3).tolist())
        box = (x, y, x + size, y + size)
        (draw.ellipse, draw.rectangle)[k % 2](box, fill=colour)
    return np.asarray(page)


def lines(rng: np.random.Generator, height: int = 300, width: int = 220) -> np.ndarray:
    """A white page with lines of letters of some kind."""
    page = np.full((height, width, 3), 250, np.uint8)
    for top in range(12, height - 12, 14):
        for left in range(10, width - 10, 6):
            if rng.random() < 0.8:
                page[top : top + 8, left : left + 4] = 250 * (rng.random((8, 4, 1)) < 0.5)
    return page


def pages(rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    """Pages for `ganzzle solve`."""
    for count in (1, 2, 5, 40, 400):
        yield f"blobs-{count}", blobs(rng, count)
    page = lines(rng)
    yield "page", page
    for k, count in enumerate((2, 5, 12)):
        for number, sheet in enumerate(scattered_strips(shred(page, count, k), k, 2, False).pictures):
            yield f"strips-{count}-{number}", sheet
    yield "blank", np.full((300, 200, 3), 250, np.uint8)
    yield "speckled", np.where(rng.random((200, 300, 1)) < 0.02, 0, 200).repeat(3, 2).astype(np.uint8)
    yield "tall", rng.integers(0, 256, (900, 9, 3), np.uint8)
    yield "ramp", np.linspace(0, 255, 300).astype(np.uint8)[None, :, None].repeat(200, 0).repeat(3, 2)


def write_pages(folder: Path, seed: int) -> list[Path]:
    """All of them in a folder, as photographs."""
    folder.mkdir()
    for name, picture in pages(np.random.default_rng(seed)):
        Image.fromarray(np.ascontiguousarray(picture)).save(folder / f"{name}.jpg", quality=80)
    return sorted(folder.iterdir())
