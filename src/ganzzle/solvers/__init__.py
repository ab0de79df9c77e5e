"""The solvers by name. Each is described here and imported only when it is loaded."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ganzzle.errors import SolverError
from ganzzle.solvers.base import Arrangement, Solver, check_options
from ganzzle.weights_files import embedded_file

__all__ = [
    "SOLVERS",
    "Arrangement",
    "Solver",
    "SolverInfo",
    "default_solver",
    "load_solver",
    "ready_solvers",
]

RESEARCH = "code MIT; weights for non-commercial research"


@dataclass(frozen=True)
class SolverInfo:
    """What `ganzzle solvers` shows, and where the code is."""

    name: str
    target: str  # "module:Class"
    summary: str
    publication: str
    weights: str = ""  # weights it takes by default, by name; empty: needs none
    licence: str = "MIT"
    scores: str = ""  # direct accuracies in per cent, as in results/: "faces 12x12 99.7, art 6x6 100.0"
    config: str = ""  # what trains its weights
    rotated: bool = False  # whether it takes turned pieces; its class says so too, but only once it is loaded

    @property
    def ready(self) -> bool:
        """Whether it works out of the box: needs no weights, or they are embedded."""
        return not self.weights or embedded_file(self.weights).is_file()


SOLVERS: dict[str, SolverInfo] = {
    info.name: info
    for info in (
        SolverInfo(
            "hybrid",
            "ganzzle.solvers.hybrid:Hybrid",
            "A network imagines the picture and judges the seams; the assembler joins both.",
            "Ganzzle's own, after Talon et al., GANzzle, ICIP 2022",
            weights="hybrid",
            licence=RESEARCH,
            config="hybrid",
            scores="faces 12x12 99.7, art 12x12 99.9, bgu805 23x35 98.5, faces 6x6 erode:2 99.9",
            rotated=True,
        ),
        SolverInfo(
            "paikin-tal",
            "ganzzle.solvers.paikin_tal:PaikinTal",
            "Greedy best-first placement by border compatibility.",
            "Paikin & Tal, Solving Multiple Square Jigsaw Puzzles with Missing Pieces, CVPR 2015",
            scores="faces 12x12 99.2, art 12x12 99.3, bgu805 23x35 93.3, faces 6x6 erode:2 2.7",
            rotated=True,
        ),
        SolverInfo(
            "gallagher",
            "ganzzle.solvers.gallagher:Gallagher",
            "A constrained minimum spanning tree over the seams; pieces may be rotated.",
            "Gallagher, Jigsaw Puzzles with Pieces of Unknown Orientation, CVPR 2012",
            scores="faces 12x12 99.1, art 12x12 99.9, bgu805 23x35 95.3, faces 6x6 erode:2 68.2",
            rotated=True,
        ),
        SolverInfo(
            "pomeranz",
            "ganzzle.solvers.pomeranz:Pomeranz",
            "Greedy placing around the largest trustworthy segment, again and again.",
            "Pomeranz, Shemesh, Ben-Shahar, A Fully Automated Greedy Square Jigsaw Puzzle Solver, CVPR 2011",
            scores="faces 12x12 99.3, art 12x12 99.9, bgu805 23x35 90.1, faces 6x6 erode:2 77.4",
        ),
        SolverInfo(
            "assembler",
            "ganzzle.solvers.assembler:Assembler",
            "Components merged by joint evidence, then local search on the likelihood of all seams.",
            "Ganzzle's own, on the seam costs of Gallagher 2012 and Paikin & Tal 2015",
            scores="faces 12x12 99.7, art 12x12 99.9, bgu805 23x35 98.2, faces 6x6 erode:2 90.1",
        ),
        SolverInfo(
            "ganzzle",
            "ganzzle.solvers.ganzzle:Ganzzle",
            "A network imagines the picture; every piece is matched with every slot of it. One model for all sizes.",
            "Talon, Del Bue, James, GANzzle, ICIP 2022",
            weights="ganzzle-faces",
            licence=RESEARCH,
            config="ganzzle-faces",
            scores="faces 6x6 94.5, art 6x6 25.8, faces 12x12 61.3",
        ),
        SolverInfo(
            "ganzzle-single",
            "ganzzle.solvers.ganzzle:GanzzleSingle",
            "The same network, one model a puzzle size.",
            "Talon, Del Bue, James, GANzzle, ICIP 2022",
            weights="ganzzle-single-faces-6",
            licence=RESEARCH,
            config="ganzzle-single-faces",
        ),
        SolverInfo(
            "hung-perm",
            "ganzzle.solvers.hung_perm:HungPerm",
            "A ResNet-50 a piece, all pieces at once to their slots. One model a puzzle size.",
            "Talon, Del Bue, James, GANzzle, ICIP 2022 (a baseline)",
            weights="hung-perm-faces-6",
            licence=RESEARCH,
            config="hung-perm-faces",
        ),
        SolverInfo(
            "po-la",
            "ganzzle.solvers.po_la:PoLa",
            "Learned ordering costs, lowered by gradient steps on a soft permutation. One model a puzzle size.",
            "Zhang, Hare, Pruegel-Bennett, Learning Representations of Sets through Optimized Permutations, ICLR 2019",
            weights="po-la-faces-6",
            licence=RESEARCH,
            config="po-la-faces",
            scores="faces 6x6 97.7, art 6x6 22.3",
        ),
    )
}


def default_solver() -> str:
    """The name of the best solver that works out of the box."""
    return "hybrid"


def ready_solvers() -> dict[str, SolverInfo]:
    """The solvers that work out of the box."""
    return {name: info for name, info in SOLVERS.items() if info.ready}


def load_solver(name: str | None = None, *, device: str = "auto", **options: Any) -> Solver:
    """A solver by name (the default: the best embedded one), ready to solve.

    `device` is "auto", "cpu" or "cuda" and matters to solvers with a network. `name` may also be "module:Class", a
    solver of your own. An unknown name or option raises SolverError and lists the valid ones.
    """
    name = name or default_solver()
    if not isinstance(name, str):
        raise SolverError(f"the name of a solver is a text such as 'paikin-tal', not {name!r}")
    asked = {"name": name, "device": device, **options}
    if name not in SOLVERS and ":" not in name:
        near = get_close_matches(name.lower(), SOLVERS, 1)
        meant = f", did you mean '{near[0]}'?" if near else ";"
        raise SolverError(f"there is no solver '{name}'{meant} there are: {', '.join(SOLVERS)}")
    module, _, class_name = (SOLVERS[name].target if name in SOLVERS else name).partition(":")
    try:
        solver_class = getattr(importlib.import_module(module), class_name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise SolverError(f"solver '{name}' cannot be loaded: {error}") from None
    if not (isinstance(solver_class, type) and issubclass(solver_class, Solver)):
        raise SolverError(f"'{name}' is not a class derived from ganzzle.Solver")
    if inspect.isabstract(solver_class):
        raise SolverError(f"'{name}' does not say how to arrange a puzzle; write its arrange(puzzle, seed)")
    if device not in ("auto", "cpu", "cuda"):
        raise SolverError(f"there is no device '{device}'; there are: auto, cpu, cuda")
    valid = list(inspect.signature(solver_class).parameters)
    if "device" in valid:
        options["device"] = device
    if options.get("rotated") and not solver_class.takes_turned_pieces():
        turning = [each for each, info in SOLVERS.items() if info.rotated]
        raise SolverError(f"'{name}' does not take turned pieces; these do: {', '.join(turning)}")
    check_options(options, valid, name)
    if name in SOLVERS and not SOLVERS[name].ready and "weights" not in options:
        raise SolverError(
            f"the weights of '{name}' are not embedded; train them (ganzzle train {SOLVERS[name].config}) "
            "and give the file: --weights FILE, or weights=FILE in Python"
        )
    solver: Solver = solver_class(**options)
    solver.name = solver.name or name
    solver.asked = asked
    return solver


def load_again(asked: dict[str, Any]) -> Solver:
    """The solver that `load_solver` was asked for in these words."""
    return load_solver(**asked)
