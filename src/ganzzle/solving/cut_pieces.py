"""Solving piles of cut pieces: their sides compared, laid in clusters, then in a frame, then in the plane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ganzzle.arrays import Floats, Ints
from ganzzle.board.cut_clusters import STEPS, Cluster, grow_clusters
from ganzzle.board.cut_frames import Board, best_board, rim_agreement
from ganzzle.board.cut_poses import solve_poses, touching
from ganzzle.grid import Grid
from ganzzle.pile import Pile
from ganzzle.seams.cut_evidence import (
    CutEvidence,
    compared_again,
    fit_holes,
    gather,
    level_pages,
    look_again,
    with_corners,
)
from ganzzle.seams.cut_odds import Odds
from ganzzle.solution import Answer, LaidSolution

LOOKS = 3  # times that the corners of doubtful pieces are looked at again
FEW = 60  # doubtful pieces that are looked at again, at most, or a quarter of all
MOST_LEFT = 0.3  # share of the pieces that may be left and still be laid into the holes
DOUBTFUL = 3.0  # log-odds a neighbour below which a piece is doubtful
SURE_AT, SURE_STEP = (
    4.0,
    1.6,
)  # log-odds of its contacts at which a piece is as likely right as wrong, and per e
TORN, WHOLE = 0.8, 0.92  # shares of a frame that agree at which a board is not to be trusted, and is
DOUBT = 0.5  # what the confidence of a board is multiplied by that is not
UPRIGHT = 20.0  # degrees off upright within which a piece counts as lying upright on its page
SAME = 0.6  # share of pieces that must lie the same way round for that to be up

Progress = Callable[[str, float], None]


def solve_cut(pile: Pile, seed: int = 0, progress: Progress | None = None) -> Answer:
    """The answer to a pile of cut pieces."""
    say = progress or (lambda text, done: None)
    say(f"comparing the sides of {len(pile)} pieces", 0.1)
    evidence = gather(pile.cut_pieces)
    longest = _longest(pile)
    for look in range(LOOKS):
        say("laying pieces together", 0.5 + 0.1 * look)
        clusters = grow_clusters(evidence.fit.odds, longest)
        again = evidence
        if look == 0:
            pairs = np.concatenate([touching(cluster) for cluster in clusters])
            again = level_pages(again, np.array([piece.page for piece in pile.cut_pieces]), pairs)
        again = look_again(again, _doubtful(clusters, evidence))
        if again is evidence:
            break
        evidence = again
    say("laying them into a frame", 0.9)
    board = best_board(evidence.fit.odds, evidence.flat, clusters, pile.grid)
    if not board.laid.places:
        return Answer(pile, ())  # no two fit together
    evidence = _fill_holes(board, evidence, len(pile))
    solution = _solution(pile, board, evidence)
    say("done", 1.0)
    return Answer(pile, (solution,), _advice(pile, solution))


def _fill_holes(board: Board, evidence: CutEvidence, count: int) -> CutEvidence:
    """Lay the pieces that are left into the holes of a frame, with the corners that fit there.

    Where there are no more holes than pieces all are filled; else only pieces that fit are laid.
    """
    laid, grid = board.laid, board.grid
    left = sorted(set(range(count)) - laid.places.keys())
    free = [(r, c) for r in range(grid.rows) for c in range(grid.cols) if (r, c) not in laid.cells]
    if not left or not free or len(left) > MOST_LEFT * count:
        return evidence
    must = len(left) >= len(free)
    changed = []
    while left and free:
        holes = [_facing(laid, grid, *cell) for cell in free]
        cost, quad, turn = fit_holes(evidence, left, holes)
        known = np.array([sum(side is not None for side in hole) for hole in holes])
        rest = np.sort(cost, axis=1)[:, 1] - cost.min(1) if len(free) > 1 else np.ones(len(left))
        n = int((rest + known[cost.argmin(1)]).argmax())
        h = int(cost[n].argmin())
        if not must and cost[n, h] > 4 * evidence.fit.no_partner:
            del left[n]
            continue
        laid.add(left[n], *free[h], int(turn[n, h]))
        evidence = with_corners(evidence, left[n], int(quad[n, h]))
        changed.append(left[n])
        del left[n], free[h]
    return compared_again(evidence, changed)


def _facing(laid: Cluster, grid: Grid, row: int, col: int) -> list[int | None]:
    """The sides that face a slot from above, the right, below and the left; -1 is the rim, None an empty slot."""
    found: list[int | None] = []
    for side, (down, right) in enumerate(STEPS):
        near = row + down, col + right
        if not (0 <= near[0] < grid.rows and 0 <= near[1] < grid.cols):
            found.append(-1)
        elif near in laid.cells:
            other = laid.cells[near]
            found.append(4 * other + (side + 2 - laid.places[other][2]) % 4)
        else:
            found.append(None)
    return found


def _longest(pile: Pile) -> int:
    """How many pieces a puzzle is long, at most."""
    return max(pile.grid.rows, pile.grid.cols) if pile.grid else len(pile)


def _doubtful(clusters: list[Cluster], evidence: CutEvidence) -> list[int]:
    """The pieces whose neighbours do not make us sure of them."""
    found = []
    for cluster in clusters:
        for piece in cluster.places:
            sides = 4 - int(evidence.flat[4 * piece : 4 * piece + 4].sum())
            short = cluster.support(piece, evidence.fit.odds) - DOUBTFUL * max(1, sides - 1)
            if short < 0:
                found.append((short, piece))
    most = max(FEW, len(evidence.rings) // 4)
    return sorted(piece for _, piece in sorted(found)[:most])


def _solution(pile: Pile, board: Board, evidence: CutEvidence) -> LaidSolution:
    """A board laid in the plane, the right way up as far as that can be told."""
    pieces, turn, shift = solve_poses(board.laid, evidence.sides.curves, evidence.unit)
    quarter = _quarter_up(turn)
    laid = board.laid.turned(quarter)
    grid = board.grid if quarter % 2 == 0 else Grid(board.grid.cols, board.grid.rows)
    top, left = _corner(board.grid, quarter)
    laid = laid.moved(-top, -left)
    turn, shift = turn * 1j**quarter * evidence.scales[pieces], shift * 1j**quarter
    poses, size = _poses([evidence.rings[k] for k in pieces], turn, shift)
    places = np.array([laid.places[int(piece)] for piece in pieces])
    agreed = rim_agreement(laid, grid, evidence.flat) * len(laid) / min(grid.slots, len(pile))
    confidence = _confidence(laid, pieces, evidence.fit.odds) * _trust(agreed)
    return LaidSolution(
        pile.part(pieces),
        grid,
        places[:, 0] * grid.cols + places[:, 1],
        confidence,
        poses,
        size,
        pieces,
        order=np.argsort(-confidence, kind="stable"),
        solver="outlines and colours",
    )


def _quarter_up(turn: np.ndarray) -> int:
    """By how many quarter turns clockwise a board is to be turned so that most pieces lie as they do on their pages."""
    angles = np.degrees(np.angle(turn))
    counts = []
    for quarter in range(4):
        off = (angles + 90 * quarter + 180) % 360 - 180
        counts.append(float((np.abs(off) < UPRIGHT).mean()))
    best = int(np.argmax(counts))
    return best if counts[best] >= SAME else 0


def _corner(grid: Grid, quarter: int) -> tuple[int, int]:
    """The first row and column of a frame after some quarter turns clockwise about its first slot."""
    row, col = grid.rows - 1, grid.cols - 1
    corners = [(0, 0), (row, col)]
    for _ in range(quarter):
        corners = [(c, -r) for r, c in corners]
    return min(r for r, _ in corners), min(c for _, c in corners)


def _poses(rings: list[Floats], turn: np.ndarray, shift: np.ndarray) -> tuple[Floats, tuple[int, int]]:
    """(n, 2, 3) affine maps and the height and width of the picture, from turns and shifts (n,)."""
    points = [
        one * (ring[:, 0] + 1j * ring[:, 1]) + by for ring, one, by in zip(rings, turn, shift, strict=True)
    ]
    every = np.concatenate(points)
    low = complex(every.real.min(), every.imag.min())
    poses = np.empty((len(turn), 2, 3))
    poses[:, 0] = np.stack([turn.real, -turn.imag, (shift - low).real], 1)
    poses[:, 1] = np.stack([turn.imag, turn.real, (shift - low).imag], 1)
    size = int(np.ceil(every.imag.max() - low.imag)) + 1, int(np.ceil(every.real.max() - low.real)) + 1
    return poses, size


def _confidence(laid: Cluster, pieces: Ints, odds: Odds) -> Floats:
    """(n,) 0..1 how sure we are of each piece of a board."""
    support = np.array([laid.support(int(piece), odds) for piece in pieces])
    return np.asarray(1 / (1 + np.exp(-(support - SURE_AT) / SURE_STEP)))


def _trust(agreed: float) -> float:
    """What the confidence of all pieces is multiplied by, where so much of a frame (0..1) is filled as it should be."""
    share = (agreed - TORN) / (WHOLE - TORN)
    return DOUBT + (1 - DOUBT) * float(np.clip(share, 0, 1))


def _advice(pile: Pile, solution: LaidSolution) -> tuple[str, ...]:
    """Lines for people on what may be wrong."""
    grid, laid = solution.grid, len(solution.pieces)
    lines = []
    if grid.slots > len(pile):
        lines.append(f"{len(pile)} pieces fit a {grid} puzzle with {_count(grid.slots - len(pile))} missing")
    if laid < len(pile) and laid < grid.slots:
        lines.append(f"{_count(len(pile) - laid)} could not be laid")
    elif laid < len(pile):
        lines.append(f"{_count(len(pile) - laid)} belong to no place of a {grid} puzzle")
    unsure = int((solution.confidence < 0.5).sum())
    if unsure:
        lines.append(f"{_count(unsure)} of the picture may be wrong; look at those first")
    return tuple(lines)


def _count(number: int) -> str:
    """A number of pieces, in words."""
    return "one piece" if number == 1 else f"{number} pieces"
