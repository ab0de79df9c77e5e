"""Drawn jigsaw puzzles: scans and photographs of loose cut pieces, made from pictures by seed, with their truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Pixels, Seed
from ganzzle.errors import PuzzleError
from ganzzle.grid import Grid, GridLike
from ganzzle.reading.pictures import resize_picture
from ganzzle.samples.die_cut import die_cut

SIDE = 120  # px of a piece
A_PAGE = 40  # pieces
APART = 1.8  # middles of neighbours on a page, in sides; a tab ends up to 0.9 off the middle of its piece
MARGIN = 0.25  # sides between the cells of pieces and the borders of a page
FINE = 4  # times finer that edges are drawn
BITS = 4  # of a fraction of a px, as OpenCV takes points
GROUNDS = {
    "pink": (222, 165, 205),
    "green": (120, 235, 30),
    "pale": (205, 228, 205),
    "blue": (120, 150, 190),
    "white": (243, 242, 238),
    "black": (14, 14, 15),
    "wood": (176, 128, 84),
}


@dataclass(frozen=True)
class Look:
    """How pieces and what they lie on look."""

    ground: str = "pink"  # a name of GROUNDS
    bevel: float = 0.35  # how much brighter or darker the pressed edge of a piece is
    bare: float = 0.0  # px at the edge that the print leaves bare
    worn: float = 0.1  # px by which edges are off, at random
    shadow: float = 0.3  # how dark
    fluff: float = 0.0  # hairs a piece
    perspective: float = 0.0  # share of the page by which its corners are off
    uneven: float = 0.02  # share by which light falls off
    noise: float = 1.0  # sigma, in levels
    jpeg: int = 95  # quality
    face_down: bool = False  # plain backs are seen, all outlines mirrored


SPOILT = Look(
    bevel=0.5, bare=0.8, worn=0.25, shadow=0.5, fluff=1, perspective=0.006, uneven=0.08, noise=2, jpeg=85
)


@dataclass(frozen=True)
class Laid:
    """A piece on a page: its middle, how it is turned, and where it belongs."""

    page: int
    x: float
    y: float
    angle: float  # degrees that it is turned counter-clockwise
    row: int | None  # None: of no puzzle
    col: int | None
    puzzle: int = 0


@dataclass(frozen=True, eq=False)
class JigsawPages:
    """Pages with loose pieces, and the truth."""

    pages: tuple[Pixels, ...]
    pieces: tuple[Laid, ...]
    grid: Grid


@dataclass(frozen=True, eq=False)
class _Piece:
    """One to be laid: a picture, the piece's outline on it, and where it belongs."""

    picture: Pixels
    outline: Floats
    row: int | None
    col: int | None
    puzzle: int


