"""The demo: a sample picture cut, shuffled and solved, and one picture that shows it all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ganzzle.metrics import Score, score
from ganzzle.pieces import assemble, cut
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.reading.pictures import resize_picture
from ganzzle.solution import Solution
from ganzzle.solvers import Solver

PANEL = 320  # px a side of each picture in the overview
GAP = 12
CAPTION = 26
PAPER, INK = (250, 249, 246), (40, 40, 44)


@dataclass(frozen=True, eq=False)
class Round:
    """One puzzle of the demo."""

    original: Pixels
    solution: Solution
    score: Score
    seconds: float


def play(picture: Pixels, grids: Sequence[int], solver: Solver, seed: int = 0) -> list[Round]:
    """Solve the picture cut into each grid; the solver is warmed up first, so the seconds are what solving takes."""
    solver.solve(Puzzle.from_picture(picture, 6, seed=seed), seed)
    rounds = []
    for grid in grids:
        puzzle = Puzzle.from_picture(picture, grid, seed=seed)
        start = time.perf_counter()
        solution = solver.solve(puzzle, seed)
        seconds = time.perf_counter() - start
        rounds.append(Round(picture, solution, score(solution), seconds))
    return rounds


def overview(rounds: Sequence[Round]) -> Pixels:
    """One row a round: the pile, the mental image where there is one, the solution, the original."""
    return np.concatenate([_row(one) for one in rounds])


def _row(one: Round) -> Pixels:
    solution = one.solution
    puzzle, grid = solution.puzzle, solution.grid
    pile = assemble(puzzle.pieces, grid, np.arange(len(puzzle)))
    panels = [_panel(_spread(pile, solution), f"the pile: {len(puzzle)} pieces")]
    if solution.mental_image is not None:
        panels.append(_panel(solution.mental_image, "the mental image"))
    right = f"{100 * one.score.direct:.1f} % in place, {one.seconds:.2f} s"
    panels.append(_panel(solution.picture(), f"{solution.solver}: {right}"))
    panels.append(_panel(one.original, "the original"))
    return np.concatenate(panels, axis=1)


def _spread(picture: Pixels, solution: Solution) -> Pixels:
    """The same picture with a thin gap between the pieces, so that they are seen as pieces."""
    pieces = cut(picture, solution.grid)
    height, width = solution.puzzle.piece_size
    gap = max(2, min(height, width) // 10)
    framed = np.full((len(pieces), height + gap, width + gap, 3), PAPER, np.uint8)
    framed[:, gap // 2 : gap // 2 + height, gap // 2 : gap // 2 + width] = pieces
    return assemble(framed, solution.grid, np.arange(len(pieces)))


def _panel(picture: Pixels, caption: str) -> Pixels:
    """(PANEL + GAP + CAPTION, PANEL + GAP, 3) the picture scaled to the panel, its caption below."""
    height, width = picture.shape[:2]
    scale = PANEL / max(height, width)
    size = max(1, round(height * scale)), max(1, round(width * scale))
    sheet = Image.new("RGB", (PANEL + GAP, PANEL + GAP + CAPTION), PAPER)
    left, top = (PANEL + GAP - size[1]) // 2, (PANEL + GAP - size[0]) // 2
    sheet.paste(Image.fromarray(resize_picture(picture, *size)), (left, top))
    font = ImageFont.load_default(15)
    ImageDraw.Draw(sheet).text(((PANEL + GAP) // 2, PANEL + GAP + 2), caption, INK, font, anchor="ma")
    return np.asarray(sheet)
