"""From the files of a job to a pile of pieces; the headers are checked before anything is decoded."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace

import numpy as np
from PIL import Image

from ganzzle.errors import ApartError, PuzzleError
from ganzzle.pieces import cut
from ganzzle.puzzle import Grid, Pixels, Puzzle, Truth
from ganzzle.reading.loose import Loose, pieces_in
from ganzzle.reading.pictures import FORMATS, decode_pieces, of_one_size, why_unreadable
from ganzzle.solving.mixed import checked_grid
from ganzzle.solving.piles import check_room
from ganzzle.web.limits import ApiError, Limits
from ganzzle.web.requests import Job, check_full
from ganzzle.web.schema import TruthCard


def read_pile(job: Job, limits: Limits, pictures: list[Pixels]) -> tuple[Puzzle, Loose | None]:
    """The pieces of a job, from piece files or from one picture of them, and where they lie in it if they are loose.
    A mixed pile has no grid of its own."""
    mixed = job.puzzles > 1
    grid = None if job.grid is None or mixed else Grid.of(job.grid)
    loose = None
    if job.scrambled and len(pictures) > 1:
        raise ApiError(422, "No jigsaw pieces or strips stand out on these pages; send tiles as 'pieces'.")
    if job.scrambled and job.layout is None:
        puzzle, loose = _from_picture(pictures[0], grid, limits)
        if loose is not None:
            _check_loose(puzzle, job)
        puzzle = replace(puzzle, grid=None) if mixed else puzzle
    elif job.scrambled:
        assert job.layout is not None
        puzzle = _in_grid(cut(pictures[0], Grid.of(job.layout))[: job.count], grid, job.rim)
    else:
        puzzle = _in_grid(of_one_size(pictures, [name for name, _ in job.files]), grid)
    if mixed:
        _check_mixed(puzzle, job)
    return puzzle, loose


def _in_grid(pieces: Pixels, grid: Grid | None, rim: int = 0) -> Puzzle:
    """A pile (N, h, w, 3), of which `rim` px more are gone at every edge; where there are a few more pieces than slots,
    its grid is left open."""
    pieces = np.pad(pieces, ((0, 0), (rim, rim), (rim, rim), (0, 0)))
    if grid is None or len(pieces) <= grid.slots:
        return Puzzle(pieces, grid, rim=rim)
    puzzle = Puzzle(pieces, rim=rim)
    check_room(puzzle, grid)
    return puzzle


def _check_mixed(puzzle: Puzzle, job: Job) -> None:
    """Refuse a pile that cannot hold as many puzzles as the job says."""
    if len(puzzle) < job.puzzles:
        raise ApiError(
            422, f"{len(puzzle)} pieces are too few for {job.puzzles} puzzles; say how many there are."
        )
    checked_grid(puzzle, job.puzzles, job.grid)


def _check_loose(puzzle: Puzzle, job: Job) -> None:
    """Refuse too few or far too many loose pieces for the grid of a job."""
    if job.grid is None:
        return
    if not job.missing:
        check_full(len(puzzle), Grid.of(job.grid), job.puzzles)
    if job.puzzles == 1:
        check_room(puzzle, Grid.of(job.grid))


def _from_picture(picture: Pixels, grid: Grid | None, limits: Limits) -> tuple[Puzzle, Loose | None]:
    """The pieces in a (H, W, 3) picture: loose ones, or a scrambled grid, the given one or the one that stands out."""
    try:
        puzzle, loose = pieces_in(picture, grid)
    except ApartError:
        raise
    except PuzzleError:
        if grid is not None:
            raise
        raise ApiError(
            422, "No grid stands out in this picture; say how it is cut, for example 8x8."
        ) from None
    if len(puzzle) > limits.pieces:
        what = f"A {puzzle.grid} grid stands out" if loose is None else f"{len(puzzle)} loose pieces are seen"
        raise ApiError(413, f"{what}, which is more than the {limits.pieces} pieces allowed.")
    return puzzle, loose


def read_pictures(files: tuple[tuple[str, bytes], ...], limits: Limits) -> list[Pixels]:
    """Decode the files, scaled alike, after all their headers together have passed the pixel limit."""
    pixels = 0
    for name, data in files:
        width, height = _size_in_header(name, data)
        pixels += width * height
        if pixels > limits.pixels:
            allowed = f"{limits.pixels / 1e6:g} megapixels allowed"
            raise ApiError(
                413, f"{name} ({width}x{height} px) goes beyond the {allowed}; scale it down first."
            )
    return decode_pieces(files, limits.pixels)


def _size_in_header(name: str, data: bytes) -> tuple[int, int]:
    """Width and height, without decoding."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                return image.size
    except Image.DecompressionBombError:
        raise ApiError(413, f"{name} has far too many pixels; scale it down first.") from None
    except (OSError, SyntaxError, ValueError, EOFError, OverflowError):
        raise ApiError(415, f"{name} {why_unreadable(data[:12])}.") from None


def with_truth(puzzle: Puzzle, text: str) -> Puzzle:
    """The puzzle with the truth that was sent along. Solvers do not see it; it is for the score."""
    if not text:
        return puzzle
    try:
        card = TruthCard.model_validate_json(text)
    except ValueError:
        raise ApiError(422, "The truth is not JSON as /api/shuffle gives it.") from None
    count, grid = len(puzzle), puzzle.grid
    lists = (card.placement, card.turns, card.twins, card.periods)
    if grid is None or any(len(one) != count for one in lists) or max(card.placement) >= grid.slots:
        raise ApiError(422, "The truth does not fit the pieces and the grid.")
    if len(set(card.placement)) != count:
        raise ApiError(422, "The truth has two pieces on one slot.")
    placement, turns, twins, periods = (np.array(one, np.int64) for one in lists)
    return replace(puzzle, truth=Truth(placement, turns, twins, grid, periods))
