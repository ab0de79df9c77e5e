"""`ganzzle find`: where on the lid of the box does this piece go?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ganzzle.cli.console import check_outputs, progress, speaker, write_json
from ganzzle.cli.lid import read_lid
from ganzzle.cli.options import ForceOption, JsonOption
from ganzzle.errors import PictureError

if TYPE_CHECKING:
    from ganzzle.lid.finding import Asked, Found

SURE = 0.5  # probability below which a place is told as a guess


def find(
    pieces: Annotated[
        list[str],
        typer.Argument(metavar="PIECE...", help="Pictures of pieces: one each, a page of them, or a folder."),
    ],
    lid: Annotated[
        str, typer.Option("--in", metavar="PICTURE", help="The picture on the box, as a phone sees it.")
    ],
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="Rows x columns of the whole puzzle: for row and column."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="PNG",
            help="The lid with the places. Default: PIECE-found.png, or none with --json.",
        ),
    ] = None,
    json: JsonOption = None,
    force: ForceOption = False,
) -> None:
    """Say where on the picture of the box pieces go.

    A piece fills its picture, or lies on a plain ground, alone or with others that do not touch it, at any angle. The
    three likeliest places are told, each with its probability, and drawn on the lid.
    """
    from ganzzle.drawing.marked import draw_marked
    from ganzzle.grid import Grid
    from ganzzle.lid.finding import find_pieces
    from ganzzle.reading.pictures import check_ending, write_picture

    say = speaker(json)
    each = None if grid is None else Grid.of(grid)
    files = files_of(pieces)
    if out is None and json is None:
        out = str(Path(pieces[0]).with_name(f"{Path(pieces[0]).stem}-found.png"))
    if out is not None:
        check_ending(out)
    check_outputs(force, out, json, inputs=[*files, lid])
    picture = read_lid(lid)
    with progress("looking for the pieces"):
        found = find_pieces(picture, asked_of(files), each)
    for one in found:
        say(line_of(one))
    if out is not None:
        labels = [str(k + 1) if len(found) > 1 else "" for k in range(len(found))]
        shares = [[place.probability for place in one.places] for one in found]
        marked = draw_marked(picture, [one.outlines for one in found], shares, labels)
        write_picture(out, marked, force)
        say(f"wrote {out}")
    write_json(json, {"lid": lid, "grid": grid, "pieces": [record_of(one) for one in found]}, force)


def files_of(names: list[str]) -> list[Path]:
    """The pictures that are named, those of folders among them."""
    from ganzzle.reading.pictures import piece_files

    files: list[Path] = []
    for name in names:
        path = Path(name)
        if not path.exists():
            raise PictureError(f"{path} does not exist; give a picture of a piece")
        files += piece_files(path) if path.is_dir() else [path]
    return files


def asked_of(files: list[Path]) -> list[Asked]:
    """The pieces that pictures show: those on a page share their size, and so do tiles of one size."""
    from ganzzle.lid.finding import Asked
    from ganzzle.reading.on_plain_ground import pieces_shown
    from ganzzle.reading.pictures import read_picture

    groups: list[Asked] = []
    tiles: dict[tuple[int, ...], list[Any]] = {}
    for file in files:
        shown, is_tile = pieces_shown(read_picture(file), file.name)
        if is_tile:
            tiles.setdefault(shown[0].mask.shape, []).extend(shown)
        else:
            groups.append(Asked(shown, tiles=False))
    return [Asked(tuple(some), tiles=True) for some in tiles.values()] + groups


def line_of(one: Found) -> str:
    """What is told of a piece."""
    if not one.places:
        return f"{one.name}: nowhere on the lid"
    told = []
    for place, slot in zip(one.places, one.slots, strict=True):
        where = "" if slot is None else f"row {slot[0]}, column {slot[1]}, "
        x, y = place.middle
        told.append(f"{100 * place.probability:.0f} % at {where}{x:.0f},{y:.0f} px")
    guess = "" if one.places[0].probability >= SURE else "not sure: "
    return f"{one.name}: {guess}{'; '.join(told)}"


def record_of(one: Found) -> dict[str, Any]:
    """The same for programs."""
    places = zip(one.places, one.outlines, one.slots, strict=True)
    return {
        "name": one.name,
        "places": [
            {
                "probability": round(place.probability, 4),
                "x": round(place.middle[0], 1),
                "y": round(place.middle[1], 1),
                "row": None if slot is None else slot[0],
                "column": None if slot is None else slot[1],
                "outline": outline.round(1).tolist(),
            }
            for place, outline, slot in places
        ],
    }
