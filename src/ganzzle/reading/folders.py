"""Puzzle folders: piece files with neutral names, and puzzle.json with the truth beside them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ganzzle.errors import PuzzleError
from ganzzle.files import PathName, beside, check_can_be_made, read_text
from ganzzle.puzzle import Grid, Ints, Puzzle, Truth
from ganzzle.reading.pictures import ends_like_a_picture, write_picture

TRUTH_FILE = "puzzle.json"


@contextmanager
def whole_folder(folder: PathName, force: bool = False) -> Iterator[Path]:
    """Yields an empty folder to fill, which then takes the place of `folder`: complete or not at all.

    `force` replaces an earlier puzzle, but never a folder with other files.
    """
    folder = Path(folder)
    temporary = None
    try:
        check_puzzle_folder(folder, force)
        place = Path(os.path.realpath(folder))  # a link goes on pointing where it does
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary = beside(place / place.name if place.exists() else place)
        temporary.mkdir()
        yield temporary
        if place.exists():
            _move_in(temporary, place)
        else:
            os.replace(temporary, place)
    except OSError as error:
        raise PuzzleError(f"{folder} cannot be written: {error.strerror or error}") from None
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def write_puzzle(
    folder: PathName,
    puzzle: Puzzle,
    about: dict[str, Any] | None = None,
    force: bool = False,
    advance: Callable[[int], None] = lambda count: None,
) -> list[str]:
    """Write every piece as a PNG in arrival order, and the truth as puzzle.json; returns the file names.

    The folder appears complete or not at all. `force` replaces an earlier puzzle, but never a folder with other files.
    """
    digits = max(3, len(str(len(puzzle))))
    names = [f"piece-{k:0{digits}}.png" for k in range(1, len(puzzle) + 1)]
    with whole_folder(folder, force) as temporary:
        for name, piece in zip(names, puzzle.pieces, strict=True):
            write_picture(temporary / name, piece)
            advance(1)
        record = (about or {}) | _truth_record(puzzle, names)
        (temporary / TRUTH_FILE).write_text(json.dumps(record, indent=1) + "\n")
    return names


def _move_in(temporary: Path, place: Path) -> None:
    """Put the files of a folder in the place of a puzzle's. The folder itself stays: it may be the one that a shell is
    in, or a volume of its own."""
    mine = _files_of_puzzle(place)
    for path in list(place.iterdir()):  # puzzle.json may well name files elsewhere
        if path.name in mine:
            path.unlink()
    for path in sorted(temporary.iterdir()):  # puzzle.json last
        os.replace(path, place / path.name)


def check_puzzle_folder(folder: PathName, force: bool = False) -> None:
    """Refuse an output folder that is taken; `force` allows to replace an earlier puzzle and nothing else."""
    folder = Path(folder)
    if not folder.exists():
        check_can_be_made(folder)
        return
    if not folder.is_dir():
        raise PuzzleError(f"{folder} is a file; give a folder for the pieces")
    inside = sorted(p.name for p in folder.iterdir())
    mine = _files_of_puzzle(folder)
    foreign = [name for name in inside if name not in mine or not (folder / name).is_file()]
    if foreign:
        raise PuzzleError(f"{folder} holds other files ({foreign[0]}); choose another folder for the pieces")
    if inside and not force:
        raise PuzzleError(
            f"{folder} exists already; use --force to replace the puzzle in it, or choose another name"
        )


def _files_of_puzzle(folder: Path) -> set[str]:
    """The names that a puzzle written earlier has in its folder; none where there is no whole puzzle.json."""
    try:
        record = json.loads(read_text(folder / TRUTH_FILE))
        return {TRUTH_FILE, *(str(piece["file"]) for piece in record["pieces"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def files_of_pile(pile: PathName) -> list[Path]:
    """The files that a pile is read from: the picture, or all pictures of a folder and the truth beside them."""
    path = Path(pile)
    if not os.path.isdir(path):
        return [path]
    return [file for file in path.iterdir() if ends_like_a_picture(file) or file.name == TRUTH_FILE]


def read_truth(folder: PathName, names: Sequence[str]) -> Truth | None:
    """The truth of the named piece files, or None where the folder has no puzzle.json."""
    path = Path(folder) / TRUTH_FILE
    if not path.is_file():
        return None
    try:
        record = json.loads(read_text(path))
        grid = Grid.of(record["grid"])
        pieces = {piece["file"]: piece for piece in record["pieces"]}
        mine = [pieces[name] for name in names]
        slots = range(grid.slots)
        placement, turns = _numbers(mine, "slot", slots), _numbers(mine, "turns", range(4))
        twins = _numbers(mine, "twin", slots) if "twin" in mine[0] else None
        periods = _numbers(mine, "period", (1, 2, 4)) if "period" in mine[0] else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PuzzleError(
            f"{path} is not the truth of these pieces ({error!r}); make the puzzle again"
        ) from None
    if len(np.unique(placement)) < len(mine):
        raise PuzzleError(f"{path} puts two pieces on one slot; make the puzzle again")
    return Truth(placement, turns, twins, grid, periods)


def _numbers(pieces: Sequence[dict[str, Any]], key: str, possible: Container[int]) -> Ints:
    """(N,) what a puzzle.json says of each piece: whole numbers that are possible."""
    values = [piece[key] for piece in pieces]
    for value in values:
        if not isinstance(value, int) or value not in possible:
            raise ValueError(f"no {key} is {value}")
    return np.array(values, np.int64)


def _truth_record(puzzle: Puzzle, names: Sequence[str]) -> dict[str, Any]:
    truth, grid = puzzle.truth, puzzle.grid
    if truth is None or grid is None:
        raise PuzzleError("only a puzzle that knows its truth can be written")
    pieces: list[dict[str, Any]] = [
        {"file": name, "slot": int(slot), "turns": int(turn)}
        for name, slot, turn in zip(names, truth.placement, truth.turns, strict=True)
    ]
    for key, numbers in (("twin", truth.twins), ("period", truth.periods)):
        if numbers is not None:
            for piece, number in zip(pieces, numbers, strict=True):
                piece[key] = int(number)
    return {"grid": [grid.rows, grid.cols], "piece_size": list(puzzle.piece_size), "pieces": pieces}
