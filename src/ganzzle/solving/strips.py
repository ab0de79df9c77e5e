"""Strips out of a shredder: which lie side by side, which way up, and in how many pages."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ganzzle.arrays import Floats, Ints
from ganzzle.board.path import Row, lay_in_row
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid
from ganzzle.pile import CutPiece, Pile
from ganzzle.reading.straighten import FRINGE, borders_of, straighten
from ganzzle.seams.bands import BandFits, band_fits, turned_fits
from ganzzle.seams.strip import Strip
from ganzzle.solution import Answer, LaidSolution
from ganzzle.solvers.devices import one_thread

Progress = Callable[[str, float], None]

INKED_END, BLANK_END = -2.0, 1.0  # log-odds that a border with ink, and one without, is the end of a page
LOST = -2.5  # log-odds of two strips side by side below which one between them is lost
SURE = 0.9  # confidence from which on the place of a blank strip is known by its shape
DOUBTS = 2  # seams of a board at which it is looked whether strips lie upside down
A_PAGE = 0.65  # width for its height of a page without its margins
WIDEST = 0.95  # width for the height of one page, at most, of all strips together
UNEVEN = 0.15  # share by which pages in one bag differ in width
TOGETHER = 2.0  # log-odds of a seam that does not part two pages unless they were announced
LOOSE = 0.1  # how strongly strips keep to their own height, where seams keep to theirs by 1


@dataclass(frozen=True, eq=False)
class Board:
    """Faces in rows, and how they fit."""

    row: Row
    fits: BandFits
    faces: int  # of each strip


def solve_strips(pile: Pile, seed: int = 0, progress: Progress | None = None) -> Answer:
    """The pages of a pile of strips, each laid from left to right."""
    start = time.perf_counter()
    tell = progress or _silent
    pieces = _strips_of(pile)
    tell("straightening the strips", 0.0)
    order = np.array(sorted(range(len(pieces)), key=lambda k: _fingerprint(pieces[k])))
    strips = [straighten(pieces[k]) for k in order]
    tell("comparing their borders", 0.3)
    with one_thread():
        board = _laid(strips, band_fits(strips), pile, seed)
        if pile.turned or (pile.turned is None and _doubtful(board)):
            tell("comparing them upside down", 0.6)
            board = _laid_turned(strips, pile, seed)
    tell("laying them", 0.9)
    solutions = sorted(
        (_solution(pile, order, strips, board, page) for page in board.row.pages),
        key=lambda one: (-len(one.pieces), int(one.pieces.min())),
    )
    answer = Answer(pile, tuple(solutions), seconds=time.perf_counter() - start)
    blank = np.all(board.fits.blank, 0)[:: board.faces] & (answer.confidence[order] < SURE)
    return replace(answer, advice=_advice(int(blank.sum()), solutions))


def _fingerprint(piece: CutPiece) -> bytes:
    """What a strip shows, in short: the answer does not depend on the order in which strips came."""
    return hashlib.sha256(piece.pixels.tobytes() + piece.mask.tobytes()).digest()


def _silent(text: str, done: float) -> None:
    """No progress is shown."""


def _strips_of(pile: Pile) -> tuple[CutPiece, ...]:
    """The pieces of a pile of strips, each of which shows something."""
    if pile.kind != "strips" or isinstance(pile.pieces, np.ndarray):
        raise PuzzleError(f"a pile of strips is needed, not one of {pile.kind}")
    for number, piece in enumerate(pile.pieces, 1):
        if not piece.mask.any():
            raise PuzzleError(f"strip {piece.name or number} shows nothing")
    return pile.pieces


def _laid(strips: Sequence[Strip], fits: BandFits, pile: Pile, seed: int, faces: int = 1) -> Board:
    """The likeliest rows of strips, of each of which there are so many faces; one row a page."""
    ends = np.where(fits.blank, BLANK_END, INKED_END)
    widths = np.repeat([strip.ink.shape[1] for strip in strips], faces)
    across = float(widths[::faces].sum() / np.median([len(strip.ink) for strip in strips]))
    likely = round(across / A_PAGE) if across > WIDEST else 1
    count = min(pile.puzzles or likely, len(strips))
    row = lay_in_row(fits.links, seed, count, faces == 2, ends)
    if count > 1:
        pages = _parted(np.concatenate(row.pages), fits.links, ends, widths, count)
        cuts = [fits.links[one[-1], other[0]] for one, other in pairwise(pages)]
        if pile.puzzles is None and max(cuts) > TOGETHER:
            pages = (np.concatenate(pages),)
        row = replace(row, pages=pages)
    return Board(row, fits, faces)


def _parted(order: Ints, links: Floats, ends: Floats, widths: Ints, count: int) -> tuple[Ints, ...]:
    """Faces in one row, cut into `count` pages of about one width where the seams hold least."""
    seams = ends[1][order[:-1]] + ends[0][order[1:]] - links[order[:-1], order[1:]]
    reached = np.append(0, np.cumsum(widths[order]))
    usual = reached[-1] / count
    best = np.full(len(order) + 1, -np.inf)
    cuts: list[list[int]] = [[] for _ in best]
    best[0] = 0.0
    for page in range(count):
        before, cuts_before = best, cuts
        best, cuts = np.full(len(order) + 1, -np.inf), list(cuts)
        for end in range(page + 1, len(order) + 1):
            uneven = ((reached[end] - reached[:end]) / usual - 1) / UNEVEN
            gains = before[:end] - uneven**2 / 2
            start = int(gains.argmax())
            best[end] = gains[start] + (seams[end - 1] if end < len(order) else 0)
            cuts[end] = [*cuts_before[start], end]
    return tuple(np.split(order, cuts[-1][:-1]))


def _laid_turned(strips: Sequence[Strip], pile: Pile, seed: int) -> Board:
    """The likeliest rows of strips any of which may lie upside down; none does if that is as likely."""
    fits = turned_fits(strips)
    turned = _laid(strips, fits, pile, seed, 2)
    turned = replace(turned, row=_upright(turned.row))
    upright = BandFits(fits.links[::2, ::2], fits.shifts[::2, ::2], fits.blank[:, ::2])
    plain = _laid(strips, upright, pile, seed)
    count, flipped = len(strips), int(sum((page % 2).sum() for page in turned.row.pages))
    ways = math.lgamma(count + 2) - math.lgamma(flipped + 1) - math.lgamma(count - flipped + 1)
    return turned if turned.row.score > plain.row.score + ways else plain


def _upright(row: Row) -> Row:
    """Rows of faces, each turned as a whole so that as few strips as possible are upside down."""
    pages = tuple(page if 2 * (page % 2).sum() <= len(page) else page[::-1] ^ 1 for page in row.pages)
    back = np.arange(len(row.beside)) ^ 1
    beside = row.beside + row.beside[np.ix_(back, back)].T  # a row seen upside down is the same row
    return replace(row, pages=pages, beside=beside)


def _doubtful(board: Board) -> bool:
    """Whether several strips lie beside one that another one would fit better than."""
    links, blank = board.fits.links - np.diag(np.full(len(board.fits.links), np.inf)), board.fits.blank
    best_right, best_left = links.max(1, initial=-np.inf), links.max(0, initial=-np.inf)
    doubts = 0
    for page in board.row.pages:
        for a, b in pairwise(page):
            inked = not (blank[1, a] and blank[0, b])
            doubts += inked and links[a, b] < max(best_right[a], best_left[b])
        doubts += int(~blank[0, page[0]]) + int(~blank[1, page[-1]])
    return doubts >= DOUBTS


def _solution(pile: Pile, canonical: Ints, strips: Sequence[Strip], board: Board, page: Ints) -> LaidSolution:
    """A page whose strips are laid along their borders; where one is lost there is an empty slot.

    `canonical` (N,) says which strip of the pile each of the strips is.
    """
    members = canonical[page // board.faces]
    links = board.fits.links[page[:-1], page[1:]]
    lost = links < LOST
    slots = np.append(0, np.cumsum(1 + lost))
    usual = float(np.median([strips[face // board.faces].ink.shape[1] for face in page]))
    down = _heights(board.fits.shifts[page[:-1], page[1:]], links)
    pieces = tuple(_strips_of(pile)[k] for k in members)
    x, height = 0.0, 0.0
    poses: list[Floats] = []
    for k, piece in enumerate(pieces):
        upside_down = board.faces == 2 and page[k] % 2 == 1
        pose, (wide, high) = _pose(piece, upside_down)
        pose[:, 2] += x, down[k]
        poses.append(pose)
        height = max(height, high + down[k])
        x += wide + (usual if k < len(lost) and lost[k] else 0)
    order = np.argsort(members)
    return LaidSolution(
        puzzle=replace(
            pile,
            pieces=tuple(pieces[k] for k in order),
            names=tuple(pile.names[k] for k in members[order]) if pile.names else (),
            puzzles=1,
        ),
        grid=Grid(1, int(slots[-1]) + 1),
        placement=slots[order],
        confidence=_confidence(board, page)[order],
        poses=np.stack(poses)[order],
        size=(max(1, int(np.ceil(height))), max(1, int(np.ceil(x)))),
        pieces=members[order],
        order=np.argsort(order),
        solver="strips",
    )


def _heights(shifts: Floats, links: Floats) -> Floats:
    """(n,) px that strips are moved down by, the least of them 0.

    Their seams (n - 1,) ask for shifts, the surer the more, and strips hold to their own height a little.
    """
    n = len(links) + 1
    weights = np.clip(links, 0, 1)
    system, asked = LOOSE * np.eye(n), np.zeros(n)
    for k in range(n - 1):
        system[k : k + 2, k : k + 2] += weights[k] * np.array([[1, -1], [-1, 1]])
        asked[k : k + 2] += weights[k] * shifts[k] * np.array([-1, 1])
    down = np.linalg.solve(system, asked).astype(np.float64)
    return np.asarray(down - down.min())


def _pose(piece: CutPiece, upside_down: bool) -> tuple[Floats, tuple[float, float]]:
    """The affine map (2, 3) that lays a piece upright with its left border at 0 and its top at 0, and its width and
    height there."""
    rows = np.flatnonzero(piece.mask.any(1))
    mask = piece.mask[rows[0] : rows[-1] + 1]
    high = len(mask)
    if mask.all():
        slope, first, wide = 0.0, 0.0, float(mask.shape[1])
    else:
        left, right = borders_of(mask)
        y = np.arange(high)
        slope = float(np.polyfit(y, (left + right) / 2, 1)[0])
        first = float((left - slope * (y - high / 2)).mean()) - FRINGE
        wide = float((right - left).mean()) + 2 * FRINGE + 1
    middle = first + wide / 2
    turn = np.array([[1, -slope], [slope, 1]]) / np.hypot(1, slope)
    about = np.array([middle, rows[0] + (high - 1) / 2])
    if upside_down:
        turn = -turn
    to = np.array([wide / 2 - 0.5, (high - 1) / 2])
    return np.column_stack([turn, to - turn @ about]), (wide, float(high))


def _confidence(board: Board, page: Ints) -> Floats:
    """(n,) how sure each strip of a page is of its neighbours."""
    seams = np.clip(board.row.beside[page[:-1], page[1:]], 0, 1)
    sure = np.ones(len(page))
    sure[1:] = np.minimum(sure[1:], seams)
    sure[:-1] = np.minimum(sure[:-1], seams)
    return sure


def _advice(blank: int, solutions: Sequence[LaidSolution]) -> tuple[str, ...]:
    """What a person should know of the pages, of whose strips so many without ink may lie anywhere."""
    lines = []
    if blank:
        lines.append(f"strips without ink along their borders: {blank}; nobody can tell where they belong")
    gaps = sum(one.grid.slots - len(one.pieces) for one in solutions)
    if gaps:
        lines.append(f"places where strips do not fit each other: {gaps}; a strip may be lost there")
    return tuple(lines)
