"""What solving gives: a Solution for each puzzle of a pile, and the Answer that holds them all.

Conventions: slots are numbered row by row; `placement[i]` is the slot of the i-th piece; `turns[i]` counts the quarter
turns, counter-clockwise, that bring piece i upright. Strips and cut pieces lie anywhere in the plane: their `poses` say
where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ganzzle.arrays import Floats, Ints, Pixels
from ganzzle.damage.wear import wear_width
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid
from ganzzle.pieces import assemble, rim_of, turn_pieces, with_rim
from ganzzle.pile import Pile
from ganzzle.puzzle import Puzzle


@dataclass(frozen=True, eq=False)
class Solution:
    """A placement with a confidence for every piece, and the mental image where the solver has one."""

    puzzle: Puzzle  # of its own n pieces
    grid: Grid
    placement: Ints  # (n,) slot of each piece, all different
    turns: Ints  # (n,) quarter turns applied to each piece
    confidence: Floats  # (n,) 0..1
    imagined: Pixels | Callable[[], Pixels] | None = None  # the mental image, or what paints it
    order: Ints | None = None  # (n,) pieces in the order they were placed, where the solver has one
    solver: str = ""
    pieces: Ints | None = None  # (n,) which pieces of the pile these are; None: all, in their order
    left_over: Ints | None = None  # (K,) which pieces of the pile belong to no puzzle; None: not looked for
    fit: float | None = None  # 0..1 how well the board fits together, to compare it with others
    levelled: bool = False  # whether the pieces were made as bright as each other to find it
    gap: float = 0.0  # share of a slot's shorter side that is lost at each border of a piece, told or found

    @cached_property
    def mental_image(self) -> Pixels | None:
        """The mental image (H, W, 3), of any resolution, where the solver has one; it may be painted only now."""
        return self.imagined() if callable(self.imagined) else self.imagined

    @property
    def members(self) -> Ints:
        """(n,) which pieces of the pile these are."""
        return np.arange(len(self.placement)) if self.pieces is None else self.pieces

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: what would paint the mental image may not travel, the image does."""
        return {**vars(self), "imagined": self.mental_image}

    def __repr__(self) -> str:
        by = f" by {self.solver}" if self.solver else ""
        return f"<Solution of {self.puzzle!r} in {self.grid}{by}, {self.confidence.mean():.0%} sure>"

    def picture(self, fill: str = "black", even: bool = False) -> Pixels:
        """The assembled picture. Empty slots and gaps are black, or taken from the mental image with fill="imagine";
        `even` levels pieces that differ in brightness or colour."""
        check_fill(fill)
        bare = self.puzzle.bare_pieces
        rim = rim_of((bare.shape[1], bare.shape[2]), self.gap)
        shown = with_rim(bare, rim) if rim else bare
        if even:
            from ganzzle.damage.levels import levelled

            pieces = turn_pieces(shown, self.turns)
            even_pieces = levelled(pieces, self.placement, self.grid, wear_width(pieces))
            picture = assemble(even_pieces, self.grid, self.placement)
        else:
            picture = assemble(shown, self.grid, self.placement, self.turns)
        if fill == "imagine" and self.mental_image is not None:
            from ganzzle.drawing.holes import fill_holes

            picture = fill_holes(picture, self.mental_image, self.grid, self.placement, rim)
        from ganzzle.reading.ragged import trimmed

        return trimmed(picture, self.puzzle.sizes)

    def to_json(self) -> dict[str, Any]:
        """A plain record of the answer, for programs."""
        return {
            "solver": self.solver,
            "grid": [self.grid.rows, self.grid.cols],
            "placement": self.placement.tolist(),
            "turns": self.turns.tolist(),
            "confidence": [round(float(c), 4) for c in self.confidence],
        }


