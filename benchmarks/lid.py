"""Solving and finding with the picture on the box: `python -m benchmarks.lid --pictures 8`.

The picture of every puzzle is spoilt as a phone spoils a lid (perspective, a crop or a frame, other colours, JPEG, a
third of the resolution) and given as the reference; then the lid of another picture is given. Accuracies are of pieces
in place, identical ones interchangeable. By default on training pictures that were held out; `--test --results
results/lid.json` takes the test pictures.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle import Puzzle, load_solver, score
from ganzzle.data.reading import data_root, decode_all, encoded_pictures
from ganzzle.lid.finding import Asked, find_pieces
from ganzzle.pile import CutPiece
from ganzzle.provenance import provenance
from ganzzle.puzzle import Pixels
from ganzzle.solution import Answer
from ganzzle.solvers import Solver
from ganzzle.solving.loop import solve
from ganzzle.solving.reference import OTHER_PICTURE
from ganzzle.training.calibrate import held_out_pictures

SETS = ("faces", "art", "photos")
CELLS = (
    "6x6 erode:5", "6x6 missing:0.5", "10x10 erode:5", "6x6 erode:2 turned", "6x6 erode:5 unknown",
    "12x12 noise:0.2", "12x12 erode:2 turned",
)  # fmt: skip
PIECE = 32  # px of a piece
FOUND = 8  # tiles of each picture that are looked for alone
PLAIN = 8.0  # deviation of a tile's colours, of 255, below which it is plain

TILT = 15  # degrees, at most, by which the camera looks at the lid from aside
SHARE = 0.1  # of each side that is cropped, or framed, at most
GAMMA, GAIN, TINT = 1.4, 1.2, 0.08  # how far colours are shifted, at most
QUALITY = 50  # of the JPEG file
THIRD = 3  # times less px than the puzzle


def spoilt(
    picture: Pixels, size: tuple[int, int], rng: np.random.Generator
) -> tuple[Pixels, NDArray[np.float64]]:
    """A picture (H, W, 3) as a photograph of a lid of about `size` (height, width), and the homography (3, 3) from the
    picture's unit square to the photograph's px."""
    height, width = picture.shape[:2]
    edges = rng.uniform(0, SHARE, 4) * rng.choice([-1, 1])
    left, right, above, below = np.rint(edges * [width, width, height, height]).astype(int)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    if left + right > 0 or above + below > 0:
        ground = tuple(int(c) for c in rng.integers(0, 256, 3))
        lid = cv2.copyMakeBorder(picture, above, below, left, right, cv2.BORDER_CONSTANT, value=ground)
        where = (left // 2, lid.shape[0] - max(3, below // 3))
        cv2.putText(lid, "1000 pieces", where, cv2.FONT_HERSHEY_SIMPLEX, height / 700, (20, 20, 20), 1)
    else:
        lid = picture[-above : height + below or None, -left : width + right or None]
    corners += [left, above]
    seen = _tilted(lid.shape[:2], rng)
    out = (round(size[1]), round(size[0]))
    # From the lid's px to those of the photograph, which shows all of it and some table around.
    target = seen * [out[0] / lid.shape[1], out[1] / lid.shape[0]]
    own = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64) * [lid.shape[1], lid.shape[0]]
    map_to = cv2.getPerspectiveTransform(own.astype(np.float32), target.astype(np.float32))
    factor = 4  # drawn larger and then averaged
    larger = np.diag([factor, factor, 1.0]) @ map_to
    table = tuple(int(c) for c in rng.integers(0, 256, 3))
    photo = cv2.warpPerspective(lid, larger, (out[0] * factor, out[1] * factor), borderValue=table)
    photo = cv2.resize(photo, out, interpolation=cv2.INTER_AREA)
    gamma = GAMMA ** rng.uniform(-1, 1)
    mix = np.diag(GAIN ** rng.uniform(-1, 1, 3)) + rng.uniform(-TINT, TINT, (3, 3))
    shifted = 255 * np.clip((photo / 255) ** gamma @ mix.T, 0, 1)
    _, file = cv2.imencode(
        ".jpg", shifted.round().astype(np.uint8)[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    )
    reference = cv2.imdecode(file, cv2.IMREAD_COLOR)[..., ::-1]
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    on_photo = cv2.perspectiveTransform(corners[None].astype(np.float32), map_to)[0]
    return np.ascontiguousarray(reference), cv2.getPerspectiveTransform(unit, on_photo)


def _tilted(size: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Where the corners (4, 2) of a lid of some height and width are seen, in its own px, within its own frame."""
    height, width = size
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, height / 2]
    about, angle = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(0, TILT))
    axis = np.array([np.cos(about), np.sin(about), 0.0]) * angle
    turned = np.c_[corners, np.zeros(4)] @ cv2.Rodrigues(axis)[0].T
    far = 1.5 * max(size)
    seen = turned[:, :2] * far / (far + turned[:, 2:])
    low, high = seen.min(0), seen.max(0)
    fitted: NDArray[np.float64] = (seen - (low + high) / 2) * ([width, height] / (high - low)).min()
    middle = np.array([width / 2, height / 2])
    return fitted + middle


