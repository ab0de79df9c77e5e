"""`ganzzle shuffle`: a picture becomes a folder of pieces, a scrambled picture, or a scan of loose pieces."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ganzzle.cli.console import check_outputs, how_many, progress, speaker, write_json
from ganzzle.cli.options import ForceOption, JsonOption, RotateOption, SeedOption
from ganzzle.cli.shred import shred_page
from ganzzle.damage.corruption import Corruption
from ganzzle.errors import PuzzleError
from ganzzle.files import is_one_of, same_place
from ganzzle.pieces import assemble
from ganzzle.puzzle import Puzzle
from ganzzle.reading.folders import TRUTH_FILE, check_puzzle_folder, whole_folder, write_puzzle
from ganzzle.reading.pictures import check_ending, ends_like_a_picture, read_picture, write_picture
from ganzzle.samples import sample_picture
from ganzzle.samples.jigsaws import GROUNDS, SIDE, SPOILT, Look, jigsaw_pages
from ganzzle.samples.scatter import scattered

CUTS = "straight", "jigsaw", "repeating"


def shuffle(
    picture: Annotated[str, typer.Argument(metavar="PICTURE", help="The picture to cut.")],
    out: Annotated[
        str,
        typer.Option(
            "--out", metavar="DIR|PNG", help="A folder for the pieces, or a file for one scrambled picture."
        ),
    ],
    grid: Annotated[
        str | None, typer.Option("--grid", metavar="RxC", help="Rows x columns, for example 8x8.")
    ] = None,
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
    cut: Annotated[
        str,
        typer.Option(
            "--cut",
            metavar="HOW",
            help="straight, or with --scatter: jigsaw (tabs), repeating (the same tabs in every row).",
        ),
    ] = "straight",
    pages: Annotated[
        int | None,
        typer.Option(
            "--pages", min=1, metavar="N", help="Lay jigsaw pieces on this many pages. Default: 40 a page."
        ),
    ] = None,
    ground: Annotated[
        str,
        typer.Option("--ground", metavar="NAME", help=f"What jigsaw pieces lie on: {', '.join(GROUNDS)}."),
    ] = "pink",
    spoilt: Annotated[
        bool, typer.Option("--spoilt", help="Jigsaw pages as hasty photographs: shadows, fluff, worn edges.")
    ] = False,
    backs: Annotated[bool, typer.Option("--backs", help="Lay jigsaw pieces face down.")] = False,
    foreign: Annotated[
        int, typer.Option("--foreign", min=0, metavar="N", help="Jigsaw pieces of other puzzles to add.")
    ] = 0,
    shred: Annotated[
        int | None,
        typer.Option(
            "--shred",
            min=1,
            metavar="N",
            help="Shred a page into N strips; with --scatter they lie on sheets.",
        ),
    ] = None,
    seed: SeedOption = 0,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Make a puzzle: piece files whose names reveal nothing, and puzzle.json with the truth.

    If --out is the name of a picture (.png), one scrambled picture is written instead, without the truth. With
    --scatter that looks like a scan of loose pieces. Jigsaw pieces are scattered on the pages of a folder, and so are
    the strips of a shredded page.
    """
    if shred is not None:
        if grid is not None or cut != "straight" or corrupt != "none":
            raise PuzzleError("--shred makes strips; leave --grid, --cut and --corrupt out")
        _check_not_within(out, picture)
        shred_page(picture, shred, out, scatter=scatter, turned=rotated, seed=seed, json=json, force=force)
        return
    if grid is None:
        raise PuzzleError("say how to cut the picture: --grid RxC, or --shred N")
    if cut not in CUTS:
        raise PuzzleError(f"there is no cut '{cut}'; there are: {', '.join(CUTS)}")
    as_picture = ends_like_a_picture(out)
    if cut != "straight":
        if as_picture or not scatter:
            raise PuzzleError(f"{out}: jigsaw pieces need --scatter, and a folder as --out")
        look = replace(SPOILT if spoilt else Look(), ground=ground, face_down=backs)
        _shuffle_jigsaw(
            picture, grid, out, look,
            pages=pages, side=piece, repeating=cut == "repeating", corrupt=corrupt, foreign=foreign, seed=seed,
            json=json, force=force,
        )  # fmt: skip
        return
    if as_picture:
        check_ending(out)
    elif scatter:
        raise PuzzleError(f"{out}: scattered pieces are one picture; give a name that ends in .png")
    check_outputs(force, json, *([out] if as_picture else []), inputs=[picture])
    if not as_picture:
        _check_not_within(out, picture)
    if json is not None and same_place(json, out):
        raise PuzzleError(f"two outputs have one name ({out}, {json}); give each a name of its own")
    pixels = read_picture(picture)
    try:
        puzzle = Puzzle.from_picture(pixels, grid, seed=seed, piece=piece, corrupt=corrupt, rotated=rotated)
    except PuzzleError as error:
        raise PuzzleError(f"{picture}: {error}") from None
    about = {"source": Path(picture).name, "seed": seed, "corruption": corrupt, "rotated": rotated}
    if scatter:
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
    assert puzzle.grid is not None
    if len(puzzle) < puzzle.grid.slots:
        raise PuzzleError("a scrambled picture cannot have missing pieces; write them to a folder instead")
    return assemble(puzzle.pieces, puzzle.grid, np.arange(len(puzzle)))


