"""Seam costs shared by the classical solvers: how badly two edges fit, for all pairs of pieces, fast.

A cost is chosen by name ("l1-lab", "lpq", "mgc"; see costs.py for how to add one) and read through `seam_table`,
`turned_table` or, for large puzzles, `seam_candidates` and `turned_candidates`. Sides are numbered RIGHT, LEFT, DOWN,
UP.
"""

from ganzzle.seams.costs import COSTS, SeamCost, find_cost
from ganzzle.seams.tables import (
    DOWN,
    LEFT,
    OPPOSITE,
    RIGHT,
    SIDES,
    STEP_X,
    STEP_Y,
    UP,
    seam_candidates,
    seam_table,
    turned_candidates,
    turned_table,
)

__all__ = [
    "COSTS",
    "DOWN",
    "LEFT",
    "OPPOSITE",
    "RIGHT",
    "SIDES",
    "STEP_X",
    "STEP_Y",
    "UP",
    "SeamCost",
    "find_cost",
    "seam_candidates",
    "seam_table",
    "turned_candidates",
    "turned_table",
]
