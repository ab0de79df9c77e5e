"""Piles as people have them, made by seed. A kind is a few steps joined by "+", such as "lost+worn" or "two+noisy"."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from ganzzle.damage.corruption import (
    add_noise,
    bare,
    compress,
    erode,
    shift_colours,
    turn_periods,
    twin_groups,
)
from ganzzle.errors import GanzzleError
from ganzzle.grid import Grid
from ganzzle.pieces import cut, turn_pieces
from ganzzle.puzzle import Ints, Pixels
from ganzzle.reading.pictures import resize_picture

SIDES = (5, 9)  # rows and columns of a puzzle
SIDES_OF_TWO = (5, 6)  # rows of each of two puzzles; they have one column more at most
PIECE = (32, 64)  # px; pictures are not enlarged beyond the least of it
FEW = (1, 3)  # pieces that are turned, foreign or there twice, px that are worn
LOST = (0.03, 0.15)  # share of the pieces
NOISE = (0.03, 0.1)  # sigma on the 0..1 scale
UNEVEN = (0.02, 0.05)  # the same
QUALITY = (50, 90)  # of JPEG

KINDS = (
    "clean", "worn", "bare", "noisy", "jpeg", "uneven", "lost", "lost+worn", "foreign", "lost+foreign", "copies",
    "rescans", "turned", "turned+worn", "turned+noisy", "turned+foreign", "few-turned", "two", "two+worn",
    "two-unsaid", "one-as-two",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class MadePile:
    """A pile, what is said of it, and its truth."""

    pieces: Pixels  # (N, h, w, 3)
    puzzle: Ints  # (N,) which puzzle each belongs to, -1: none
    slot: Ints  # (N,) its slot there
    turns: Ints  # (N,) quarter turns that bring it upright
    look: Ints  # (N,) equal numbers: nobody can tell them apart
    period: Ints  # (N,) quarter turns until it looks the same: 1, 2 or 4
    grids: tuple[Grid, ...]  # of each puzzle
    said_puzzles: int | None = None  # how many it is said to be
    said_turned: bool = False  # whether it is said that pieces are turned

    def __len__(self) -> int:
        return len(self.pieces)

    def take(self, which: Ints) -> MadePile:
        """These pieces, in this order; one may be there twice."""
        names = ("pieces", "puzzle", "slot", "turns", "look", "period")
        return replace(self, **{name: getattr(self, name)[which] for name in names})


def make_pile(kind: str, pictures: Iterator[Pixels], rng: np.random.Generator) -> MadePile:
    """A pile of a kind, of the first of some pictures; foreign pieces and second puzzles are of the next ones."""
    steps = check_kind(kind)
    cutter = _Cutter(pictures, rng)
    pile = cutter.puzzles(2 if steps & {"two", "two-unsaid"} else 1)
    if "lost" in steps:
        gone = max(1, round(rng.uniform(*LOST) * len(pile)))
        pile = pile.take(rng.permutation(len(pile))[gone:])
    if "foreign" in steps:
        pile = cutter.with_foreign(pile, _few(rng))
    for name, wear in WEAR.items():
        if name in steps:
            pile = replace(pile, pieces=wear(pile.pieces, _few(rng)))
    pile = replace(pile, look=twin_groups(pile.pieces), period=turn_periods(pile.pieces))
    for name in COPIED & steps:
        pile = _with_copies(pile, name == "rescans", rng)
    for name, spoil in SPOILT.items():
        if name in steps:
            pile = replace(pile, pieces=spoil(pile.pieces, rng))
    pile = pile.take(rng.permutation(len(pile)))
    if "turned" in steps:
        pile = replace(_turned(pile, np.arange(len(pile)), rng), said_turned=True)
    elif "few-turned" in steps:
        pile = _turned(pile, rng.permutation(len(pile))[: _few(rng)], rng)
    return replace(pile, said_puzzles=2 if steps & {"two", "one-as-two"} else None)


def check_kind(kind: str) -> set[str]:
    """The steps of a kind; a step that nobody knows is refused."""
    steps = set(kind.split("+"))
    known = {step for each in KINDS for step in each.split("+")}
    if steps - known:
        raise GanzzleError(f"no pile is '{kind}'; join some of {', '.join(sorted(known))} by +")
    return steps


class _Cutter:
    """Cuts puzzles with pieces of one size out of pictures."""

    def __init__(self, pictures: Iterator[Pixels], rng: np.random.Generator) -> None:
        self.pictures, self.rng = pictures, rng
        self.piece = 0  # px, once the first puzzle is cut

    def puzzles(self, count: int) -> MadePile:
        """The pieces of so many puzzles, one after the other; half of the time their grids are equal."""
        grids = [self._grid(count) for _ in range(count)]
        if self.rng.random() < 0.5:
            grids = grids[:1] * count
        parts = [self._cut(next(self.pictures), grid) for grid in grids]
        numbers = np.repeat(np.arange(count), [len(part) for part in parts])
        slots = np.concatenate([np.arange(len(part)) for part in parts])
        return _pile(np.concatenate(parts), numbers, slots, tuple(grids))

    def with_foreign(self, pile: MadePile, count: int) -> MadePile:
        """The pile and so many pieces of the next picture, cut in its grid."""
        others = self._cut(next(self.pictures), pile.grids[0])
        others = others[self.rng.permutation(len(others))[:count]]
        none = np.full(count, -1)
        pieces = np.concatenate([pile.pieces, others])
        puzzle, slot = np.append(pile.puzzle, none), np.append(pile.slot, none)
        return _pile(pieces, puzzle, slot, pile.grids)

    def _grid(self, count: int) -> Grid:
        low, high = SIDES if count == 1 else SIDES_OF_TWO
        rows = int(self.rng.integers(low, high + 1))
        cols = int(self.rng.integers(low, high + 1 + (count > 1)))
        return Grid(rows, cols)

    def _cut(self, picture: Pixels, grid: Grid) -> Pixels:
        """(S, piece, piece, 3) the middle of a picture that has the shape of a grid."""
        height, width = picture.shape[:2]
        side = min(height / grid.rows, width / grid.cols)
        if not self.piece:
            most = int(min(max(side, PIECE[0]), PIECE[1]))
            self.piece = int(self.rng.integers(PIECE[0], most + 1))
        tall, wide = round(side * grid.rows), round(side * grid.cols)
        top, left = (height - tall) // 2, (width - wide) // 2
        middle = picture[top : top + tall, left : left + wide]
        return cut(resize_picture(middle, self.piece * grid.rows, self.piece * grid.cols), grid)


def _pile(pieces: Pixels, puzzle: Ints, slot: Ints, grids: tuple[Grid, ...]) -> MadePile:
    zeros = np.zeros(len(pieces), np.int64)
    return MadePile(pieces, puzzle, slot, zeros, zeros, zeros, grids)


def _few(rng: np.random.Generator) -> int:
    return int(rng.integers(FEW[0], FEW[1] + 1))


def _with_copies(pile: MadePile, scanned_again: bool, rng: np.random.Generator) -> MadePile:
    """A few pieces are there twice."""
    again = rng.permutation(np.flatnonzero(pile.puzzle >= 0))[: _few(rng)]
    both = pile.take(np.append(np.arange(len(pile)), again))
    if scanned_again:
        pieces = both.pieces.copy()
        pieces[len(pile) :] = [_scanned_again(piece, rng) for piece in pieces[len(pile) :]]
        both = replace(both, pieces=pieces)
    return both


def _scanned_again(piece: Pixels, rng: np.random.Generator) -> Pixels:
    """A piece (h, w, 3) shifted by up to a pixel, a little lighter or darker, with a little noise of its own."""
    shift = np.array([[1, 0, rng.uniform(-1, 1)], [0, 1, rng.uniform(-1, 1)]])
    height, width = piece.shape[:2]
    moved = cv2.warpAffine(
        piece, shift, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    changed = moved * rng.uniform(0.97, 1.03) + rng.normal(0, 2, moved.shape)
    return np.clip(np.rint(changed), 0, 255).astype(np.uint8)


def _turned(pile: MadePile, which: Ints, rng: np.random.Generator) -> MadePile:
    """Some pieces turned by chance; all of the pile: each of the four ways, else never upright."""
    turns = np.zeros(len(pile), np.int64)
    turns[which] = rng.integers(0 if len(which) == len(pile) else 1, 4, len(which))
    return replace(pile, pieces=turn_pieces(pile.pieces, -turns), turns=turns)


COPIED = {"copies", "rescans"}
WEAR: dict[str, Callable[[Pixels, int], Pixels]] = {"worn": erode, "bare": bare}
SPOILT: dict[str, Callable[[Pixels, np.random.Generator], Pixels]] = {
    "uneven": lambda pieces, rng: shift_colours(pieces, rng.uniform(*UNEVEN), rng),
    "noisy": lambda pieces, rng: add_noise(pieces, rng.uniform(*NOISE), rng),
    "jpeg": lambda pieces, rng: compress(pieces, int(rng.integers(QUALITY[0], QUALITY[1] + 1))),
}