def _check_not_within(out: str, picture: str) -> None:
    """Refuse a folder of pieces, which is replaced as a whole, that holds the picture they are cut from."""
    if Path(out).is_dir() and is_one_of(picture, Path(out).iterdir()):
        raise PuzzleError(f"{out} holds the picture itself ({picture}); give another folder for the pieces")


def _write_folder(out: str, puzzle: Puzzle, about: dict[str, object], force: bool) -> None:
    check_puzzle_folder(out, force)
    with progress("writing pieces", len(puzzle)) as advance:
        write_puzzle(out, puzzle, about, force, advance)


def _shuffle_jigsaw(
    picture: str,
    grid: str,
    out: str,
    look: Look,
    *,
    pages: int | None,
    side: int | None,
    repeating: bool,
    corrupt: str,
    foreign: int,
    seed: int,
    json: str | None,
    force: bool,
) -> None:
    """Write the pages of a jigsaw, and puzzle.json with where every piece lies and belongs."""
    steps = Corruption.parse(corrupt).steps
    if any(step.kind != "missing" for step in steps):
        raise PuzzleError("jigsaw pieces can only be missing (--corrupt missing:0.1); --spoilt wears them")
    check_outputs(force, json, inputs=[picture])
    _check_not_within(out, picture)
    check_puzzle_folder(out, force)
    others = [sample_picture(name) for name in ("balloons", "landscape")]
    made = jigsaw_pages(
        read_picture(picture), grid, seed, pages=pages, side=side or SIDE, look=look, repeating=repeating,
        missing=1 - float(np.prod([1 - step.level for step in steps])),
        foreign=[others[k % 2] for k in range(foreign)],
    )  # fmt: skip
    names = [f"page-{k:0{len(str(len(made.pages)))}}.jpg" for k in range(1, len(made.pages) + 1)]
    about = {"source": Path(picture).name, "seed": seed, "grid": [made.grid.rows, made.grid.cols]}
    pieces = [{"file": names[piece.page]} | asdict(piece) for piece in made.pieces]
    with whole_folder(out, force) as folder:
        for name, page in zip(names, made.pages, strict=True):
            write_picture(folder / name, page)
        write_json(str(folder / TRUTH_FILE), about | {"pieces": pieces})
    write_json(json, {"out": out, "pieces": len(pieces), "pages": len(names)} | about, force)
    speaker(json)(f"{out}: {how_many(len(pieces))} on {len(names)} pages, grid {made.grid}")
