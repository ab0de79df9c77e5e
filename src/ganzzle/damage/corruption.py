"""What was done to the pieces: the paper's missing, noise and erosion, and what else befalls those that people have.

Text form, several joined by `+` and applied in that order:

* `missing:0.1`: this share of the pieces is gone;
* `noise:0.05`: Gaussian noise of this sigma on the 0..1 scale; `uneven:0.03`: sigma, on the same scale, by which the
  red, green and blue of each piece are off, as in scans one by one; `jpeg:75`: each piece stored by itself as a JPEG of
  this quality;
* `erode:2`: the outer px of every piece are black; `bare:2`: they are cut off, so that pieces are smaller and nothing
  tells how much is lost; `crop:64/85`: of each piece that share of its sides is left, cut out at a place by chance;
* `resize:50`: each piece scaled (Lanczos) to squares of so many px.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from io import BytesIO

import numpy as np
from PIL import Image

from ganzzle.errors import PuzzleError
from ganzzle.pieces import turn_pieces
from ganzzle.puzzle import Ints, Pixels, Puzzle

# Each level is at least the first and below the second.
LIMITS = {
    "missing": (0, 1),
    "noise": (0, 10),
    "uneven": (0, 10),
    "jpeg": (1, 101),
    "erode": (0, 1e4),
    "bare": (0, 1e4),
    "crop": (0.01, 1),
    "resize": (2, 1025),
}
WHOLE = ("jpeg", "erode", "bare", "resize")  # their levels are whole numbers
EXAMPLES = (
    "write missing:0.1 or crop:64/85 (shares), noise:0.05 or uneven:0.03 (sigma), erode:2, bare:2 or resize:50 "
    "(pixels) or jpeg:75 (quality), several joined by +"
)


@dataclass(frozen=True)
class Step:
    """One corruption: its kind and how strong it is."""

    kind: str
    level: float

    def __str__(self) -> str:
        if self.kind == "crop":
            return f"crop:{Fraction(self.level).limit_denominator(1000)}"
        return f"{self.kind}:{np.format_float_positional(self.level, trim='-')}"  # as many digits as it takes


@dataclass(frozen=True)
class Corruption:
    """A sequence of steps; the empty one leaves a puzzle clean."""

    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return "+".join(map(str, self.steps)) or "none"

    @classmethod
    def parse(cls, text: str | Corruption) -> Corruption:
        """Read "noise:0.1", "missing:0.2+erode:1" or "none"; what is a Corruption already stays as it is."""
        if isinstance(text, Corruption):
            return text
        if not isinstance(text, str):
            raise PuzzleError(f"a corruption is a text such as 'noise:0.1', not {text!r}")
        if text.strip() in ("", "none"):
            return cls()
        return cls(tuple(_parse_step(part.strip()) for part in text.split("+")))

    def apply(self, puzzle: Puzzle, rng: np.random.Generator) -> Puzzle:
        """The puzzle after the corruption; every random draw comes from `rng`."""
        before = puzzle.pieces  # without what is done by chance, by which identical pieces differ
        changed = False
        for step in self.steps:
            if step.kind == "missing":
                kept = _survivors(len(puzzle), step.level, rng)
                puzzle, before = puzzle.reorder(kept), before[kept]
            elif step.kind in BY_CHANCE:
                changed = True
                pieces = BY_CHANCE[step.kind](puzzle.pieces, step.level, rng)
                puzzle = replace(puzzle, pieces=pieces)
            else:
                _check_rest(puzzle, step)
                change = EXACT[step.kind]
                puzzle = replace(puzzle, pieces=change(puzzle.pieces, int(step.level)))
                before = change(before, int(step.level))
        truth = puzzle.truth
        if changed and truth is not None and truth.twins is None:
            upright = turn_pieces(before, truth.turns)
            truth = replace(truth, twins=twin_groups(upright), periods=turn_periods(upright))
            puzzle = replace(puzzle, truth=truth)
        return puzzle


def add_noise(pieces: Pixels, sigma: float, rng: np.random.Generator) -> Pixels:
    """Gaussian noise of `sigma` on the 0..1 scale, clipped and rounded. (N, h, w, 3) -> (N, h, w, 3)."""
    noisy = np.empty_like(pieces)
    # What stays in the cache; the draws are the same as all at once.
    chunk = max(1, 200_000 // pieces[0].size)
    for start in range(0, len(pieces), chunk):
        part = pieces[start : start + chunk]
        noise = rng.standard_normal(part.shape, dtype=np.float32)
        noise *= np.float32(255 * sigma)
        noise += part
        np.rint(noise, out=noise)
        noisy[start : start + chunk] = np.clip(noise, 0, 255, out=noise)
    return noisy


def shift_colours(pieces: Pixels, sigma: float, rng: np.random.Generator) -> Pixels:
    """Shift each channel of each piece by a Gaussian of `sigma` on the 0..1 scale. (N, h, w, 3) -> (N, h, w, 3)."""
    shifts = rng.normal(0, 255 * sigma, (len(pieces), 1, 1, 3)).astype(np.float32)
    return np.clip(np.rint(pieces + shifts), 0, 255).astype(np.uint8)


def compress(pieces: Pixels, quality: float, rng: np.random.Generator | None = None) -> Pixels:
    """Each piece after it was stored as a JPEG file. (N, h, w, 3) -> (N, h, w, 3)."""
    return np.stack([_compressed(piece, int(quality)) for piece in pieces])


def crop_by_chance(pieces: Pixels, share: float, rng: np.random.Generator) -> Pixels:
    """A window of `share` of each side, at a place by chance in every piece. (N, h, w, 3) -> (N, h', w', 3)."""
    height, width = (max(1, round(share * side)) for side in pieces.shape[1:3])
    tops = rng.integers(0, pieces.shape[1] - height + 1, len(pieces))
    lefts = rng.integers(0, pieces.shape[2] - width + 1, len(pieces))
    windows = [
        piece[top : top + height, left : left + width]
        for piece, top, left in zip(pieces, tops, lefts, strict=True)
    ]
    return np.stack(windows)


def erode(pieces: Pixels, width: int) -> Pixels:
    """Blacken the outer `width` px of every piece. (N, h, w, 3) -> (N, h, w, 3)."""
    height, length = pieces.shape[1:3]
    eroded = np.zeros_like(pieces)
    inner = (slice(None), slice(width, max(width, height - width)), slice(width, max(width, length - width)))
    eroded[inner] = pieces[inner]
    return eroded


def bare(pieces: Pixels, width: int) -> Pixels:
    """Cut off the outer `width` px of every piece. (N, h, w, 3) -> (N, h - 2 width, w - 2 width, 3)."""
    height, length = pieces.shape[1:3]
    return pieces[:, width : height - width, width : length - width]


def resize(pieces: Pixels, side: int) -> Pixels:
    """Scale every piece by itself, with a Lanczos window. (N, h, w, 3) -> (N, side, side, 3)."""
    scaled = [Image.fromarray(piece).resize((side, side), Image.Resampling.LANCZOS) for piece in pieces]
    return np.stack([np.asarray(piece) for piece in scaled])


def twin_groups(pieces: Pixels) -> Ints:
    """(N,) group numbers: two pieces share one when all their pixels are equal."""
    if len({line.tobytes() for line in pieces[:, pieces.shape[1] // 2]}) == len(pieces):
        return np.arange(len(pieces))  # most piles: already the middle lines all differ
    # A dictionary compares bytes only on equal hashes: exact, and ten times faster than sorting the pieces.
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(piece.tobytes(), len(seen)) for piece in pieces], np.int64)


def turn_periods(pieces: Pixels) -> Ints:
    """(N, h, w, 3) -> (N,) the fewest quarter turns (1, 2, 4) that leave each piece's pixels as they are."""
    half = (pieces == np.rot90(pieces, 2, axes=(1, 2))).all((1, 2, 3))
    quarter = np.zeros(len(pieces), bool)
    if pieces.shape[1] == pieces.shape[2]:
        quarter = (pieces == np.rot90(pieces, 1, axes=(1, 2))).all((1, 2, 3))
    return np.where(quarter, 1, np.where(half, 2, 4))


