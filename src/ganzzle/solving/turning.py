"""Turned pieces: which of its faces each of them shows in the picture, found by the seams of all faces at once.

All faces together are the picture held each way, side by side. What the seams put together of them without a frame is
the picture in one of these ways; a piece that is not in it takes the face that is tied to it most.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ganzzle.arrays import Floats, Ints, Pixels
from ganzzle.pieces import turn_pieces
from ganzzle.solving.boards import Laid, outside, scored
from ganzzle.solving.evidence import Evidence
from ganzzle.solving.hypotheses import LOST, TURNED
from ganzzle.solving.score import gains

LIKELY = 0.05  # probability of a seam by which parts are joined as long as they have room for each other


def ways_of(size: tuple[int, int]) -> tuple[int, ...]:
    """The quarter turns at which pieces of a height and width may lie."""
    return (0, 1, 2, 3) if size[0] == size[1] else (0, 2)


def faces_of(pieces: Pixels) -> Pixels:
    """(K * N, h, w, 3) all pieces in each of their K ways, one way after the other."""
    count = len(pieces)
    return np.concatenate([turn_pieces(pieces, np.full(count, turn)) for turn in ways_of(pieces.shape[1:3])])


def turns_alike(evidence: Evidence) -> Ints:
    """(N,) quarter turns after which all pieces lie one way, whichever that is."""
    ways = ways_of(evidence.size)
    count = len(evidence)
    faces = Evidence(faces_of(evidence.pieces), evidence.solver, evidence.counts)
    right, down = (table.astype(np.float64) for table in faces.tables[:2])
    right, down = _of_all_ways(right, down, len(ways))
    parts = [{piece: (0, 0, 0)} for piece in range(count)]
    for chance in (LIKELY, 0.0):  # the surest seams first, then whatever ties the parts most
        _join(parts, right, down, len(ways), chance)
    turns = np.zeros(count, np.int64)
    for part in {id(part): part for part in parts}.values():
        for piece, (turn, _, _) in part.items():
            turns[piece] = turn
    return np.array(ways)[turns]


def _of_all_ways(right: Floats, down: Floats, ways: int) -> tuple[Floats, Floats]:
    """Seams (F, F), (F, F) of faces as the mean of what is said of them each way the picture may be held."""
    count = len(right) // ways
    held = [np.roll(np.arange(ways * count), -k * count) for k in range(ways)]
    if ways == 2:
        upside = np.ix_(held[1], held[1])
        return (right + right[upside].T) / 2, (down + down[upside].T) / 2
    all_ways = [
        right,
        down[np.ix_(held[1], held[1])].T,
        right[np.ix_(held[2], held[2])].T,
        down[np.ix_(held[3], held[3])],
    ]
    mean = np.mean(all_ways, 0)
    back = np.ix_(held[1], held[1])  # what lies to the right lies below once all is turned three times
    return mean, mean[back]


def _join(
    parts: list[dict[int, tuple[int, int, int]]], right: Floats, down: Floats, ways: int, chance: float
) -> None:
    """Join parts, a (turn, row, col) for each of their pieces, along seams likelier than `chance`, the surest first;
    `parts` (N,) has the one that each piece is in."""
    count = len(parts)
    least = np.log(max(chance, 1e-5))
    found = []
    for table, step in ((right, (0, 1)), (down, (1, 0))):
        for one, other in np.argwhere(table > least):
            if one % count != other % count:
                found.append((-table[one, other], one, other, step))
    for _, one, other, step in sorted(found):
        (first, face), (second, beside) = (
            (int(one % count), int(one // count)),
            (int(other % count), int(other // count)),
        )
        into, part = parts[first], parts[second]
        if into is part:
            continue
        if len(into) < len(part):
            first, face, second, beside, step = second, beside, first, face, (-step[0], -step[1])
            into, part = part, into
        turn, row, col = into[first]
        down_by, across_by = _turned(step, turn - face, ways)
        moved = _moved(part, second, (beside + turn - face) % ways, row + down_by, col + across_by, ways)
        taken = {(row, col) for _, row, col in into.values()}
        if chance == 0 or not any((row, col) in taken for _, row, col in moved.values()):
            into.update(moved)
            for piece in moved:
                parts[piece] = into


def _moved(
    part: dict[int, tuple[int, int, int]], piece: int, turn: int, row: int, col: int, ways: int
) -> dict[int, tuple[int, int, int]]:
    """A part turned and moved until one of its pieces has a turn, a row and a column."""
    was, at_row, at_col = part[piece]
    more = turn - was
    moved = {}
    for each, (other, r, c) in part.items():
        down, across = _turned((r - at_row, c - at_col), more, ways)
        moved[each] = (other + more) % ways, row + down, col + across
    return moved


def _turned(step: tuple[int, int], turn: int, ways: int) -> tuple[int, int]:
    """Rows and columns of a step after turns, counter-clockwise; by halves where there are two ways."""
    down, across = step
    for _ in range(turn % ways * (4 // ways)):
        down, across = -across, down
    return down, across


def with_turned(evidence: Evidence, laid: Laid) -> tuple[Evidence, Laid, Ints]:
    """Boards whose empty slots are filled by pieces that were left out, turned where that suits them.

    -> what is seen of the pieces as they then lie, the boards, and (N,) quarter turns.
    """
    count, ways = len(evidence), ways_of(evidence.size)
    left = outside(count, laid.boards)
    turns = np.zeros(count, np.int64)
    if not len(left) or not any((board < 0).any() for board in laid.boards):
        return evidence, laid, turns
    more = faces_of(evidence.pieces[left])[len(left) :]
    faces = Evidence(np.concatenate([evidence.pieces, more]), evidence.solver, evidence.counts)
    face = np.concatenate([left, np.arange(count, len(faces))])
    piece, turn = np.tile(left, len(ways)), np.repeat(ways, len(left))
    boards, chosen = [board.copy() for board in laid.boards], np.arange(count)
    while len(face):
        tried = [(k, *gains(faces.terms, board, face)) for k, board in enumerate(boards) if (board < 0).any()]
        if not tried:
            break
        k, holes, gain = max(tried, key=lambda each: float(each[2].max()))
        hole, best = np.unravel_index(gain.argmax(), gain.shape)
        if gain[hole, best] + (TURNED if turn[best] else 0) - LOST <= 0:
            break
        boards[k][tuple(holes[hole])] = face[best]
        chosen[piece[best]], turns[piece[best]] = face[best], turn[best]
        rest = piece != piece[best]
        face, piece, turn = face[rest], piece[rest], turn[rest]
    if not turns.any():
        return evidence, laid, turns
    number = np.full(len(faces) + 1, -1)
    number[chosen] = np.arange(count)
    seen = faces.of(chosen)
    found = scored(seen, [number[board] for board in boards])
    return seen, replace(found, score=found.score + TURNED * np.count_nonzero(turns)), turns
