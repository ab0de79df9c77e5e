"""What `benchmarks.size` shows: its rows, as a table and as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SHIPPED = 8  # bits of the embedded weights' large matrices
KINDS = {"storage": "o", "early": "s", "parts": "^", "both": "D"}  # with their markers


@dataclass(frozen=True)
class Variant:
    """One smaller form of the weights."""

    name: str
    kind: str  # one of KINDS
    bits: int = SHIPPED
    stages: int | None = None  # that run; None: all
    painter: bool = True


@dataclass(frozen=True)
class Row:
    """What a variant takes and reaches."""

    variant: Variant
    parameters: int
    mib: float
    direct: dict[str, dict[str, float]]  # cell -> set -> per cent, identical pieces interchangeable
    mean: float
    gain: float  # over the shipped form
    error: float  # of the gain, over pictures
    ms: dict[str, float]


def table(rows: Sequence[Row]) -> str:
    """The rows in Markdown; a cell's figure is the mean over the sets."""
    cells, timed = list(rows[0].direct), list(rows[0].ms)
    heads = ["#", "form", "MiB", "mean", "against int8", *cells, *(f"ms {cell}" for cell in timed)]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for k, row in enumerate(rows, 1):
        texts = [str(k), row.variant.name, f"{row.mib:.1f}", f"{row.mean:.2f}"]
        texts.append(f"{row.gain:+.2f} +- {row.error:.2f}")
        texts += [f"{np.mean(list(row.direct[cell].values())):.2f}" for cell in cells]
        texts += [f"{row.ms[cell]:.0f}" for cell in timed]
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)


def draw(rows: Sequence[Row], path: Path) -> None:
    """PATH.png and PATH.svg: mean accuracy over MiB and over ms, points numbered as in the table.

    The bars are the standard error of the gain over the shipped form.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from ganzzle.bench.figures import save_figure

    figure = Figure((9.6, 4.2))
    panels = figure.subplots(1, 2, sharey=True)
    figure.subplots_adjust(wspace=0.06)
    timed = next(iter(rows[0].ms))
    run = [k for k, row in enumerate(rows) if row.variant.bits == SHIPPED]  # fewer bits run as fast
    for axes, shown, xs, label in (
        (panels[0], range(len(rows)), [row.mib for row in rows], "weights, MiB"),
        (panels[1], run, [row.ms[timed] for row in rows], f"a clean puzzle of {timed.split()[0]}, ms"),
    ):
        for k in shown:
            row = rows[k]
            axes.errorbar(xs[k], row.mean, row.error, linewidth=0.8, **_style(row.variant))
            # Points that lie together get their numbers around them.
            offset = ((5, 3), (5, -9), (-11, 3), (-11, -9))[k % 4]
            axes.annotate(
                str(k + 1), (xs[k], row.mean), xytext=offset, textcoords="offset points", fontsize="small"
            )
        axes.set_xlabel(label)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel(f"direct accuracy, mean of {len(rows[0].direct)} cells, %")
    handles = [
        Line2D([], [], linestyle="", label=f"{k} {row.variant.name}", **_style(row.variant))
        for k, row in enumerate(rows, 1)
    ]
    panels[1].legend(handles=handles, loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize="small")
    save_figure(figure, path.parent, path.name)


def _style(variant: Variant) -> dict[str, Any]:
    """How a variant's point looks."""
    from ganzzle.bench.figures import COLOURS

    colour = COLOURS[list(KINDS).index(variant.kind)]
    return {"marker": KINDS[variant.kind], "color": colour, "fillstyle": "none"}
