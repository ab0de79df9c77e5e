"""`python -m ganzzle.assembler.ahead`: compiles the steps of the search, the last first, for whoever waits for them.

`ganzzle.compiling` starts it beside the first solve on a machine, which compiles them from the other end: what one of
the two has compiled the other finds in the cache. It ends before its next step when its standard input does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from threading import Event, Thread

import numpy as np

from ganzzle.assembler.components import single_pieces
from ganzzle.assembler.cyclic import turn_around
from ganzzle.assembler.edges import Edges, best_neighbours, make_edges
from ganzzle.assembler.margins import report
from ganzzle.assembler.merging import merge
from ganzzle.assembler.mixing import mix
from ganzzle.assembler.placing import place_components
from ganzzle.assembler.problem import Board, Problem, energy, frame_cells, make_problem
from ganzzle.assembler.repair import repair
from ganzzle.assembler.seams import Candidates
from ganzzle.assembler.search import assign_colours, swap_until_stuck
from ganzzle.assembler.segments import move_segments, segments_as_components
from ganzzle.assembler.solve import DEPTH, slot_board
from ganzzle.puzzle import Grid

GRID = Grid(2, 2)  # of the puzzle that is solved to have everything compiled


def main() -> None:
    """Compile one step after the other, as long as standard input is open."""
    alone = Event()
    Thread(target=_wait_for_the_end, args=(alone,), daemon=True).start()
    for step in steps():
        if alone.is_set():
            break
        step()


def _wait_for_the_end(alone: Event) -> None:
    while os.read(sys.stdin.fileno(), 1):  # `sys.stdin.read` would hold a lock that Python wants when it ends
        pass
    alone.set()


def steps() -> Iterator[Callable[[], object]]:
    """Calls that compile what `assemble_pieces` needs for a puzzle that must be searched for, last things first."""
    problem, board = _small_problem()
    assert not isinstance(problem.seams, Candidates)
    seams = problem.seams
    best = np.full((GRID.slots, 4, DEPTH), -1, np.int64)
    random = np.random.default_rng(0)
    number, ratio = np.zeros(1, np.int64), np.zeros(1, np.float32)
    edges = Edges(number, number, np.zeros(1, np.bool_), ratio, ratio)
    yield lambda: report(problem, board, best)
    yield lambda: repair(problem, board, best, 1, random)
    yield lambda: mix(problem, board, board.copy())
    yield lambda: segments_as_components(problem, board, -1.0, 0)
    yield lambda: turn_around(problem, board)
    yield lambda: move_segments(problem, board, best, -1.0)
    yield lambda: swap_until_stuck(problem, board, best, 1)
    yield lambda: assign_colours(problem, board)
    yield lambda: place_components(problem, single_pieces(GRID.slots))
    yield lambda: merge(problem, edges, single_pieces(GRID.slots), ratio)
    yield lambda: make_edges(problem, best)
    yield lambda: best_neighbours(seams, DEPTH)
    yield lambda: energy(problem, board)
    yield lambda: slot_board(problem)
    table = np.zeros((GRID.slots, GRID.slots), np.float32)
    yield lambda: make_problem(table, table, GRID, table)


def _small_problem() -> tuple[Problem, Board]:
    """Pieces that fit nowhere, so that every step has something to do, and a board of them; nothing is compiled yet."""
    count, cells = GRID.slots, frame_cells(GRID)
    board = np.full((GRID.rows + 2) * (GRID.cols + 2), count, np.int64)
    board[cells] = np.arange(count)
    seams = np.full((count + 2, 4, count + 2), -1, np.float32)
    unary = np.zeros((count + 2, len(board)), np.float32)
    ceiling = np.ones(count + 2, np.float32)
    twin = np.arange(count + 2)
    return Problem(seams, unary, ceiling, cells, GRID.rows, GRID.cols, 0.0, twin, count), board


if __name__ == "__main__":
    main()
