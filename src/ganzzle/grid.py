"""Grid: rows x cols slots, written in any of the ways that people write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ganzzle.arrays import Ints
from ganzzle.errors import PuzzleError

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
