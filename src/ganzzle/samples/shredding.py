"""A shredder, and the scanner after it: a page becomes strips, and strips lie on sheets of coloured paper."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Pixels, Seed
from ganzzle.errors import PuzzleError
from ganzzle.pile import CutPiece

A4_ROWS = 3508  # px of an A4 page at 300 dpi; widths below are meant at this size
LEAST_WIDTH = 8  # px of a strip
GROUNDS = (238, 200, 40), (60, 140, 90), (70, 110, 190), (214, 90, 70)
SHEET = 0.71  # width of a scanner's sheet for its height


@dataclass(frozen=True)
class Shredder:
    """What a cut does, in px of an A4 page at 300 dpi."""

    wave: float = 8.0  # by how much a cut bends
    fringe: float = 1.2  # by how much each border is frayed
    lost: float = 1.5  # paper lost at a cut; below 0 both strips show it
    faded: float = 0.0  # px beside a cut whose print is worn
    shift: float = 6.0  # by how much strips lie higher or lower
    turn: float = 0.2  # degrees that strips are turned by at most
    noise: float = 2.0  # grey levels of the scanner's noise
    jpeg: int = 88  # quality of the files


RECTANGLES = Shredder(wave=0, fringe=0, lost=1, faded=3, shift=0, turn=0, noise=0)


def shred(page: Pixels, count: int, seed: Seed = 0, shredder: Shredder | None = None) -> tuple[CutPiece, ...]:
    """A page (H, W, 3) cut into strips, the leftmost first; around a strip its crop is black."""
    shredder, rng = shredder or Shredder(), np.random.default_rng(seed)
    height, width = page.shape[:2]
    if count < 1 or width < LEAST_WIDTH * count:
        raise PuzzleError(
            f"a page {width} px wide can be cut into 1 to {max(1, width // LEAST_WIDTH)} strips, not {count}"
        )
    scale = height / A4_ROWS
    even = np.linspace(0, width, count + 1)
    cuts = np.stack([x + _bend(height, shredder.wave * scale, rng) for x in even])
    cuts[0], cuts[-1] = even[0], even[-1]
    strips = []
    for k in range(count):
        inner = [k > 0, k < count - 1]
        lost, wear = shredder.lost * scale / 2, shredder.fringe * scale
        left = cuts[k] + inner[0] * (lost + _fray(height, wear, rng))
        right = cuts[k + 1] - inner[1] * (lost + _fray(height, wear, rng))
        shift = float(np.clip(rng.normal(0, 0.5), -1, 1)) * shredder.shift * scale
        slope = np.tan(np.radians(shredder.turn * rng.uniform(-1, 1)))
        strips.append(_lifted(page, left, np.maximum(right, left + 2), shift, slope, k, shredder, rng))
    return tuple(strips)


def _bend(height: int, most: float, rng: np.random.Generator) -> Floats:
    """(height,) how far a cut lies off its line: slow waves, and a bulge at times."""
    line: Floats = np.zeros(height)
    for knots in (4, 9, 30, 120):
        at = np.linspace(0, knots - 1, height)
        line += np.interp(at, np.arange(knots), rng.normal(0, 0.5 * most / np.sqrt(knots / 4), knots))
    return line


def _fray(height: int, most: float, rng: np.random.Generator) -> Floats:
    """(height,) px that a border has lost more than the cut itself."""
    fine = np.abs(rng.normal(0, most, height))
    return np.asarray(cv2.GaussianBlur(fine[:, None], (1, 5), 0.8)[:, 0] if most else fine)


def _lifted(
    page: Pixels, left: Floats, right: Floats, shift: float, slope: float, k: int, shredder: Shredder,
    rng: np.random.Generator,
) -> CutPiece:  # fmt: skip
    """The part of a page between two borders (H,), moved down by `shift` px and leaning by `slope`."""
    height = len(page)
    y = np.arange(height)
    lean = slope * (y - height / 2)
    base = np.floor((left + lean).min()) - 1
    wide = int(np.ceil((right + lean).max()) - base) + 2
    x = base + np.arange(wide)[None, :] - lean[:, None]
    rows = np.broadcast_to((y - shift)[:, None], x.shape)
    seen = cv2.remap(page, x.astype(np.float32), rows.astype(np.float32), cv2.INTER_LINEAR,
                     borderMode=cv2.BORDER_CONSTANT, borderValue=(0, 0, 0))  # fmt: skip
    source = np.clip(np.rint(y - shift).astype(int), 0, height - 1)
    mask = (x >= left[source, None]) & (x < right[source, None])
    mask &= (rows >= 0) & (rows <= height - 1)
    if shredder.faded:
        seen = _worn(
            seen, x - left[source, None], right[source, None] - x, shredder.faded * height / A4_ROWS, rng
        )
    if shredder.noise:
        grain = rng.normal(0, shredder.noise, seen.shape[:2]).astype(np.float32)
        seen = np.clip(seen + grain[..., None], 0, 255).astype(np.uint8)
    if shredder.wave or shredder.fringe or shredder.turn:
        seen = seen * mask[..., None].astype(np.uint8)
    else:  # a plain rectangle: what the crop has more is cut off
        inside = mask.mean(0) > 0.5
        seen, mask = seen[:, inside], np.ones((height, int(inside.sum())), bool)
    coded = cv2.imencode(".jpg", seen[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, shredder.jpeg])[1]
    return CutPiece(np.asarray(cv2.imdecode(coded, 1))[..., ::-1], mask, name=f"{k + 1:02d}")


def _worn(
    seen: Pixels, from_left: Floats, to_right: Floats, depth: float, rng: np.random.Generator
) -> Pixels:
    """A strip (h, w, 3) whose print has flaked off near its borders, here and there; distances are (h, w)."""
    near = np.minimum(from_left, to_right)
    strength = np.interp(np.arange(len(seen)), np.linspace(0, len(seen), 90), rng.uniform(0, 1.5, 90))
    gone = rng.random(near.shape) < np.clip(1 - near / depth, 0, 1) * strength[:, None] * 0.7
    return np.where(gone[..., None], np.percentile(seen, 90, axis=(0, 1)), seen).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Sheets:
    """Scans of strips that lie apart."""

    pictures: tuple[Pixels, ...]  # (H, W, 3) each
    strips: NDArray[np.int64]  # (N,) the strip that lies in each place, from left to right, sheet by sheet
    upside_down: NDArray[np.bool_]  # (N,) whether the strip in each place was turned by half a turn


def scattered_strips(
    strips: tuple[CutPiece, ...], seed: Seed = 0, sheets: int = 2, turned: bool = False,
    ground: tuple[int, int, int] | None = None,
) -> Sheets:  # fmt: skip
    """Strips laid apart on sheets of coloured paper in a random order, upside down at times where `turned`."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(strips))
    upside_down = rng.random(len(order)) < (0.5 if turned else 0)
    ground = ground or GROUNDS[int(rng.integers(len(GROUNDS)))]
    pictures = []
    for places in np.array_split(np.arange(len(order)), sheets):
        lying = [_turned(strips[order[k]]) if upside_down[k] else strips[order[k]] for k in places]
        height = max(piece.pixels.shape[0] for piece in strips)
        gaps = rng.uniform(0.012, 0.03, len(lying) + 1) * height
        margin = height // 20
        width = int(sum(gaps) + sum(piece.pixels.shape[1] for piece in lying))
        picture = np.empty((height + 2 * margin, width, 3), np.float32)
        picture[:] = ground
        x = gaps[0]
        for piece, gap in zip(lying, gaps[1:], strict=True):
            high, wide = piece.mask.shape
            top = margin + int(rng.integers(-margin // 2, margin // 2 + 1))
            share = cv2.GaussianBlur(piece.mask.astype(np.float32), (0, 0), 0.6)[..., None]
            part = picture[top : top + high, int(x) : int(x) + wide]
            part += share * (piece.pixels - part)
            x += wide + gap
        picture += rng.normal(0, 1.5, picture.shape[:2]).astype(np.float32)[..., None]
        pictures.append(np.clip(np.rint(picture), 0, 255).astype(np.uint8))
    return Sheets(tuple(pictures), order, upside_down)


def _turned(piece: CutPiece) -> CutPiece:
    return CutPiece(piece.pixels[::-1, ::-1], piece.mask[::-1, ::-1], name=piece.name)
