"""What the suites consist of: the paper's evaluation, and the classic sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ganzzle.benchmark import published
from ganzzle.benchmark.predictions import Item
from ganzzle.corruption import Corruption
from ganzzle.errors import GanzzleError
from ganzzle.puzzle import Grid
from ganzzle.solvers import SOLVERS, load_solver

CLASSIC_PIECE = 28


@dataclass(frozen=True)
class Cells:
    """The grids and the wear that are measured; each part may be empty."""

    clean: tuple[str, ...] = published.GRIDS
    worn: tuple[str, ...] = (published.WORN_GRID, "10x10")
    wear: tuple[str, ...] = published.WEAR
    rotated: tuple[str, ...] = ("6x6", "10x10")

    def __post_init__(self) -> None:
        for grid in (*self.clean, *self.worn, *self.rotated):
            Grid.of(grid)
        for corruption in self.wear:
            Corruption.parse(corruption)

    def all(self) -> list[tuple[str, str, bool]]:
        """Every (grid, corruption, rotated), once."""
        cells = [(grid, "none", False) for grid in self.clean]
        cells += [(grid, corruption, False) for grid in self.worn for corruption in self.wear]
        cells += [(grid, "none", True) for grid in self.rotated]
        return list(dict.fromkeys(cells))


def paper_items(
    images: Sequence[str], solvers: Sequence[str], cells: Cells, *, piece: int, limit: int | None, seed: int
) -> list[Item]:
    """Solver by solver: every source in every cell."""
    sources = named_sources(images)
    return [
        Item(solver, dataset, source, grid, corruption, rotated, piece, False, limit, seed)
        for solver in solvers
        for dataset, source in sources.items()
        for grid, corruption, rotated in cells.all()
    ]


def classic_items(
    images: Sequence[str],
    solvers: Sequence[str],
    *,
    grid: str | None,
    rotated: bool,
    limit: int | None,
    seed: int,
) -> list[Item]:
    """The classic sets in their own pixels; a set that is not known by its name needs a grid."""
    items = []
    for solver in solvers:
        for dataset, source in named_sources(images).items():
            size = published.CLASSIC_GRIDS.get(dataset) or grid
            if size is None:
                known = ", ".join(published.CLASSIC_GRIDS)
                raise GanzzleError(f"the set '{dataset}' is none of {known}; say its size with --grid")
            for turned in (False, True) if rotated else (False,):
                items.append(
                    Item(solver, dataset, source, size, "none", turned, CLASSIC_PIECE, True, limit, seed)
                )
    return items


def named_sources(images: Sequence[str]) -> dict[str, str]:
    """ "faces=shards/" or a path that says what it is -> {data set: source}."""
    sources: dict[str, str] = {}
    for text in images:
        name, equals, source = text.partition("=")
        if not equals or "/" in name:
            name, source = published.dataset_of(text), text
        if sources.setdefault(name, source) != source:
            raise GanzzleError(
                f"two sources are called '{name}'; name them apart, as in --images other={source}"
            )
    return sources


def with_weights(items: Sequence[Item], texts: Sequence[str] | None) -> list[Item]:
    """ "ganzzle=runs/ganzzle.safetensors": the items of that solver use that file."""
    files: dict[str, str] = {}
    for text in texts or ():
        solver, equals, file = text.partition("=")
        if not equals or not file or solver not in {item.solver for item in items}:
            raise GanzzleError(f"--weights {text}: write SOLVER=FILE, with a solver that takes part")
        files[solver] = file
    return [replace(item, weights=files.get(item.solver)) for item in items]


def chosen_solvers(names: Sequence[str] | None) -> list[str]:
    """The solvers that were named, or all there are; a name nobody knows is refused at once."""
    if not names:
        return list(SOLVERS)
    for name in names:
        if name not in SOLVERS and name not in published.METHODS:
            load_solver(name)
    return list(dict.fromkeys(names))