def twins_of(puzzle: Puzzle) -> Ints:
    """(N,) equal numbers for pieces that look the same upright: as the truth says, or as the pixels show."""
    truth = puzzle.truth
    assert truth is not None
    return twin_groups(turn_pieces(puzzle.pieces, truth.turns)) if truth.twins is None else truth.twins


def periods_of(puzzle: Puzzle) -> Ints:
    """(N,) quarter turns (1, 2, 4) until each piece looks the same: as the truth says, or as the pixels show."""
    truth = puzzle.truth
    assert truth is not None
    return turn_periods(puzzle.pieces) if truth.periods is None else truth.periods


BY_CHANCE: dict[str, Callable[[Pixels, float, np.random.Generator], Pixels]] = {
    "noise": add_noise,
    "uneven": shift_colours,
    "jpeg": compress,  # not by chance, but of a piece that was turned it is not the same
    "crop": crop_by_chance,
}
EXACT: dict[str, Callable[[Pixels, int], Pixels]] = {"erode": erode, "bare": bare, "resize": resize}


def _compressed(piece: Pixels, quality: int) -> Pixels:
    file = BytesIO()
    Image.fromarray(piece).save(file, "jpeg", quality=quality)
    return np.asarray(Image.open(file))


def _check_rest(puzzle: Puzzle, step: Step) -> None:
    """Refuse to take away whole pieces."""
    height, length = puzzle.piece_size
    if step.kind in ("erode", "bare") and 2 * step.level >= min(height, length):
        raise PuzzleError(f"{step} leaves nothing of pieces of {length}x{height} px; take fewer pixels")


def _survivors(count: int, share: float, rng: np.random.Generator) -> Ints:
    """Indices of the pieces that stay, in arrival order; at least one does."""
    gone = min(count - 1, round(share * count))
    return np.sort(rng.permutation(count)[gone:])


def _parse_step(text: str) -> Step:
    kind, _, number = text.partition(":")
    try:
        level = float(Fraction(number) if kind == "crop" else number)
    except (ValueError, ZeroDivisionError):
        level = -1.0
    least, most = LIMITS.get(kind, (0, 0))
    if not least <= level < most or (kind in WHOLE and level % 1):
        raise PuzzleError(f"'{text}' is no corruption; {EXAMPLES}")
    return Step(kind, level)
