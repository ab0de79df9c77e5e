"""The puzzle that a picture of pieces shows: a scrambled grid, or loose pieces."""

from __future__ import annotations

from ganzzle.arrays import Pixels
from ganzzle.errors import PuzzleError
from ganzzle.puzzle import Grid, GridLike, Puzzle
from ganzzle.reading.lattice import find_gutters
from ganzzle.reading.loose.finding import Loose, find_loose

MORE = 1.5  # times as many loose pieces as a lattice has slots: those in neat rows have gutters between some of them


def pieces_in(picture: Pixels, grid: GridLike | None = None) -> tuple[Puzzle, Loose | None]:
    """The puzzle in a picture (H, W, 3), of the given grid if there is one, and its loose pieces if it has such.

    A scrambled picture knows its grid; that of loose pieces is left open, also where one is given that has fewer slots
    than there are pieces. Pieces between straight gutters lie in a grid; others that lie apart are loose.
    """
    wanted = None if grid is None else Grid.of(grid)
    lattice = find_gutters(picture, wanted)
    try:
        loose = find_loose(picture)
    except PuzzleError:
        if lattice is None:
            raise
        loose = None
    if loose is not None and (lattice is None or len(loose.pieces) > MORE * lattice.grid.slots):
        fits = wanted is not None and len(loose.pieces) <= wanted.slots
        return loose.puzzle(wanted if fits else None), loose
    if lattice is not None:
        return Puzzle(lattice.cut(picture), lattice.grid), None
    return Puzzle.from_scrambled(picture, wanted), None
