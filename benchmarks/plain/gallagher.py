"""Gallagher's constrained tree in plain Python: components are dictionaries, collisions are found in sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Ints

Position = tuple[int, int, int]  # x, y, quarter turns


def grow(
    pieces: int, first: Ints, second: Ints, side: Ints, choices: int, rows: int, cols: int
) -> tuple[NDArray[np.bool_], list[dict[int, Position]]]:
    """As `ganzzle.solvers.gallagher.tree.grow` from single pieces: which seams joined components, and the components.

    A component maps its pieces to positions.
    """
    component: list[dict[int, Position]] = [{piece: (0, 0, 0)} for piece in range(pieces)]
    used = np.zeros(len(first), bool)
    for edge, (a, b, where) in enumerate(zip(first.tolist(), second.tolist(), side.tolist(), strict=True)):
        here, there = component[a // choices], component[b // choices]
        if here is there:
            continue
        step = (1, 0) if where == 0 else (0, 1)
        if len(here) < len(there):
            here, there, a, b, step = there, here, b, a, (-step[0], -step[1])
        moved = _brought(here[a // choices], a, there, b, step, choices)
        everything = {**here, **moved}
        spots = {(x, y) for x, y, _ in everything.values()}
        if len(spots) < len(everything) or not _fits(spots, choices, rows, cols):
            continue
        used[edge] = True
        for piece in everything:
            component[piece] = everything
    return used, list({id(c): c for c in component}.values())


def _brought(
    at: Position, a: int, there: dict[int, Position], b: int, step: tuple[int, int], choices: int
) -> dict[int, Position]:
    """A component turned and moved so that state b comes to lie a step from state a, which lies at `at`."""
    quarter = 4 // choices
    frame = (at[2] - a % choices * quarter) % 4  # from the seam's own frame to that of a's component
    bx, by, turn = there[b // choices]
    spin = (b % choices * quarter + frame - turn) % 4
    dx, dy = _turned(*step, frame)
    tx, ty = _turned(bx, by, spin)
    shift = at[0] + dx - tx, at[1] + dy - ty
    moved = {}
    for piece, (x, y, t) in there.items():
        x, y = _turned(x, y, spin)
        moved[piece] = (x + shift[0], y + shift[1], (t + spin) % 4)
    return moved


def _turned(x: int, y: int, quarters: int) -> tuple[int, int]:
    for _ in range(quarters):
        x, y = y, -x
    return x, y


def _fits(spots: set[tuple[int, int]], choices: int, rows: int, cols: int) -> bool:
    width, height = (int(np.ptp([spot[k] for spot in spots])) + 1 for k in (0, 1))
    if rows == 0 or (width <= cols and height <= rows):
        return True
    return choices == 4 and width <= rows and height <= cols
