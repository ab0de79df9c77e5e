"""The worst puzzles of a cell: what was made of them, and whether the network or the search is to blame.

`python -m benchmarks.worst --solver hybrid --cell "6x6 erode:5" --set art --pictures 200 --figure worst.jpg` solves the
puzzles that `ganzzle bench` makes of a set's test pictures and prints a table of the worst ten; `--figure` draws them:
the pile, the solution with wrong pieces framed, the original. The columns of the table:

* direct, neighbour: per cent of the pieces and of the seams, identical pieces interchangeable; where only direct is
  low, whole blocks lie aside;
* flat: per cent of the pieces whose pixels, before any wear, hardly differ; twins: pieces that have an identical one;
* first: per cent of the sides with a true neighbour for which the network gave that neighbour more than any other
  piece, before classical seams were mixed in;
* true, found: energy of the true board and of the found one under the potentials that were searched. Where the true
  board has more, the search missed it; where it has less, the network was misled. seams, slots: what each of the two
  gives the true board more than the found one.

Pictures of the data folder may not be passed on, so neither may figures of them. `--held-out` takes training pictures
that were held out; `--own samples` takes pictures that installed packages carry or code draws, `--own SOURCE` a folder,
shard or glob of yours.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks import mental_images
from ganzzle import Puzzle, Solution, load_solver, score
from ganzzle.bench.galleries import with_frames
from ganzzle.board import placement_energy
from ganzzle.damage.corruption import twins_of
from ganzzle.data.reading import data_root
from ganzzle.pieces import assemble, cut, fit
from ganzzle.protocol import BATCH, make_plan, make_puzzle
from ganzzle.puzzle import Floats, Pixels
from ganzzle.reading.sources import iterate_pictures
from ganzzle.solvers import Solver
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.mixing import mixed
from ganzzle.solvers.hybrid.rules import LARGEST, Wear, classical_weight
from ganzzle.training.calibrate import held_out_pictures

PIECE = 32
FLAT = 5.0  # mean deviation of a piece's pixels, of 255, below which it shows next to nothing
EQUAL = 1e-3  # energies that differ by less are equal

Named = tuple[str, Pixels]


@dataclass(frozen=True, eq=False)
class Solved:
    """One puzzle, its picture in its puzzle's size, and what became of it."""

    name: str
    original: Pixels  # (rows * 32, cols * 32, 3)
    solution: Solution
    direct: float  # 0..1, identical pieces interchangeable
    neighbour: float  # the same of the seams


@dataclass(frozen=True)
class Insight:
    """What the solver's own potentials say about a puzzle it solved."""

    first: float  # share of the true neighbours that were the network's first choice
    true_energy: float
    found_energy: float
    by_seams: float  # what seams and borders give the true board more than the found one

    @property
    def verdict(self) -> str:
        """Who is to blame."""
        if abs(self.true_energy - self.found_energy) < EQUAL:
            return "equal"
        return "search" if self.true_energy > self.found_energy else "network"


def solve_all(solver: Solver, pictures: Iterable[Named], cell: str) -> Iterator[Solved]:
    """Every picture's puzzle of a cell such as "6x6 erode:5", as `ganzzle bench` makes it."""
    plan = make_plan(*_parts(cell, solver.name), piece=PIECE)
    ((grid, corruption),) = plan.cells
    numbered = iter(enumerate(pictures))
    while batch := list(islice(numbered, BATCH)):
        puzzles = [make_puzzle(plan, k, name, picture, grid, corruption) for k, (name, picture) in batch]
        for (_, (name, picture)), solution in zip(batch, solver.solve_batch(puzzles), strict=True):
            found = score(solution)
            original = fit(picture, grid, PIECE)
            yield Solved(
                name, original, solution, found.direct_interchangeable, found.neighbour_interchangeable
            )


def _parts(cell: str, solver: str) -> tuple[str, str, str]:
    """Grid, solver, corruption."""
    grid, corruption = cell.split()
    return grid, solver, corruption


def worst_of(solved: Iterable[Solved], count: int) -> list[Solved]:
    """The puzzles with the fewest right pieces, the worst first; those that are right are left out."""
    return sorted((one for one in solved if one.direct < 1), key=lambda one: one.direct)[:count]


def flat_share(one: Solved) -> float:
    """The share of the pieces in the pile whose pixels hardly differ where nothing was done to them."""
    assert one.solution.puzzle.truth is not None
    clean = cut(one.original, one.solution.grid)[one.solution.puzzle.truth.placement]
    return float((clean.std((1, 2)).mean(1) < FLAT).mean())


def twins(puzzle: Puzzle) -> int:
    """How many pieces have an identical one, before noise was added."""
    groups = twins_of(puzzle)
    return int((np.bincount(groups)[groups] > 1).sum())


def first_choices(puzzle: Puzzle, right: Floats, down: Floats) -> float:
    """The share of the sides with a true neighbour whose best partner, by seams (n, n), is that neighbour."""
    assert puzzle.grid is not None
    assert puzzle.truth is not None
    at = np.full(puzzle.grid.slots, -1)
    at[puzzle.truth.placement] = np.arange(len(puzzle))
    hits = []
    for seams, slots in zip((right, down), puzzle.grid.adjacencies(), strict=True):
        pairs = at[slots]
        first, second = pairs[(pairs >= 0).all(1)].T
        hits += [seams.argmax(1)[first] == second, seams.argmax(0)[second] == first]
    sides = np.concatenate(hits)
    return float(sides.mean()) if len(sides) else 1.0


