"""Drawn documents: pages of print, tables, handwriting, charts and pictures, each another one by its seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ganzzle.arrays import Pixels, Seed
from ganzzle.samples.brushes import noise, stretch

A4 = 842  # points high
LETTERS = "eeeeeeeaaaaaooooiiiinnnntttttssssrrrrllldddcccuuummpphhggbbffvvwyykjxqz"
VOWELS = "aeiouy"
MARKS = (",", ".", ".", ";", ":", "?", "!", ")")
PAPERS = (255, 255, 255), (250, 248, 240), (246, 238, 214), (226, 236, 246), (250, 226, 226), (232, 232, 230)
DOTS = 9  # px a line of a dot matrix printer is high


@dataclass
class Sheet:
    """A page while it is drawn: grey levels, the column that is being filled, and how far."""

    image: Image.Image  # L
    rng: np.random.Generator
    fonts: Sequence[str | Path]
    unit: float  # px a point
    left: int
    right: int
    top: int
    end: int

    def font(self, points: float) -> ImageFont.FreeTypeFont:
        """One of the fonts, so many points high."""
        size = max(5.0, points * self.unit)
        k = int(self.rng.integers(len(self.fonts) + 1)) - 1
        if k < 0:
            return ImageFont.load_default(size)  # type: ignore[return-value]
        return ImageFont.truetype(str(self.fonts[k]), size)

    @property
    def draw(self) -> ImageDraw.ImageDraw:
        """What draws on it."""
        return ImageDraw.Draw(self.image)

    def paste(self, part: NDArray[np.uint8], x: int, y: int) -> None:
        """Lay grey levels (h, w) on it; the darker one stays."""
        box = (x, y, x + part.shape[1], y + part.shape[0])
        below = np.asarray(self.image.crop(box))
        self.image.paste(Image.fromarray(np.minimum(below, part)), (x, y))


def draw_document(height: int = 3508, seed: Seed = 0, fonts: Sequence[str | Path] = ()) -> Pixels:
    """A page (height, about 0.7 height, 3) of one or two columns of blocks; `fonts` are files of fonts to use beside
    Pillow's own."""
    rng = np.random.default_rng(seed)
    width, unit = round(height * rng.uniform(0.70, 0.78)), height / A4
    image = Image.new("L", (width, height), 255)
    margin = [int(width * rng.uniform(0.03, 0.13)) for _ in range(2)]
    columns = 2 if rng.random() < 0.2 else 1
    # A page has one or two fonts, as a rule.
    own = [fonts[k] for k in rng.integers(len(fonts), size=2)] if len(fonts) else []
    wide = (width - sum(margin)) // columns
    usual = BLOCKS[int(rng.integers(len(BLOCKS)))] if rng.random() < 0.2 else _paragraph
    for column in range(columns):
        left = margin[0] + column * wide
        right = left + wide - (int(12 * unit) if columns == 2 else 0)
        top, end = int(height * rng.uniform(0.02, 0.09)), int(height * rng.uniform(0.8, 0.98))
        sheet = Sheet(image, rng, own, unit, left, right, top, end)
        while sheet.top < end - 8 * unit:
            block = usual if rng.random() < 0.6 else BLOCKS[int(rng.integers(len(BLOCKS)))]
            block(sheet)
            sheet.top += int(unit * rng.uniform(2, 22))
    return _printed(np.asarray(image), rng)


def word(rng: np.random.Generator) -> str:
    """A made-up word, a number or a short one in capitals."""
    kind = rng.random()
    if kind < 0.08:
        return "".join(str(k) for k in rng.integers(10, size=rng.integers(1, 6)))
    letters = rng.choice(list(LETTERS), size=int(rng.integers(1, 11)))
    text = "".join(a if (a in VOWELS) != (b in VOWELS) else str(rng.choice(list(LETTERS)))
                   for a, b in zip(letters, np.roll(letters, 1), strict=True))  # fmt: skip
    text = text.upper() if kind < 0.14 else text.capitalize() if kind < 0.25 else text
    return text + (str(rng.choice(MARKS)) if kind > 0.88 else "")


