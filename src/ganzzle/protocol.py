"""The protocol of a measurement: which puzzles are made of which pictures.

A puzzle depends on the seed and the picture's index alone, so a figure does not change with the list of solvers,
grids or workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from ganzzle.damage.corruption import Corruption
from ganzzle.data.permutations import Orders
from ganzzle.data.splits import stem
from ganzzle.errors import GanzzleError, PuzzleError
from ganzzle.pieces import crop_middle
from ganzzle.puzzle import Grid, GridLike, Pixels, Puzzle
from ganzzle.reading.sources import count_pictures, iterate_pictures

BATCH = 16  # pictures whose puzzles are solved together
BATCH_BYTES = 1 << 26  # of their pixels, about, so that many workers hold few
BATCH_PIECES = 20_000  # of their largest puzzles: of large ones fewer are solved together

Batch = tuple[str, list[tuple[int, str, Pixels]]]  # source; index, name and picture of each


@dataclass(frozen=True)
class Plan:
    """What is measured: all grids x corruptions x solvers, by one protocol."""

    grids: tuple[Grid, ...]
    solvers: tuple[str, ...]
    corruptions: tuple[Corruption, ...] = (Corruption(),)
    piece: int = 32
    seed: int = 0
    rotated: bool = False
    native: bool = False  # cut from the middle in the picture's own pixels, instead of resizing
    permutations: Orders | None = None
    device: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)  # for every solver

    @property
    def cells(self) -> list[tuple[Grid, Corruption]]:
        """Every grid with every corruption."""
        return [(grid, corruption) for grid in self.grids for corruption in self.corruptions]

    def takes(self, name: str) -> bool:
        """Whether a picture is part of this; a permutation file names the pictures it is for."""
        orders = self.permutations
        return orders is None or all((stem(name), grid.rows) in orders for grid in self.grids)


def make_plan(
    grids: GridLike | Sequence[GridLike],
    solvers: str | Sequence[str],
    corruptions: str | Sequence[str],
    **protocol: Any,
) -> Plan:
    """A plan from what people write: "6x6", (6, 9), ["6x6", 8], "noise:0.1" and so on.

    A pair (6, 9) is one grid of 6 rows, as everywhere; a list [6, 9] is two square ones.
    """
    listed = [grids] if isinstance(grids, str | int | np.integer | Grid) or _is_pair(grids) else grids
    sizes = tuple(dict.fromkeys(Grid.of(grid) for grid in listed))
    names = (solvers,) if isinstance(solvers, str) else tuple(dict.fromkeys(solvers))
    texts = (corruptions,) if isinstance(corruptions, str) else corruptions
    wear = tuple(dict.fromkeys(Corruption.parse(text) for text in texts))
    if not sizes or not names or not wear:
        raise PuzzleError("give at least one grid, one solver and one corruption")
    plan = Plan(sizes, names, wear, **protocol)
    if plan.permutations is not None:
        edges = sorted({edge for _, edge in plan.permutations})
        for grid in sizes:
            if grid.rows != grid.cols or grid.rows not in edges:
                there = ", ".join(f"{edge}x{edge}" for edge in edges)
                raise PuzzleError(f"the permutation file has no {grid} puzzles; there are: {there}")
    return plan


def _is_pair(grids: GridLike | Sequence[GridLike]) -> TypeGuard[tuple[int, int]]:
    return (
        isinstance(grids, tuple)
        and len(grids) == 2
        and all(isinstance(side, int | np.integer) for side in grids)
    )


def count_puzzles(images: Sequence[str], plan: Plan, limit: int | None = None) -> int:
    """How many puzzles will be solved, all solvers together."""
    counts = [count_pictures(source, plan.takes) for source in dict.fromkeys(images)]
    pictures = sum(min(count, limit or count) for count in counts)
    return pictures * len(plan.cells) * len(plan.solvers)


def make_puzzle(
    plan: Plan, index: int, name: str, picture: Pixels, grid: Grid, corruption: Corruption
) -> Puzzle:
    """The puzzle of one picture by the plan's protocol; the draw depends on the seed and the index only."""
    permutation = None
    if plan.permutations is not None:
        permutation = _official_order(plan.permutations, name, grid)
    try:
        if plan.native:
            picture = crop_middle(picture, grid, plan.piece)
        return Puzzle.from_picture(
            picture, grid, seed=(plan.seed, index), piece=plan.piece, corrupt=str(corruption), rotated=plan.rotated,
            permutation=permutation, name=name,
        )  # fmt: skip
    except GanzzleError as error:
        raise PuzzleError(f"{name}: {error}") from None


def batches(sources: Sequence[str], plan: Plan, limit: int | None) -> Iterator[Batch]:
    """The pictures of the sources in portions whose puzzles are solved together; of large ones, smaller portions."""
    size = max(1, min(BATCH, BATCH_PIECES // max(grid.slots for grid in plan.grids)))
    for source in sources:
        batch: list[tuple[int, str, Pixels]] = []
        for index, (name, picture) in enumerate(iterate_pictures(source, limit, plan.takes)):
            batch.append((index, name, picture))
            if len(batch) == size or sum(picture.nbytes for _, _, picture in batch) > BATCH_BYTES:
                yield source, batch
                batch = []
        if batch:
            yield source, batch


def _official_order(permutations: Orders, name: str, grid: Grid) -> Sequence[int]:
    if grid.rows != grid.cols or (stem(name), grid.rows) not in permutations:
        raise PuzzleError(
            f"the permutation file has no row for {name} at {grid}; leave that picture or grid out"
        )
    return permutations[stem(name), grid.rows]