def insight(solver: Solver, solution: Solution) -> Insight | None:
    """What the hybrid's potentials say of a puzzle; None for other solvers and for puzzles its network never sees."""
    puzzle = solution.puzzle
    if not isinstance(solver, Hybrid) or solution.grid.slots > LARGEST:
        return None
    assert puzzle.truth is not None
    slots, *seams = solver.potentials(puzzle)
    slots = solver.slot_weight * slots
    right, down, border = searched(solver, puzzle, slots, seams)
    boards = (puzzle.truth.placement, solution.placement)
    true, found = (placement_energy(p, right, down, solution.grid, slots, border) for p in boards)
    true_seams, found_seams = (placement_energy(p, right, down, solution.grid, None, border) for p in boards)
    return Insight(first_choices(puzzle, *seams[:2]), true, found, true_seams - found_seams)


def searched(solver: Hybrid, puzzle: Puzzle, slots: Floats, seams: Sequence[Floats]) -> list[Floats]:
    """The seams (right, down, border) that the assembler was given: the network's, mixed with the classical ones.

    Where a clean puzzle left doubts it was assembled again with both; what was done is told by the energy reached.
    """
    assert puzzle.grid is not None
    weight = classical_weight(puzzle, Wear.of(puzzle))
    if weight == 0:
        assembly = solver.judge([puzzle])[0].assembly
        alone = placement_energy(assembly.placement, seams[0], seams[1], puzzle.grid, slots, seams[2])
        if abs(alone - assembly.energy) < EQUAL:
            return list(seams)
        weight = 1.0
    return [x[0] for x in mixed([puzzle], [x[None] for x in seams], puzzle.grid, weight)]


def table(worst: Sequence[Solved], solver: Solver) -> str:
    """The puzzles in Markdown; see the module's docstring for the columns."""
    lines = ["| picture | direct | neighbour | flat | twins | first | true | found | seams | slots | fault |"]
    lines.append("|" + "---|" * 11)
    for one in worst:
        texts = [one.name, f"{100 * one.direct:.1f}", f"{100 * one.neighbour:.1f}"]
        texts += [f"{100 * flat_share(one):.0f}", str(twins(one.solution.puzzle))]
        texts += _told(insight(solver, one.solution))
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)


def _told(seen: Insight | None) -> list[str]:
    """The last six columns of the table."""
    if seen is None:
        return ["-"] * 6
    by_slots = seen.true_energy - seen.found_energy - seen.by_seams
    energies = [f"{seen.true_energy:.1f}", f"{seen.found_energy:.1f}", f"{seen.by_seams:+.1f}"]
    return [f"{100 * seen.first:.0f}", *energies, f"{by_slots:+.1f}", seen.verdict]


def draw(worst: Sequence[Solved], title: str, path: Path) -> None:
    """The puzzles in two columns, each as its pile, its solution with wrong pieces framed, and its original."""
    from matplotlib.figure import Figure

    rows = -(-len(worst) // 2)
    figure = Figure((9.6, 1.75 * rows + 0.5), layout="constrained")
    panels = figure.subplots(rows, 2, squeeze=False).flatten()
    for axes in panels:
        axes.set_axis_off()
    for axes, one in zip(panels, worst, strict=False):
        puzzle = one.solution.puzzle
        pile = assemble(puzzle.pieces, one.solution.grid, np.arange(len(puzzle)))
        gap = np.full((len(pile), 8, 3), 255, np.uint8)
        axes.imshow(np.concatenate([pile, gap, with_frames(one.solution), gap, one.original], 1))
        axes.set_title(f"{one.name}: {100 * one.direct:.1f} %", fontsize="small")
    figure.suptitle(f"{title}: pile, solution (wrong pieces framed), original", fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def pictures_of(options: argparse.Namespace) -> Iterator[Named]:
    """The pictures that were asked for, with their names."""
    if options.own == "samples":
        drawn = islice(mental_images.pictures(), options.pictures)
        return ((f"sample {k}", picture) for k, picture in enumerate(drawn))
    if options.own:
        return iterate_pictures(options.own, options.pictures)
    if options.held_out:
        held = held_out_pictures(f"{options.set}/train-*.tar", options.pictures)
        return ((f"held out {k}", picture) for k, picture in enumerate(held))
    return iterate_pictures(data_root() / options.set / "test*.tar", options.pictures)


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve, print the table, and draw where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solver", default="hybrid")
    parser.add_argument("--cell", default="6x6 erode:5", help='e.g. "12x12 none"')
    parser.add_argument("--set", default="art", help="a folder of GANZZLE_DATA: faces, art, photos")
    parser.add_argument(
        "--held-out", action="store_true", help="training pictures held out, not test pictures"
    )
    parser.add_argument("--own", help="other pictures: a folder, shard or glob, or 'samples'")
    parser.add_argument("--pictures", type=int, default=200, help="at most")
    parser.add_argument("--worst", type=int, default=10, help="how many are shown")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--figure", type=Path, help="a .jpg, .png or .svg file")
    options = parser.parse_args(arguments)
    solver = load_solver(options.solver, device=options.device)
    solved = list(solve_all(solver, pictures_of(options), options.cell))
    worst = worst_of(solved, options.worst)
    mean = 100 * np.mean([one.direct for one in solved])
    print(f"{options.solver}, {options.cell}: {mean:.2f} over {len(solved)} puzzles")
    if not worst:
        print("all pieces are right")
        return
    print(table(worst, solver))
    if options.figure is not None:
        draw(worst, f"{options.solver}, {options.cell}", options.figure)


if __name__ == "__main__":
    main()
