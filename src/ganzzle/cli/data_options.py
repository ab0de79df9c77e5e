"""Everything that can be said about the training pictures and what is done to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ganzzle.errors import GanzzleError
from ganzzle.pile import WIDEST_GAP
from ganzzle.puzzle import Grid

KINDS = ("none", "noise", "erode", "missing")
RIMS = ("black", "colour", "noise")
FITS = ("squash", "native")
SHARES = (
    "small", "random_grids", "keep_aspect", "native", "blocks", "bilinear", "mirror", "upside_down", "jitter",
    "swapped", "grey", "drawn", "collage", "framed",
)  # fmt: skip
COUNTS = ("small_above", "validation")
MOST = 10_000_000  # pieces or puzzles of a step
LARGEST = 8192  # px of a side at which pictures are kept


class DataError(GanzzleError):
    """The data a user named cannot be used."""


@dataclass(frozen=True)
class SetOptions:
    """One named set of pictures."""

    name: str
    source: str  # a folder, a .tar shard or a glob of these, relative to the data root
    weight: float = 1.0  # how often its pictures are drawn, relative to the other sets
    fit: str = "squash"  # "squash" to size x size px, or "native": keep the pixels, cut what lies beyond
    names: str = ""  # a split list: only the pictures named in it
    limit: int = 0  # pictures at most; 0: all


@dataclass(frozen=True)
class DataOptions:
    """The `[data]` table of a config."""

    sets: list[SetOptions] = field(default_factory=list)
    root: str = ""  # where relative sources start; default: $GANZZLE_DATA or ../shared/data
    size: int = 352  # px of a side at which the pictures are kept
    piece: int = 32  # px of a side of a piece
    small: float = 0.0  # share of the steps with smaller pieces
    small_above: int = 0  # pieces above which a puzzle always has smaller ones; 0: no such limit
    small_pieces: list[int] = field(default_factory=lambda: [8, 10, 12, 16, 20, 24, 28])  # px of a side
    validation: int = 100  # pictures of each set that are held out
    # how many pieces, in which grid
    grids: list[str] = field(default_factory=lambda: ["2x2", "4x4", "6x6", "8x8", "10x10", "12x12"])
    grid_weights: list[float] = field(default_factory=list)  # empty: all the same
    random_grids: float = 0.0  # share of the steps with a random rows x cols
    random_sides: list[int] = field(default_factory=lambda: [2, 14])
    random_max_pieces: int = 196
    # Of one process: the batch is pieces_per_step / pieces of the grid, within the limits.
    pieces_per_step: int = 9216
    min_batch: int = 1
    max_batch: int = 256
    # augmentation, drawn for each picture
    crop_scale: list[float] = field(default_factory=lambda: [0.7, 1.0])  # share of each side
    crop_aspect: list[float] = field(default_factory=lambda: [0.9, 1.1])
    keep_aspect: float = 0.5  # share of pictures cropped to the aspect of a grid that is not square
    native: float = 0.0  # share of pictures cropped without resizing, where the crop fits
    blocks: float = 0.0  # share of pictures cut along the blocks of their codec
    bilinear: float = 0.0  # share of the steps resized bilinearly instead of bicubically
    mirror: float = 0.5
    upside_down: float = 0.0  # share of pictures
    jitter: float = 0.15  # colour: gain of each channel, brightness and contrast
    swapped: float = 0.0  # share of pictures whose red, green and blue change places
    grey: float = 0.0  # share of pictures of one colour, half of them grey
    drawn: float = 0.0  # share of pictures turned into drawings
    collage: float = 0.0  # share of pictures with a part of another one
    framed: float = 0.0  # share of pictures with bars of one colour at two or four sides
    # corruption: shares of the steps, e.g. {none = 0.5, noise = 0.3, "erode+noise" = 0.2}
    corruptions: dict[str, float] = field(default_factory=lambda: {"none": 1.0})
    corruption_grids: list[str] = field(default_factory=list)  # empty: the same as for clean steps
    corruption_grid_weights: list[float] = field(default_factory=list)
    noise: list[float] = field(default_factory=lambda: [0.02, 0.25])  # sigma
    erosion: list[int] = field(default_factory=lambda: [1, 2, 3, 4, 5, 6, 7, 8])  # px; fewer of small pieces
    erosion_weights: list[float] = field(default_factory=list)
    rims: dict[str, float] = field(default_factory=lambda: {"black": 1.0})  # what is left where the rim was
    missing: list[float] = field(default_factory=lambda: [0.05, 0.4])  # share of the pieces
    # Few large pieces with gaps between them, as bare worn ones have: share of the steps, grids, px of the picture's
    # longer side, corruptions, and the gap at each border as a share of a piece's side.
    large: float = 0.0
    large_grids: list[str] = field(default_factory=lambda: ["3x3", "4x4", "5x5", "6x6"])
    large_grid_weights: list[float] = field(default_factory=list)
    large_picture: list[int] = field(default_factory=lambda: [224, 352])
    large_corruptions: dict[str, float] = field(default_factory=lambda: {"erode": 0.7, "erode+missing": 0.3})
    gaps: list[float] = field(default_factory=lambda: [0.0, 0.25])
    shifted: float = (
        0.0  # share of these steps in which every piece lies at a place of its own within its slot
    )
    mistold: float = 0.0  # by what share of itself the gap that is told may be wrong in them
    frozen: bool = False  # use the first batch of each grid again and again: only to measure what data costs

    def __post_init__(self) -> None:
        self._check_numbers()
        self._check_choices()
        self._check_sizes()
        self._check_weights()

    def _check_numbers(self) -> None:
        """Refuse shares that are none, and counts and sizes that nothing can have."""
        for name in SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise DataError(f"data.{name} is a share between 0 and 1, not {getattr(self, name)}")
        for name in COUNTS:
            if getattr(self, name) < 0:
                raise DataError(f"data.{name} is 0 or more, not {getattr(self, name)}")
        for name in ("size", "pieces_per_step", "min_batch", "max_batch", "random_max_pieces"):
            if not 1 <= getattr(self, name) <= MOST:
                raise DataError(f"data.{name} is 1 to {MOST:,}, not {getattr(self, name)}")
        if self.size > LARGEST:
            raise DataError(f"data.size is at most {LARGEST} px, not {self.size}")
        for one in self.sets:
            if one.limit < 0 or one.weight < 0:
                raise DataError(f"limit and weight of the set '{one.name}' are 0 or more")

    def _check_choices(self) -> None:
        """Refuse lists that are empty, and names that mean nothing."""
        for text in [*self.grids, *self.corruption_grids, *self.large_grids]:
            Grid.of(text)
        for name in ("grids", "corruptions", "rims", "erosion", "large_grids", "large_corruptions"):
            if not getattr(self, name):
                raise DataError(f"data.{name} is empty; name at least one")
        names = [one.name for one in self.sets]
        if len(set(names)) < len(names):
            raise DataError(f"two sets have one name ({', '.join(names)}); give each a name of its own")
        for kind in (*self.corruptions, *self.large_corruptions):
            _check(kind.split("+"), KINDS, "corruption")
        _check(self.rims, RIMS, "rim")
        _check([one.fit for one in self.sets], FITS, "fit")

    def _check_sizes(self) -> None:
        """Refuse ranges that hold nothing, and pieces too small for what is done to them."""
        for name in (
            "random_sides",
            "crop_scale",
            "crop_aspect",
            "noise",
            "missing",
            "large_picture",
            "gaps",
        ):
            pair = getattr(self, name)
            if len(pair) != 2 or not 0 <= pair[0] <= pair[1]:
                raise DataError(f"data.{name} is a lowest and a highest value, not {pair}")
        if min(self.size, *self.random_sides) < 1:
            raise DataError("data.size and data.random_sides are 1 or more")
        if min(self.crop_scale[0], self.crop_aspect[0]) <= 0:
            raise DataError("data.crop_scale and data.crop_aspect are greater than 0")
        if (self.small or self.small_above) and not self.small_pieces:
            raise DataError("data.small and data.small_above need sizes in data.small_pieces")
        if min([self.piece, *self.small_pieces]) < 4:
            raise DataError("a piece needs 4 px a side or more; see data.piece and data.small_pieces")
        if self.gaps[1] > WIDEST_GAP or not 0 <= self.mistold < 1:
            raise DataError(f"data.gaps end at {WIDEST_GAP} of a side, and data.mistold is less than 1")
        if any("erode" in kind for kind in self.corruptions) and 2 * max(self.erosion) >= self.piece:
            raise DataError(f"eroding {max(self.erosion)} px leaves nothing of pieces of {self.piece} px")

    def _check_weights(self) -> None:
        """Refuse weights that nothing can be drawn by."""
        for weights, choices in (
            (self.grid_weights, self.grids),
            (self.corruption_grid_weights, self.corruption_grids),
            (self.erosion_weights, self.erosion),
            (self.large_grid_weights, self.large_grids),
        ):
            if weights and len(weights) != len(choices):
                raise DataError(f"{len(weights)} weights do not fit the {len(choices)} choices {choices}")
        shares = [self.grid_weights, self.corruption_grid_weights, self.erosion_weights]
        shares += [self.large_grid_weights, [*self.large_corruptions.values()], [*self.corruptions.values()]]
        shares += [[*self.rims.values()], [one.weight for one in self.sets]]
        for each in shares:
            if each and (min(each) < 0 or sum(each) <= 0):
                raise DataError(f"weights and shares are 0 or more, and not all of them 0, unlike {each}")


def _check(given: Iterable[str], valid: tuple[str, ...], what: str) -> None:
    for one in given:
        if one not in valid:
            raise DataError(f"'{one}' is no {what}; there are: {', '.join(valid)}")
