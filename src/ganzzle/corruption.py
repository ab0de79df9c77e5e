"""What was done to the pieces: missing, noise, erosion, as in the paper's protocol, and colours that differ.

Text form: `missing:0.1` (share of the pieces that is gone), `noise:0.05` (sigma on the 0..1 scale), `erode:2` (px of
every piece's rim that are gone, black), `uneven:0.03` (sigma, on the same scale, by which the red, green and blue of
each piece are off, as in scans one by one); several joined by `+` are applied in that order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ganzzle.errors import PuzzleError
from ganzzle.pieces import turn_pieces
from ganzzle.puzzle import Ints, Pixels, Puzzle

# Each level is at least 0 and below this.
LIMITS = {"missing": 1.0, "noise": 10.0, "erode": 1e4, "uneven": 10.0}


@dataclass(frozen=True)
class Step:
    """One corruption: its kind and how strong it is."""

    kind: str
    level: float

    def __str__(self) -> str:
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
        before = puzzle.pieces  # without noise and shifts, by which identical pieces differ
        changed = False
        for step in self.steps:
            if step.kind == "missing":
                kept = _survivors(len(puzzle), step.level, rng)
                puzzle, before = puzzle.reorder(kept), before[kept]
            elif step.kind in ("noise", "uneven"):
                changed = True
                change = add_noise if step.kind == "noise" else shift_colours
                puzzle = replace(puzzle, pieces=change(puzzle.pieces, step.level, rng))
            else:
                _check_rest(puzzle, int(step.level))
                puzzle = replace(puzzle, pieces=erode(puzzle.pieces, int(step.level)))
                before = erode(before, int(step.level))
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


def erode(pieces: Pixels, width: int) -> Pixels:
    """Blacken the outer `width` px of every piece. (N, h, w, 3) -> (N, h, w, 3)."""
    height, length = pieces.shape[1:3]
    eroded = np.zeros_like(pieces)
    inner = (slice(None), slice(width, max(width, height - width)), slice(width, max(width, length - width)))
    eroded[inner] = pieces[inner]
    return eroded


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


def _check_rest(puzzle: Puzzle, width: int) -> None:
    """Refuse an erosion that leaves black pieces."""
    height, length = puzzle.piece_size
    if 2 * width >= min(height, length):
        raise PuzzleError(
            f"erode:{width} leaves nothing of pieces of {length}x{height} px; take fewer pixels"
        )


def _survivors(count: int, share: float, rng: np.random.Generator) -> Ints:
    """Indices of the pieces that stay, in arrival order; at least one does."""
    gone = min(count - 1, round(share * count))
    return np.sort(rng.permutation(count)[gone:])


def _parse_step(text: str) -> Step:
    kind, _, number = text.partition(":")
    try:
        level = float(number)
    except ValueError:
        level = -1.0
    limit = LIMITS.get(kind, -1.0)
    if not 0 <= level < limit or (kind == "erode" and level % 1):
        raise PuzzleError(
            f"'{text}' is no corruption; "
            "write missing:0.1 (share), noise:0.05, uneven:0.03 (sigma) or erode:2 (pixels), several joined by +"
        )
    return Step(kind, level)
