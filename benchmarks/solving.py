"""Whole puzzles, warm, against the times of public ports on such a machine (two cores).

The ports solved photographs of the classic sets; so do we where the research data is there (benchmarks/classical.py),
otherwise drawn pictures of the same size, which are easier.
"""

from __future__ import annotations

from benchmarks.classical import CLASSIC, DATA
from benchmarks.pictures import draw_picture
from benchmarks.timing import Row, seconds
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.sources import iterate_pictures
from ganzzle.solvers import load_solver

# Recorded seconds of a public Python port of Paikin & Tal, and of a public genetic solver (20 generations of 200), the
# quickest picture of each size.
PORTS = {100: (1.0, 3.4), 432: (16.0, 30.0), 540: (29.0, 52.0), 805: (88.0, 174.0)}
SETS = {Grid.of(grid).slots: name for name, grid in CLASSIC.items()}
SOLVERS = ("paikin-tal", "gallagher", "pomeranz")


def solver_rows() -> list[Row]:
    """Every classical solver on the sizes the ports were timed at."""
    rows = []
    for name in SOLVERS:
        solver = load_solver(name)
        solver.solve(Puzzle.from_picture(draw_picture(112, 112), 4))
        for count, (port, genetic) in PORTS.items():
            kind, puzzle = _puzzle(count)
            fast = seconds(lambda solver=solver, puzzle=puzzle: solver.solve(puzzle), 2)
            step = f"{name}: {count} pieces, {kind}"
            rows.append(Row(step, fast, "a port of Paikin & Tal, recorded", port))
            rows.append(Row(step, fast, "a genetic solver, recorded", genetic))
    return rows


def _puzzle(count: int) -> tuple[str, Puzzle]:
    """A puzzle of so many pieces of 28 px, and what it shows."""
    if count in SETS and (path := DATA / "classic" / f"{SETS[count]}.tar").is_file():
        return "photograph", Puzzle.from_picture(next(iter(iterate_pictures(path)))[1], CLASSIC[SETS[count]])
    grid = Grid.of(CLASSIC[SETS[count]]) if count in SETS else Grid(10, 10)
    return "drawn", Puzzle.from_picture(draw_picture(28 * grid.rows, 28 * grid.cols), grid)
