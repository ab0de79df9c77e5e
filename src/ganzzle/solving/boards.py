"""Boards of a pile: laid by the assembler, then mended by the score, piece by piece and line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Ints
from ganzzle.board import assemble_pieces
from ganzzle.grid import Grid
from ganzzle.solving.evidence import Evidence
from ganzzle.solving.hypotheses import LOST, STRANGER, Hypothesis, prior_of_few
from ganzzle.solving.score import EMPTY, gains, shares, worth, worth_outside

ROUNDS = 8  # of the assembler's search for a board that is only to be compared
MENDINGS = 20  # parts and lines that are moved at most before a board is left as it is
LEAST_GAIN = 1e-6
PARTS = 3  # of a board that may be taken off it at once
SMALLEST = 6  # pieces of a puzzle that nobody has announced


@dataclass(frozen=True, eq=False)
class Laid:
    """Boards of some pieces of a pile, each (rows, cols) with -1 in empty slots, and their score."""

    boards: tuple[Ints, ...]
    score: float

    @property
    def grids(self) -> tuple[Grid, ...]:
        """The grid of each."""
        return tuple(Grid(*board.shape) for board in self.boards)

    @property
    def members(self) -> tuple[Ints, ...]:
        """The pieces of each, in the order of their numbers."""
        return tuple(np.sort(board[board >= 0]) for board in self.boards)

    @property
    def hypothesis(self) -> Hypothesis:
        """What they take the pile for."""
        return Hypothesis(self.grids, self.members)


def scored(evidence: Evidence, boards: Sequence[Ints]) -> Laid:
    """Boards with their score."""
    laid = Laid(tuple(boards), 0.0)
    prior = laid.hypothesis.log_prior(len(evidence), evidence.size)
    inside = sum(worth(evidence.terms, board) for board in boards)
    return Laid(laid.boards, prior + inside + worth_outside(evidence.terms, outside(len(evidence), boards)))


def outside(pieces: int, boards: Sequence[Ints]) -> Ints:
    """(K,) which of so many pieces lie on none of some boards."""
    return np.setdiff1d(np.arange(pieces), np.concatenate([board.ravel() for board in boards]))


def lay(evidence: Evidence, members: Ints, grid: Grid, seed: int, rounds: int = ROUNDS) -> Ints:
    """(rows, cols) the assembler's board of some pieces."""
    evidence.counts["boards"] += 1
    some = evidence if len(members) == len(evidence) else evidence.of(members)
    right, down, border = some.tables
    found = assemble_pieces(
        right, down, grid, border=border, twins=some.twins, seed=seed, rounds=rounds, patience=rounds
    )
    return board_of(members, found.placement, grid)


def board_of(members: Ints, placement: Ints, grid: Grid) -> Ints:
    """(rows, cols) the board of pieces (n,) in slots (n,)."""
    board = np.full(grid.slots, -1)
    board[placement] = members
    return board.reshape(grid.rows, grid.cols)


def mended(evidence: Evidence, boards: Sequence[Ints], fixed: bool = False) -> Laid:
    """Boards after whatever raises their score: pieces that do not fit are left out, pieces that were left out fill
    holes, parts that nothing ties to the rest come off, empty lines at the rim are cut off, and lines that are lost are
    put on. If `fixed`, grids stay."""
    best = scored(evidence, _piece_by_piece(evidence, boards))
    for _ in range(MENDINGS):
        tried = [scored(evidence, each) for each in _steps(evidence, best.boards, fixed)]
        top = max(tried, key=lambda laid: laid.score, default=best)
        if top.score <= best.score + LEAST_GAIN:
            break
        best = scored(evidence, _piece_by_piece(evidence, top.boards))
    if fixed and sum(grid.slots for grid in best.grids) >= len(evidence):
        best = scored(evidence, _piece_by_piece(evidence, best.boards, all_in=True))
    return best


