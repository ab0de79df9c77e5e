"""The unknown grid, by what the network says of the pieces' seams and borders."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Grid

Table = NDArray[np.float32]

COMPARED = 6  # grids that very many pieces are put together in, at most
ROUNDS = 2  # of the search for each of them: enough to tell them apart


def ranked_by_borders(border: Table, grids: Sequence[Grid]) -> list[Grid]:
    """The grids, likeliest first, by the borders' log-potentials (N, 4): every row has one piece with nothing to its
    right, every column one with nothing below."""
    rows, cols = np.log(np.exp(2 * border).sum(0)).reshape(2, 2).mean(1)
    return sorted(grids, key=lambda g: abs(np.log(g.rows) - rows) + abs(np.log(g.cols) - cols))


def grid_by_seams(right: Table, down: Table, border: Table, grids: Sequence[Grid]) -> Grid:
    """The grid in which the seams (N, N), (N, N) and borders (N, 4) of very many pieces give the most energy.

    Compared are those that hold most of what the seams put together without a frame, and by turns those that the
    borders speak for.
    """
    from ganzzle.assembler import assemble_pieces, largest_part
    from ganzzle.solvers.grids import grids_that_hold

    holding = grids_that_hold(*largest_part(right, down, border), grids)
    by_turns = chain.from_iterable(zip_longest(holding, ranked_by_borders(border, grids)))
    compared = list(dict.fromkeys(grid for grid in by_turns if grid is not None))[:COMPARED]
    energies = [assemble_pieces(right, down, grid, border=border, rounds=ROUNDS).energy for grid in compared]
    return compared[int(np.argmax(energies))]
