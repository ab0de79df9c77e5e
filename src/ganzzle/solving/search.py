"""The loop over what an upright pile may be: a hypothesis, its board, its score, and when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ganzzle.arrays import Ints
from ganzzle.board.separating import separate
from ganzzle.grid import Grid
from ganzzle.solving.boards import Laid, lay, mended, scored
from ganzzle.solving.evidence import Evidence
from ganzzle.solving.hypotheses import grids_of, propose
from ganzzle.solving.mixed import grids_of_each

MANY = ((150, 10), (400, 6), (1 << 30, 4))  # pieces up to which so many grids are laid
FEW = 3  # the same for each of several puzzles
SLACK = 0.02  # share of the best score there can be by which another may be better and is not looked for
MOST_PUZZLES = 3  # that are looked for where nobody has said how many there are
SAID = 25.0  # what each puzzle more or fewer than were announced costs, in the score
LEAST_OF_EACH = 4  # pieces of each of them


def laid_out(
    evidence: Evidence, seed: int, known: Grid | None = None, puzzles: int | None = None
) -> list[Laid]:
    """All boards that were tried of a pile of upright pieces, the best first; `known` is the grid of each puzzle."""
    tried: list[Laid] = []
    if puzzles in (None, 1) or known is None:
        tried += one_puzzle(evidence, seed, known)
    enough = 2 * len(evidence) * evidence.terms.most * (1 - SLACK)
    counts = range(2, MOST_PUZZLES + 1) if puzzles is None else [puzzles] if puzzles > 1 else []
    for count in counts:
        if (tried and max(tried, key=_score).score >= enough) or len(evidence) < count * LEAST_OF_EACH:
            break
        found = several_puzzles(evidence, count, seed, known)
        best = max(tried, key=_score).score if tried else -np.inf
        tried += found
        if puzzles is None and max(map(_score, found), default=-np.inf) < best:
            break
    if puzzles is not None and puzzles > 1:
        tried = [replace(laid, score=laid.score - SAID * abs(len(laid.boards) - puzzles)) for laid in tried]
    return sorted(tried, key=_score, reverse=True)


def _score(laid: Laid) -> float:
    return laid.score


def one_puzzle(evidence: Evidence, seed: int, known: Grid | None = None, most: int = 0) -> list[Laid]:
    """Boards of a pile as one puzzle in the likely grids, `most` at most."""
    count, everything = len(evidence), np.arange(len(evidence))
    tried: list[Laid] = []
    best = -np.inf
    most = most or next(many for pieces, many in MANY if count <= pieces)
    bound = 2 * count * evidence.terms.most
    proposed = propose(count, evidence.size, grids_of(count, known), evidence.terms, evidence.part)
    for _, (reach, grid) in zip(range(most), proposed, strict=False):
        if reach <= best + SLACK * bound:
            continue
        tried.append(
            _settled(evidence, [_room_for(everything, grid, evidence, seed)], seed, known is not None)
        )
        best = max(best, tried[-1].score)
        if best >= (1 - SLACK) * bound:
            break
    return tried


def several_puzzles(evidence: Evidence, count: int, seed: int, known: Grid | None = None) -> list[Laid]:
    """Boards of a pile as several puzzles."""
    pieces = len(evidence)
    grids = [known] if known is not None else grids_of_each(pieces, count)
    tried = []
    for way in separate(evidence.problem, count, grids, free=known is None):
        boards = []
        for number, grid in enumerate(way.grids):
            members = np.flatnonzero(way.belongs == number)
            if not len(members):
                continue
            if grid is None:
                alone = one_puzzle(evidence.of(members), seed, most=FEW)
                top = max(alone, key=_score).boards[0]
                boards.append(np.where(top >= 0, members[top], -1))
            else:
                boards.append(_room_for(members, grid, evidence, seed))
        tried.append(_settled(evidence, boards, seed, known is not None))
    return tried


def _room_for(members: Ints, grid: Grid, evidence: Evidence, seed: int) -> Ints:
    """The board of some pieces in a grid; where it has too few slots, those in it that have most ties."""
    if len(members) > grid.slots:
        some = evidence.of(members)
        tied = np.stack(
            [some.terms.right.max(1), some.terms.right.max(0), some.terms.down.max(1), some.terms.down.max(0)]
        )
        members = members[
            np.sort(
                np.argsort(-np.maximum(tied, some.terms.border.T[[0, 1, 2, 3]]).sum(0), kind="stable")[
                    : grid.slots
                ]
            )
        ]
    return lay(evidence, members, grid, seed)


def _settled(evidence: Evidence, boards: Sequence[Ints], seed: int, fixed: bool) -> Laid:
    """Boards mended, and laid anew with the pieces they then have, as long as that makes them better."""
    best = mended(evidence, boards, fixed)
    if best.grids == scored(evidence, boards).grids and all(
        np.array_equal(a, np.sort(b[b >= 0])) for a, b in zip(best.members, boards, strict=True)
    ):
        return best
    again = [
        lay(evidence, some, grid, seed)
        for some, grid in zip(best.members, best.grids, strict=True)
        if len(some)
    ]
    other = mended(evidence, again, fixed)
    return other if other.score > best.score else best
