"""The figures of a run, each with its caption: written as PNG and SVG, and shown in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ganzzle.bench import figures as curves
from ganzzle.bench import galleries, published
from ganzzle.bench.predictions import Item, read_predictions
from ganzzle.bench.results import Row
from ganzzle.bench.rows import calibration
from ganzzle.puzzle import Grid
from ganzzle.solvers import default_solver

Shown = list[tuple[Path, str]]  # figures without ending, and their captions


def data_figures(rows: Sequence[Row], files: Mapping[Item, Path], dataset: str, folder: Path) -> Shown:
    """All that is about one data set; `files`: where the answers to each item are."""
    return (
        _accuracies(rows, dataset, folder)
        + _pictures(files, dataset, folder)
        + _failures(files, dataset, folder)
    )


def _accuracies(rows: Sequence[Row], dataset: str, folder: Path) -> Shown:
    """Accuracy over grid size and over wear."""
    shown: Shown = []
    if figure := curves.accuracy_over_grid(rows, dataset):
        path = curves.save_figure(figure, folder, f"accuracy-{dataset}")
        caption = "Direct accuracy over grid size, on an axis stretched at its ends; bars are 95 % intervals."
        shown.append((path, caption))
    for grid in dict.fromkeys(row["grid"] for row in rows if row["corruption"] != "none"):
        if figure := curves.accuracy_over_wear(rows, dataset, grid):
            path = curves.save_figure(figure, folder, f"wear-{dataset}-{grid}")
            shown.append((path, f"Direct accuracy over wear, {grid}; bars are 95 % intervals."))
    return shown


def confidence_figures(files: Mapping[Item, Path], folder: Path) -> Shown:
    """How often pieces of a confidence are right."""
    upright = [item for item in files if not item.rotated]
    calibrations = [
        calibration(solver, (read_predictions(files[i]) for i in upright if i.solver == solver))
        for solver in dict.fromkeys(item.solver for item in upright)
    ]
    if not calibrations:
        return []
    path = curves.save_figure(curves.calibration_figure(calibrations), folder, "calibration")
    caption = (
        "Confidence and truth, over all pieces of all upright puzzles: on the diagonal nine in ten pieces of "
        f"confidence 0.9 are right. Points of fewer than {curves.FEW_PIECES} pieces are left out."
    )
    return [(path, caption)]


def _pictures(files: Mapping[Item, Path], dataset: str, folder: Path) -> Shown:
    """Solved puzzles and mental images."""
    shown: Shown = []
    clean = [i for i in files if i.dataset == dataset and i.corruption == "none" and not i.rotated]
    if not clean:
        return shown
    answers = {item: read_predictions(files[item]) for item in clean}
    telling = galleries.telling_puzzle(list(answers.values()))
    puzzles = [(0, "solved", "The first puzzle")]
    if telling:
        puzzles.append((telling, "telling", "The puzzle on which the solvers differ most"))
    for index, name, what in puzzles:
        solved = {(i.solver, i.grid): galleries.one_solution(p, index) for i, p in answers.items()}
        path = curves.save_figure(galleries.solved_gallery(solved), folder, f"{name}-{dataset}")
        shown.append((path, f"{what}; wrongly placed pieces are framed."))
    for solver in dict.fromkeys(item.solver for item in clean):
        item = next((i for i in clean if i.solver == solver and i.grid == published.WORN_GRID), None)
        item = item or next(i for i in clean if i.solver == solver)
        if figure := galleries.mental_gallery(answers[item]):
            path = curves.save_figure(figure, folder, f"mental-{solver.replace(':', '-')}-{dataset}")
            shown.append((path, f"Mental images of {published.label_of(solver)}, {item.grid}."))
    return shown


def _failures(files: Mapping[Item, Path], dataset: str, folder: Path) -> Shown:
    """The worst puzzles of the best solver: worn ones of the usual grid, and the largest clean ones."""
    mine = [i for i in files if i.solver == default_solver() and i.dataset == dataset and not i.rotated]
    clean = [i for i in mine if i.corruption == "none"]
    chosen = [i for i in mine if i.grid == published.WORN_GRID and i not in clean]
    if clean:
        chosen.insert(0, max(clean, key=lambda item: Grid.of(item.grid).slots))
    shown: Shown = []
    for item in chosen:
        if figure := galleries.worst_gallery(read_predictions(files[item])):
            what = item.corruption.replace(":", "-")
            path = curves.save_figure(figure, folder, f"worst-{dataset}-{item.grid}-{what}")
            label = published.label_of(item.solver)
            caption = f"The worst puzzles of {label}, {item.grid}, {item.corruption}: picture and answer."
            shown.append((path, caption))
    return shown


def time_figures(rows: Sequence[Row], folder: Path) -> Shown:
    """Time over pieces."""
    if not rows:
        return []
    path = curves.save_figure(curves.time_figure(rows), folder, "time")
    return [(path, "Time over pieces, both logarithmic.")]
