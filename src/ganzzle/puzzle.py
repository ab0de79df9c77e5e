"""Puzzle and its Truth, for any rows x cols and any piece size.

Conventions used everywhere:

* slots are numbered row by row; `placement[i]` is the slot of the i-th piece that arrived;
* `turns[i]` counts the quarter turns, counter-clockwise, that bring piece i upright
  (what `np.rot90(piece, turns[i])` does);
* fewer pieces than slots means that pieces are missing; their slots stay empty.

Grid and the array types can be imported from here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from ganzzle.arrays import Floats, Ints, Pixels, Seed
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid, GridLike
from ganzzle.pieces import check_picture, cut, fit, turn_pieces
from ganzzle.pile import WIDEST_GAP, Pile

if TYPE_CHECKING:
    from PIL.Image import Image

    from ganzzle.damage.corruption import Corruption

__all__ = [
    "Floats", "Grid", "GridLike", "Ints", "Pixels", "Puzzle", "Seed", "Truth",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Truth:
    """Where every piece belongs. Only scoring may look at it; a solver never sees it."""

    placement: Ints  # (N,) slot of each piece
    turns: Ints  # (N,) quarter turns that bring each piece upright
    twins: Ints | None = None  # (N,) equal numbers: identical before noise; None: compare the pixels
    grid: Grid | None = None  # what `placement` numbers; None: the puzzle's own grid
    # (N,) quarter turns until a piece looks the same again, before noise; None: compare the pixels
    periods: Ints | None = None


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Pieces in the order they arrived, the grid if known, and (only for evaluation) the truth."""

    pieces: Pixels  # (N, h, w, 3)
    grid: Grid | None = None
    truth: Truth | None = None
    name: str = ""
    # (N, 2) heights and widths before padding, where the last row or column is smaller
    sizes: Ints | None = None
    rim: int = 0  # px at the edges of all pieces that are known to carry no picture; those of a solution leave them out
    gap: float | None = (
        None  # share of a slot's shorter side lost at each border, and not shown; None: not known
    )

    def __post_init__(self) -> None:
        if not isinstance(self.pieces, np.ndarray):
            raise PuzzleError("pieces must be one array, N x h x w x 3 uint8; np.stack makes one of a list")
        shape = self.pieces.shape
        if self.pieces.dtype != np.uint8 or len(shape) != 4 or shape[3] != 3 or 0 in shape:
            raise PuzzleError(f"pieces must be N x h x w x 3 uint8, not {shape} {self.pieces.dtype}")
        if not 0 <= 2 * self.rim < min(shape[1:3]):
            raise PuzzleError(f"a rim of {self.rim} px leaves nothing of pieces of {shape[2]}x{shape[1]} px")
        if self.gap is not None and not 0 <= self.gap <= WIDEST_GAP:
            raise PuzzleError(
                f"a gap is a share of a piece's side between 0 and {WIDEST_GAP}, not {self.gap}"
            )
        if self.grid is not None and not isinstance(self.grid, Grid):
            object.__setattr__(self, "grid", Grid.of(self.grid))
        if self.grid is not None and len(self.pieces) > self.grid.slots:
            raise PuzzleError(
                f"{len(self.pieces)} pieces do not fit a {self.grid} grid of {self.grid.slots} slots; "
                f"give a larger grid"
            )

    def __len__(self) -> int:
        return len(self.pieces)

    def __repr__(self) -> str:
        height, width = self.piece_size
        grid = "of unknown grid" if self.grid is None else f"for {self.grid}"
        return f"<Puzzle{self.name and ' '}{self.name}: {len(self)} pieces of {width}x{height} px {grid}>"

    @property
    def bare_pieces(self) -> Pixels:
        """(N, h, w, 3) the pieces without their rim."""
        height, width = self.piece_size
        return self.pieces[:, self.rim : height - self.rim, self.rim : width - self.rim]

    @property
    def piece_size(self) -> tuple[int, int]:
        """Height and width of a piece in pixels."""
        return self.pieces.shape[1], self.pieces.shape[2]

    def pile(self, turned: bool | None = None) -> Pile:
        """What a person has of this: the pieces and what is known of them, without the truth."""
        known = {"name": self.name, "sizes": self.sizes, "rim": self.rim, "gap": self.gap}
        return Pile(self.pieces, self.grid, turned=turned, **known)  # type: ignore[arg-type]

    @classmethod
    def from_picture(
        cls,
        picture: str | PathLike[str] | Pixels | Image,
        grid: GridLike,
        *,
        seed: Seed = 0,
        piece: int | None = None,
        corrupt: str | Corruption | None = None,
        rotated: bool = False,
        permutation: Sequence[int] | None = None,
        name: str = "",
    ) -> Puzzle:
        """Cut a picture (a file, an array or one of Pillow's) into a shuffled puzzle that knows its truth.

        `piece=32` resizes the picture to 32 px a slot first (the paper's protocol); without it the picture keeps
        its pixels and loses at most a piece's remainder at the rim. `corrupt` is a text such as "noise:0.1", or a
        Corruption; `rotated` gives every piece a random quarter turn (a half turn if it is not square); `permutation`
        replaces the seeded shuffle: the i-th piece to arrive is the one of slot `permutation[i]`.
        """
        grid = Grid.of(grid)
        name = name or _name_of(picture)
        picture = _as_pixels(picture)
        puzzle = cls.in_order(fit(picture, grid, piece), grid, name=name)
        rng = _generator(seed)
        order = rng.permutation(grid.slots) if permutation is None else _checked_order(permutation, grid)
        puzzle = puzzle.reorder(order)
        if rotated:
            turns = rng.integers(0, 4, len(puzzle))
            square = puzzle.piece_size[0] == puzzle.piece_size[1]
            puzzle = puzzle.rotate(turns if square else 2 * (turns // 2))
        if corrupt is not None:
            from ganzzle.damage.corruption import Corruption

            puzzle = Corruption.parse(corrupt).apply(puzzle, rng)
        return puzzle

    @classmethod
    def in_order(cls, picture: Pixels, grid: GridLike, name: str = "") -> Puzzle:
        """Cut a picture whose sides are multiples of the grid; piece i is the one of slot i."""
        grid = Grid.of(grid)
        zeros = np.zeros(grid.slots, np.int64)
        return cls(cut(picture, grid), grid, Truth(np.arange(grid.slots), zeros, grid=grid), name)

    @classmethod
    def from_folder(cls, folder: str | PathLike[str], grid: GridLike | None = None) -> Puzzle:
        """Read a folder of piece files. Names imply no order; without a grid it is left open.

        Where the puzzle.json of these very pieces lies beside them, the puzzle knows its truth, for `score`.
        """
        from ganzzle.reading.folders import read_truth
        from ganzzle.reading.pictures import piece_files, read_tiles

        truth = None
        with suppress(PuzzleError):  # it belongs to other pieces
            truth = read_truth(folder, [path.name for path in piece_files(folder)])
        pieces, sizes = read_tiles(folder)
        return cls(pieces, None if grid is None else Grid.of(grid), truth, str(folder), sizes)

    @classmethod
    def from_scrambled(
        cls, picture: str | PathLike[str] | Pixels | Image, grid: GridLike | None = None
    ) -> Puzzle:
        """A picture that is itself a scrambled grid: cut it, forget where its pieces lay.

        Without a grid it is found. A frame around the pieces and gutters between them are left out, and the picture may
        have been resized (see `find_lattice`).
        """
        from ganzzle.reading.lattice import find_lattice

        name = _name_of(picture)
        picture = _as_pixels(picture)
        check_picture(picture)
        lattice = find_lattice(picture, None if grid is None else Grid.of(grid))
        return cls(lattice.cut(picture), lattice.grid, name=name)

    @classmethod
    def from_scan(cls, picture: str | PathLike[str] | Pixels | Image, grid: GridLike | None = None) -> Puzzle:
        """Loose pieces that lie apart on a plain ground, in a scan or a photograph, at any angle.

        Each is turned by less than 45 degrees until its sides are level; a solver that turns pieces finds the rest. The
        grid is left open unless it is given (see `find_loose`).
        """
        from ganzzle.reading.loose import find_loose

        name = _name_of(picture)
        picture = _as_pixels(picture)
        check_picture(picture)
        loose = find_loose(picture)
        if loose is None:
            raise PuzzleError("no loose pieces stand out in this picture; lay them apart on a plain ground")
        return loose.puzzle(grid, name)

    def reorder(self, order: Ints) -> Puzzle:
        """The same pile laid out in another order (or a part of it): piece k is the old piece `order[k]`."""
        order = np.asarray(order)
        truth = self.truth
        if truth is not None:
            twins, periods = (None if one is None else one[order] for one in (truth.twins, truth.periods))
            truth = Truth(truth.placement[order], truth.turns[order], twins, truth.grid, periods)
        sizes = None if self.sizes is None else self.sizes[order]
        return replace(self, pieces=self.pieces[order], truth=truth, sizes=sizes)

    def rotate(self, quarter_turns: Ints) -> Puzzle:
        """Turn piece i clockwise by `quarter_turns[i]`; the truth says how to turn it back."""
        turns = np.asarray(quarter_turns) % 4
        truth = self.truth
        if truth is not None:
            truth = replace(truth, turns=(truth.turns + turns) % 4)
        return replace(self, pieces=turn_pieces(self.pieces, -turns), truth=truth)


def _name_of(picture: str | PathLike[str] | Pixels | Image) -> str:
    return str(picture) if isinstance(picture, str | PathLike) else ""


def _as_pixels(picture: str | PathLike[str] | Pixels | Image) -> Pixels:
    """A file is read, one of Pillow's pictures converted; an array stays as it is."""
    if isinstance(picture, np.ndarray):
        return picture
    from ganzzle.reading.modes import picture_of
    from ganzzle.reading.pictures import read_picture

    if isinstance(picture, str | PathLike):
        return read_picture(picture)
    if not hasattr(picture, "convert"):
        raise PuzzleError(f"a picture is a path, an array or one of Pillow's, not {type(picture).__name__}")
    return picture_of(picture)


def _generator(seed: Seed) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise PuzzleError(f"a seed is a whole number, 0 or more, not {seed!r}") from None


def _checked_order(permutation: Sequence[int], grid: Grid) -> Ints:
    order = np.asarray(permutation)
    if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order), np.arange(grid.slots)):
        raise PuzzleError(f"the permutation is not an order of the {grid.slots} slots of a {grid} grid")
    return order.astype(np.int64)
