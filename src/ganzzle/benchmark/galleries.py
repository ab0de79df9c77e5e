"""Figures made of pictures: what every solver made of one puzzle, and mental images beside the originals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

from ganzzle.benchmark import published
from ganzzle.benchmark.predictions import Predictions
from ganzzle.evaluation import make_puzzle
from ganzzle.metrics import correct_pieces
from ganzzle.pictures import iterate_pictures
from ganzzle.puzzle import Grid, Pixels, Solution, turn_pieces


def solved_gallery(solutions: Mapping[tuple[str, str], Solution]) -> Figure:
    """A row a solver, a column a size: (solver, grid) -> a puzzle as it was put together, wrong pieces framed."""
    solvers = published.in_order(solver for solver, _ in solutions)
    grids = sorted({grid for _, grid in solutions}, key=lambda grid: Grid.of(grid).slots)
    figure = Figure((1.5 * len(grids) + 1.2, 1.6 * len(solvers)))
    panels = figure.subplots(len(solvers), len(grids), squeeze=False)
    for row, solver in zip(panels, solvers, strict=True):
        for axes, grid in zip(row, grids, strict=True):
            _bare(axes)
            if (solver, grid) in solutions:
                axes.imshow(with_frames(solutions[solver, grid]))
            else:
                axes.text(0.5, 0.5, "-", ha="center", va="center")
        row[0].set_ylabel(published.label_of(solver), fontsize="small")
    for axes, grid in zip(panels[0], grids, strict=True):
        axes.set_title(grid, fontsize="small")
    return figure


def mental_gallery(predictions: Predictions) -> Figure | None:
    """Originals above, the solver's mental images below. None where it has none."""
    images = predictions.mental_images
    if not images:
        return None
    item = predictions.item
    originals = [picture for _, picture in iterate_pictures(item.source, len(images), item.plan().takes)]
    figure = Figure((1.6 * len(images) + 1, 3.4))
    panels = figure.subplots(2, len(images), squeeze=False)
    for row, pictures in zip(panels, (originals, images), strict=True):
        for axes, picture in zip(row, pictures, strict=True):
            _bare(axes)
            axes.imshow(picture, aspect="auto")
    panels[0, 0].set_ylabel("original", fontsize="small")
    panels[1, 0].set_ylabel("mental image", fontsize="small")
    figure.suptitle(f"{published.label_of(item.solver)}, {item.grid}", fontsize="small")
    return figure


def first_solution(predictions: Predictions) -> Solution:
    """The answer to the first puzzle on its real pieces; the puzzle is made again from its picture."""
    item, plan = predictions.item, predictions.item.plan()
    ((grid, corruption),) = plan.cells
    ((name, picture),) = iterate_pictures(item.source, 1, plan.takes)
    puzzle = make_puzzle(plan, 0, name, picture, grid, corruption)
    return replace(predictions.solutions[0], puzzle=puzzle)


def with_frames(solution: Solution) -> Pixels:
    """The assembled picture, every wrong piece in a white frame with a black line: visible on any ground."""
    pieces = turn_pieces(solution.puzzle.pieces, solution.turns).copy()
    width = max(1, min(pieces.shape[1:3]) // 12)
    wrong = ~correct_pieces(solution)
    for depth, shade in ((0, 255), (width, 0)):
        framed = pieces[wrong]
        inner = (slice(None), slice(depth, framed.shape[1] - depth), slice(depth, framed.shape[2] - depth))
        core = framed[inner]
        edge = width if shade else max(1, width // 2)
        core[:, :edge] = core[:, -edge:] = shade
        core[:, :, :edge] = core[:, :, -edge:] = shade
        pieces[wrong] = framed
    upright = replace(solution.puzzle, pieces=pieces)
    return replace(solution, puzzle=upright, turns=0 * solution.turns).picture()


def _bare(axes: Any) -> None:
    """No ticks; the frame stays."""
    axes.set_xticks([])
    axes.set_yticks([])
