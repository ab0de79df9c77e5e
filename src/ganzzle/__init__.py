"""Ganzzle: give it a pile of pieces, get back the picture.

In short:

    from ganzzle import Puzzle, load_solver
    puzzle = Puzzle.from_picture("photo.jpg", grid=(8, 8), seed=0)
    solution = load_solver().solve(puzzle)
    solution.picture()
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ganzzle.damage.corruption import Corruption
    from ganzzle.errors import GanzzleError
    from ganzzle.grid import Grid
    from ganzzle.metrics import Score, score
    from ganzzle.pile import Pile
    from ganzzle.puzzle import Puzzle
    from ganzzle.reading.pictures import read_picture, write_picture
    from ganzzle.solution import Answer, Solution
    from ganzzle.solvers import Solver, load_solver
    from ganzzle.solving.loop import solve

__version__ = "0.1.0"
__all__ = [
    "Answer", "Corruption", "GanzzleError", "Grid", "Pile", "Puzzle", "Score", "Solution", "Solver",
    "load_solver", "read_picture", "score", "solve", "write_picture",
]  # fmt: skip

_HOME = {
    "Corruption": "damage.corruption", "GanzzleError": "errors", "Score": "metrics", "score": "metrics",
    "read_picture": "reading.pictures", "write_picture": "reading.pictures", "Grid": "grid", "Puzzle": "puzzle",
    "Solution": "solution", "Answer": "solution", "Pile": "pile", "solve": "solving.loop", "Solver": "solvers",
    "load_solver": "solvers",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the public names when they are first asked for, so that `ganzzle --help` starts at once."""
    if name not in _HOME:
        raise AttributeError(f"module 'ganzzle' has no attribute '{name}'")
    return getattr(importlib.import_module(f"ganzzle.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
