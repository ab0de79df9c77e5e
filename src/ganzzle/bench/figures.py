"""Curves: accuracy over size and wear, calibration, time. Markers and dashes tell the lines apart, not colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ganzzle.bench import published
from ganzzle.bench.rows import Calibration
from ganzzle.damage.corruption import Corruption
from ganzzle.puzzle import Floats, Grid

MARKERS = "osD^v<>Ph*X"
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 2, 1, 2, 1, 2)))
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#555555", "#8c564b", "#000000")
WEAR_AXES = {"missing": "pieces missing, share", "noise": "noise, sigma", "erode": "rim eroded, px"}
TICKS = (0, 5, 10, 25, 50, 75, 90, 95, 98, 99, 99.5, 99.9, 100)
FEW_PIECES = 30  # bins with fewer say nothing

Row = dict[str, Any]


def save_figure(figure: Figure, folder: Path, name: str) -> Path:
    """Write NAME.png and NAME.svg, the same bytes for the same figures; gives the path without ending."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "ganzzle", "svg.fonttype": "none"}):
        figure.savefig(folder / f"{name}.png", dpi=150, bbox_inches="tight")
        figure.savefig(folder / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    return folder / name


def accuracy_over_grid(rows: Sequence[Row], dataset: str) -> Figure | None:
    """Direct accuracy of clean puzzles against pieces an edge, on an axis that is stretched at its ends."""
    mine = [r for r in rows if _is_clean(r) and r["dataset"] == dataset and _is_square(r["grid"])]
    if not mine:
        return None
    figure = Figure((6.4, 4.2))
    axes = figure.add_subplot()
    paper = published.DIRECT.get(dataset, {})
    known = [(Grid.of(grid).rows, figure) for (solver, grid), figure in paper.items() if solver == "ganzzle"]
    sizes = sorted({Grid.of(r["grid"]).rows for r in mine} | {size for size, _ in known})
    for solver in _solvers(mine):
        points = [(sizes.index(Grid.of(r["grid"]).rows), r) for r in mine if r["solver"] == solver]
        _curve(axes, points, solver, _solvers(mine), 0.6)
    if known:
        x = [sizes.index(size) for size, _ in known]
        axes.plot(x, [f for _, f in known], ":", color="0.4", marker="x", label="GANzzle, published")
    axes.set_xticks(range(len(sizes)), [f"{size}x{size}" for size in sizes])
    _finish(axes, "grid", published.title_of(dataset))
    axes.set_yscale("function", functions=(_stretched, _back))
    axes.yaxis.set_major_locator(FixedLocator(TICKS))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axes.set_ylim(0, 100.02)  # a little room for the markers at 100
    _legend(axes)
    return figure


def _stretched(accuracy: Floats) -> Floats:
    """Per cent -> a scale on which 90, 99 and 99.9 are equally far apart, and low figures have room too."""
    share = np.clip(accuracy, 0, 100.02)
    return np.log10((share + 5) / (100.05 - share))


def _back(place: Floats) -> Floats:
    odds = 10.0 ** np.asarray(place)
    return (100.05 * odds - 5) / (1 + odds)


def accuracy_over_wear(rows: Sequence[Row], dataset: str, grid: str) -> Figure | None:
    """Direct accuracy against how much is missing, noisy, eroded; level 0 is the clean puzzle."""
    mine = [r for r in rows if r["dataset"] == dataset and r["grid"] == grid and not r["rotated"]]
    steps = {r["corruption"]: Corruption.parse(r["corruption"]).steps for r in mine}
    kinds = [k for k in WEAR_AXES if any(len(s) == 1 and s[0].kind == k for s in steps.values())]
    if not kinds:
        return None
    figure = Figure((3.4 * len(kinds) + 1, 3.6))
    panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    figure.subplots_adjust(wspace=0.08)
    for axes, kind in zip(panels, kinds, strict=True):
        kept = [r for r in mine if all(step.kind == kind for step in steps[r["corruption"]])]
        levels = {c: s[0].level if s else 0.0 for c, s in steps.items() if len(s) <= 1}
        known = sorted({levels[r["corruption"]] for r in kept if r["corruption"] in levels})
        for solver in _solvers(mine):
            points = [
                (known.index(levels[r["corruption"]]), r)
                for r in kept
                if r["solver"] == solver and r["corruption"] in levels
            ]
            _curve(axes, points, solver, _solvers(mine), 0.5)
        axes.set_xticks(range(len(known)), [f"{level:g}" for level in known])
        _finish(axes, WEAR_AXES[kind], "")
    for axes in panels[1:]:
        axes.set_ylabel("")
    _legend(panels[-1])
    figure.suptitle(f"{published.title_of(dataset)}, {grid}", fontsize="medium", y=0.96)
    return figure


def calibration_figure(calibrations: Sequence[Calibration]) -> Figure:
    """The share of right pieces against the confidence; on the diagonal a solver is as good as it says."""
    figure = Figure((4.8, 4.8))
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="as good as it says")
    found = {c.solver: c for c in calibrations}
    for solver in published.in_order(found):
        c = found[solver]
        enough = c.pieces >= min(FEW_PIECES, c.pieces.max())
        label = f"{published.label_of(solver)}: off by {c.error:.3f}"
        axes.plot(c.confidence[enough], c.right[enough], label=label, **_style(solver, list(found)))
    axes.set(xlabel="confidence of a piece", ylabel="share of pieces that are right", aspect="equal")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.grid(alpha=0.3)
    _legend(axes)
    return figure