def _line(sheet: Sheet, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """Words that fill a line."""
    words: list[str] = []
    space, used = font.getlength(" "), 0.0
    while len(words) < 40:
        one = word(sheet.rng)
        used += font.getlength(one) + space
        if used > width:
            break
        words.append(one)
    return words or ["."]


def _paragraph(sheet: Sheet) -> None:
    """Print, justified or not; at times typed, underlined or of a dot matrix."""
    rng = sheet.rng
    points = rng.uniform(6, 15) if rng.random() < 0.9 else rng.uniform(15, 40)
    font, pitch = sheet.font(points), points * sheet.unit * rng.uniform(1.05, 2.0)
    style = rng.choice(["print", "print", "print", "typed", "dots"])
    justified, underlined = rng.random() < 0.5, rng.random() < 0.06
    lines = int(rng.integers(1, 14)) if points < 15 else 1
    for k in range(lines):
        if sheet.top + pitch > sheet.end:
            sheet.top = sheet.end
            return
        words = _line(sheet, font, sheet.right - sheet.left)
        if k == lines - 1 or rng.random() < 0.02:
            words = words[: int(rng.integers(1, len(words) + 1))]
        if style == "dots":
            _dot_line(sheet, " ".join(words), points, font)
        else:
            length = sum(font.getlength(w) for w in words)
            gap = font.getlength(" ")
            if justified and k < lines - 1 and len(words) > 1:
                gap = (sheet.right - sheet.left - length) / (len(words) - 1)
            x = float(sheet.left)
            for one in words:
                _write(sheet, (x, sheet.top), one, font, style == "typed")
                x += font.getlength(one) + gap
            if underlined:
                y = sheet.top + int(points * sheet.unit * 1.08)
                thick = max(1, int(sheet.unit * 0.6))
                sheet.draw.line((sheet.left, y, x - gap, y), fill=0, width=thick)
        sheet.top += round(pitch)


def _write(
    sheet: Sheet, at: tuple[float, float], text: str, font: ImageFont.FreeTypeFont, typed: bool
) -> None:
    """One word; the letters of a typewriter stand unevenly and are unevenly dark."""
    if not typed:
        sheet.draw.text(at, text, fill=0, font=font)
        return
    x, y = at
    for letter in text:
        lift, shade = sheet.rng.normal(0, 0.4) * sheet.unit, int(abs(sheet.rng.normal(0, 50)))
        sheet.draw.text((x, y + lift), letter, fill=min(shade, 150), font=font)
        x += font.getlength(letter)


def _dot_line(sheet: Sheet, text: str, points: float, font: ImageFont.FreeTypeFont) -> None:
    """A line of a dot matrix printer."""
    small = font.font_variant(size=DOTS)
    coarse = Image.new("L", (max(1, int(small.getlength(text))), DOTS + 3), 255)
    ImageDraw.Draw(coarse).text((0, 0), text, fill=0, font=small)
    size = max(2, round(points * sheet.unit / DOTS))
    on = np.asarray(coarse.resize((coarse.width, coarse.height))) < 150
    dot = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    part = 255 - 255 * np.kron(on, dot).astype(np.uint8)
    sheet.paste(part[:, : sheet.right - sheet.left], sheet.left, sheet.top)


def _table(sheet: Sheet) -> None:
    """Columns of words and numbers, with or without lines."""
    rng, unit = sheet.rng, sheet.unit
    rows, cols, points = int(rng.integers(2, 12)), int(rng.integers(2, 9)), rng.uniform(6, 12)
    pitch, font, ruled = round(points * unit * rng.uniform(1.2, 2)), sheet.font(points), rng.random() < 0.7
    rows = min(rows, (sheet.end - sheet.top) // pitch)
    edges = np.linspace(sheet.left, sheet.right, cols + 1).astype(int)
    thick = max(1, int(unit * rng.uniform(0.2, 1.2)))
    for r in range(rows):
        y = sheet.top + r * pitch
        for c in range(cols):
            if rng.random() < 0.85:
                words = " ".join(
                    _line(sheet, font, edges[c + 1] - edges[c] - 6 * unit)[: int(rng.integers(1, 4))]
                )
                sheet.draw.text((edges[c] + 3 * unit, y + 0.1 * pitch), words, fill=0, font=font)
    bottom = sheet.top + rows * pitch
    if ruled and rows:
        for r in range(rows + 1):
            y = sheet.top + r * pitch
            sheet.draw.line((sheet.left, y, sheet.right, y), fill=0, width=thick)
        for x in edges if rng.random() < 0.7 else edges[:0]:
            sheet.draw.line((x, sheet.top, x, bottom), fill=0, width=thick)
    sheet.top = bottom if rows else sheet.end


def _handwriting(sheet: Sheet) -> None:
    """A line or a few of joined loops, as of a pen."""
    rng, unit = sheet.rng, sheet.unit
    size, thick = unit * rng.uniform(4, 9), max(1, int(unit * rng.uniform(0.5, 1.6)))
    for _ in range(int(rng.integers(1, 5))):
        if sheet.top + 4 * size > sheet.end:
            sheet.top = sheet.end
            return
        span = (sheet.right - sheet.left) * rng.uniform(0.2, 1)
        start = sheet.left + rng.uniform(0, sheet.right - sheet.left - span)
        knots = max(4, int(span / size * 2.2))
        heights = rng.choice([0, 0, 1, 1, 1, 2.2, -1.2], size=knots) * size + rng.normal(0, 0.2 * size, knots)
        heights[rng.random(knots) < 0.5] *= -0.1
        back = rng.normal(0, 0.6 * size, knots)
        fine = knots * 8
        curve = stretch(
            np.stack([np.linspace(start, start + span, knots) + back, heights], 1).astype(np.float32), fine
        )
        points = np.round(curve * [1, -1] + [0, sheet.top + 2.4 * size]).astype(int)
        pen = np.repeat(rng.random(knots) > 0.12, 8)  # lifted between words
        for a, b, down in zip(points[:-1], points[1:], pen[1:], strict=True):
            if down:
                sheet.draw.line((*a.tolist(), *b.tolist()), fill=0, width=thick)
        sheet.top += int(4 * size)


def _picture(sheet: Sheet) -> None:
    """A soft picture in a frame of its own: grey, dithered, or in a screen of dots."""
    rng, unit = sheet.rng, sheet.unit
    high = min(int(unit * rng.uniform(60, 300)), sheet.end - sheet.top)
    wide = int((sheet.right - sheet.left) * rng.uniform(0.3, 1))
    left = sheet.left + int(rng.uniform(0, sheet.right - sheet.left - wide))
    size = max(high, wide, 32)
    tones = noise(min(size, 512), rng, int(rng.integers(1, 4)))
    contrast = rng.uniform(0.8, 2.5)
    grey = np.clip(
        (cv2.resize(tones, (size, size))[:high, :wide] - 0.5) * contrast + rng.uniform(0.4, 0.8), 0, 1
    )
    for _ in range(int(rng.integers(0, 8))):
        x, y = rng.integers(wide), rng.integers(max(1, high))
        radius, shade = int(rng.uniform(5, 60) * unit), float(rng.random())
        cv2.circle(grey, (int(x), int(y)), radius, shade, -1 if rng.random() < 0.6 else max(1, int(unit)))
    sheet.paste(_screened(grey, rng, unit), left, sheet.top)
    sheet.top += high


def _screened(grey: NDArray[np.float32], rng: np.random.Generator, unit: float) -> NDArray[np.uint8]:
    """Grey levels (h, w) in 0..1 as a printer lays them on paper -> (h, w)."""
    style = rng.choice(["grey", "dither", "dots", "lines"])
    levels = np.asarray(255 * grey, np.uint8)
    if style == "grey":
        return levels
    if style == "dither":
        coarse = int(max(1, round(unit / 4 * rng.integers(1, 4))))
        small = cv2.resize(levels, None, fx=1 / coarse, fy=1 / coarse, interpolation=cv2.INTER_AREA)
        dots = np.asarray(Image.fromarray(small).convert("1"), np.uint8) * 255
        return cv2.resize(dots, levels.shape[::-1], interpolation=cv2.INTER_NEAREST)
    y, x = np.mgrid[: len(grey), : grey.shape[1]].astype(np.float32)
    pitch, angle = unit * rng.uniform(0.7, 2.2), rng.uniform(0, np.pi)
    u = (x * np.cos(angle) + y * np.sin(angle)) * (2 * np.pi / pitch)
    v = (y * np.cos(angle) - x * np.sin(angle)) * (2 * np.pi / pitch)
    screen = np.cos(u) if style == "lines" else (np.cos(u) + np.cos(v)) / 2
    return np.asarray(np.where(grey > 0.5 + 0.45 * screen, 255, 0), np.uint8)


def _chart(sheet: Sheet) -> None:
    """Axes, curves and bars."""
    rng, unit = sheet.rng, sheet.unit
    high = min(int(unit * rng.uniform(60, 220)), sheet.end - sheet.top)
    wide, thick = sheet.right - sheet.left, max(1, int(unit * rng.uniform(0.3, 1.5)))
    x0, y1 = sheet.left + int(wide * rng.uniform(0, 0.3)), sheet.top + high
    if rng.random() < 0.6:
        sheet.draw.rectangle((x0, sheet.top, sheet.right, y1), outline=0, width=thick)
    for _ in range(int(rng.integers(1, 5))):
        count = int(rng.integers(3, 30))
        at = np.linspace(x0, sheet.right, count)
        values = y1 - high * rng.random(count) * rng.uniform(0.3, 1)
        if rng.random() < 0.7:
            sheet.draw.line(list(zip(at.tolist(), values.tolist(), strict=True)), fill=0, width=thick)
        else:
            half = (at[1] - at[0]) * rng.uniform(0.1, 0.45)
            for x, y in zip(at[1:-1], values[1:-1], strict=True):
                shade = None if rng.random() < 0.5 else int(rng.integers(256))
                sheet.draw.rectangle((x - half, y, x + half, y1), fill=shade, outline=0, width=thick)
    sheet.top += high


def _rule(sheet: Sheet) -> None:
    """A line or two across the column, whole or of dashes."""
    rng = sheet.rng
    thick = max(1, int(sheet.unit * rng.uniform(0.3, 2)))
    step = int(sheet.unit * rng.uniform(2, 8)) if rng.random() < 0.3 else sheet.right - sheet.left
    for x in range(sheet.left, sheet.right, 2 * step):
        sheet.draw.line((x, sheet.top, min(x + step, sheet.right), sheet.top), fill=0, width=thick)
    sheet.top += thick


def _space(sheet: Sheet) -> None:
    """Nothing."""
    sheet.top += int(sheet.unit * sheet.rng.uniform(10, 120))


Block = Callable[[Sheet], None]
BLOCKS: tuple[Block, ...] = (
    _paragraph,
    _paragraph,
    _paragraph,
    _table,
    _handwriting,
    _picture,
    _chart,
    _rule,
    _space,
)


def _printed(grey: NDArray[np.uint8], rng: np.random.Generator) -> Pixels:
    """Grey levels (H, W) as ink on a paper (H, W, 3): sharp or soft, even or worn."""
    ink = 1 - grey.astype(np.float32) / 255
    soft = rng.uniform(0, 1.2) * len(grey) / 3508
    if soft > 0.25:
        ink = cv2.GaussianBlur(ink, (0, 0), soft)
    wear = rng.uniform(0, 0.35)
    rough = cv2.resize(
        rng.random((len(grey) // 3 + 1, grey.shape[1] // 3 + 1), dtype=np.float32), grey.shape[::-1]
    )
    ink *= 1 - wear * rough
    if rng.random() < 0.45:
        ink = np.where(ink > rng.uniform(0.35, 0.6), 1, 0).astype(np.float32)
    paper = np.array(PAPERS[int(rng.integers(len(PAPERS)))], np.float32)
    dark = np.full(3, rng.uniform(0, 110) if rng.random() < 0.5 else 0, np.float32)
    return np.asarray(paper - (paper - dark) * ink[..., None], np.uint8)
