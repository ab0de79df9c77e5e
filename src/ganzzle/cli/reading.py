"""What `ganzzle solve` is given: a piece folder or a scrambled picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ganzzle.cli.console import progress
from ganzzle.errors import PictureError, PuzzleError

if TYPE_CHECKING:
    from ganzzle.puzzle import Grid, Puzzle


@dataclass(frozen=True, eq=False)
class Task:
    """What was read: the puzzle, with its truth where that lies beside it, and what its pieces are called."""

    puzzle: Puzzle
    names: list[str]  # (N,) file names, or r2c5 for row 2, column 5 of a scrambled picture
    folder: Path | None  # None: a scrambled picture
    grid: Grid | None  # as it was given; None: to be found
    puzzles: int = 1  # so many are mixed in one pile, each of that grid


def default_output(pile: str) -> str:
    """Beside the input: pieces/ -> pieces-solved.png, mixed.jpg -> mixed-solved.png."""
    path = Path(pile).resolve() if Path(pile).name in ("", ".", "..") else Path(pile)
    return str(path.parent / f"{path.name if path.is_dir() else path.stem}-solved.png")


def read_input(pile: str, grid: str | None, missing: bool, puzzles: int = 1) -> Task:
    """Read a piece folder or a scrambled picture, and refuse counts that cannot be meant."""
    from ganzzle.pictures import piece_files, read_picture
    from ganzzle.puzzle import Grid, Puzzle

    path = Path(pile)
    if not path.exists():
        raise PictureError(f"{path} does not exist; give a folder of pieces or a scrambled picture")
    if missing and grid is None:
        raise PuzzleError("--missing needs --grid; without both, a few lost pieces are looked for")
    if path.is_dir():
        each = None if grid is None else Grid.of(grid)
        with progress("reading pieces"):
            puzzle = Puzzle.from_folder(path)
        task = Task(puzzle, [file.name for file in piece_files(path)], path, each, puzzles)
        _check_count(task, missing)
        return task if puzzles > 1 else replace(task, puzzle=replace(puzzle, grid=each))
    if puzzles > 1:
        raise PuzzleError(f"{path}: a pile of {puzzles} puzzles must be a folder of pieces")
    picture = read_picture(path)
    try:
        puzzle = Puzzle.from_scrambled(picture, grid)
    except PuzzleError as error:
        raise PuzzleError(f"{path}: {error}") from None
    slots = puzzle.grid
    assert slots is not None
    names = [f"r{row}c{col}" for row in range(1, slots.rows + 1) for col in range(1, slots.cols + 1)]
    return Task(replace(puzzle, name=str(path)), names, None, None if grid is None else slots)


def _check_count(task: Task, missing: bool) -> None:
    """Refuse a pile that is too small or too large for the grid that was given."""
    count, grid, puzzles = len(task.puzzle), task.grid, task.puzzles
    if grid is None:
        return
    what = (
        f"a {grid} grid has {grid.slots} slots"
        if puzzles == 1
        else f"{puzzles} x {grid} is {puzzles * grid.slots}"
    )
    holds = f"{task.puzzle.name} holds {count} pieces but {what}"
    if count < puzzles * grid.slots and not missing:
        raise PuzzleError(f"{holds}; add --missing if pieces are gone, or give another grid")
    if count > grid.slots and puzzles == 1:
        raise PuzzleError(
            with_copies(f"{holds}; take away what does not belong, or give a larger grid", task)
        )


def with_copies(message: str, task: Task) -> str:
    """What is wrong with a pile, and which of its files are there twice, since that may be why."""
    from ganzzle.cli.advice import copies

    return "; ".join([message, *copies(task)])