def _piece_by_piece(evidence: Evidence, boards: Sequence[Ints], all_in: bool = False) -> list[Ints]:
    """Boards after single pieces were taken off and laid into empty slots, as long as that raises the score; if
    `all_in`, none is taken off, and none left out as long as there is room."""
    found = [board.copy() for board in boards]
    left = outside(len(evidence), found)
    for _ in range(2 * len(evidence)):
        empty = sum(int((board < 0).sum()) for board in found)
        off = prior_of_few(empty + 1, LOST) - prior_of_few(empty, LOST)
        off += prior_of_few(len(left) + 1, STRANGER) - prior_of_few(len(left), STRANGER)
        steps: list[tuple[float, int, tuple[int, ...], int]] = []
        for k, board in enumerate(found):
            share = np.where(board >= 0, shares(evidence.terms, board), np.inf)
            if np.count_nonzero(board >= 0) > 1:
                worst = np.unravel_index(share.argmin(), share.shape)
                steps.append((off - share[worst], k, tuple(map(int, worst)), EMPTY))
            if len(left) and (board < 0).any():
                holes, gain = gains(evidence.terms, board, left)
                hole, best = np.unravel_index(gain.argmax(), gain.shape)
                on = prior_of_few(empty, LOST) - prior_of_few(empty - 1, LOST)
                on += prior_of_few(len(left), STRANGER) - prior_of_few(len(left) - 1, STRANGER)
                steps.append((gain[hole, best] - on, k, tuple(holes[hole]), int(left[best])))
        if all_in:
            steps = [step for step in steps if step[3] != EMPTY]
        gained, k, slot, piece = max(steps, key=lambda step: step[0], default=(0.0, 0, (0, 0), EMPTY))
        if gained <= LEAST_GAIN and not (all_in and steps):
            break
        found[k][slot] = piece
        left = outside(len(evidence), found)
    return found


def _steps(evidence: Evidence, boards: tuple[Ints, ...], fixed: bool) -> Iterator[tuple[Ints, ...]]:
    """Boards that differ by a part that is taken off or stands alone, or by a line."""
    for k, board in enumerate(boards):
        found: list[tuple[Ints, ...]] = []
        for part in _smaller_parts(evidence, board):
            rest = np.where(part, EMPTY, board)
            found.append((rest,))
            if not fixed and np.count_nonzero(part) >= SMALLEST:
                found.append((cropped(rest), cropped(np.where(part, board, EMPTY))))
        if not fixed:
            found += [(cut,) for turn in range(4) if (cut := _without_line(board, turn)) is not None]
            found += [(_with_line(board, turn),) for turn in range(4)]
            found += [
                (cropped(board[:r]), cropped(board[r:])) for r in range(1, len(board)) if _both_hold(board, r)
            ]
            found += [
                (cropped(board[:, :c]), cropped(board[:, c:]))
                for c in range(1, board.shape[1])
                if _both_hold(board.T, c)
            ]
        yield from ((*boards[:k], *other, *boards[k + 1 :]) for other in found)


def _smaller_parts(evidence: Evidence, board: Ints) -> list[NDArray[np.bool_]]:
    """Where the larger parts of a board lie that no likely seam ties to the largest."""
    ties = np.zeros(
        (2, *board.shape), np.uint8
    )  # a picture of the board: a cell, and a tie, to the right and below
    terms = evidence.terms
    ties[0, :, :-1] = (np.minimum(board[:, :-1], board[:, 1:]) >= 0) & (
        terms.right[board[:, :-1], board[:, 1:]] > 0
    )
    ties[1, :-1] = (np.minimum(board[:-1], board[1:]) >= 0) & (terms.down[board[:-1], board[1:]] > 0)
    drawn = np.zeros((2 * board.shape[0], 2 * board.shape[1]), np.uint8)
    drawn[::2, ::2], drawn[::2, 1::2], drawn[1::2, ::2] = board >= 0, ties[0], ties[1]
    _, labels = cv2.connectedComponents(drawn, connectivity=4)
    of_cells = labels[::2, ::2]
    sizes = np.bincount(of_cells.ravel())
    sizes[0] = 0
    order = np.argsort(-sizes, kind="stable")[1 : 1 + PARTS]
    return [of_cells == label for label in order if sizes[label]]


def cropped(board: Ints) -> Ints:
    """A board without empty lines at its sides."""
    rows, cols = np.flatnonzero((board >= 0).any(1)), np.flatnonzero((board >= 0).any(0))
    return board[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]


def _both_hold(board: Ints, line: int) -> bool:
    """Whether there are enough pieces for a puzzle at both sides of a line."""
    return bool(min((board[:line] >= 0).sum(), (board[line:] >= 0).sum()) >= SMALLEST)


def _with_line(board: Ints, turn: int) -> Ints:
    """A board with an empty line more at one of its sides."""
    turned = np.pad(np.rot90(board, turn), ((1, 0), (0, 0)), constant_values=-1)
    return np.rot90(turned, -turn)


def _without_line(board: Ints, turn: int) -> Ints | None:
    """A board without the line at one of its sides and whatever lies there, and without the empty ones behind it."""
    turned = np.rot90(board, turn)[1:]
    full = np.flatnonzero((turned >= 0).any(1))
    return np.rot90(turned[full[0] :], -turn) if len(full) else None
