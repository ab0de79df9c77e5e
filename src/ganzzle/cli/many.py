"""What `ganzzle batch` hands out: a pile and what is known of it, solved wherever there is a worker."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from ganzzle.cli.console import how_many
from ganzzle.cli.laid import laid_record
from ganzzle.cli.limits import TimeLimitError, time_limit
from ganzzle.cli.mixed import numbered
from ganzzle.cli.reading import check_megapixels, read_input, read_scans
from ganzzle.errors import GanzzleError, PictureError, PuzzleError
from ganzzle.evaluation import has_network
from ganzzle.files import same_place
from ganzzle.grid import Grid
from ganzzle.memory import limit_bytes
from ganzzle.pile import Pile
from ganzzle.reading.pictures import is_picture, write_picture
from ganzzle.solution import Answer
from ganzzle.solvers import Solver, load_solver
from ganzzle.solving.loop import solve
from ganzzle.weights_files import weights_digest

ANSWERS = "answers.jsonl"


@dataclass(frozen=True)
class Wishes:
    """What holds for every pile."""

    solver: str
    weights: str | None = None
    grid: str | None = None
    puzzles: int | None = None
    turned: bool | None = None
    seed: int = 0
    device: str = "auto"
    time_limit: float | None = None
    megapixels: int = 100
    bytes: int | None = None  # of memory, that a worker may take; None: as much as there is


@dataclass(frozen=True)
class Order:
    """One pile to be solved."""

    path: Path
    pictures: Path | None  # the folder for the solved pictures; None: none are written
    wishes: Wishes

    def key(self) -> str:
        """A text that is the same for the same files and wishes."""
        wishes = replace(self.wishes, device="", time_limit=None, bytes=None)
        weights = "" if wishes.weights is None else weights_digest(wishes.weights)
        state = [(name, at.st_size, at.st_mtime_ns) for name, at in _files_of(self.path)]
        digest = blake2b(repr((asdict(wishes), weights, state)).encode(errors="replace"), digest_size=8)
        return f"{self.path.name!a} {digest.hexdigest()}"

    @property
    def wants_gpu(self) -> bool:
        """Whether its solver may use a GPU."""
        return self.wishes.device != "cpu" and has_network(self.wishes.solver)


def find_piles(folder: Path, out: Path) -> list[Path]:
    """The piles in a folder, sorted by name: its folders and its pictures, but not what is written."""
    if not folder.is_dir():
        raise PictureError(f"{folder} is no folder; give one of piles, each a folder or a picture")
    if same_place(folder, out):
        raise PictureError(f"{out} is the folder of the piles itself; give another --out")
    there = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    piles = [path for path in there if path.is_dir() or (path.is_file() and is_picture(path.name))]
    for path in piles:
        if same_place(path, out) and not (out / ANSWERS).is_file() and any(out.iterdir()):
            raise PictureError(f"{out} is one of the piles; give another --out")
    piles = [path for path in piles if not same_place(path, out)]
    if not piles:
        raise PictureError(f"{folder} holds no piles: no folders and no pictures")
    return piles


def check_wishes(wishes: Wishes) -> None:
    """Refuse a grid or a solver that means nothing, before any pile is looked at."""
    if wishes.grid is not None:
        Grid.of(wishes.grid)
    _solver(wishes.solver, wishes.weights, wishes.device)


def solve_order(order: Order) -> dict[str, Any]:
    """Solve a pile and write its pictures: its line of the answers, which also says so if it cannot be solved."""
    if order.wishes.bytes is not None and parent_process() is not None:
        _limit_once(order.wishes.bytes)  # of this worker: one pile too large must not end all of them
    line = {"key": order.key(), "pile": order.path.name}
    try:
        with time_limit(order.wishes.time_limit):
            answer = _answer(order)
        return line | record_of_answer(answer) | {"pictures": _write(order, answer)}
    except (GanzzleError, MemoryError) as error:
        again = {"again": True} if isinstance(error, TimeLimitError | MemoryError) else {}
        return line | {"error": str(error) or "there is not enough memory for this"} | again
    except Exception as error:  # one pile in a million must not end the others
        where = traceback.extract_tb(error.__traceback__)[-1]
        mistake = f"a mistake of the program: {error!r} in {Path(where.filename).name}, line {where.lineno}"
        return line | {"error": mistake, "again": True}


def record_of_answer(answer: Answer) -> dict[str, Any]:
    """The answer as JSON, with the keys of `ganzzle solve --json`."""
    if answer.laid:
        return laid_record(answer) | {"advice": list(answer.advice)}
    names = answer.pile.names
    grids = [[one.grid.rows, one.grid.cols] for one in answer.solutions]
    several = {"grids": grids, "puzzle": answer.puzzles.tolist()} if len(grids) > 1 else {}
    return {
        "solver": answer.solutions[0].solver,
        "kind": answer.pile.kind,
        "grid": grids[0],
        **several,
        "pieces": list(names),
        "placement": answer.placement.tolist(),
        "turns": answer.turns.tolist(),
        "confidence": [round(float(sure), 4) for sure in answer.confidence],
        "left_over": [names[k] for k in answer.left_over.tolist()],
        "advice": list(answer.advice),
        "seconds": round(answer.seconds, 4),
    }


def _answer(order: Order) -> Answer:
    wishes, path = order.wishes, str(order.path)
    check_megapixels([path], wishes.megapixels)
    puzzles = wishes.puzzles or 1
    if scans := read_scans([path], wishes.grid, puzzles):
        pile = scans.pile
    else:
        task = read_input(path, wishes.grid, missing=wishes.grid is not None, puzzles=puzzles)
        turned = True if task.loose is not None and task.loose.turned else wishes.turned
        pile = Pile(
            task.puzzle.pieces, task.grid or task.puzzle.grid, wishes.puzzles, turned, name=path,
            names=tuple(task.names), sizes=task.puzzle.sizes, rim=task.puzzle.rim, gap=task.puzzle.gap,
        )  # fmt: skip
    answer = solve(pile, _solver(wishes.solver, wishes.weights, wishes.device), wishes.seed)
    if not answer.solutions:
        raise PuzzleError(f"no two of {how_many(len(pile))} fit together")
    return answer


@cache
def _limit_once(most: int) -> None:
    limit_bytes(most)


@lru_cache(maxsize=1)
def _solver(name: str, weights: str | None, device: str) -> Solver:
    return load_solver(name, device=device, **({} if weights is None else {"weights": weights}))


def _write(order: Order, answer: Answer) -> list[str]:
    """Write a picture of each puzzle -> the files' names."""
    if order.pictures is None:
        return []
    names: Sequence[str] = numbered(f"{order.path.name}-solved.png", len(answer.solutions))
    for name, solution in zip(names, answer.solutions, strict=True):
        write_picture(order.pictures / name, solution.picture(), force=True)
    return list(names)


def _files_of(path: Path) -> list[tuple[str, os.stat_result]]:
    """Name and state of the files of a pile."""
    if not path.is_dir():
        return [(path.name, path.stat())]
    with os.scandir(path) as entries:
        files = [entry for entry in entries if is_picture(entry.name)]
        return sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in files)
