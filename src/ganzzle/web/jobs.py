"""What a worker process does with a job: decode, cut, solve, encode. Nothing here touches the disk."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ganzzle.damage.corruption import periods_of, twins_of
from ganzzle.errors import ApartError, GanzzleError, PictureError
from ganzzle.metrics import correct_pieces, score
from ganzzle.pieces import assemble, fit
from ganzzle.puzzle import Grid, Ints, Pixels, Puzzle
from ganzzle.reading.loose import Loose
from ganzzle.reading.pictures import resize_picture
from ganzzle.samples import sample_picture
from ganzzle.solution import Solution, of_tiles
from ganzzle.solvers import Solver
from ganzzle.solving import loop
from ganzzle.solving.piles import record_of_pile
from ganzzle.web.drawings import drawings, png_bytes, png_data
from ganzzle.web.laid import laid, pages_seen, scans_in
from ganzzle.web.limits import ApiError, Limits
from ganzzle.web.reading import read_pictures, read_pile, with_truth
from ganzzle.web.requests import Job, sentence

PAGE_SIDE = 960  # longest side of a picture on the page
PILE_SIDE = 2048  # longest side of a pile's sheet
SMALLEST_PIECE = 8  # px; a smaller picture is enlarged for the page
THUMBNAIL_SIDE = 160

LoadSolver = Callable[[str, bool], Solver]


def perform(job: Job, limits: Limits, load: LoadSolver, waited: float) -> tuple[int, bytes]:
    """Do the job -> (status, body)."""
    try:
        if job.kind == "sample":
            return 200, _thumbnail(job)
        if job.kind == "solve":
            answer = solve(job, limits, load, waited)
        else:
            answer = {"shuffle": shuffle, "pile": pile}[job.kind](job, limits)
        return 200, json.dumps(answer).encode()
    except ApiError as error:
        return error.status, json.dumps({"error": error.message}).encode()
    except (PictureError, ApartError) as error:
        return 422, json.dumps({"error": sentence(error), "unreadable": True}).encode()
    except GanzzleError as error:
        return 422, json.dumps({"error": sentence(error)}).encode()
    except MemoryError:
        return 503, json.dumps(
            {"error": "There was not enough memory for this; try fewer or smaller pieces."}
        ).encode()


def solve(job: Job, limits: Limits, load: LoadSolver, waited: float) -> dict[str, Any]:
    """Placement, turns, confidence, mental image, timings and, if asked for, the picture and the guide; of a mixed pile
    a list."""
    start = time.perf_counter()
    pictures = read_pictures(job.files, limits)
    if scans := scans_in(pictures, job, limits):
        read = time.perf_counter()
        answer = laid(scans, job)
        return answer | {"timings": _timings(waited, start, read, read, read + answer["seconds"])}
    puzzle, loose = read_pile(job, limits, pictures)
    puzzle = with_truth(puzzle, job.truth)
    if job.with_picture and loose is None:
        _check_picture_size(puzzle, job, limits)
    read = time.perf_counter()
    solver = load(job.solver, job.rotated or (loose is not None and loose.turned))
    ready = time.perf_counter()
    mixed = job.puzzles > 1
    known = job.grid if puzzle.grid is None else puzzle.grid
    pile = replace(
        puzzle.pile(solver.rotated or None),
        grid=None if known is None else Grid.of(known),
        puzzles=job.puzzles,
    )
    solutions = of_tiles(loop.solve(pile, solver, job.seed), puzzle)
    solved = time.perf_counter()
    drawn = drawings(job, limits, loose, solutions)
    found = [{**_placed(one, solver), **drawing} for one, drawing in zip(solutions, drawn, strict=True)]
    timings = _timings(waited, start, read, ready, solved)
    of_all = {"corners": _corners(loose), "timings": timings}
    if mixed:
        pieces = [one.members.tolist() for one in solutions]
        parts = [{**part, "pieces": some} for part, some in zip(found, pieces, strict=True)]
        return {"solver": job.solver, "puzzles": parts, **of_all}
    scored = None if puzzle.truth is None else _score(solutions[0])
    return {**found[0], **record_of_pile(solutions[0]), "score": scored, **of_all}


def _timings(waited: float, start: float, read: float, ready: float, solved: float) -> dict[str, float]:
    """Where the time went, in milliseconds, by the clock in seconds."""
    return {
        "wait_ms": round(1000 * waited, 1),
        "read_ms": round(1000 * (read - start), 1),
        "solve_ms": round(1000 * (solved - ready), 1),
    }


def _placed(solution: Solution, solver: Solver) -> dict[str, Any]:
    """What is said of one puzzle."""
    mental = solution.mental_image
    return {
        **solution.to_json(),
        "sure": round(float(solution.confidence.mean()), 4) if solver.calibrated else None,
        "mental_image": None if mental is None else png_data(mental),
    }


def _corners(loose: Loose | None) -> list[Any] | None:
    return None if loose is None else loose.corners.round(1).tolist()


def shuffle(job: Job, limits: Limits) -> dict[str, Any]:
    """A picture as a puzzle that knows its truth: the whole picture and a sheet of its pieces as they arrived."""
    assert job.grid is not None
    grid = Grid.of(job.grid)
    picture = sample_picture(job.sample) if job.sample else read_pictures(job.files, limits)[0]
    picture = fit_page(picture, grid)
    puzzle = Puzzle.from_picture(picture, grid, seed=job.seed, corrupt=job.corrupt, rotated=job.rotated)
    truth = puzzle.truth
    assert truth is not None
    return {
        **_sheet(puzzle.pieces, grid),
        "reduced": False,
        "full": list(puzzle.piece_size),
        "turned": job.rotated,
        "rim": 0,
        "corners": None,
        "grid": list(job.grid),
        "picture": png_data(picture),
        "truth": {
            "placement": truth.placement.tolist(),
            "turns": truth.turns.tolist(),
            "twins": twins_of(puzzle).tolist(),
            "periods": periods_of(puzzle).tolist(),
        },
    }


def pile(job: Job, limits: Limits) -> dict[str, Any]:
    """A real pile as one sheet of pieces, reduced for the page where it is very large, or the pages that it lies on."""
    pictures = read_pictures(job.files, limits)
    if scans := scans_in(pictures, job, limits):
        return pages_seen(scans)
    puzzle, loose = read_pile(job, limits, pictures)
    count = len(puzzle)
    cols = math.ceil(math.sqrt(count))
    layout = Grid(math.ceil(count / cols), cols)
    pieces = puzzle.bare_pieces
    height, width = pieces.shape[1:3]
    shrink = min(1.0, PILE_SIDE / max(height * layout.rows, width * layout.cols))
    if shrink < 1:
        size = max(1, int(height * shrink)), max(1, int(width * shrink))
        pieces = np.stack([resize_picture(piece, *size) for piece in pieces])
    grid = job.grid if puzzle.grid is None else (puzzle.grid.rows, puzzle.grid.cols)
    return {
        **_sheet(pieces, layout),
        "reduced": shrink < 1,
        "full": [height, width],
        "turned": loose is not None and loose.turned,
        "rim": math.ceil(puzzle.rim * shrink),
        "corners": _corners(loose),
        "grid": None if grid is None else list(grid),
        "picture": None,
        "truth": None,
    }


def fit_page(picture: Pixels, grid: Grid) -> Pixels:
    """Make a picture divisible by the grid at a size for the page; one that fits already keeps its pixels."""
    height, width = picture.shape[:2]
    shrink = min(1.0, PAGE_SIDE / max(height, width))
    piece_h, piece_w = height * shrink / grid.rows, width * shrink / grid.cols
    if shrink == 1 and min(piece_h, piece_w) >= SMALLEST_PIECE:
        return fit(picture, grid)
    rows = max(SMALLEST_PIECE, round(piece_h)) * grid.rows
    return resize_picture(picture, rows, max(SMALLEST_PIECE, round(piece_w)) * grid.cols)


def _sheet(pieces: Pixels, layout: Grid) -> dict[str, Any]:
    order: Ints = np.arange(len(pieces))
    return {
        "sheet": png_data(assemble(pieces, layout, order)),
        "layout": [layout.rows, layout.cols],
        "count": len(pieces),
        "piece": list(pieces.shape[1:3]),
    }


def _check_picture_size(puzzle: Puzzle, job: Job, limits: Limits) -> None:
    """Few pieces on a large grid make a far larger picture than what was sent."""
    slots = len(puzzle) if job.grid is None else job.puzzles * Grid.of(job.grid).slots
    pixels = slots * math.prod(puzzle.piece_size)
    if pixels > limits.pixels:
        what = "picture" if job.puzzles == 1 else "pictures"
        raise ApiError(
            413,
            f"The {what} would have {pixels / 1e6:.0f} megapixels, more than the {limits.pixels / 1e6:g} allowed; "
            f"leave out 'with_picture'.",
        )


def _score(solution: Solution) -> dict[str, Any]:
    found = score(solution)
    right = correct_pieces(solution).tolist()
    return {
        "direct": found.direct_interchangeable,
        "neighbour": found.neighbour_interchangeable,
        "right": right,
    }


def _thumbnail(job: Job) -> bytes:
    picture = sample_picture(job.sample)
    height, width = picture.shape[:2]
    shrink = min(1.0, THUMBNAIL_SIDE / min(height, width))
    return png_bytes(resize_picture(picture, round(height * shrink), round(width * shrink)))
