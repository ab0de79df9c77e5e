"""`ganzzle shuffle --shred`: a page becomes strips, one a file or lying apart on sheets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ganzzle.arrays import Pixels
from ganzzle.cli.console import check_outputs, how_many, speaker, write_json
from ganzzle.errors import PuzzleError
from ganzzle.reading.folders import TRUTH_FILE, check_puzzle_folder, whole_folder
from ganzzle.reading.pictures import ends_like_a_picture, read_picture, write_picture
from ganzzle.samples.shredding import scattered_strips, shred

A_SHEET = 20  # strips that lie on one sheet, at most


def shred_page(
    picture: str,
    count: int,
    out: str,
    *,
    scatter: bool,
    turned: bool,
    seed: int,
    json: str | None,
    force: bool,
) -> None:
    """Write a page's strips to a folder, one a file or on sheets, and puzzle.json with where each belongs."""
    if ends_like_a_picture(out):
        raise PuzzleError(f"{out}: strips need a folder as --out")
    check_outputs(force, json, inputs=[picture])
    check_puzzle_folder(out, force)
    strips = shred(read_picture(picture), count, seed)
    if scatter:
        sheets = scattered_strips(strips, seed, -(-count // A_SHEET), turned)
        pictures, order, upside_down = list(sheets.pictures), sheets.strips, sheets.upside_down
        names = _numbered("sheet", len(pictures), "jpg")
        files = [
            name for name, part in zip(names, np.array_split(order, len(pictures)), strict=True) for _ in part
        ]
    else:
        rng = np.random.default_rng(seed)
        order = rng.permutation(count)
        upside_down = rng.random(count) < (0.5 if turned else 0)
        pictures = [_lying(strips[k].pixels, down) for k, down in zip(order, upside_down, strict=True)]
        names = files = _numbered("strip", count, "png")
    about = {"source": Path(picture).name, "seed": seed, "grid": [1, count]}
    pieces = [
        {"file": file, "slot": int(slot), "upside_down": bool(down)}
        for file, slot, down in zip(files, order, upside_down, strict=True)
    ]
    with whole_folder(out, force) as folder:
        for name, pixels in zip(names, pictures, strict=True):
            write_picture(folder / name, pixels)
        write_json(str(folder / TRUTH_FILE), about | {"pieces": pieces})
    write_json(json, {"out": out, "pieces": count, "pages": len(names) if scatter else 0} | about, force)
    speaker(json)(
        f"{out}: {how_many(count, 'strip')}" + (f" on {how_many(len(names), 'sheet')}" if scatter else "")
    )


def _numbered(what: str, count: int, ending: str) -> list[str]:
    """File names with numbers of one length."""
    return [f"{what}-{k:0{len(str(count))}}.{ending}" for k in range(1, count + 1)]


def _lying(pixels: Pixels, upside_down: bool) -> Pixels:
    """A strip (h, w, 3) as it lies."""
    return np.ascontiguousarray(pixels[::-1, ::-1]) if upside_down else pixels
