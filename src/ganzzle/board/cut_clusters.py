"""Clusters of cut pieces: grown from log-odds between their sides, loops of four first.

A side is numbered 4 * piece + k, clockwise. A piece laid with turn t shows its side k to the direction (k + t) % 4 of
UP, RIGHT, DOWN, LEFT, so a turn is a number of quarter turns clockwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints

Odds = NDArray[np.float32]  # (S, S) log-odds that two sides belong together
Cell = tuple[int, int]

STEPS: tuple[Cell, ...] = ((-1, 0), (0, 1), (1, 0), (0, -1))
CANDIDATES = 6  # partners of a side that are looked at
HOPELESS = -3.0  # log-odds below which a pair is no candidate
SURE = 4.0  # log-odds of all contacts together at which clusters are merged at first,
UNSURE = 0.5  # and at last
ROUNDS = 6
SHED = 3  # pieces, at most, that stand in the way of a merge and are given up for it
SHED_SHARE = 0.15  # of the smaller cluster, at most, that they are


@dataclass(eq=False)
class Cluster:
    """Pieces laid relative to each other."""

    cells: dict[Cell, int] = field(default_factory=dict)  # the piece in each
    places: dict[int, tuple[int, int, int]] = field(
        default_factory=dict
    )  # row, column and turn of each piece

    def __len__(self) -> int:
        return len(self.places)

    def add(self, piece: int, row: int, col: int, turn: int) -> None:
        """Lay a piece."""
        self.cells[row, col] = piece
        self.places[piece] = row, col, turn % 4

    def drop(self, piece: int) -> None:
        """Take a piece away."""
        row, col, _ = self.places.pop(piece)
        if self.cells.get((row, col)) == piece:
            del self.cells[row, col]

    def turned(self, quarter: int) -> Cluster:
        """The same turned clockwise."""
        out = Cluster()
        for piece, (row, col, turn) in self.places.items():
            r, c = row, col
            for _ in range(quarter % 4):
                r, c = c, -r
            out.add(piece, r, c, turn + quarter)
        return out

    def moved(self, rows: int, cols: int) -> Cluster:
        """The same shifted."""
        out = Cluster()
        for piece, (row, col, turn) in self.places.items():
            out.add(piece, row + rows, col + cols, turn)
        return out

    def box(self) -> tuple[int, int, int, int]:
        """First row, first column, rows and columns that it covers."""
        rows, cols = zip(*self.cells, strict=True)
        return min(rows), min(cols), max(rows) - min(rows) + 1, max(cols) - min(cols) + 1

    def support(self, piece: int, odds: Odds) -> float:
        """The log-odds of all contacts of one of its pieces."""
        row, col, turn = self.places[piece]
        return contacts(self, piece, row, col, turn, odds)


def contacts(cluster: Cluster, piece: int, row: int, col: int, turn: int, odds: Odds) -> float:
    """The log-odds of all contacts that a piece has, or would have, at a place in a cluster."""
    total = 0.0
    for side, (down, right) in enumerate(STEPS):
        other = cluster.cells.get((row + down, col + right))
        if other is not None and other != piece:
            turned = cluster.places[other][2]
            total += float(odds[4 * piece + (side - turn) % 4, 4 * other + (side + 2 - turned) % 4])
    return total


def candidate_pairs(odds: Odds) -> tuple[Ints, Floats]:
    """(P, 2) pairs of sides that may belong together, a < b, and (P,) how sure of each the loops of four make us."""
    count = len(odds)
    some = min(CANDIDATES, count - 1)
    best = np.argpartition(-odds, some, axis=1)[:, :some]
    value = np.take_along_axis(odds, best, 1)
    a, k = np.nonzero(value > HOPELESS)
    pairs = np.stack([a, best[a, k]], 1)
    pairs = np.unique(np.sort(pairs, 1), axis=0).astype(np.int64)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    closing = _closing(both, best, value, odds).reshape(2, -1)
    own = odds[pairs[:, 0], pairs[:, 1]].astype(np.float64)
    return pairs, own + np.maximum(closing, 0).sum(0)


def _closing(pairs: Ints, best: Ints, value: Odds, odds: Odds) -> Floats:
    """(P,) the log-odds of the other three seams of the best loop of four that a pair of sides is part of: the piece of
    the first lies left, that of the second right, the other two below."""
    a, b = pairs.T
    below_a, below_b = a // 4 * 4 + (a + 1) % 4, b // 4 * 4 + (b - 1) % 4
    c, e = best[below_a], best[below_b]  # (P, k) each
    right_of_c, left_of_e = c // 4 * 4 + (c + 1) % 4, e // 4 * 4 + (e - 1) % 4
    last = odds[right_of_c[:, :, None], left_of_e[:, None]]
    total = value[below_a][:, :, None] + value[below_b][:, None] + last
    piece_a, piece_b, piece_c, piece_e = a // 4, b // 4, c // 4, e // 4
    same = (piece_c[:, :, None] == piece_e[:, None]) | (piece_e == piece_a[:, None])[:, None]
    same |= (piece_c == piece_b[:, None])[:, :, None]
    weakest = np.minimum(np.minimum(value[below_a][:, :, None], value[below_b][:, None]), last)
    total = np.where(same | (weakest < HOPELESS), -np.inf, total)
    return np.asarray(total.max((1, 2)), np.float64)


def grow_clusters(odds: Odds, longest: int) -> list[Cluster]:
    """Clusters of all pieces, the largest first; none is longer than `longest` cells."""
    pieces = len(odds) // 4
    clusters = {k: Cluster() for k in range(pieces)}
    for k in range(pieces):
        clusters[k].add(k, 0, 0, 0)
    owner = list(range(pieces))
    pairs, support = candidate_pairs(odds)
    order = np.argsort(-support, kind="stable")
    least = 2 * SURE
    for a, b in pairs[order[support[order] > least]].tolist():
        _try_merge(a, b, clusters, owner, odds, SURE, longest)
    for level in np.linspace(SURE, UNSURE, ROUNDS):
        _merge_round(pairs, clusters, owner, odds, float(level), longest)
        _shed_weak(clusters, owner, odds)
    return sorted(clusters.values(), key=lambda each: (-len(each), min(each.places)))


def _merge_round(
    pairs: Ints, clusters: dict[int, Cluster], owner: list[int], odds: Odds, level: float, longest: int
) -> None:
    """Merge clusters whose contacts are worth a level together, those worth most first, until nothing changes."""
    while True:
        worth = []
        seen = set()
        for a, b in pairs.tolist():
            if owner[a // 4] == owner[b // 4]:
                continue
            key = _relation(a, b, clusters, owner)
            if key in seen:
                continue
            seen.add(key)
            fit = _fit(a, b, clusters, owner, odds, longest)
            if fit is not None and fit[0] > level:
                worth.append((fit[0], a, b))
        done = 0
        for value, a, b in sorted(worth, reverse=True):
            done += _try_merge(a, b, clusters, owner, odds, max(level, 0.7 * value), longest)
        if not done:
            return


def _relation(a: int, b: int, clusters: dict[int, Cluster], owner: list[int]) -> tuple[int, ...]:
    """What tells one way of laying two clusters together from another, by two sides that touch."""
    one, other = owner[a // 4], owner[b // 4]
    if one > other:
        a, b, one, other = b, a, other, one
    row, col, turn = clusters[one].places[a // 4]
    facing = (a + turn) % 4
    row, col = row + STEPS[facing][0], col + STEPS[facing][1]
    r, c, t = clusters[other].places[b // 4]
    quarter = (facing + 2 - b % 4 - t) % 4
    for _ in range(quarter):
        r, c = c, -r
    return one, other, quarter, row - r, col - c


def _fit(
    a: int, b: int, clusters: dict[int, Cluster], owner: list[int], odds: Odds, longest: int
) -> tuple[float, Cluster, list[int]] | None:
    """What two clusters are worth together when two sides touch: the log-odds of all contacts, the smaller one where it
    comes to lie, and the pieces that stand in the way; None where they cannot."""
    if len(clusters[owner[a // 4]]) < len(clusters[owner[b // 4]]):
        a, b = b, a
    large, small = clusters[owner[a // 4]], clusters[owner[b // 4]]
    row, col, turn = large.places[a // 4]
    facing = (a + turn) % 4
    target = row + STEPS[facing][0], col + STEPS[facing][1]
    moved = small.turned((facing + 2 - b % 4 - small.places[b // 4][2]) % 4)
    r, c, _ = moved.places[b // 4]
    moved = moved.moved(target[0] - r, target[1] - c)
    clash = [piece for cell, piece in moved.cells.items() if cell in large.cells]
    if clash and (len(clash) > SHED or len(clash) > SHED_SHARE * len(moved) or b // 4 in clash):
        return None
    first, second = large.box(), moved.box()
    high = max(first[0] + first[2], second[0] + second[2]) - min(first[0], second[0])
    wide = max(first[1] + first[3], second[1] + second[3]) - min(first[1], second[1])
    if max(high, wide) > longest:
        return None
    total = sum(contacts(large, p, *place, odds) for p, place in moved.places.items() if p not in clash)
    return total, moved, clash


def _try_merge(
    a: int, b: int, clusters: dict[int, Cluster], owner: list[int], odds: Odds, least: float, longest: int
) -> bool:
    """Merge the clusters of two sides if that is worth a level; pieces in the way are given up where they fit less."""
    if owner[a // 4] == owner[b // 4]:
        return False
    fit = _fit(a, b, clusters, owner, odds, longest)
    if fit is None or fit[0] < least:
        return False
    _, moved, clash = fit
    numbers = owner[a // 4], owner[b // 4]
    into, gone = sorted(numbers, key=lambda k: (-len(clusters[k]), k != numbers[0]))
    large = clusters[into]
    alone = []
    for piece in clash:
        row, col, turn = moved.places[piece]
        other = large.cells[row, col]
        moved.drop(piece)
        if large.support(other, odds) < clusters[gone].support(piece, odds):
            large.drop(other)
            large.add(piece, row, col, turn)
            owner[piece] = into
            alone.append(other)
        else:
            alone.append(piece)
    for piece, place in moved.places.items():
        large.add(piece, *place)
        owner[piece] = into
    del clusters[gone]
    _set_apart(alone, clusters, owner)
    return True


def _set_apart(pieces: list[int], clusters: dict[int, Cluster], owner: list[int]) -> None:
    """Make each of some pieces a cluster of its own."""
    for piece in pieces:
        number = piece
        while number in clusters:
            number += len(owner)
        clusters[number] = Cluster()
        clusters[number].add(piece, 0, 0, 0)
        owner[piece] = number


def _shed_weak(clusters: dict[int, Cluster], owner: list[int], odds: Odds) -> None:
    """Give up pieces whose contacts speak against them."""
    for number in list(clusters):
        cluster = clusters[number]
        while len(cluster) > 1:
            worth = {piece: cluster.support(piece, odds) for piece in cluster.places}
            worst = min(worth, key=lambda piece: worth[piece])
            if worth[worst] >= 0:
                break
            cluster.drop(worst)
            _set_apart([worst], clusters, owner)
