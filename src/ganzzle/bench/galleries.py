"""Figures made of pictures: what every solver made of one puzzle, and mental images beside the originals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ganzzle.bench import published
from ganzzle.bench.predictions import Item, Predictions
from ganzzle.metrics import correct_pieces
from ganzzle.pieces import turn_pieces
from ganzzle.protocol import make_puzzle
from ganzzle.puzzle import Floats, Grid, Pixels
from ganzzle.reading.pictures import resize_picture
from ganzzle.reading.sources import iterate_pictures
from ganzzle.solution import Solution


def solved_gallery(solutions: Mapping[tuple[str, str], Solution]) -> Figure:
    """A row a solver, a column a size: (solver, grid) -> a puzzle as it was put together, wrong pieces framed.

    Where there is one size only, the solvers stand side by side.
    """
    solvers = published.in_order(solver for solver, _ in solutions)
    grids = sorted({grid for _, grid in solutions}, key=lambda grid: Grid.of(grid).slots)
    labels = [published.label_of(solver) for solver in solvers]
    cells = [[(solver, grid) for grid in grids] for solver in solvers]
    rows, columns = labels, grids
    if len(grids) == 1:
        cells, rows, columns = [[(solver, grids[0]) for solver in solvers]], grids, labels
    figure = Figure((1.8 * len(columns) + 0.6, 1.8 * len(rows) + 0.3))
    panels = figure.subplots(len(rows), len(columns), squeeze=False)
    figure.subplots_adjust(wspace=0.04, hspace=0.04)
    for line, row in zip(panels, cells, strict=True):
        for axes, cell in zip(line, row, strict=True):
            _bare(axes)
            if cell in solutions:
                axes.imshow(with_frames(solutions[cell]))
            else:
                axes.text(0.5, 0.5, "-", ha="center", va="center")
    for axes, label in zip(panels[:, 0], rows, strict=True):
        axes.set_ylabel(label, fontsize="small")
    for axes, label in zip(panels[0], columns, strict=True):
        axes.set_title(label, fontsize="small")
    return figure


def mental_gallery(predictions: Predictions) -> Figure | None:
    """Originals above, the solver's mental images below. None where it has none."""
    images = predictions.mental_images
    if not images:
        return None
    item = predictions.item
    originals = [picture for _, picture in iterate_pictures(item.source, len(images), item.plan().takes)]
    figure = Figure((1.8 * len(images) + 0.6, 3.9))
    panels = figure.subplots(2, len(images), squeeze=False)
    figure.subplots_adjust(wspace=0.04, hspace=0.04)
    for row, pictures in zip(panels, (originals, images), strict=True):
        for axes, picture in zip(row, pictures, strict=True):
            _bare(axes)
            axes.imshow(picture, aspect="auto")
    panels[0, 0].set_ylabel("original", fontsize="small")
    panels[1, 0].set_ylabel("mental image", fontsize="small")
    panels[0, 0].set_title(f"{published.label_of(item.solver)}, {item.grid}", fontsize="small", loc="left")
    return figure


def telling_puzzle(predictions: Sequence[Predictions]) -> int:
    """The index of the puzzle on which solvers differ most, all grids together; the first where they do not."""
    shares: dict[str, Floats] = {}
    count = min(len(p.solutions) for p in predictions)
    for p in predictions:
        right = np.array([correct_pieces(solution).mean() for solution in p.solutions[:count]])
        shares[p.item.solver] = shares.get(p.item.solver, np.zeros(count)) + right
    return int(np.argmax(np.std(list(shares.values()), axis=0)))


def worst_gallery(predictions: Predictions, count: int = 10) -> Figure | None:
    """The puzzles with the fewest right pieces, each beside its picture. None where all are right."""
    shares = np.array([correct_pieces(solution).mean() for solution in predictions.solutions])
    worst = [int(k) for k in np.argsort(shares, kind="stable")[:count] if shares[k] < 1]
    if not worst:
        return None
    item, plan = predictions.item, predictions.item.plan()
    ((grid, corruption),) = plan.cells
    found = enumerate(iterate_pictures(item.source, max(worst) + 1, plan.takes))
    pictures = {index: given for index, given in found if index in worst}
    columns = min(5, len(worst))
    rows = -(-len(worst) // columns)
    figure = Figure((3.3 * columns, 1.95 * rows))
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    figure.subplots_adjust(wspace=0.06, hspace=0.16)
    for axes in panels:
        axes.set_axis_off()
    for axes, index in zip(panels, worst, strict=False):
        puzzle = make_puzzle(plan, index, *pictures[index], grid, corruption)
        solved = with_frames(replace(predictions.solutions[index], puzzle=puzzle))
        original = resize_picture(pictures[index][1], *solved.shape[:2])
        axes.imshow(np.concatenate([original, solved], 1))
        axes.set_title(f"{pictures[index][0]}: {100 * shares[index]:.0f} %", fontsize="x-small")
    return figure


def one_solution(predictions: Predictions, index: int) -> Solution:
    """The answer to one puzzle on its real pieces; the puzzle is made again from its picture."""
    item, plan = predictions.item, predictions.item.plan()
    ((grid, corruption),) = plan.cells
    name, picture = _picture(item.source, item.permutations, item.grid if item.permutations else "", index)
    puzzle = make_puzzle(plan, index, name, picture, grid, corruption)
    return replace(predictions.solutions[index], puzzle=puzzle)


@lru_cache(maxsize=8)  # every solver and grid asks for the same few
def _picture(source: str, permutations: str | None, grid: str, index: int) -> tuple[str, Pixels]:
    """One picture of a source, counted among those that take part."""
    takes = Item("", "", source, grid or "1x1", permutations=permutations).plan().takes
    return next(islice(iterate_pictures(source, index + 1, takes), index, None))


def with_frames(solution: Solution) -> Pixels:
    """The assembled picture, every wrong piece in a white frame with a black line: visible on any ground."""
    pieces = turn_pieces(solution.puzzle.pieces, solution.turns).copy()
    sides = np.array(pieces.shape[1:3]) * (solution.grid.rows, solution.grid.cols)
    # Alike at any size, but never the whole piece.
    width = max(1, min(round(sides.max() / 96), min(pieces.shape[1:3]) // 7))
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
