"""Finding the pieces of a scrambled picture: those that do not belong together leave lines, which form a lattice.

A line is not judged by how clearly it stands out alone: the 8 px blocks of JPEG do that everywhere in a smooth picture.
It is judged by how large a step should be where a piece ends, which is the difference of lines that lie far apart.
A block edge is a small part of that, whatever the picture.

Worn pieces have no such steps: their rims meet. But they have rims, all of one colour. So have the gutters that some
lay between the pieces, and frames around the picture (see `gutters`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ganzzle.errors import PuzzleError
from ganzzle.grid import MAX_SLOTS
from ganzzle.puzzle import Floats, Grid, Pixels
from ganzzle.reading.gutters import Spans, View, gutters, inside_frames, worn_size

SMALLEST_PIECE = 6  # px; smaller ones are not believed,
FINEST = 3  # px; but looked at, or a multiple would be taken for them
FAR_APART = 32  # lines compared with each other
WINDOW = 5  # steps a step is compared with; around a line of 8 px blocks or pieces it holds no other line
# px of a step: where a picture was resized its lines are blurred, and short steps miss them.
SCALES = 1, 2, 3
CLEARER = 0.3  # by such a share more must speak for a lattice seen by longer steps
DARK = 32  # levels below which a rim is worn off; a brighter one is a gutter, and the pieces are whole
FEWEST_GUTTERS = 2  # a single plain line is not one
# What speaks for a lattice adds up as logarithms of how much likelier the picture is with it than without it.
CLEAREST = 14.0  # no line is more certain than that
UNSEEN = -4.0  # nor speaks more against a lattice: two pieces may happen to lie as they were
FULL_STEP = 1.2  # of the step that is expected; a larger one says no more
SPLIT = -2.0  # for each axis that is cut
RESIZED = -4.0  # for each axis that pieces of whole pixels do not fill
SHIFTED = -4.0  # for each end that is cropped, or has a margin, of
SHIFT = 3  # px at most
BLURRED = -4.0  # for lines that only longer steps see
FRAMED = -2.0  # for a frame
SQUARE = 2.0  # for square pieces
ROUNDED = 0.01  # doublings by which their sides may differ
OBLONG = -2.0  # for each doubling of one side against the other, up to
LONGEST = 4  # doublings


@dataclass(frozen=True)
class Lattice:
    """Where the pieces of a scrambled picture lie."""

    rows: Spans
    cols: Spans

    @property
    def grid(self) -> Grid:
        """Rows and columns of pieces."""
        return Grid(self.rows.count, self.cols.count)

    def moved(self, down: int, across: int) -> Lattice:
        """The same pieces, so many px further on."""
        return Lattice(self.rows.moved(down), self.cols.moved(across))

    def cut(self, picture: Pixels) -> Pixels:
        """(H, W, 3) -> (rows*cols, h, w, 3), row by row. Pixels that were cropped away are as those beside them."""
        down, across = (
            spans.pixels(length) for spans, length in zip((self.rows, self.cols), picture.shape, strict=False)
        )
        pieces = picture[down[:, None, :, None], across[None, :, None, :]]
        return pieces.reshape(self.grid.slots, self.rows.size, self.cols.size, 3)


def find_lattice(picture: Pixels, grid: Grid | None = None) -> Lattice:
    """The lattice of a scrambled (H, W, 3) picture, by the rims of its pieces, by gutters between them, or by the
    steps along its lines; of the given grid if there is one. Raises if none stands out."""
    height, width = picture.shape[:2]
    views = list(inside_frames(picture))
    found = _by_rims(views, grid) or _by_steps(views, grid)
    if found is None:
        if grid is not None:
            raise PuzzleError(
                f"a {width}x{height} px picture is too small for a {grid} grid; use fewer pieces"
            )
        raise PuzzleError(
            f"no pieces stand out in this {width}x{height} px picture; if it is a scrambled one, say how it is cut "
            f"with --grid RxC"
        )
    return found


def find_gutters(picture: Pixels, grid: Grid | None = None) -> Lattice | None:
    """The lattice of a scrambled (H, W, 3) picture whose pieces have rims, or gutters between them; None if they have
    not."""
    return _by_rims(list(inside_frames(picture)), grid)


def _by_rims(views: list[View], grid: Grid | None) -> Lattice | None:
    """Worn pieces that fill the picture, or pieces between gutters. Dark rims are worn: the pieces keep them, since a
    solver sees by them what is gone."""
    down, across = views[0].down, views[0].across
    worn = worn_size(down), worn_size(across)
    filling, dark = None, np.median(down[0]) < DARK
    if all(worn):
        axes = zip((down, across), worn, strict=True)
        filling = _believed(
            Lattice(*(Spans.between(0, len(axis), len(axis) // size) for axis, size in axes)), grid
        )
    for view in views:
        rows, cols = gutters(view.down), gutters(view.across)
        if rows is not None and cols is not None and rows.count + cols.count - 2 >= FEWEST_GUTTERS:
            between = _believed(Lattice(rows, cols).moved(view.top, view.left), grid)
            if between is not None and not (dark and filling and filling.grid == between.grid):
                return between
    return filling


def _believed(lattice: Lattice, grid: Grid | None) -> Lattice | None:
    """The lattice if it has the given grid, or else some pieces that are neither too many nor too small."""
    rows, cols = lattice.rows, lattice.cols
    if grid is not None:
        return lattice if lattice.grid == grid else None
    some = 1 < rows.count * cols.count <= MAX_SLOTS
    return lattice if some and min(rows.size, cols.size) >= SMALLEST_PIECE else None


def _by_steps(views: list[View], grid: Grid | None) -> Lattice | None:
    """The likeliest lattice, inside a frame or not."""
    best, most = None, 0.0 if grid is None else -np.inf
    for scale in SCALES:
        enough = most + abs(most) * CLEARER if scale > 1 and best is not None else most
        for frames, view in enumerate(views):
            lattice, score = _likeliest(view, grid, scale)
            if (score := score + frames * FRAMED + (scale > 1) * BLURRED) > max(most, enough):
                best, most = _clean(lattice, view, scale).moved(view.top, view.left), score
    return None if best is None else _believed(best, grid)


def _clean(lattice: Lattice, view: View, scale: int) -> Lattice:
    """The lattice without the px where two pieces are mixed, unless the pieces fill the view: it was resized."""
    if scale == 1 and lattice.rows.fill(len(view.down)) and lattice.cols.fill(len(view.across)):
        return lattice
    return Lattice(lattice.rows.trimmed(scale), lattice.cols.trimmed(scale))


def _likeliest(view: View, grid: Grid | None, scale: int) -> tuple[Lattice, float]:
    """The lattice for which most speaks in a view by steps of so many px, and how much that is; the whole picture as
    one piece scores 0."""
    down = _evidence(view.down, None if grid is None else grid.rows, scale)
    across = _evidence(view.across, None if grid is None else grid.cols, scale)
    heights, widths = (np.array([spans.pitch for spans, _ in axis]) for axis in (down, across))
    doublings = np.abs(np.log2(heights[:, None] / widths))
    score = np.array([each for _, each in down])[:, None] + np.array([each for _, each in across])
    score += OBLONG * np.minimum(doublings, LONGEST) + SQUARE * (doublings < ROUNDED)
    if grid is None:
        score[0, 0] = 0  # the whole picture
    row, col = np.unravel_index(score.argmax(), score.shape)
    return Lattice(down[row][0], across[col][0]), float(score[row, col])


def _evidence(pixels: np.ndarray, count: int | None, scale: int) -> list[tuple[Spans, float]]:
    """Lines (L, M, 3) along an axis, looked at with steps of so many px -> for so many pieces, or for each number of
    them, the undivided axis first: the likeliest way to lie there, and how much speaks for it.

    Lines of a finer lattice than the true one fall inside pieces and take away; a coarser one misses lines.
    The undivided axis has no lines and scores 0.
    """
    length = len(pixels)
    lines = _lines(pixels, scale)
    counts = range(1, max(1, length // (FINEST * scale)) + 1) if count is None else [count]
    found = []
    for each in counts:
        begin, end, score = _likeliest_ends(lines, length, each, scale)
        found.append((Spans.between(begin, length + end, each), score))
    return found


def _likeliest_ends(lines: Floats, length: int, count: int, scale: int) -> tuple[int, int, float]:
    """The evidence of steps (length - scale,) -> how far from the first and the last line so many pieces begin and
    end, and how much speaks for it."""
    if count == 1:
        return 0, 0, 0.0
    if length < count * (1 if scale == 1 else FINEST * scale):
        return 0, 0, -np.inf  # long steps do not see small pieces
    most = min(SHIFT, length // (count * scale) // 8)
    shifts = scale * np.arange(-most, most + 1)
    begin, end = np.repeat(shifts, len(shifts)), np.tile(shifts, len(shifts))  # (C,)
    pitch = (length + end - begin) / count
    cuts = begin[:, None] + pitch[:, None] * np.arange(1, count)  # (C, count - 1) where a piece ends
    middle = cuts - (scale + 1) / 2  # where a step begins whose middle is there
    seen = np.maximum(*(lines[side(middle).astype(np.int64)] for side in (np.floor, np.ceil)))
    score = seen.sum(1) + SPLIT + RESIZED * (pitch % 1 > 0) + SHIFTED * ((begin != 0.0) + (end != 0.0))
    best = int(score.argmax())
    return int(begin[best]), int(end[best]), float(score[best])


def _lines(pixels: np.ndarray, scale: int) -> Floats:
    """Lines (L, M, 3) -> (L - scale,) how much the step from each to the one so many px on speaks for pieces that end
    between them.

    It is the likelihood ratio of two bells of one width, one around no step above the surroundings, the other around
    the step between unrelated rows; both ends are cut off.
    """
    if len(pixels) <= scale:
        return np.zeros(0)
    steps = np.log1p(np.abs(pixels[scale:] - pixels[:-scale]).mean((1, 2)))
    padded = np.pad(steps, WINDOW // 2 * scale, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (WINDOW - 1) * scale + 1)[:, ::scale]
    around = np.median(windows, axis=1)
    above = steps - around
    spread = 1.4826 * np.median(np.abs(above)) + 0.05
    expected = np.maximum(np.log1p(_unrelated(pixels)) - around, 1e-3)
    share = np.minimum(above / expected, FULL_STEP)
    certain = np.minimum((expected / spread) ** 2, CLEAREST)
    lines: Floats = np.maximum(certain * (share - 0.5), UNSEEN)
    return lines


def _unrelated(pixels: np.ndarray) -> float:
    """The mean step between any two of a few lines (L, M, 3) from all over the picture."""
    few = pixels[np.linspace(0, len(pixels) - 1, min(len(pixels), FAR_APART)).astype(np.int64)]
    return float(np.abs(few[:, None] - few).mean())
