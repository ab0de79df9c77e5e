"""A pile: the pieces a person has and what is known of them, never the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Ints, Pixels
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid

WIDEST_GAP = 0.4  # share of a side: more would leave hardly anything
MOST_PUZZLES = 100  # in one pile: more are a slip of the finger


@dataclass(frozen=True, eq=False)
class CutPiece:
    """A strip or a cut piece, lifted off the page it lies on."""

    pixels: Pixels  # (h, w, 3) a part of the page, or the whole of its own file
    mask: NDArray[np.bool_]  # (h, w) which of them show the piece
    page: int = 0  # the picture it lies in, counted from 0
    corner: tuple[float, float] = (0.0, 0.0)  # x and y on that page of the upper left pixel
    name: str = ""  # its file, or "no. 7"


@dataclass(frozen=True, eq=False)
class Pile:
    """Pieces in the order they came, and what is known of them; None is not known, and to be found.

    Tiles are one array (N, h, w, 3), strips and cut pieces a tuple of CutPiece.
    """

    pieces: Pixels | tuple[CutPiece, ...]
    grid: Grid | None = None  # of each puzzle
    puzzles: int | None = None  # how many are mixed
    turned: bool | None = None  # whether pieces may lie at another turn than in the picture
    complete: bool | None = None  # whether there is a piece for every slot
    gap: float | None = (
        None  # share of a slot's shorter side that is lost at each border of a tile, and not shown
    )
    reference: Pixels | None = None  # (H, W, 3) the picture on the box
    kind: str = "tiles"  # or "strips", or "cut"
    name: str = ""
    names: tuple[str, ...] = ()  # of the pieces, for people
    sizes: Ints | None = None  # (N, 2) heights and widths of tiles before padding, where some are smaller
    rim: int = 0  # px at the edges of all tiles that are shown but carry no picture
    pages: tuple[Pixels, ...] = ()  # the pictures the pieces were read from

    def __post_init__(self) -> None:
        self.check()

    def __len__(self) -> int:
        return len(self.pieces)

    @classmethod
    def from_scans(cls, pictures: Sequence[str | PathLike[str] | Pixels]) -> Pile:
        """The strips or jigsaw pieces that lie apart in pictures (files, folders of them, or arrays H x W x 3)."""
        from ganzzle.reading.scans import read_scans

        return read_scans(pictures).pile

    def check(self) -> None:
        """Refuse what no pile can be, in one line that says what to do."""
        if self.kind == "tiles":
            check_tiles(self.pieces, self.rim)
        elif self.kind not in ("strips", "cut"):
            raise PuzzleError(f"a pile is of tiles, strips or cut pieces, not of '{self.kind}'")
        if len(self) == 0:
            raise PuzzleError("a pile needs at least one piece")
        if self.puzzles is not None and not 1 <= self.puzzles <= min(MOST_PUZZLES, len(self)):
            raise PuzzleError(
                f"{len(self)} pieces cannot be of {self.puzzles} puzzles; a pile holds 1 to "
                f"{min(MOST_PUZZLES, len(self))} of them"
            )
        if self.gap is not None and not 0 <= self.gap <= WIDEST_GAP:
            raise PuzzleError(
                f"a gap is a share of a piece's side between 0 and {WIDEST_GAP}, not {self.gap}"
            )

    @property
    def tiles(self) -> Pixels:
        """(N, h, w, 3) the pieces, if they are tiles."""
        assert isinstance(self.pieces, np.ndarray)
        return self.pieces

    @property
    def cut_pieces(self) -> tuple[CutPiece, ...]:
        """The pieces, if they are strips or cut pieces."""
        assert isinstance(self.pieces, tuple)
        return self.pieces

    def part(self, members: Ints) -> Pile:
        """The pile of some of these pieces (m,), of which nothing else is known."""
        tiles = isinstance(self.pieces, np.ndarray)
        some = self.tiles[members] if tiles else tuple(self.cut_pieces[int(k)] for k in members)
        names = tuple(self.names[int(k)] for k in members) if self.names else ()
        sizes = None if self.sizes is None else self.sizes[members]
        return Pile(
            some, kind=self.kind, name=self.name, names=names, sizes=sizes, rim=self.rim, pages=self.pages
        )


def check_tiles(pieces: object, rim: int = 0) -> None:
    """Refuse what is no array of tiles (N, h, w, 3), or a rim that leaves nothing of them."""
    if not isinstance(pieces, np.ndarray):
        raise PuzzleError("pieces must be one array, N x h x w x 3 uint8; np.stack makes one of a list")
    shape = pieces.shape
    if pieces.dtype != np.uint8 or len(shape) != 4 or shape[3] != 3 or 0 in shape:
        raise PuzzleError(f"pieces must be N x h x w x 3 uint8, not {shape} {pieces.dtype}")
    if not 0 <= 2 * rim < min(shape[1:3]):
        raise PuzzleError(f"a rim of {rim} px leaves nothing of pieces of {shape[2]}x{shape[1]} px")
