"""What lies around and between the pieces of a scrambled picture: frames, gutters, and the rims of worn pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ganzzle.puzzle import Ints, Pixels

SMALLEST_PIECE = 6  # px; smaller ones are not looked for
SAMPLES = 1024  # px looked at along a line
SMALLEST_TRIMMED = 16  # px of a piece that can spare some
# How far lines of one colour are from it, relative to all lines:
GUTTER = 0.15  # those of a gutter at most
RIM, BEHIND = 0.3, 0.5  # those in a rim at most, those behind it at least
MOST = 0.7  # share of the rims of which the latter holds: some pieces are of that colour themselves
UNEVEN_PX, UNEVEN = 2, 0.03  # px, or share of a piece, by which pieces may differ, as in a resized picture
CROPPED = 0.25  # share of a piece at the end of a picture that may be cropped away
WIDEST = 0.25  # share of the way from piece to piece that is gutter
FRAME = 6.0  # levels by which the lines of a frame differ from its colour, on average
FRAMES = 2  # at most, one inside the other


class View(NamedTuple):
    """A part of a picture, thinned: at most SAMPLES px of every row and column are looked at."""

    top: int
    left: int
    down: np.ndarray  # (h, M, 3) int16, the rows
    across: np.ndarray  # (w, M, 3) int16, the columns


@dataclass(frozen=True)
class Spans:
    """Where pieces lie along an axis: one begins at `first`, and another every `pitch` px; both need not be whole."""

    first: float
    pitch: float
    size: int  # px of a piece
    count: int

    @classmethod
    def between(cls, begin: float, end: float, count: int) -> Spans:
        """`count` pieces of whole px side by side; where they do not fill the axis, what is left is between them."""
        pitch = (end - begin) / count
        size = int(pitch)
        return cls(begin + (pitch - size) / 2, pitch, size, count)

    def moved(self, by: int) -> Spans:
        """The same pieces, `by` px further on."""
        return replace(self, first=self.first + by)

    def trimmed(self, by: int) -> Spans:
        """The same pieces without `by` px at both ends, where two may be mixed; small ones stay whole."""
        if self.size < SMALLEST_TRIMMED:
            return self
        return replace(self, first=self.first + by, size=self.size - 2 * by)

    def fill(self, length: int) -> bool:
        """Whether the pieces fill an axis of that length."""
        return self.first == 0 and self.pitch == self.size and self.size * self.count == length

    def pixels(self, length: int) -> Ints:
        """(count, size) the pixels of every piece on an axis of that length; beyond its ends, the last one there is."""
        begins = np.rint(self.first + self.pitch * np.arange(self.count)).astype(np.int64)
        return np.clip(begins[:, None] + np.arange(self.size), 0, length - 1)


def inside_frames(picture: Pixels) -> Iterator[View]:
    """A picture (H, W, 3), then what is inside its frame, and inside that one's."""
    top, left = 0, 0
    for _ in range(FRAMES + 1):
        view = View(top, left, _sampled(picture, 0), _sampled(picture, 1))
        yield view
        (above, below), (before, behind) = _frame(view.down), _frame(view.across)
        inner = picture[above : len(picture) - below, before : picture.shape[1] - behind]
        if inner.size in (0, picture.size):
            return
        top, left, picture = top + above, left + before, inner


def _sampled(picture: Pixels, axis: int) -> np.ndarray:
    """(L, at most SAMPLES, 3) the rows (or columns) of a picture, thinned evenly where they are long."""
    across = picture.shape[1 - axis]
    kept = np.linspace(0, across - 1, min(across, SAMPLES)).astype(np.int64)
    lines = np.moveaxis(picture.take(kept, axis=1 - axis), axis, 0)
    return lines.astype(np.int16, order="C")  # lines that lie together are summed much faster


def _frame(pixels: np.ndarray) -> tuple[int, int]:
    """Lines (L, M, 3) -> how many at each end have the colour of the last one there."""
    found = []
    for lines in (pixels, pixels[::-1]):
        colour = np.median(lines[0], axis=0).astype(lines.dtype)
        other = np.abs(lines - colour).mean((1, 2)) > FRAME
        found.append(int(other.argmax()) if other.any() else 0)
    return found[0], found[1]


def gutters(pixels: np.ndarray) -> Spans | None:
    """Lines (L, M, 3) along an axis -> the pieces between the lines of one plain colour: as many as there are, also a
    single one, if all are as large and as far apart; else None."""
    own = np.median(pixels, axis=1, keepdims=True).astype(pixels.dtype)
    plainest = own[np.abs(pixels - own).mean((1, 2)).argmin()]
    picture = np.pad(_off(pixels, plainest[0]) >= GUTTER, 1)
    begins, ends = np.flatnonzero(picture[1:] & ~picture[:-1]), np.flatnonzero(picture[:-1] & ~picture[1:])
    if len(begins) == 0:
        return None
    begins, ends = _uncropped(begins, ends, len(pixels))
    sizes, pitches = ends - begins, np.diff(begins)
    uneven = max(UNEVEN_PX, UNEVEN * sizes.max())
    if np.ptp(sizes) > uneven or (len(pitches) and np.ptp(pitches) > uneven):
        return None
    count = len(begins)
    pitch = float(begins[-1] - begins[0]) / (count - 1) if count > 1 else float(sizes[0])
    if pitch - sizes.min() > WIDEST * pitch:
        return None
    spans = Spans(float((begins - pitch * np.arange(count)).mean()), pitch, int(sizes.min()), count)
    return spans.trimmed(1)  # the colour of the gutter may have run


def _uncropped(begins: Ints, ends: Ints, length: int) -> tuple[Ints, Ints]:
    """Where pieces (N,) begin and end on an axis, the first and the last one with the px that were cropped away."""
    if len(begins) < 3:
        return begins, ends
    size = int(np.median((ends - begins)[1:-1]))
    least = size * (1 - CROPPED)
    if begins[0] == 0 and least < ends[0] < size:
        begins = np.append(ends[0] - size, begins[1:])
    if ends[-1] == length and least < length - begins[-1] < size:
        ends = np.append(ends[:-1], begins[-1] + size)
    return begins, ends


def worn_size(pixels: np.ndarray) -> int:
    """The least size of pieces along an axis with the lines (L, M, 3) that all begin and end with a rim of the colour
    the picture begins with, and are of another right behind it; 0 if there is none."""
    off = _off(pixels, np.median(pixels[0], axis=0))
    for size in range(SMALLEST_PIECE, len(off) + 1):
        if len(off) % size == 0:
            pieces = off.reshape(-1, size)
            rim = pieces.max(0) < RIM
            first, last = int(rim.argmin()), int(rim[::-1].argmin())
            if min(first, last) > 0 and 2 * (max(first, last) + 1) < size:
                behind = pieces[:, [first + 1, -last - 2]]
                if np.mean(behind > BEHIND) > MOST:
                    return size
    return 0


def _off(pixels: np.ndarray, colour: np.ndarray) -> np.ndarray:
    """(L,) how far lines (L, M, 3) are from a colour (3,), relative to what most of them are."""
    off = pixels - colour.astype(pixels.dtype)
    off = np.abs(off, out=off).mean((1, 2))
    return off / (np.median(off) + 1)
