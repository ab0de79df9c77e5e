"""`ganzzle solve`: a pile of pieces, or a scrambled picture, becomes a picture."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ganzzle.cli.console import (
    DeviceOption,
    ForceOption,
    JsonOption,
    SeedOption,
    WeightsOption,
    check_outputs,
    progress,
    speaker,
    write_json,
)
from ganzzle.errors import PictureError, PuzzleError

if TYPE_CHECKING:
    from ganzzle.puzzle import Puzzle, Solution

DOUBT = 0.5  # a piece below this confidence is named
NAMED_DOUBTS = 8


def solve(
    pile: Annotated[str, typer.Argument(metavar="INPUT", help="A folder of pieces, or a scrambled picture.")],
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="Rows x columns. Without it the grid is found."),
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--solver", metavar="NAME", help="See: ganzzle solvers.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="PNG", help="The solved picture. Default: INPUT-solved.png; none with --json."
        ),
    ] = None,
    json: JsonOption = None,
    missing: Annotated[bool, typer.Option("--missing", help="Pieces are gone; needs --grid.")] = False,
    rotated: Annotated[
        bool, typer.Option("--rotated", help="Pieces may be turned by quarter turns.")
    ] = False,
    fill: Annotated[
        str,
        typer.Option("--fill", metavar="HOW", help="Empty slots: black, or imagine (from the mental image)."),
    ] = "black",
    weights: WeightsOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    force: ForceOption = False,
) -> None:
    """Put a pile of pieces together.

    INPUT is a folder of piece files, whose names and order mean nothing, or a picture that is itself a scrambled grid.
    A puzzle.json beside the pieces is used only afterwards, to print how many pieces are right.
    """
    from ganzzle.pictures import check_ending, write_picture
    from ganzzle.solvers import load_solver

    say = speaker(json)
    out = out or (default_output(pile) if json is None else None)
    check_outputs(force, out, json)
    if out is not None:
        check_ending(out)
    task = read_input(pile, grid, missing)
    options = ({"rotated": True} if rotated else {}) | ({} if weights is None else {"weights": weights})
    machine = load_solver(solver, device=device, **options)
    with progress(f"solving {len(task.puzzle)} pieces"):
        start = time.perf_counter()
        solution = machine.solve(task.puzzle, seed)
        seconds = time.perf_counter() - start
    if out is not None:
        write_picture(out, solution.picture(fill), force)
    accuracy = score_with_truth(task, solution)
    write_json(json, record_of(task, solution, seconds, accuracy), force)
    for line in report_lines(task, solution, seconds, accuracy):
        say(line)
    if out is not None:
        say(f"wrote {out}")


@dataclass(frozen=True, eq=False)
class Task:
    """What was read: the puzzle without any truth, and what its pieces are called."""

    puzzle: Puzzle
    names: list[str]  # (N,) file names, or r2c5 for row 2, column 5 of a scrambled picture
    folder: Path | None  # None: a scrambled picture
    grid_given: bool


def default_output(pile: str) -> str:
    """Beside the input: pieces/ -> pieces-solved.png, mixed.jpg -> mixed-solved.png."""
    path = Path(pile).resolve() if Path(pile).name in ("", ".", "..") else Path(pile)
    return str(path.parent / f"{path.name if path.is_dir() else path.stem}-solved.png")


def read_input(pile: str, grid: str | None, missing: bool) -> Task:
    """Read a piece folder or a scrambled picture, and refuse counts that cannot be meant."""
    from ganzzle.lattice import find_grid
    from ganzzle.pictures import piece_files, read_picture
    from ganzzle.puzzle import Grid, Puzzle

    path = Path(pile)
    if not path.exists():
        raise PictureError(f"{path} does not exist; give a folder of pieces or a scrambled picture")
    if missing and grid is None:
        raise PuzzleError("--missing needs --grid: nobody can count the pieces that are gone")
    if path.is_dir():
        with progress("reading pieces"):
            puzzle = Puzzle.from_folder(path, grid)
        _check_count(puzzle, missing)
        return Task(puzzle, [file.name for file in piece_files(path)], path, grid is not None)
    picture = read_picture(path)
    try:
        slots = find_grid(picture) if grid is None else Grid.of(grid)
        puzzle = Puzzle.from_scrambled(picture, slots)
    except PuzzleError as error:
        raise PuzzleError(f"{path}: {error}") from None
    names = [f"r{row}c{col}" for row in range(1, slots.rows + 1) for col in range(1, slots.cols + 1)]
    return Task(replace(puzzle, name=str(path)), names, None, grid is not None)


def _check_count(puzzle: Puzzle, missing: bool) -> None:
    from ganzzle.puzzle import Grid

    count, grid = len(puzzle), puzzle.grid
    if grid is not None and count < grid.slots and not missing:
        raise PuzzleError(
            f"{puzzle.name} holds {count} pieces but a {grid} grid has {grid.slots} slots; "
            f"add --missing if pieces are gone, or give another grid"
        )
    square = puzzle.piece_size[0] == puzzle.piece_size[1]
    if grid is None and square and count > 3 and len(Grid.that_fit(count)) == 2:
        raise PuzzleError(
            f"{puzzle.name} holds {count} pieces, which fit no grid but a single row; "
            f"give --grid 1x{count} if that is meant, or --grid RxC --missing if pieces are gone"
        )


def score_with_truth(task: Task, solution: Solution) -> dict[str, float] | None:
    """Accuracies in per cent where a puzzle.json lies beside the pieces; the solver never saw it."""
    from ganzzle.folders import read_truth
    from ganzzle.metrics import score

    truth = None if task.folder is None else read_truth(task.folder, task.names)
    if truth is None:
        return None
    result = score(replace(solution, puzzle=replace(solution.puzzle, truth=truth)))
    return {
        "direct": 100 * result.direct,
        "direct_interchangeable": 100 * result.direct_interchangeable,
        "neighbour": 100 * result.neighbour,
    }


def record_of(
    task: Task, solution: Solution, seconds: float, accuracy: dict[str, float] | None
) -> dict[str, Any]:
    """The answer for programs."""
    record = solution.to_json() | {"pieces": task.names, "seconds": round(seconds, 4)}
    return record if accuracy is None else record | {"accuracy": accuracy}


def report_lines(
    task: Task, solution: Solution, seconds: float, accuracy: dict[str, float] | None
) -> list[str]:
    """The answer for people."""
    height, width = task.puzzle.piece_size
    found = "" if task.grid_given else ", found"
    sure = 100 * solution.confidence.mean()
    lines = [
        f"{len(task.puzzle)} pieces of {width}x{height} px, grid {solution.grid}{found}",
        f"solved by {solution.solver} in {seconds:.2f} s, {sure:.0f} % sure on average; {_doubts(task, solution)}",
    ]
    if accuracy is not None:
        same = accuracy["direct_interchangeable"]
        more = f" ({same:.1f} % with identical pieces interchangeable)" if same != accuracy["direct"] else ""
        lines.append(
            f"by puzzle.json: direct {accuracy['direct']:.1f} %{more}, neighbour {accuracy['neighbour']:.1f} %"
        )
    return lines


def _doubts(task: Task, solution: Solution) -> str:
    import numpy as np

    doubted = [int(k) for k in np.argsort(solution.confidence) if solution.confidence[k] < DOUBT]
    if not doubted:
        return "it doubts no piece"
    named = ", ".join(
        f"{task.names[k]} ({100 * solution.confidence[k]:.0f} %)" for k in doubted[:NAMED_DOUBTS]
    )
    return f"it doubts {len(doubted)}: {named}{', ...' if len(doubted) > NAMED_DOUBTS else ''}"
