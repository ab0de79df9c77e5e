"""Which weights a solver uses for which pictures and grid: those it was given, else the embedded ones by their name.

Embedded weights are called SOLVER-DATASET-SIZE (one model a size), SOLVER-DATASET, or SOLVER: for 6x6 puzzles of faces
`hung-perm` takes `hung-perm-faces-6`, else `hung-perm-faces`, else `hung-perm`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ganzzle.errors import GanzzleError, SolverError
from ganzzle.puzzle import Grid
from ganzzle.solvers import SOLVERS
from ganzzle.weights_files import all_embedded, embedded_file

GRID = re.compile(r"\d+x\d+")


@dataclass(frozen=True)
class Rule:
    """A file for a solver; None: for every data set, for every grid."""

    solver: str
    dataset: str | None
    grid: str | None
    file: str

    def fits(self, solver: str, dataset: str, grid: str) -> bool:
        """Whether it is for these puzzles."""
        return self.solver == solver and self.dataset in (None, dataset) and self.grid in (None, grid)


def parse_rules(texts: Sequence[str] | None, solvers: Sequence[str]) -> list[Rule]:
    """ "hung-perm@faces@6x6=FILE", "ganzzle@art=FILE", "hybrid=FILE" -> rules, the most special ones first."""
    rules = []
    for text in texts or ():
        head, _, file = text.partition("=")
        solver, *places = head.split("@")
        grids = [place for place in places if GRID.fullmatch(place)]
        datasets = [place for place in places if place not in grids]
        if not file or solver not in solvers or len(grids) > 1 or len(datasets) > 1 or "" in datasets:
            raise GanzzleError(
                f"--weights {text}: write SOLVER=FILE, with a solver that takes part, "
                "or SOLVER@NAME=FILE, SOLVER@RxC=FILE, SOLVER@NAME@RxC=FILE for one source or grid"
            )
        rules.append(Rule(solver, next(iter(datasets), None), next(iter(grids), None), file))
    return sorted(rules, key=lambda rule: (rule.grid is None) + (rule.dataset is None))


def weights_for(solver: str, datasets: Sequence[str], grid: str, rules: Sequence[Rule]) -> str | None:
    """A file or the name of embedded weights, of the first data set that has any; None: it needs none, or nobody knows.

    Raises SolverError where a solver of this package lacks them.
    """
    for dataset in datasets:
        for rule in rules:
            if rule.fits(solver, dataset, grid):
                # "art" may be short for the embedded "ganzzle-art".
                *full_names, _ = embedded_names(solver, rule.file, grid)
                return _first_embedded(full_names) or rule.file
    if solver not in SOLVERS or not SOLVERS[solver].weights:
        return None
    for dataset in datasets:
        if name := _first_embedded(embedded_names(solver, dataset, grid)):
            return name
    other_grids = [rule for rule in rules if rule.solver == solver and rule.dataset in (None, *datasets)]
    starts = tuple(f"{solver}-{dataset}-" for dataset in datasets)
    known = other_grids or any(name.startswith(starts) for name in all_embedded())
    raise SolverError(f"no weights for {'this size' if known else 'such pictures'} are here")


def embedded_names(solver: str, dataset: str, grid: str) -> list[str]:
    """What weights for these puzzles may be called, the most special name first."""
    slots = Grid.of(grid)
    size = str(slots.rows) if slots.rows == slots.cols else str(slots)
    return [f"{solver}-{dataset}-{size}", f"{solver}-{dataset}", solver]


def _first_embedded(names: Sequence[str]) -> str | None:
    return next((name for name in names if embedded_file(name).is_file()), None)
