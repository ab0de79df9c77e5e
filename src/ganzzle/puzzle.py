"""Grid, Puzzle, Solution: cutting, shuffling and assembling, for any rows x cols and any piece size.

Conventions used everywhere:

* slots are numbered row by row; `placement[i]` is the slot of the i-th piece that arrived;
* `turns[i]` counts the quarter turns, counter-clockwise, that bring piece i upright
  (what `np.rot90(piece, turns[i])` does);
* fewer pieces than slots means that pieces are missing; their slots stay empty.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ganzzle.errors import PuzzleError

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = NDArray[np.uint8]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Seed: TypeAlias = int | Sequence[int]
GridLike: TypeAlias = "Grid | str | int | Sequence[int]"
MAX_SLOTS = 1_000_000


@dataclass(frozen=True, order=True)
class Grid:
    """rows x cols slots, numbered row by row."""

    rows: int
    cols: int

    def __post_init__(self) -> None:
        if self.rows < 1 or self.cols < 1:
            raise PuzzleError(f"a grid needs at least 1x1 slots, not {self.rows}x{self.cols}")
        if self.rows * self.cols > MAX_SLOTS:
            raise PuzzleError(
                f"a {self.rows}x{self.cols} grid has more than {MAX_SLOTS:,} slots; choose a smaller one"
            )

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}"

    @property
    def slots(self) -> int:
        """How many slots there are."""
        return self.rows * self.cols

    @classmethod
    def of(cls, value: GridLike) -> Grid:
        """A grid from a Grid, "6x9", 8 (square) or (6, 9)."""
        if isinstance(value, Grid):
            return value
        if isinstance(value, str):
            match = re.fullmatch(r"\s*(\d{1,9})\s*[xX\u00d7]\s*(\d{1,9})\s*", value)
            if not match:
                raise PuzzleError(f"'{value}' is not a grid; write rows x cols, for example 8x8")
            return cls(int(match[1]), int(match[2]))
        if isinstance(value, int | np.integer):
            return cls(int(value), int(value))
        sides: list[Any] = list(value) if isinstance(value, Sequence | np.ndarray) else []
        if len(sides) != 2 or not all(isinstance(side, int | np.integer) for side in sides):
            raise PuzzleError(f"{value!r} is not a grid; give (rows, cols), for example (8, 8)")
        return cls(int(sides[0]), int(sides[1]))

    @classmethod
    def that_fit(cls, count: int, wide: bool = False) -> list[Grid]:
        """Every grid with exactly `count` slots, the most square ones first (wide before tall); or no tall ones."""
        grids = [cls(r, count // r) for r in range(1, count + 1) if count % r == 0]
        grids = [grid for grid in grids if not wide or grid.rows <= grid.cols]
        return sorted(grids, key=lambda g: (max(g.rows, g.cols), g.rows))

    def adjacencies(self) -> tuple[Ints, Ints]:
        """Neighbouring slots: (E, 2) pairs (left, right) and (F, 2) pairs (upper, lower)."""
        slots = np.arange(self.slots).reshape(self.rows, self.cols)
        right = np.stack([slots[:, :-1].ravel(), slots[:, 1:].ravel()], 1)
        down = np.stack([slots[:-1].ravel(), slots[1:].ravel()], 1)
        return right, down


@dataclass(frozen=True, eq=False)
class Truth:
    """Where every piece belongs. Only scoring may look at it; a solver never sees it."""

    placement: Ints  # (N,) slot of each piece
    turns: Ints  # (N,) quarter turns that bring each piece upright
    twins: Ints | None = None  # (N,) equal numbers: identical before noise; None: compare the pixels
    grid: Grid | None = None  # what `placement` numbers; None: the puzzle's own grid
    periods: Ints | None = (
        None  # (N,) quarter turns until it looks the same, before noise; None: see the pixels
    )


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Pieces in the order they arrived, the grid if known, and (only for evaluation) the truth."""

    pieces: Pixels  # (N, h, w, 3)
    grid: Grid | None = None
    truth: Truth | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.pieces, np.ndarray):
            raise PuzzleError("pieces must be one array, N x h x w x 3 uint8; np.stack makes one of a list")
        shape = self.pieces.shape
        if self.pieces.dtype != np.uint8 or len(shape) != 4 or shape[3] != 3 or 0 in shape:
            raise PuzzleError(f"pieces must be N x h x w x 3 uint8, not {shape} {self.pieces.dtype}")
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
    def piece_size(self) -> tuple[int, int]:
        """Height and width of a piece in pixels."""
        return self.pieces.shape[1], self.pieces.shape[2]

    @classmethod
    def from_picture(
        cls,
        picture: str | PathLike[str] | Pixels | Image,
        grid: GridLike,
        *,
        seed: Seed = 0,
        piece: int | None = None,
        corrupt: str | None = None,
        rotated: bool = False,
        permutation: Sequence[int] | None = None,
        name: str = "",
    ) -> Puzzle:
        """Cut a picture (a file, an array or one of Pillow's) into a shuffled puzzle that knows its truth.

        `piece=32` resizes the picture to 32 px a slot first (the paper's protocol); without it the picture keeps
        its pixels and loses at most a piece's remainder at the rim. `corrupt` is a text such as "noise:0.1";
        `rotated` gives every piece a random quarter turn (a half turn if it is not square); `permutation` replaces
        the seeded shuffle: the i-th piece to arrive is the one of slot `permutation[i]`.
        """
        grid = Grid.of(grid)
        name = name or _name_of(picture)
        picture = _as_pixels(picture)
        puzzle = cls.in_order(fit(picture, grid, piece), grid, name=name)
        rng = np.random.default_rng(seed)
        order = rng.permutation(grid.slots) if permutation is None else _checked_order(permutation, grid)
        puzzle = puzzle.reorder(order)
        if rotated:
            turns = rng.integers(0, 4, len(puzzle))
            square = puzzle.piece_size[0] == puzzle.piece_size[1]
            puzzle = puzzle.rotate(turns if square else 2 * (turns // 2))
        if corrupt is not None:
            from ganzzle.corruption import Corruption

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
        from ganzzle.folders import read_truth
        from ganzzle.pictures import piece_files, read_pieces

        truth = None
        with suppress(PuzzleError):  # it belongs to other pieces
            truth = read_truth(folder, [path.name for path in piece_files(folder)])
        return cls(read_pieces(folder), None if grid is None else Grid.of(grid), truth, str(folder))

    @classmethod
    def from_scrambled(
        cls, picture: str | PathLike[str] | Pixels | Image, grid: GridLike | None = None
    ) -> Puzzle:
        """A picture that is itself a scrambled grid: cut it, forget where its pieces lay.

        Without a grid it is found. A frame around the pieces and gutters between them are left out, and the picture may
        have been resized (see `find_lattice`).
        """
        from ganzzle.lattice import find_lattice

        name = _name_of(picture)
        picture = _as_pixels(picture)
        _check_picture(picture)
        lattice = find_lattice(picture, None if grid is None else Grid.of(grid))
        return cls(lattice.cut(picture), lattice.grid, name=name)

    def reorder(self, order: Ints) -> Puzzle:
        """The same pile laid out in another order (or a part of it): piece k is the old piece `order[k]`."""
        order = np.asarray(order)
        truth = self.truth
        if truth is not None:
            twins, periods = (None if one is None else one[order] for one in (truth.twins, truth.periods))
            truth = Truth(truth.placement[order], truth.turns[order], twins, truth.grid, periods)
        return replace(self, pieces=self.pieces[order], truth=truth)

    def rotate(self, quarter_turns: Ints) -> Puzzle:
        """Turn piece i clockwise by `quarter_turns[i]`; the truth says how to turn it back."""
        turns = np.asarray(quarter_turns) % 4
        truth = self.truth
        if truth is not None:
            truth = replace(truth, turns=(truth.turns + turns) % 4)
        return replace(self, pieces=turn_pieces(self.pieces, -turns), truth=truth)


@dataclass(frozen=True, eq=False)
class Solution:
    """A placement with a confidence for every piece, and the mental image where the solver has one."""

    puzzle: Puzzle
    grid: Grid
    placement: Ints  # (N,) slot of each piece, all different
    turns: Ints  # (N,) quarter turns applied to each piece
    confidence: Floats  # (N,) 0..1
    mental_image: Pixels | None = None  # (H, W, 3), any resolution
    order: Ints | None = None  # (N,) pieces in the order they were placed, where the solver has one
    solver: str = ""
    details: dict[str, Any] = field(default_factory=dict)  # what else the solver wants to tell

    def __repr__(self) -> str:
        by = f" by {self.solver}" if self.solver else ""
        return f"<Solution of {self.puzzle!r} in {self.grid}{by}, {self.confidence.mean():.0%} sure>"

    def picture(self, fill: str = "black", even: bool = False) -> Pixels:
        """The assembled picture. Empty slots are black, or taken from the mental image with fill="imagine"; `even`
        levels pieces that differ in brightness or colour."""
        check_fill(fill)
        if even:
            from ganzzle.levels import levelled
            from ganzzle.networks.wear import wear_width

            pieces = turn_pieces(self.puzzle.pieces, self.turns)
            even_pieces = levelled(pieces, self.placement, self.grid, wear_width(pieces))
            picture = assemble(even_pieces, self.grid, self.placement)
        else:
            picture = assemble(self.puzzle.pieces, self.grid, self.placement, self.turns)
        if fill == "imagine" and self.mental_image is not None:
            from ganzzle.imagining import fill_holes

            picture = fill_holes(picture, self.mental_image, self.grid, self.placement)
        return picture

    def to_json(self) -> dict[str, Any]:
        """A plain record of the answer, for programs."""
        return {
            "solver": self.solver,
            "grid": [self.grid.rows, self.grid.cols],
            "placement": self.placement.tolist(),
            "turns": self.turns.tolist(),
            "confidence": [round(float(c), 4) for c in self.confidence],
        }


def check_fill(fill: str) -> None:
    """Refuse what is no way to fill the empty slots."""
    if fill not in ("black", "imagine"):
        raise PuzzleError(f"fill is 'black' or 'imagine', not '{fill}'")


def fit(picture: Pixels, grid: Grid, piece: int | None = None) -> Pixels:
    """Make a picture divisible by the grid: resize to `piece` px a slot, or crop the remainder evenly."""
    _check_picture(picture)
    height, width = picture.shape[:2]
    if piece is not None:
        if piece < 1:
            raise PuzzleError(f"a piece needs at least 1 px, not {piece}")
        from ganzzle.pictures import MAX_PIXELS, resize_picture

        if piece * grid.rows * piece * grid.cols > MAX_PIXELS:
            raise PuzzleError(
                f"a {grid} grid of {piece} px pieces is too large; choose fewer or smaller pieces"
            )
        return resize_picture(picture, piece * grid.rows, piece * grid.cols)
    if height < grid.rows or width < grid.cols:
        raise PuzzleError(f"a {width}x{height} px picture is too small for a {grid} grid; use fewer pieces")
    top, left = (height % grid.rows) // 2, (width % grid.cols) // 2
    return picture[top : top + height - height % grid.rows, left : left + width - width % grid.cols]


def crop_middle(picture: Pixels, grid: Grid, piece: int) -> Pixels:
    """The middle (rows*piece, cols*piece, 3) of a picture, in its own pixels."""
    height, width = picture.shape[:2]
    top, left = (height - piece * grid.rows) // 2, (width - piece * grid.cols) // 2
    if top < 0 or left < 0:
        raise PuzzleError(
            f"a {width}x{height} px picture is too small for a {grid} grid of {piece} px pieces"
        )
    return picture[top : top + piece * grid.rows, left : left + piece * grid.cols]


def cut(picture: Pixels, grid: Grid) -> Pixels:
    """(rows*h, cols*w, 3) -> (rows*cols, h, w, 3), in slot order."""
    _check_picture(picture)
    height, width = picture.shape[0] // grid.rows, picture.shape[1] // grid.cols
    if picture.shape[:2] != (height * grid.rows, width * grid.cols) or 0 in (height, width):
        raise PuzzleError(
            f"a {picture.shape[1]}x{picture.shape[0]} px picture does not divide into {grid} pieces"
        )
    blocks = picture.reshape(grid.rows, height, grid.cols, width, 3).swapaxes(1, 2)
    return blocks.reshape(grid.slots, height, width, 3)


def turn_pieces(pieces: Pixels, turns: Ints) -> Pixels:
    """Turn piece i counter-clockwise by `turns[i]` quarter turns; pieces that are not square allow 0 and 2 only."""
    turns = np.asarray(turns) % 4
    if not turns.any():
        return pieces
    if pieces.shape[1] != pieces.shape[2] and (turns % 2).any():
        raise PuzzleError("pieces that are not square cannot be given a quarter turn")
    turned = pieces.copy()
    for k in np.unique(turns[turns > 0]):
        which = turns == k
        turned[which] = np.rot90(pieces[which], k, axes=(1, 2))
    return turned


def assemble(pieces: Pixels, grid: Grid, placement: Ints, turns: Ints | None = None) -> Pixels:
    """Lay every piece on its slot -> (rows*h, cols*w, 3); empty slots are black."""
    height, width = pieces.shape[1:3]
    if turns is not None:
        pieces = turn_pieces(pieces, turns)
    shape = (grid.slots, height, width, 3)
    slots = np.zeros(shape, np.uint8)
    slots[placement] = pieces
    blocks = slots.reshape(grid.rows, grid.cols, height, width, 3).swapaxes(1, 2)
    return blocks.reshape(grid.rows * height, grid.cols * width, 3)


def _name_of(picture: str | PathLike[str] | Pixels | Image) -> str:
    return str(picture) if isinstance(picture, str | PathLike) else ""


def _as_pixels(picture: str | PathLike[str] | Pixels | Image) -> Pixels:
    """A file is read, one of Pillow's pictures converted; an array stays as it is."""
    if isinstance(picture, np.ndarray):
        return picture
    from ganzzle.modes import picture_of
    from ganzzle.pictures import read_picture

    if isinstance(picture, str | PathLike):
        return read_picture(picture)
    if not hasattr(picture, "convert"):
        raise PuzzleError(f"a picture is a path, an array or one of Pillow's, not {type(picture).__name__}")
    return picture_of(picture)


def _check_picture(picture: Pixels) -> None:
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise PuzzleError(f"a picture is H x W x 3 uint8 (RGB), not {picture.shape} {picture.dtype}")


def _checked_order(permutation: Sequence[int], grid: Grid) -> Ints:
    order = np.asarray(permutation)
    if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order), np.arange(grid.slots)):
        raise PuzzleError(f"the permutation is not an order of the {grid.slots} slots of a {grid} grid")
    return order.astype(np.int64)