def time_figure(rows: Sequence[Row]) -> Figure:
    """Time a puzzle against pieces, both logarithmic; a line for each solver and device."""
    figure = Figure((6.4, 4.2))
    axes = figure.add_subplot()
    solvers, devices = _solvers(rows), list(dict.fromkeys(row["device"] for row in rows))
    for solver in solvers:
        for device in devices:
            mine = [r for r in rows if (r["solver"], r["device"]) == (solver, device)]
            points = sorted((Grid.of(r["grid"]).slots, r["ms_mean"] / 1000) for r in mine)
            if points:
                style = _style(solver, solvers) | ({"markerfacecolor": "white"} if device != "cpu" else {})
                label = f"{published.label_of(solver)}, {device}"
                axes.loglog(*zip(*points, strict=True), label=label, **style)
    sizes = sorted({Grid.of(row["grid"]).slots for row in rows})
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g} s" if y >= 1 else f"{1000 * y:g} ms"))
    axes.set(xlabel="pieces", ylabel="time a puzzle")
    axes.grid(alpha=0.3)
    _legend(axes)
    return figure


def _curve(
    axes: Any, points: Sequence[tuple[int, Row]], solver: str, solvers: Sequence[str], spread: float
) -> None:
    """One solver's line with its intervals; the solvers stand side by side around each tick."""
    if not points:
        return
    points = sorted(points, key=lambda point: point[0])
    aside = spread * ((solvers.index(solver) + 0.5) / len(solvers) - 0.5)
    x = [tick + aside for tick, _ in points]
    y = [row["direct"] for _, row in points]
    low = [max(0.0, row["direct"] - row["direct_interval"][0]) for _, row in points]
    high = [max(0.0, row["direct_interval"][1] - row["direct"]) for _, row in points]
    style = _style(solver, solvers)
    axes.errorbar(x, y, [low, high], capsize=2, elinewidth=0.8, label=published.label_of(solver), **style)


def _finish(axes: Any, x_label: str, title: str) -> None:
    axes.set(xlabel=x_label, ylabel="direct accuracy, %", title=title, ylim=(-2, 102))
    axes.grid(alpha=0.3)


def _legend(axes: Any) -> None:
    """Beside the axes, where it hides nothing."""
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, handlelength=3)


def _style(solver: str, solvers: Sequence[str]) -> dict[str, Any]:
    """How a solver is drawn: the same in every figure, and each in its own way."""
    known = [*published.METHODS, *published.OURS]
    others = [name for name in published.in_order(solvers) if name not in known]
    k = [*known, *others].index(solver)
    return {
        "marker": MARKERS[k % len(MARKERS)],
        "linestyle": DASHES[k % len(DASHES)],
        "color": COLOURS[k % len(COLOURS)],
        "markersize": 5,
        "linewidth": 1.3,
    }


def _solvers(rows: Sequence[Row]) -> list[str]:
    return published.in_order(row["solver"] for row in rows)


def _is_clean(row: Row) -> bool:
    return row["corruption"] == "none" and not row["rotated"]


def _is_square(grid: str) -> bool:
    return Grid.of(grid).rows == Grid.of(grid).cols
