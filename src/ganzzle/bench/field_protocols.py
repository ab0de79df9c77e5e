"""The protocols by which newer work on pieces with gaps is measured, as code, and what was published for them.

Pieces are bare in all of them: no rim tells how wide the gap is. Pictures are cropped to their central square first.

* LSEJ-10 and -20 (RG-LNS, 2026): n x n pieces of 50 px; of each some px are cropped at every side, and what is left is
  scaled back to 50 px (Lanczos).
* JPwLEG-5 and -3: pieces of 96 px with 12 or 48 px between them, some px off the picture's border. The original
  JPwLEG-3 tells the piece in the centre; here nothing is told.
* ImageNet 3x3: tiles of 85 px, of each a window of 64 px at a place by chance; up to three of the nine are taken away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from ganzzle.damage.corruption import Corruption
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid
from ganzzle.puzzle import Pixels, Puzzle, Truth

LSEJ_PIECE = 50  # px
WIDTHS = (2, 5, 8)  # px that LSEJ crops at each side
PIECE = 96  # px of a piece of JPwLEG
TILE, WINDOW = 85, "64/85"  # px of a tile of ImageNet 3x3, and what is seen of it
LOST = (0, 1, 2, 3)  # of its nine pieces

RG_LNS, PUZLM = "RG-LNS, 2026", "PuzLM, 2026"
SECOND_HAND = "quoted by others"


@dataclass(frozen=True)
class Published:
    """What somebody reported, in per cent: perfect puzzles, direct and neighbour accuracy."""

    by: str
    perfect: float | None = None
    direct: float | None = None
    neighbour: float | None = None
    note: str = ""


@dataclass(frozen=True)
class FieldProtocol:
    """How a picture becomes a puzzle."""

    name: str
    title: str
    make: Callable[[Pixels, np.random.Generator], Puzzle]
    published: tuple[Published, ...] = field(default=())


def lsej(side: int, width: int) -> Callable[[Pixels, np.random.Generator], Puzzle]:
    """LSEJ with side x side pieces that lose `width` px at every side."""

    def make(picture: Pixels, rng: np.random.Generator) -> Puzzle:
        whole = Puzzle.in_order(squared(picture, LSEJ_PIECE * side), side)
        shuffled = whole.reorder(rng.permutation(len(whole)))
        return Corruption.parse(f"bare:{width}+resize:{LSEJ_PIECE}").apply(shuffled, rng)

    return make


def jpwleg(side: int, between: int, border: int) -> Callable[[Pixels, np.random.Generator], Puzzle]:
    """JPwLEG with side x side pieces, `between` px lost between two of them and `border` px at the picture's border."""

    def make(picture: Pixels, rng: np.random.Generator) -> Puzzle:
        whole = squared(picture, side * PIECE + (side - 1) * between + 2 * border)
        at = border + (PIECE + between) * np.arange(side)
        pieces = np.stack([whole[y : y + PIECE, x : x + PIECE] for y in at for x in at])
        grid = Grid(side, side)
        slots = np.arange(grid.slots)
        return Puzzle(pieces, grid, Truth(slots, 0 * slots, grid=grid)).reorder(rng.permutation(grid.slots))

    return make


def imagenet(lost: int) -> Callable[[Pixels, np.random.Generator], Puzzle]:
    """ImageNet 3x3 without `lost` of its pieces."""

    def make(picture: Pixels, rng: np.random.Generator) -> Puzzle:
        whole = Puzzle.in_order(squared(picture, 3 * TILE), 3)
        left = whole.reorder(rng.permutation(len(whole))[lost:])
        return Corruption.parse(f"crop:{WINDOW}").apply(left, rng)

    return make


def squared(picture: Pixels, side: int) -> Pixels:
    """The central square of a picture (H, W, 3), scaled to `side` px with a Lanczos window."""
    height, width = picture.shape[:2]
    least = min(height, width)
    top, left = (height - least) // 2, (width - least) // 2
    centre = Image.fromarray(picture[top : top + least, left : left + least])
    return np.asarray(centre.resize((side, side), Image.Resampling.LANCZOS))


_LSEJ_PUBLISHED = {
    (10, 2): (Published(RG_LNS, 55.9, 86.7, 92.1),),
    (10, 5): (Published(RG_LNS, 23.2, 59.8, 77.6),),
}
_LOST_PUBLISHED = {
    0: (
        Published(PUZLM, direct=92.2, note=SECOND_HAND),
        Published("FCViT", direct=90.6, note="without gaps"),
    ),
    1: (Published(PUZLM, direct=86.0, note=SECOND_HAND),),
    2: (Published(PUZLM, direct=73.8, note=SECOND_HAND),),
    3: (Published(PUZLM, direct=61.2, note=SECOND_HAND),),
}

PROTOCOLS: dict[str, FieldProtocol] = {
    one.name: one
    for one in (
        *(
            FieldProtocol(
                f"lsej{side}-{width}", f"LSEJ-{side}, {width} px", lsej(side, width),
                _LSEJ_PUBLISHED.get((side, width), ()),
            )
            for side in (10, 20) for width in WIDTHS
        ),
        FieldProtocol(
            "jpwleg5", "JPwLEG-5", jpwleg(5, 12, 3),
            (Published(PUZLM, direct=72.1), Published(RG_LNS, perfect=60.7, neighbour=90.9)),
        ),
        FieldProtocol(
            "jpwleg3", "JPwLEG-3", jpwleg(3, 48, 7),
            (
                Published(PUZLM, direct=91.9, note=SECOND_HAND),
                Published("JPDVT", direct=71.3, note=SECOND_HAND),
            ),
        ),
        *(
            FieldProtocol(
                f"imagenet3-{lost}", f"ImageNet 3x3, {lost} missing", imagenet(lost), _LOST_PUBLISHED[lost]
            )
            for lost in LOST
        ),
    )
}  # fmt: skip


def check_protocol(name: str) -> None:
    """Refuse a protocol that there is not."""
    if name not in PROTOCOLS:
        raise PuzzleError(f"there is no protocol '{name}'; there are: {', '.join(PROTOCOLS)}")