def pictures_of(name: str, count: int, test: bool) -> list[Pixels]:
    """The first pictures of a set, of its test shard or of those that training kept back."""
    if not test:
        return held_out_pictures(f"{name}/train-*.tar", count)
    encoded = encoded_pictures(f"{name}/test-*.tar", data_root())[:count]
    return [picture for _, picture in decode_all(encoded, lambda each, _: each) if picture is not None]


def solved(solver: Solver, pictures: Sequence[Pixels], cell: str) -> dict[str, float]:
    """Means over pictures without a lid, with theirs and with that of the next picture."""
    grid, corruption, *how = cell.split()
    rows = []
    for k, picture in enumerate(pictures):
        turned = "turned" in how
        puzzle = Puzzle.from_picture(
            picture, grid, seed=[5, k], piece=PIECE, corrupt=corruption, rotated=turned
        )
        assert puzzle.grid is not None
        size = round(PIECE * puzzle.grid.rows / THIRD), round(PIECE * puzzle.grid.cols / THIRD)
        rng = np.random.default_rng([9, k])
        lid, other = (spoilt(each, size, rng)[0] for each in (picture, pictures[(k + 1) % len(pictures)]))
        pile = puzzle.pile(turned=turned)
        pile = replace(pile, grid=None) if "unknown" in how else pile
        start = time.perf_counter()
        without = solve(pile, solver)
        between = time.perf_counter()
        with_lid = solve(replace(pile, reference=lid), solver)
        end = time.perf_counter()
        wrong = solve(replace(pile, reference=other), solver)
        noticed = OTHER_PICTURE in wrong.advice
        rows.append(
            {
                "without": accuracy(puzzle, without),
                "with": accuracy(puzzle, with_lid),
                "believed": float(OTHER_PICTURE not in with_lid.advice),
                "confidence": float(with_lid.confidence.mean()),
                "noticed": float(noticed),
                "as_without": float(noticed or accuracy(puzzle, wrong) >= accuracy(puzzle, without)),
                "s_without": between - start,
                "s_with": end - between,
            }
        )
    return {key: round(float(np.mean([row[key] for row in rows])), 4) for key in rows[0]}


def accuracy(puzzle: Puzzle, answer: Answer) -> float:
    """The share of pieces in place."""
    found = answer.solutions[0]
    if found.grid != puzzle.grid or len(found.members) < len(puzzle):
        return 0.0
    return score(replace(found, puzzle=puzzle)).direct_interchangeable


def found_alone(pictures: Sequence[Pixels], grid: str = "12x12") -> dict[str, float]:
    """How often single tiles that are not plain are found on the lid: at first, among three, and how sure it is."""
    rows = []
    for k, picture in enumerate(pictures):
        puzzle = Puzzle.from_picture(picture, grid, seed=[5, k], piece=PIECE)
        assert puzzle.truth is not None
        assert puzzle.grid is not None
        size = round(PIECE * puzzle.grid.rows / THIRD), round(PIECE * puzzle.grid.cols / THIRD)
        lid, on_lid = spoilt(picture, size, np.random.default_rng([9, k]))
        for piece in np.random.default_rng(k).permutation(len(puzzle))[:FOUND]:
            tile = puzzle.pieces[piece]
            row, col = divmod(int(puzzle.truth.placement[piece]), puzzle.grid.cols)
            corners = np.array([[[col + x, row + y] for x, y in ((0.5, 0.5), (0, 0), (1, 1))]], np.float32)
            shares = corners / np.array([puzzle.grid.cols, puzzle.grid.rows], np.float32)
            middle, low, high = cv2.perspectiveTransform(shares, on_lid)[0]
            cropped = (middle < 0).any() or (middle > (size[1], size[0])).any()
            if cropped or tile.reshape(-1, 3).std(0).max() < PLAIN:
                continue
            start = time.perf_counter()
            whole = CutPiece(tile, np.ones(tile.shape[:2], bool))
            (one,) = find_pieces(lid, [Asked((whole,), tiles=True)], puzzle.grid)
            took = time.perf_counter() - start
            hits = [bool((np.abs(place.middle - middle) < (high - low) / 2).all()) for place in one.places]
            rows.append((hits[0], any(hits), one.places[0].probability, took))
    first, three, sure, seconds = np.mean(np.array(rows, np.float64), 0).round(4).tolist()
    return {"tiles": len(rows), "first": first, "three": three, "confidence": sure, "s": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=8, help="of each set")
    parser.add_argument("--test", action="store_true", help="test pictures, for the record")
    parser.add_argument("--set", action="append", choices=SETS, help="default: all")
    parser.add_argument(
        "--cell", action="append", help='e.g. "6x6 erode:5", "12x12 none turned"; default: all'
    )
    parser.add_argument("--results", type=Path, help="a JSON file to write")
    options = parser.parse_args()
    solver = load_solver("hybrid")
    rows: list[dict[str, Any]] = []
    cells = options.cell or ["find", *CELLS]
    shown = {name: pictures_of(name, options.pictures, options.test) for name in options.set or SETS}
    for cell in cells:
        for name, pictures in shown.items():
            found = found_alone(pictures) if cell == "find" else solved(solver, pictures, cell)
            rows.append({"set": name, "cell": cell, "pictures": len(pictures), **found})
            print(" ".join(f"{key}={value}" for key, value in rows[-1].items()), flush=True)
            if options.results is not None:  # what is measured is kept, whatever comes next
                record = {"rows": rows, "test": options.test, **provenance()}
                options.results.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
