"""Laying strips in a row: the likeliest order, and how sure each of its seams is.

An order of several pages is one ring of strips in which a divider stands before every page. Whole runs of strips are
taken out and put in elsewhere, turned or not, while the ring cools; afterwards the same moves at the temperature 1
draw orders as often as they are likely, which tells how often two strips lie side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints
from ganzzle.compiling import njit

Links = NDArray[np.float64]  # (F, F) log-odds that a face has another on its right

RESTARTS = 6
HOT, COLD = 8.0, 0.5  # log-odds that a move may typically cost, at the start and at the end
COOLING, DRAWING = 3000, 3000  # moves for each strip of the ring
BURN_IN = 0.1  # share of the drawn moves that are not counted
ALONE = 0.6  # chance that a single strip moves, and no run of them
NEVER = -1e6


@dataclass(frozen=True, eq=False)
class Row:
    """Faces side by side, page after page."""

    pages: tuple[Ints, ...]  # the faces of each page, from left to right
    score: float  # the sum of all links
    beside: Floats  # (F, F) how likely a face has another on its right
    ends: Floats  # (2, F) how likely a face is the first, and the last, of a page


def lay_in_row(
    links: Links, seed: int, pages: int = 1, turned: bool = False, ends: Floats | None = None
) -> Row:
    """The likeliest rows of N strips, given the log-odds (F, F) that a face has another on its right.

    `ends` (2, F) are the log-odds that a face is the first, and the last, of a page. Where strips may lie upside down,
    face 2 * i + 1 is strip i turned by half a turn; else face i is strip i.
    """
    faces = 2 if turned else 1
    ring = _with_dividers(links, ends, pages, faces)
    count = len(ring) // faces
    rng = np.random.default_rng(seed)
    best, highest = np.zeros(0, np.int64), -np.inf
    for _ in range(RESTARTS):
        start = np.append(count - 1, rng.permutation(count - 1)) * faces
        order, _ = _wander(ring, start, faces, COOLING * count, HOT, COLD, 0, rng)
        score = float(ring[order, np.roll(order, -1)].sum())
        if score > highest + 1e-9:
            best, highest = order, score
    _, drawn = _wander(ring, best, faces, DRAWING * count, 1.0, 1.0, int(BURN_IN * DRAWING * count), rng)
    beside = drawn / max(1.0, drawn.sum()) * count
    strips = len(links)
    dividers = np.flatnonzero(best >= strips)
    rows = tuple(run[run < strips] for run in np.split(best, dividers[1:]))
    ends_drawn = np.stack([beside[strips:, :strips].sum(0), beside[:strips, strips:].sum(1)])
    return Row(tuple(row for row in rows if len(row)), highest, beside[:strips, :strips], ends_drawn)


def _with_dividers(links: Links, ends: Floats | None, pages: int, faces: int) -> Links:
    """The links (F, F) with a divider more for each page, which has faces like a strip."""
    strips, more = len(links), pages * faces
    ring = np.full((strips + more, strips + more), NEVER)
    ring[:strips, :strips] = links
    ring[strips:, :strips] = 0 if ends is None else ends[0]
    ring[:strips, strips:] = 0 if ends is None else ends[1][:, None]
    if faces == 2:  # a strip beside itself turned would be two strips
        ring[np.arange(strips + more) ^ 1, np.arange(strips + more)] = NEVER
    return ring


@njit(cache=True, nogil=True)
def _wander(
    ring: Links,
    start: Ints,
    faces: int,
    moves: int,
    hot: float,
    cold: float,
    burn_in: int,
    rng: np.random.Generator,
) -> tuple[Ints, Links]:
    """The best ring met on a walk, and how many moves long each two faces lay side by side after the first ones.

    A walk that cools counts nothing.
    """
    count = len(start)
    now = start.copy()
    best = now.copy()
    total = highest = 0.0
    seen = np.zeros_like(ring)
    buffer = np.empty(count, np.int64)
    for k in range(moves):
        heat = hot * (cold / hot) ** (k / moves)
        if count > 2:
            gain = _try(ring, now, buffer, faces, heat, rng)
            total += gain
            if total > highest + 1e-9:
                highest = total
                best[:] = now
        if hot == cold and k >= burn_in and k % count == 0:
            for i in range(count):
                seen[now[i], now[(i + 1) % count]] += 1
    return best, seen


@njit(cache=True, nogil=True)
def _try(ring: Links, now: Ints, buffer: Ints, faces: int, heat: float, rng: np.random.Generator) -> float:
    """Take a random run out of a ring and put it in elsewhere, if that is good enough; what it gains, or 0.

    The first place of the ring is a divider, which stays.
    """
    count = len(now)
    length = 1 if rng.random() < ALONE else rng.integers(1, count - 1) if count > 2 else 1
    begin = rng.integers(1, count - length + 1)
    end = begin + length
    flip = faces == 2 and rng.random() < 0.5
    # Places between two of those that stay, counted as if the run were gone; `begin` is where it was.
    place = rng.integers(1, count - length + 1)
    if place == begin and not flip:
        return 0.0
    first, last = now[begin], now[end - 1]
    before, after = now[begin - 1], now[end % count]
    if place == begin:
        left, right = before, after
        lost = ring[before, first] + ring[last, after]
    else:
        left = now[place - 1] if place < begin else now[place - 1 + length]
        right = now[place] if place < begin else now[(place + length) % count]
        lost = ring[before, first] + ring[last, after] + ring[left, right]
    won = ring[left, last ^ 1] + ring[first ^ 1, right] if flip else ring[left, first] + ring[last, right]
    if place != begin:
        won += ring[before, after]
    if flip:
        for i in range(begin, end - 1):
            lost += ring[now[i], now[i + 1]]
            won += ring[now[i + 1] ^ 1, now[i] ^ 1]
    gain = won - lost
    if gain < heat * np.log(rng.random() + 1e-30):
        return 0.0
    for i in range(length):
        buffer[i] = now[end - 1 - i] ^ 1 if flip else now[begin + i]
    if place < begin:
        for i in range(begin - 1, place - 1, -1):
            now[i + length] = now[i]
    else:
        for i in range(end, place + length):
            now[i - length] = now[i]
    for i in range(length):
        now[place + i] = buffer[i]
    return gain