def jigsaw_pages(
    pictures: Pixels | Sequence[Pixels],
    grid: GridLike,
    seed: Seed = 0,
    *,
    pages: int | None = None,
    side: int = SIDE,
    look: Look | None = None,
    repeating: bool = False,
    missing: float = 0.0,
    foreign: Sequence[Pixels] = (),
    quarter: bool = False,
) -> JigsawPages:
    """Pages with the loose pieces of one picture (H, W, 3), or of several that are mixed, each cut into a grid.

    A share `missing` of the pieces is gone; of every picture in `foreign` one piece lies among the others. With
    `quarter` pieces lie at about quarter turns, else at any angle.
    """
    grid = Grid.of(grid)
    look = look or Look()
    if look.ground not in GROUNDS:
        raise PuzzleError(f"there is no ground '{look.ground}'; there are: {', '.join(GROUNDS)}")
    rng = np.random.default_rng(seed)
    several = [pictures] if isinstance(pictures, np.ndarray) else list(pictures)
    pieces = [
        piece for k, one in enumerate(several) for piece in _cut(one, grid, k, side, rng, repeating, look)
    ]
    kept = rng.permutation(len(pieces))[round(missing * len(pieces)) :]
    pieces = [pieces[k] for k in kept]
    for one in foreign:
        strangers = _cut(one, grid, 0, side, rng, repeating, look)
        pieces.append(replace(strangers[rng.integers(len(strangers))], row=None, col=None))
    if not pieces:
        raise PuzzleError("no pieces are left to lay on a page")
    order = rng.permutation(len(pieces))
    shares = np.array_split(order, min(len(order), pages or -(-len(order) // A_PAGE)))
    most = max(map(len, shares))
    shape = -(-most // max(1, round((most / 1.5) ** 0.5))), max(1, round((most / 1.5) ** 0.5))
    drawn, laid = [], []
    for number, share in enumerate(shares):
        page, places = _page([pieces[k] for k in share], shape, side, number, look, quarter, rng)
        drawn.append(page)
        laid += places
    return JigsawPages(tuple(drawn), tuple(laid), grid)


def _cut(
    picture: Pixels, grid: Grid, puzzle: int, side: int, rng: np.random.Generator, repeating: bool, look: Look
) -> list[_Piece]:
    """The pieces of a picture, resized so that they are `side` px."""
    picture = resize_picture(picture, grid.rows * side, grid.cols * side)
    outlines = die_cut(grid, side, rng, repeating)
    if look.face_down:
        board = np.full(picture.shape, 150.0) + rng.normal(0, 4, picture.shape[:2])[..., None]
        picture = np.clip(board * [1.0, 0.95, 0.86], 0, 255).astype(np.uint8)
    places = [(k, *divmod(k, grid.cols)) for k in range(grid.slots)]
    return [_Piece(picture, outlines[k], row, col, puzzle) for k, row, col in places]


def _page(
    pieces: list[_Piece],
    shape: tuple[int, int],
    side: int,
    number: int,
    look: Look,
    quarter: bool,
    rng: np.random.Generator,
) -> tuple[Pixels, list[Laid]]:
    """A page with pieces laid in rows and columns of cells, and where they are."""
    cell = APART * side
    height, width = (round(count * cell + 2 * MARGIN * side) for count in shape)
    page = _ground(height, width, look, rng)
    cells = rng.permutation(shape[0] * shape[1])[: len(pieces)]
    cells.sort()
    laid, cuts = [], []
    shade = np.zeros((height, width), np.float32)
    for piece, where in zip(pieces, cells, strict=True):
        row, col = divmod(int(where), shape[1])
        middle = (np.array([col, row]) + 0.5 + rng.uniform(-0.02, 0.02, 2)) * cell + MARGIN * side
        angle = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 2) if quarter else rng.uniform(0, 360))
        laid.append(
            Laid(number, float(middle[0]), float(middle[1]), angle, piece.row, piece.col, piece.puzzle)
        )
        cuts.append(_turned(piece, middle, angle, look, rng))
        area, mask, _ = cuts[-1]
        shade[area] = np.maximum(shade[area], mask)
    offset = rng.uniform(0.015, 0.03, 2) * side
    move = np.array([[1, 0, offset[0]], [0, 1, offset[1]]], np.float32)
    shade = cv2.GaussianBlur(cv2.warpAffine(shade, move, (width, height)), (0, 0), 0.02 * side)
    page *= 1 - look.shadow * shade[..., None]
    for area, mask, seen in cuts:
        page[area] += mask[..., None] * (seen - page[area])
    for one in laid:
        for _ in range(rng.poisson(look.fluff)):
            _hair(page, np.array([one.x, one.y]), side, rng)
    pixels, moved = _seen(page, np.array([[one.x, one.y] for one in laid]), look, rng)
    return pixels, [replace(one, x=float(x), y=float(y)) for one, (x, y) in zip(laid, moved, strict=True)]


def _turned(
    piece: _Piece, middle: Floats, angle: float, look: Look, rng: np.random.Generator
) -> tuple[tuple[slice, slice], NDArray[np.float32], NDArray[np.float32]]:
    """A piece as it lies on a page: the part of the page, how much of its pixels is piece (h, w), and its colours."""
    outline = piece.outline
    if look.face_down:
        outline = outline[::-1] * [-1, 1]
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    turn = np.array([[cos, sin], [-sin, cos]])  # counter-clockwise, as y points down
    centre = _middle_of(outline)
    points = (outline - centre) @ turn.T
    points += _frayed(len(points), look.worn, rng)
    low = np.floor(middle + points.min(0)).astype(int) - 4
    width, height = np.ceil(middle + points.max(0)).astype(int) + 4 - low
    at = middle - low
    fine = np.zeros((FINE * height, FINE * width), np.uint8)
    # Pixel k covers k - 0.5 to k + 0.5, so its FINE parts have their middles around it.
    corners = np.rint(((points + at + 0.5) * FINE - 0.5) * (1 << BITS)).astype(np.int32)
    cv2.fillPoly(fine, [corners], 1, shift=BITS)
    mask = cv2.resize(fine.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
    matrix = np.concatenate([turn, (at - turn @ centre)[:, None]], 1)
    if look.face_down:
        matrix[:, 0] *= -1
    seen = cv2.warpAffine(
        piece.picture, matrix, (int(width), int(height)), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT
    ).astype(np.float32)
    side = float(np.sqrt(mask.sum()))
    depth = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, 5)
    if look.bare:
        bare = np.clip(look.bare + 0.5 - depth, 0, 1)[..., None]
        seen += bare * (np.array([205, 203, 196], np.float32) - seen)
    smooth = cv2.GaussianBlur(mask, (0, 0), 0.012 * side)
    light = (cv2.Sobel(smooth, cv2.CV_32F, 1, 0) + cv2.Sobel(smooth, cv2.CV_32F, 0, 1)) * 0.012 * side / 2
    seen *= 1 + look.bevel * np.clip(light, -1, 1)[..., None]
    return (slice(low[1], low[1] + height), slice(low[0], low[0] + width)), mask, seen


def _middle_of(outline: Floats) -> Floats:
    """(2,) the middle of the area within an outline (n, 2)."""
    moments = cv2.moments(outline.astype(np.float32))
    return np.array([moments["m10"], moments["m01"]]) / moments["m00"]


def _frayed(count: int, sigma: float, rng: np.random.Generator) -> Floats:
    """Shifts (n, 2) of the points of an outline, smooth along it."""
    noise = rng.normal(0, sigma, (count, 2))
    return (noise + np.roll(noise, 1, 0) + np.roll(noise, 2, 0)) / 3**0.5


def _ground(height: int, width: int, look: Look, rng: np.random.Generator) -> NDArray[np.float32]:
    """(height, width, 3) a sheet under uneven light."""
    page = np.full((height, width, 3), GROUNDS[look.ground], np.float32)
    if look.ground == "wood":
        grain = rng.normal(0, 1, (height // 64 + 2, width // 3 + 2)).astype(np.float32)
        page *= 1 + 0.06 * cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC)[..., None]
    return page


def _hair(page: NDArray[np.float32], middle: Floats, side: float, rng: np.random.Generator) -> None:
    """A short hair at the edge of a piece."""
    angle = rng.uniform(0, 2 * np.pi)
    begin = middle + 0.55 * side * np.array([np.cos(angle), np.sin(angle)])
    steps = rng.normal(0, 0.03 * side, 2) + rng.normal(0, 0.01 * side, (6, 2))
    points = np.rint((begin + np.cumsum(steps, 0)) * (1 << BITS)).astype(np.int32)
    cv2.polylines(page, [points], False, [rng.uniform(90, 220)] * 3, 1, cv2.LINE_AA, BITS)


def _seen(
    page: NDArray[np.float32], middles: Floats, look: Look, rng: np.random.Generator
) -> tuple[Pixels, Floats]:
    """A page as a scanner or a camera sees it, and where the middles (N, 2) of its pieces come to lie."""
    height, width = page.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    tilt = rng.normal(0, 0.5, 2)
    page = page * (1 - look.uneven * (x**2 + y**2 + tilt[0] * x + tilt[1] * y)).astype(np.float32)[..., None]
    if look.perspective:
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        off = look.perspective * max(height, width) * rng.uniform(-1, 1, (4, 2))
        matrix = cv2.getPerspectiveTransform(corners, (corners + off).astype(np.float32))
        page = cv2.warpPerspective(
            page, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
        middles = cv2.perspectiveTransform(middles[None], matrix)[0]
    page += rng.normal(0, look.noise, page.shape).astype(np.float32)
    pixels = np.clip(np.rint(page), 0, 255).astype(np.uint8)
    coded = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, look.jpeg])[1]
    return cv2.imdecode(coded, cv2.IMREAD_COLOR_RGB).astype(np.uint8, copy=False), middles  # type: ignore[union-attr]
