"""What the suites consist of: the paper's evaluation, what goes beyond it, and the classic sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ganzzle.bench import published
from ganzzle.bench.predictions import Item
from ganzzle.bench.weights import parse_rules, weights_for
from ganzzle.damage.corruption import Corruption
from ganzzle.errors import GanzzleError, SolverError
from ganzzle.puzzle import Grid
from ganzzle.solvers import SOLVERS, load_solver

CLASSIC_PIECE = 28
LARGE_WORN, LARGE_WORN_PICTURES = ("10x10",), 100  # half of the work would be theirs


@dataclass(frozen=True)
class Cells:
    """The grids and the wear that are measured; each part may be empty."""

    clean: tuple[str, ...] = published.GRIDS
    worn: tuple[str, ...] = (published.WORN_GRID, "10x10")
    wear: tuple[str, ...] = published.WEAR
    rotated: tuple[str, ...] = published.ROTATED_GRIDS

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


def results_items(
    images: Sequence[str], solvers: Sequence[str], *, limit: int | None, seed: int
) -> list[Item]:
    """What results/ holds of the paper's evaluation: all of it, the largest part on fewer pictures."""
    large = Cells(clean=(), worn=LARGE_WORN, rotated=())
    cells = replace(Cells(), worn=tuple(grid for grid in Cells.worn if grid not in LARGE_WORN))
    few = min(limit or LARGE_WORN_PICTURES, LARGE_WORN_PICTURES)
    items = paper_items(images, solvers, cells, piece=32, limit=limit, seed=seed)
    items += paper_items(images, solvers, large, piece=32, limit=few, seed=seed)
    return sorted(items, key=lambda item: solvers.index(item.solver))


def beyond_items(
    images: Sequence[str], solvers: Sequence[str], *, limit: int | None, seed: int
) -> list[Item]:
    """What the paper does not have: larger puzzles, and pieces cut from the middle of pictures that are not resized."""
    larger = Cells(clean=published.LARGER_GRIDS, worn=(), rotated=())
    own = Cells(clean=published.OWN_GRIDS, worn=(), rotated=())
    items = paper_items(images, solvers, larger, piece=32, limit=limit, seed=seed)
    items += [
        replace(item, dataset=item.dataset + published.OWN, native=True)
        for item in paper_items(images, solvers, own, piece=32, limit=limit, seed=seed)
    ]
    return sorted(items, key=lambda item: solvers.index(item.solver))


def sources_in(data: Path, suite: str) -> list[str]:
    """The test shards of a suite in a folder: faces/test*.tar and so on, classic/mit432.tar and so on."""
    if suite == "classic":
        wanted = {name: data / "classic" / f"{name}.tar" for name in published.CLASSIC_GRIDS}
    else:
        wanted = {name: data / name / "test*.tar" for name in published.DATASETS}
    there = [f"{name}={path}" for name, path in wanted.items() if any(path.parent.glob(path.name))]
    if not there:
        listed = ", ".join(str(path) for path in wanted.values())
        raise GanzzleError(f"there is nothing for the suite '{suite}'; looked for {listed}")
    return there


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
        if not equals or not name or "/" in name:
            name, source = published.dataset_of(text), text
        if sources.setdefault(name, source) != source:
            raise GanzzleError(
                f"two sources are called '{name}'; name them apart, as in --images other={source}"
            )
    return sources


def with_weights(items: Sequence[Item], texts: Sequence[str] | None) -> tuple[list[Item], dict[Item, str]]:
    """Every item with the weights for its solver, source and grid; and why some items have none."""
    rules = parse_rules(texts, [item.solver for item in items])
    ready, absent = [], {}
    for item in items:
        try:
            base = item.dataset.removesuffix(published.OWN)
            ready.append(replace(item, weights=weights_for(item.solver, [base], item.grid, rules)))
        except SolverError as error:
            absent[item] = str(error)
    return ready, absent


def with_permutations(items: Sequence[Item], texts: Sequence[str] | None) -> list[Item]:
    """ "faces=orders.csv": the puzzles of that source are shuffled by that file; without a name those of all."""
    files: dict[str, str] = {}
    names = {item.dataset for item in items}
    for text in texts or ():
        name, equals, file = text.partition("=")
        if equals and name not in names:
            raise GanzzleError(f"--permutations {text}: no source is called '{name}'")
        files |= {name: file} if equals else dict.fromkeys(names, text)
    return [replace(item, permutations=files.get(item.dataset)) for item in items]


def chosen_solvers(names: Sequence[str] | None) -> list[str]:
    """The solvers that were named, or all there are; a name nobody knows is refused at once."""
    if not names:
        return list(SOLVERS)
    for name in names:
        if name not in SOLVERS and name not in published.METHODS:
            load_solver(name)
    return list(dict.fromkeys(names))