@dataclass(frozen=True, eq=False)
class LaidSolution:
    """Strips or cut pieces laid in the plane, with a confidence for every piece."""

    puzzle: Pile  # of its own n pieces
    grid: Grid
    placement: Ints  # (n,) slot of each piece, all different
    confidence: Floats  # (n,) 0..1
    poses: Floats  # (n, 2, 3) from a piece's own px (x, y) to the picture's
    size: tuple[int, int]  # height and width of the picture
    pieces: Ints  # (n,) which pieces of the pile these are
    order: Ints | None = None  # (n,) pieces in the order they were placed
    solver: str = ""

    @property
    def members(self) -> Ints:
        """(n,) which pieces of the pile these are."""
        return self.pieces

    @property
    def turns(self) -> Ints:
        """(n,) zeros: poses say how a piece is turned."""
        return np.zeros(len(self.placement), np.int64)

    @property
    def angles(self) -> Floats:
        """(n,) degrees, counter-clockwise, by which each piece is turned as it is laid."""
        return np.degrees(np.arctan2(-self.poses[:, 1, 0], self.poses[:, 0, 0]))

    @property
    def mental_image(self) -> None:
        """There is none."""
        return None

    def turned(self, quarters: int) -> LaidSolution:
        """The same after some quarter turns of the whole picture, clockwise."""
        poses, size, grid = self.poses, self.size, self.grid
        row, col = np.divmod(self.placement, grid.cols)
        for _ in range(quarters % 4):
            poses = np.stack([-poses[:, 1], poses[:, 0]], 1)
            poses[:, 0, 2] += size[0] - 1
            row, col = col, grid.rows - 1 - row
            size, grid = size[::-1], Grid(grid.cols, grid.rows)
        return replace(self, poses=poses, size=size, grid=grid, placement=row * grid.cols + col)

    def picture(self, fill: str = "black", even: bool = False) -> Pixels:
        """The picture (H, W, 3), laid from the pieces' own pixels along their outlines."""
        from ganzzle.drawing.laid import laid_picture

        check_fill(fill)
        return laid_picture(self)


@dataclass(frozen=True, eq=False)
class RunnerUp:
    """Another way the pile may be, and how likely it is."""

    says: str  # in words: "grid 5x9, three pieces lost"
    share: float  # 0..1 of the belief, beside the answer and the other runners-up
    option: str = ""  # how to ask for it: "--grid 5x9"


@dataclass(frozen=True, eq=False)
class Answer:
    """All solutions of a pile, the largest first, what is left over, and what to try if it looks wrong."""

    pile: Pile
    solutions: tuple[Solution | LaidSolution, ...]
    advice: tuple[str, ...] = ()  # lines for people
    runners_up: tuple[RunnerUp, ...] = ()  # the likeliest first
    seconds: float = 0.0

    @property
    def laid(self) -> tuple[LaidSolution, ...]:
        """The solutions of strips or cut pieces."""
        return tuple(one for one in self.solutions if isinstance(one, LaidSolution))

    @property
    def left_over(self) -> Ints:
        """(K,) the pieces of the pile that belong to none of its puzzles."""
        return np.flatnonzero(self.puzzles < 0)

    @property
    def puzzles(self) -> Ints:
        """(N,) the number of the solution that each piece of the pile is in; -1: none."""
        return self._of_all(-1, lambda k, one: np.full(len(one.members), k))

    @property
    def placement(self) -> Ints:
        """(N,) the slot of each piece in its own solution; -1: it is left over."""
        return self._of_all(-1, lambda k, one: one.placement)

    @property
    def turns(self) -> Ints:
        """(N,) quarter turns applied to each piece."""
        return self._of_all(0, lambda k, one: one.turns)

    @property
    def confidence(self) -> Floats:
        """(N,) 0..1, how sure it is of each piece; 0 of those left over."""
        return self._of_all(0.0, lambda k, one: one.confidence)

    @property
    def grid(self) -> Grid:
        """The grid of the first solution."""
        return self.solutions[0].grid

    @property
    def mental_image(self) -> Pixels | None:
        """That of the first solution."""
        return self.solutions[0].mental_image

    def picture(self, fill: str = "black", even: bool = False) -> Pixels:
        """That of the first solution; see `Solution.picture`."""
        return self.solutions[0].picture(fill, even)

    def _of_all(self, none: Any, values: Callable[[int, Any], Any]) -> Any:
        """(N,) a value for every piece of the pile from the solution it is in."""
        found = np.full(len(self.pile), none)
        for k, one in enumerate(self.solutions):
            found[one.members] = values(k, one)
        return found


def of_tiles(answer: Answer, puzzle: Puzzle) -> list[Solution]:
    """The solutions of an answer to the pile of a puzzle; one of all its pieces knows the puzzle's truth."""
    found = [one for one in answer.solutions if isinstance(one, Solution)]
    left = answer.left_over
    if len(found) > 1:
        return found
    if len(left):
        return [replace(found[0], left_over=left)]
    return [replace(found[0], puzzle=replace(puzzle, grid=None), left_over=None)]


def check_fill(fill: str) -> None:
    """Refuse what is no way to fill the empty slots."""
    if fill not in ("black", "imagine"):
        raise PuzzleError(f"fill is 'black' or 'imagine', not '{fill}'")
