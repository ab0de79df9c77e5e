"""Curves: accuracy over size and wear, calibration, time. Markers and dashes tell the lines apart, not colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from ganzzle.benchmark import published
from ganzzle.benchmark.scoring import Calibration
from ganzzle.corruption import Corruption
from ganzzle.puzzle import Grid

MARKERS = "osD^vP*X"
DASHES = ("-", "--", "-.", ":")
WEAR_AXES = {"missing": "pieces missing, share", "noise": "noise, sigma", "erode": "rim eroded, px"}

Row = dict[str, Any]


def save_figure(figure: Figure, folder: Path, name: str) -> Path:
    """Write NAME.png and NAME.svg, the same bytes for the same figures; gives the path without ending."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "ganzzle", "svg.fonttype": "none"}):
        figure.savefig(folder / f"{name}.png", dpi=150, bbox_inches="tight")
        figure.savefig(folder / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    return folder / name


def accuracy_over_grid(rows: Sequence[Row], dataset: str) -> Figure | None:
    """Direct accuracy of clean puzzles against pieces an edge."""
    mine = [r for r in rows if _is_clean(r) and r["dataset"] == dataset and _is_square(r["grid"])]
    if not mine:
        return None
    figure = Figure((6.4, 4.2))
    axes = figure.add_subplot()
    for solver in _solvers(mine):
        points = [(Grid.of(r["grid"]).rows, r) for r in mine if r["solver"] == solver]
        _curve(axes, points, solver, _solvers(mine))
    paper = published.DIRECT.get(dataset, {})
    known = [(Grid.of(grid).rows, figure) for (solver, grid), figure in paper.items() if solver == "ganzzle"]
    if known:
        axes.plot(*zip(*known, strict=True), ":", color="0.4", label="GANzzle, published")
    sizes = {Grid.of(r["grid"]).rows for r in mine} | {size for size, _ in known}
    axes.set_xticks(sorted(sizes), [f"{size}x{size}" for size in sorted(sizes)])
    _finish(axes, "grid", published.DATASETS.get(dataset, dataset))
    return figure


def accuracy_over_wear(rows: Sequence[Row], dataset: str, grid: str) -> Figure | None:
    """Direct accuracy against how much is missing, noisy, eroded; level 0 is the clean puzzle."""
    mine = [r for r in rows if r["dataset"] == dataset and r["grid"] == grid and not r["rotated"]]
    steps = {r["corruption"]: Corruption.parse(r["corruption"]).steps for r in mine}
    kinds = [k for k in WEAR_AXES if any(len(s) == 1 and s[0].kind == k for s in steps.values())]
    if not kinds:
        return None
    figure = Figure((3.6 * len(kinds) + 1, 3.6))
    panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    for axes, kind in zip(panels, kinds, strict=True):
        for solver in _solvers(mine):
            points = []
            for row in (r for r in mine if r["solver"] == solver):
                step = steps[row["corruption"]]
                if not step or (len(step) == 1 and step[0].kind == kind):
                    points.append((step[0].level if step else 0.0, row))
            _curve(axes, points, solver, _solvers(mine))
        _finish(axes, WEAR_AXES[kind], "")
    for axes in panels[:-1]:
        axes.get_legend().remove()
    for axes in panels[1:]:
        axes.set_ylabel("")
    figure.suptitle(f"{published.DATASETS.get(dataset, dataset)}, {grid}", fontsize="medium")
    return figure


def calibration_figure(calibrations: Sequence[Calibration]) -> Figure:
    """The share of right pieces against the confidence; on the diagonal a solver is as good as it says."""
    figure = Figure((4.8, 4.8))
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="as good as it says")
    for k, c in enumerate(calibrations):
        label = f"{published.label_of(c.solver)} (off by {c.error:.3f})"
        axes.plot(c.confidence, c.right, label=label, **_style(k))
    axes.set(
        xlabel="confidence of a piece", ylabel="share of pieces that are right", xlim=(0, 1), ylim=(0, 1.02)
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.02, 1))
    return figure


def time_figure(rows: Sequence[Row]) -> Figure:
    """Seconds a puzzle against pieces, both logarithmic; a line for each solver and device."""
    figure = Figure((6.4, 4.2))
    axes = figure.add_subplot()
    lines = dict.fromkeys((solver, row["device"]) for solver in _solvers(rows) for row in rows)
    for k, (solver, device) in enumerate(lines):
        mine = [r for r in rows if (r["solver"], r["device"]) == (solver, device)]
        points = sorted((Grid.of(r["grid"]).slots, r["ms_mean"] / 1000) for r in mine)
        if points:
            label = f"{published.label_of(solver)}, {device}"
            axes.loglog(*zip(*points, strict=True), label=label, **_style(k))
    axes.set(xlabel="pieces", ylabel="seconds a puzzle")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize="small")
    return figure


def _curve(axes: Any, points: Sequence[tuple[float, Row]], solver: str, solvers: Sequence[str]) -> None:
    """One solver's line with its intervals."""
    if not points:
        return
    points = sorted(points, key=lambda point: point[0])
    x = [level for level, _ in points]
    y = [row["direct"] for _, row in points]
    low = [max(0.0, row["direct"] - row["direct_interval"][0]) for _, row in points]
    high = [max(0.0, row["direct_interval"][1] - row["direct"]) for _, row in points]
    style = _style(solvers.index(solver))
    axes.errorbar(x, y, [low, high], capsize=2, label=published.label_of(solver), **style)


def _finish(axes: Any, x_label: str, title: str) -> None:
    axes.set(xlabel=x_label, ylabel="direct accuracy, %", title=title, ylim=(-2, 102))
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def _style(k: int) -> dict[str, Any]:
    return {"marker": MARKERS[k % len(MARKERS)], "linestyle": DASHES[k % len(DASHES)], "markersize": 5}


def _solvers(rows: Sequence[Row]) -> list[str]:
    return published.in_order(row["solver"] for row in rows)


def _is_clean(row: Row) -> bool:
    return row["corruption"] == "none" and not row["rotated"]


def _is_square(grid: str) -> bool:
    return Grid.of(grid).rows == Grid.of(grid).cols
