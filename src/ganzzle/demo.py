"""The demo: a sample picture cut, shuffled and solved, and one picture that shows it all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ganzzle.drawing.page_guide import page_guides
from ganzzle.grid import GridLike
from ganzzle.metrics import Score, score
from ganzzle.pieces import assemble, cut
from ganzzle.pile import Pile
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.reading.pictures import resize_picture
from ganzzle.samples.jigsaws import Look, jigsaw_pages
from ganzzle.solution import Answer, Solution
from ganzzle.solvers import Solver
from ganzzle.solving.loop import solve

PANEL = 320  # px a side of each picture in the overview
JIGSAW_PANEL = 460  # the same of a drawn jigsaw
JIGSAW_SIDE = 90  # px of its pieces
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


@dataclass(frozen=True, eq=False)
class JigsawRound:
    """A drawn jigsaw of the demo: its pages, and the answer to them."""

    original: Pixels
    pages: tuple[Pixels, ...]
    answer: Answer
    seconds: float  # reading included


def play_jigsaw(picture: Pixels, grid: GridLike, seed: int = 0) -> JigsawRound:
    """Draw loose jigsaw pieces of a picture on a page, find them there, and lay them."""
    pages = jigsaw_pages(picture, grid, seed, pages=1, side=JIGSAW_SIDE, look=Look(ground="pink")).pages
    start = time.perf_counter()
    answer = solve(Pile.from_scans(pages), seed=seed)
    return JigsawRound(picture, pages, answer, time.perf_counter() - start)


def jigsaw_overview(one: JigsawRound) -> Pixels:
    """The page, the same with row, column and an arrow up on every piece, and the picture laid of them."""
    laid = one.answer.laid[0]
    panels = [
        _panel(one.pages[0], f"{len(one.answer.pile)} loose pieces", JIGSAW_PANEL),
        _panel(page_guides(one.answer)[0], "where each one goes", JIGSAW_PANEL),
        _panel(laid.picture(), f"laid in {one.seconds:.1f} s, {laid.grid}", JIGSAW_PANEL),
    ]
    return np.concatenate(panels, axis=1)


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


def _panel(picture: Pixels, caption: str, side: int = PANEL) -> Pixels:
    """(side + GAP + CAPTION, side + GAP, 3) the picture scaled to the panel, its caption below."""
    height, width = picture.shape[:2]
    scale = side / max(height, width)
    size = max(1, round(height * scale)), max(1, round(width * scale))
    sheet = Image.new("RGB", (side + GAP, side + GAP + CAPTION), PAPER)
    left, top = (side + GAP - size[1]) // 2, (side + GAP - size[0]) // 2
    sheet.paste(Image.fromarray(resize_picture(picture, *size)), (left, top))
    font = ImageFont.load_default(15)
    ImageDraw.Draw(sheet).text(((side + GAP) // 2, side + GAP + 2), caption, INK, font, anchor="ma")
    return np.asarray(sheet)
