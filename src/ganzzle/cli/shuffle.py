"""`ganzzle shuffle`: a picture becomes a folder of pieces, a scrambled picture, or a scan of loose pieces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from ganzzle.cli.console import check_outputs, how_many, progress, speaker, write_json
from ganzzle.cli.options import ForceOption, JsonOption, RotateOption, SeedOption
from ganzzle.errors import PuzzleError

if TYPE_CHECKING:
    from ganzzle.puzzle import Puzzle


def shuffle(
    picture: Annotated[str, typer.Argument(metavar="PICTURE", help="The picture to cut.")],
    grid: Annotated[str, typer.Option("--grid", metavar="RxC", help="Rows x columns, for example 8x8.")],
    out: Annotated[
        str,
        typer.Option(
            "--out", metavar="DIR|PNG", help="A folder for the pieces, or a file for one scrambled picture."
        ),
    ],
    piece: Annotated[
        int | None,
        typer.Option(
            "--piece",
            min=1,
            metavar="PX",
            help="First resize the picture so that pieces are squares of this size.",
        ),
    ] = None,
    corrupt: Annotated[
        str,
        typer.Option(
            "--corrupt",
            metavar="WHAT",
            help="missing:0.1, noise:0.05, erode:2, uneven:0.03, or several joined by +.",
        ),
    ] = "none",
    rotated: RotateOption = False,
    scatter: Annotated[
        bool,
        typer.Option(
            "--scatter", help="Lay the pieces apart at all angles, as in a scan; --out is a picture."
        ),
    ] = False,
    seed: SeedOption = 0,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Make a puzzle: piece files whose names reveal nothing, and puzzle.json with the truth.

    If --out is the name of a picture (.png), one scrambled picture is written instead, without the truth. With
    --scatter that looks like a scan of loose pieces.
    """
    from ganzzle.files import same_place
    from ganzzle.pictures import check_ending, ends_like_a_picture, read_picture, write_picture
    from ganzzle.puzzle import Puzzle

    as_picture = ends_like_a_picture(out)
    if as_picture:
        check_ending(out)
    elif scatter:
        raise PuzzleError(f"{out}: scattered pieces are one picture; give a name that ends in .png")
    check_outputs(force, json, *([out] if as_picture else []), source=picture)
    if json is not None and same_place(json, out):
        raise PuzzleError(f"two outputs have one name ({out}, {json}); give each a name of its own")
    pixels = read_picture(picture)
    try:
        puzzle = Puzzle.from_picture(pixels, grid, seed=seed, piece=piece, corrupt=corrupt, rotated=rotated)
    except PuzzleError as error:
        raise PuzzleError(f"{picture}: {error}") from None
    about = {"source": Path(picture).name, "seed": seed, "corruption": corrupt, "rotated": rotated}
    if scatter:
        from ganzzle.loose.scatter import scattered

        write_picture(out, scattered(puzzle, seed).picture, force)
    elif as_picture:
        write_picture(out, scrambled_picture(puzzle), force)
    else:
        _write_folder(out, puzzle, about, force)
    height, width = puzzle.piece_size
    record = {
        "out": out,
        "grid": str(puzzle.grid),
        "pieces": len(puzzle),
        "piece_size": [height, width],
    } | about
    write_json(json, record, force)
    speaker(json)(f"{out}: {how_many(len(puzzle))} of {width}x{height} px, grid {puzzle.grid}")


def scrambled_picture(puzzle: Puzzle) -> np.ndarray:
    """The pieces laid on the grid in the order they arrived -> (rows*h, cols*w, 3)."""
    from ganzzle.pieces import assemble

    assert puzzle.grid is not None
    if len(puzzle) < puzzle.grid.slots:
        raise PuzzleError("a scrambled picture cannot have missing pieces; write them to a folder instead")
    return assemble(puzzle.pieces, puzzle.grid, np.arange(len(puzzle)))


def _write_folder(out: str, puzzle: Puzzle, about: dict[str, object], force: bool) -> None:
    from ganzzle.folders import check_puzzle_folder, write_puzzle

    check_puzzle_folder(out, force)
    with progress("writing pieces", len(puzzle)) as advance:
        write_puzzle(out, puzzle, about, force, advance)
