"""The official permutation files: rows `29522.jpg,2,[2, 3, 1, 0]` (file, pieces an edge, permutation).

The i-th piece to arrive is the one of slot permutation[i].
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from ganzzle.cli.data_options import DataError
from ganzzle.data.splits import stem, text_of
from ganzzle.grid import Grid

GRIDS = (2, 4, 6, 8, 10, 12)
Orders = dict[tuple[str, int], Sequence[int]]


def read_permutations(path: Path) -> Orders:
    """(picture name without folder and ending, pieces an edge) -> the slot of each piece that arrives."""
    orders: Orders = {}
    for number, line in enumerate(text_of(path, "permutation file").splitlines(), 1):
        if line.strip():
            try:
                name, edge, order = _parse(line)
            except (ValueError, TypeError, RecursionError):
                if number == 1 and "[" not in line:
                    continue  # a heading
                raise DataError(
                    f"{path}, line {number}: not of the form 29522.jpg,2,[2, 3, 1, 0] with a permutation of the slots"
                ) from None
            orders[stem(name), edge] = order
    if not orders:
        raise DataError(f"permutation file {path} has no rows")
    return orders


def make_permutations(names: Iterable[str], edges: Sequence[int], seed: int) -> Iterator[str]:
    """Rows for every picture and every number of pieces an edge, sorted by name.

    An order depends on the seed, the name and the grid alone, whatever other pictures there are.
    """
    for edge in edges:
        Grid(edge, edge)  # one that is too large is refused
    for name in sorted(set(names)):
        if "," in name or "\n" in name:
            raise DataError(
                f"the picture name '{name}' has a comma or a line break, which this format cannot hold"
            )
        for edge in edges:
            rng = np.random.default_rng([seed, edge, *name.encode()])
            yield f"{name},{edge},{rng.permutation(edge * edge).tolist()}\n"


def _parse(line: str) -> tuple[str, int, list[int]]:
    name, edge_text, order_text = line.split(",", 2)
    edge, order = int(edge_text), json.loads(order_text.strip().strip('"'))
    whole = isinstance(order, list) and all(type(slot) is int for slot in order)
    if not whole or len(order) != Grid(edge, edge).slots or sorted(order) != list(range(len(order))):
        raise ValueError
    return name, edge, order
