"""Whole puzzles, warm, against public ports measured on such a machine."""

from __future__ import annotations

from benchmarks.pictures import draw_picture
from benchmarks.timing import Row, seconds
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers import SOLVERS, load_solver

# Seconds of a public Python port of Paikin & Tal, and of a public genetic solver (20 generations of 200), on two cores.
PORTS = {432: (16.0, 30.0), 540: (29.0, 52.0), 805: (88.0, 174.0)}
GRIDS = {432: Grid(18, 24), 540: Grid(20, 27), 805: Grid(23, 35)}
CLASSICAL = ("paikin-tal", "gallagher", "pomeranz")


def solver_rows() -> list[Row]:
    """Every classical solver on the classic sizes."""
    rows = []
    for name in CLASSICAL:
        if name not in SOLVERS:
            continue
        solver = load_solver(name)
        solver.solve(Puzzle.from_picture(draw_picture(112, 112), 4))
        for count, grid in GRIDS.items():
            puzzle = Puzzle.from_picture(draw_picture(28 * grid.rows, 28 * grid.cols), grid)
            fast = seconds(lambda solver=solver, puzzle=puzzle: solver.solve(puzzle), 2)
            port, genetic = PORTS[count]
            rows.append(Row(f"{name}: {count} pieces of 28 px", fast, "a port of Paikin & Tal", port))
            rows.append(Row(f"{name}: {count} pieces of 28 px", fast, "a genetic solver", genetic))
    return rows
