"""How well two sides of cut pieces fit: by their shape, and by the colours to both sides of the cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints
from ganzzle.seams.cut_sides import POINTS, Curve, Sides

Costs = NDArray[np.float32]

TURNS = 6  # of iterated alignment
NEAR = 5  # points to either side of its own among which a point's partner is looked for
COLOUR_CLIP = 24.0  # of Lab, the most that one place counts
CHUNK = 500  # pairs aligned at a time, as many as stay in the cache


def shape_gaps(a: Curve, b: Curve, unit: float) -> tuple[Costs, Costs]:
    """(A, B) root mean square gaps of all pairs of curves (A, POINTS) and (B, POINTS), the second run backwards, and
    (A, B) how much larger the one is than the other; both in shares of a piece."""
    first = a - a.mean(1, keepdims=True)
    second = (b - b.mean(1, keepdims=True))[:, ::-1]
    inner = np.abs(np.conj(first).astype(np.complex64) @ second.astype(np.complex64).T)
    size_a = np.linalg.norm(first, axis=1).astype(np.float32)
    size_b = np.linalg.norm(second, axis=1).astype(np.float32)
    gap = np.sqrt(np.maximum(2 * (size_a[:, None] * size_b[None] - inner), 0) / POINTS) / unit
    larger = (size_a[:, None] - size_b[None]) / np.sqrt(POINTS) / unit
    return np.asarray(gap, np.float32), np.asarray(larger, np.float32)


def aligned_gaps(a: Curve, b: Curve, unit: float, turns: int = TURNS) -> tuple[Floats, Curve, Curve]:
    """(P,) gaps of pairs of curves (P, POINTS) when the second, run backwards, is moved onto the first point by point,
    in shares of a piece; and the turn (P,) and the shift (P,) that move it there."""
    gaps, turned, shifts = np.empty(len(a)), np.empty(len(a), complex), np.empty(len(a), complex)
    for begin in range(0, len(a), CHUNK):
        part = slice(begin, begin + CHUNK)
        gaps[part], turned[part], shifts[part] = _align(a[part], b[part, ::-1], turns)
    return gaps / unit, turned, shifts


def _align(a: Curve, b: Curve, turns: int) -> tuple[Floats, Curve, Curve]:
    """(P,) gaps in px of curves (P, POINTS) that run the same way, and the turns and shifts of the second."""
    a, b = a.astype(np.complex64), b.astype(np.complex64)
    turn, shift = _rigid(b, a)
    partner = a
    inner = slice(2, POINTS - 2)
    for _ in range(turns):
        moved = turn[:, None] * b + shift[:, None]
        partner, _ = _nearest(moved, a)
        turn, shift = _rigid(b[:, inner], partner[:, inner])
    moved = turn[:, None] * b + shift[:, None]
    _, there = _nearest(moved, a)
    _, back = _nearest(a, moved)
    both = (there[:, inner] ** 2).mean(1) + (back[:, inner] ** 2).mean(1)
    ends = (np.abs(moved[:, 0] - a[:, 0]) ** 2 + np.abs(moved[:, -1] - a[:, -1]) ** 2) / POINTS
    return np.sqrt(both / 2 + ends), turn, shift


def _rigid(b: Curve, a: Curve) -> tuple[Curve, Curve]:
    """(P,) turns and (P,) shifts that lay curves b best onto curves a, point on point."""
    mean_a, mean_b = a.mean(1), b.mean(1)
    inner = (np.conj(b - mean_b[:, None]) * (a - mean_a[:, None])).sum(1)
    turn = inner / np.maximum(np.abs(inner), 1e-9)
    return turn, mean_a - turn * mean_b


def _nearest(points: Curve, line: Curve) -> tuple[Curve, Floats]:
    """(P, n) the nearest place on each line (P, n) to each of its points (P, n), near the same number; the distance."""
    best = np.full(points.shape, np.inf, np.float32)
    place = line.copy()
    ahead = line[:, 1:] - line[:, :-1]
    length = np.maximum(np.abs(ahead) ** 2, 1e-9)
    number = points.shape[1]
    for shift in range(-NEAR, NEAR):
        low, high = max(0, -shift), min(number, number - 1 - shift)
        own = slice(low, high)
        other = slice(low + shift, high + shift)
        off = points[:, own] - line[:, other]
        share = np.clip((off * np.conj(ahead[:, other])).real / length[:, other], 0, 1)
        rest = off - share * ahead[:, other]
        gap = rest.real**2 + rest.imag**2
        nearer = gap < best[:, own]
        best[:, own] = np.where(nearer, gap, best[:, own])
        place[:, own] = np.where(nearer, line[:, other] + share * ahead[:, other], place[:, own])
    return place, np.sqrt(best)


def colour_gaps(a: NDArray[np.float32], b: NDArray[np.float32]) -> Costs:
    """(A, B) how much the colours (A or B, depths, COLOURS, 3) of all pairs of sides differ, the second backwards."""
    first = a.mean(1).reshape(len(a), -1)
    second = b.mean(1)[:, ::-1].reshape(len(b), -1)
    out = np.empty((len(a), len(b)), np.float32)
    for k, one in enumerate(first):
        off = np.abs(second - one)
        np.minimum(off, COLOUR_CLIP, out=off)
        out[k] = off.mean(1)
    return out


def pair_colour_gaps(one: Sides, other: Sides, a: Ints, b: Ints) -> Floats:
    """(P,) how much the colours of pairs of sides differ."""
    first, second = one.colours.mean(1), other.colours.mean(1)[:, ::-1]
    gaps = np.empty(len(a))
    for begin in range(0, len(a), CHUNK):
        part = slice(begin, begin + CHUNK)
        off = np.abs(first[a[part]] - second[b[part]])
        gaps[part] = np.minimum(off, COLOUR_CLIP).mean((1, 2))
    return gaps
