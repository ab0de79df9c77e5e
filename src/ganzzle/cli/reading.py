"""What `ganzzle solve` is given: a piece folder, a scrambled picture, or a scan of loose pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ganzzle.cli.console import progress
from ganzzle.errors import ApartError, PictureError, PuzzleError

if TYPE_CHECKING:
    from ganzzle.puzzle import Grid, Pixels, Puzzle
    from ganzzle.reading.loose import Loose
    from ganzzle.reading.scans import Scans

ONE_BY_ONE = "several puzzles must be a folder of pieces, or a scan of loose ones"


@dataclass(frozen=True, eq=False)
class Task:
    """What was read: the puzzle, with its truth where that lies beside it, and what its pieces are called."""

    puzzle: Puzzle
    # (N,) file names, r2c5 for row 2, column 5 of a scrambled picture, no. 7 of loose pieces
    names: list[str]
    folder: Path | None  # None: a scrambled picture
    grid: Grid | None  # as it was given; None: to be found
    puzzles: int = 1  # how many are mixed in the pile, each of that grid
    loose: Loose | None = None  # where its pieces lie in a scan
    scan: Pixels | None = None  # (H, W, 3) that scan, or the scrambled picture

    @property
    def piece_size(self) -> tuple[int, int]:
        """Height and width of a piece in px, of loose ones in the scan."""
        return self.puzzle.piece_size if self.loose is None else self.loose.piece_size


def default_output(pile: str) -> str:
    """Beside the input: pieces/ -> pieces-solved.png, mixed.jpg -> mixed-solved.png."""
    path = Path(pile).resolve() if Path(pile).name in ("", ".", "..") else Path(pile)
    return str(path.parent / f"{path.name if path.is_dir() else path.stem}-solved.png")


def read_scans(paths: Sequence[str], grid: str | None, puzzles: int | None) -> Scans | None:
    """The strips or cut pieces that some pictures or a folder of them show; None where they show neither."""
    from ganzzle.puzzle import Grid
    from ganzzle.reading.pictures import read_picture
    from ganzzle.reading.scans import find_scans, may_be_scans, scan_files

    files = scan_files(paths)
    if not may_be_scans(files):
        return None
    with progress("reading pages", len(files)) as advance:
        pictures = []
        for file in files:
            pictures.append(read_picture(file))
            advance(1)
    each = None if grid is None else Grid.of(grid)
    with progress("looking for strips and pieces"):
        names = [file.name for file in files]
        return find_scans(pictures, names, " ".join(paths[:2]), each, puzzles)


def check_megapixels(paths: Sequence[str], most: int) -> None:
    """Refuse a picture, or the tiles of one, of more megapixels than were allowed, before anything is decoded."""
    from ganzzle.reading.pictures import megapixels_of
    from ganzzle.reading.scans import scan_files

    for path in paths:
        if not Path(path).exists():
            raise PictureError(f"{path} does not exist; give a folder of pieces, or a picture of them")
    for file in scan_files(paths):
        if (found := megapixels_of(file)) > most:
            raise PictureError(
                f"{file} has {found:.0f} megapixels, more than the {most} of --megapixels; "
                f"scale it down, or allow more"
            )


def one_input(paths: Sequence[str]) -> str:
    """The one path of tiles or of a scrambled picture."""
    if len(paths) > 1:
        raise PuzzleError(
            f"{paths[0]} and {len(paths) - 1} more show no jigsaw pieces or strips that lie apart on a plain ground; "
            f"tiles are solved as one folder of piece files, or as one picture"
        )
    return paths[0]


def read_input(pile: str, grid: str | None, missing: bool, puzzles: int = 1) -> Task:
    """Read a piece folder, a scrambled picture or a scan of loose pieces, and refuse counts that cannot be meant."""
    from ganzzle.puzzle import Grid

    path = Path(pile)
    if not path.exists():
        raise PictureError(f"{path} does not exist; give a folder of pieces, or a picture of them")
    if missing and grid is None:
        raise PuzzleError("--missing needs --grid; without both, a few lost pieces are looked for")
    each = None if grid is None else Grid.of(grid)
    return (_read_folder if path.is_dir() else _read_picture)(path, each, missing, puzzles)


def _read_folder(path: Path, grid: Grid | None, missing: bool, puzzles: int) -> Task:
    """The pieces of a folder."""
    from ganzzle.puzzle import Puzzle
    from ganzzle.reading.pictures import piece_files

    with progress("reading pieces"):
        puzzle = Puzzle.from_folder(path)
    task = Task(puzzle, [file.name for file in piece_files(path)], path, grid, puzzles)
    _check_count(task, missing)
    if puzzles > 1 or (grid is not None and len(puzzle) > grid.slots):
        return task  # what does not belong is to be found
    return replace(task, puzzle=replace(puzzle, grid=grid))


def _read_picture(path: Path, grid: Grid | None, missing: bool, puzzles: int) -> Task:
    """The pieces that a picture shows, in a grid or loose."""
    from ganzzle.reading.loose import pieces_in  # takes long to import, and folders do without it
    from ganzzle.reading.pictures import read_picture

    with progress("looking for pieces"):
        picture = read_picture(path)
        try:
            puzzle, loose = pieces_in(picture, grid if puzzles == 1 else None)
        except PuzzleError as error:
            apart = puzzles == 1 or isinstance(error, ApartError)
            raise PuzzleError(f"{path}: {error if apart else ONE_BY_ONE}") from None
    puzzle = replace(puzzle, name=str(path))
    if loose is not None:
        names = [f"no. {k}" for k in range(1, len(puzzle) + 1)]
        task = Task(puzzle, names, None, grid, puzzles, loose, picture)
        _check_count(task, missing)
        return task
    if puzzles > 1:
        raise PuzzleError(f"{path}: {ONE_BY_ONE}")
    slots = puzzle.grid
    assert slots is not None
    names = [f"r{row}c{col}" for row in range(1, slots.rows + 1) for col in range(1, slots.cols + 1)]
    return Task(puzzle, names, None, None if grid is None else slots, scan=picture)


def _check_count(task: Task, missing: bool) -> None:
    """Refuse a pile that is too small for the grid that was given."""
    count, grid, puzzles = len(task.puzzle), task.grid, task.puzzles
    if grid is None:
        return
    what = (
        f"a {grid} grid has {grid.slots} slots"
        if puzzles == 1
        else f"{puzzles} x {grid} is {puzzles * grid.slots}"
    )
    if count < puzzles * grid.slots and not missing:
        raise PuzzleError(
            f"{task.puzzle.name} holds {count} pieces but {what}; "
            f"add --missing if pieces are gone, or give another grid"
        )


def with_copies(message: str, task: Task) -> str:
    """What is wrong with a pile, and which of its files are there twice, since that may be why."""
    from ganzzle.cli.advice import copies

    return "; ".join([message, *copies(task)])
