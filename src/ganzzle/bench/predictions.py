"""What a solver answered, in one compact file: placements and all that scoring needs, but no pictures.

A file holds one solver on one source, grid and corruption. The pieces themselves are not kept: for scoring it is enough
to know which are alike and which look the same when turned, and tokens of 2x2 px say just that.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from ganzzle.damage.corruption import Corruption, periods_of, twins_of
from ganzzle.data.permutations import Orders, read_permutations
from ganzzle.errors import GanzzleError
from ganzzle.files import write_whole
from ganzzle.protocol import Plan
from ganzzle.puzzle import Floats, Grid, Ints, Pixels, Puzzle, Truth
from ganzzle.reading.sources import source_digest
from ganzzle.solution import Solution
from ganzzle.weights_files import file_digest, weights_digest

KEPT_IMAGES = 4  # mental images a file, for the figures


@dataclass(frozen=True)
class Item:
    """One thing to do: a solver on a source, cut and worn in one way."""

    solver: str
    dataset: str
    source: str
    grid: str
    corruption: str = "none"
    rotated: bool = False
    piece: int = 32
    native: bool = False
    limit: int | None = None
    seed: int = 0
    weights: str | None = None  # a file, or the name of embedded ones; None: the solver decides
    permutations: str | None = None  # a file of official orders
    stamp: str = ""  # digests of weights, permutations and source: where one of them is new, the item is new

    def plan(self, device: str = "auto") -> Plan:
        """The evaluation's plan of this item alone."""
        return Plan(
            (Grid.of(self.grid),), (self.solver,), (Corruption.parse(self.corruption),), self.piece, self.seed,
            self.rotated, self.native, orders_of(self.permutations), device, self.options,
        )  # fmt: skip

    @property
    def options(self) -> dict[str, Any]:
        """What the solver is told besides its task."""
        return {} if self.weights is None else {"weights": self.weights}

    def stamped(self) -> Item:
        """The same item with the digest of its files."""
        digests = [weights_digest(self.weights)] if self.weights else []
        digests += [file_digest(self.permutations)] if self.permutations else []
        return replace(self, stamp="-".join([*digests, source_digest(self.source)]))

    @property
    def file_name(self) -> str:
        """A name a person can read, and a digest of everything that decides the puzzles."""
        what = [self.solver, self.dataset, self.grid, self.corruption, *(["rotated"] if self.rotated else [])]
        digest = blake2b(json.dumps(asdict(self)).encode(), digest_size=4).hexdigest()
        return "_".join(re.sub(r"[^\w.-]+", "-", part) for part in [*what, digest]) + ".npz"


@lru_cache(maxsize=4)  # items come in the order of their sources
def orders_of(permutations: str | None) -> Orders | None:
    """The official orders in a file; None without one."""
    return None if permutations is None else read_permutations(Path(permutations))


@dataclass(eq=False)
class Predictions:
    """The answers to one item. The solutions' pieces have no pixels any more; they score like the real ones."""

    item: Item
    names: list[str] = field(default_factory=list)  # of the pictures
    solutions: list[Solution] = field(default_factory=list)
    # Of each puzzle; its share where several were solved together.
    seconds: list[float] = field(default_factory=list)
    # Of the first puzzles, where the solver has any.
    mental_images: list[Pixels] = field(default_factory=list)
    origin: dict[str, str] = field(default_factory=dict)  # the commit and the machine that solved them

    def add(self, solutions: Sequence[Solution], seconds: float) -> None:
        """Keep what a batch gave."""
        for solution in solutions:
            if solution.mental_image is not None and len(self.mental_images) < KEPT_IMAGES:
                self.mental_images.append(solution.mental_image)
            self.names.append(solution.puzzle.name)
            self.solutions.append(_without_pixels(solution))
            self.seconds.append(seconds / len(solutions))


def write_predictions(path: Path, predictions: Predictions) -> None:
    """Write one file, all of it or nothing."""
    solutions = predictions.solutions
    truths = [s.puzzle.truth for s in solutions if s.puzzle.truth is not None]
    arrays: dict[str, Any] = {
        "item": np.array(json.dumps(asdict(predictions.item))),
        "origin": np.array(json.dumps(predictions.origin)),
        "names": np.array(predictions.names),
        "seconds": np.array(predictions.seconds, np.float32),
        "counts": np.array([len(s.placement) for s in solutions], np.int32),
        "placement": np.concatenate([s.placement for s in solutions]).astype(np.int32),
        "turns": np.concatenate([s.turns for s in solutions]).astype(np.int8),
        "confidence": np.concatenate([s.confidence for s in solutions]).astype(np.float32),
        "true_placement": np.concatenate([t.placement for t in truths]).astype(np.int32),
        "true_turns": np.concatenate([t.turns for t in truths]).astype(np.int8),
        "twins": np.concatenate([twins_of(s.puzzle) for s in solutions]).astype(np.int32),
        "periods": np.concatenate([periods_of(s.puzzle) for s in solutions]).astype(np.int8),
        "mental_images": np.array(predictions.mental_images, np.uint8),
    }
    write_whole(path, lambda file: np.savez_compressed(file, **arrays), force=True)


def read_predictions(path: Path) -> Predictions:
    """Read a file back."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        item = Item(**json.loads(str(arrays["item"])))
        ends = np.cumsum(arrays["counts"])[:-1]
        columns = ("placement", "turns", "confidence", "true_placement", "true_turns", "twins", "periods")
        parts = zip(*(np.split(arrays[name], ends) for name in columns), strict=True)
        grid = Grid.of(item.grid)
        solutions = [_rebuilt(grid, item.solver, *part) for part in parts]
        return Predictions(
            item,
            arrays["names"].tolist(),
            solutions,
            arrays["seconds"].tolist(),
            list(arrays["mental_images"]),
            json.loads(str(arrays["origin"])),
        )
    except (OSError, KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise GanzzleError(f"{path} is damaged ({error}); delete it and run the benchmark again") from None


def _without_pixels(solution: Solution) -> Solution:
    truth = solution.puzzle.truth
    assert truth is not None
    return _rebuilt(
        solution.grid, solution.solver, solution.placement, solution.turns, solution.confidence, truth.placement,
        truth.turns, twins_of(solution.puzzle), periods_of(solution.puzzle),
    )  # fmt: skip


def _rebuilt(
    grid: Grid, solver: str, placement: Ints, turns: Ints, confidence: Floats, true_placement: Ints,
    true_turns: Ints, twins: Ints, periods: Ints,
) -> Solution:  # fmt: skip
    placement, turns, true_placement, true_turns, twins, periods = (
        numbers.astype(np.int64) for numbers in (placement, turns, true_placement, true_turns, twins, periods)
    )
    truth = Truth(true_placement, true_turns, twins, grid, periods)
    pieces = np.zeros((len(placement), 1, 1, 3), np.uint8)
    return Solution(
        Puzzle(pieces, grid, truth), grid, placement, turns, confidence.astype(np.float64), solver=solver
    )
