"""What is drawn for each step and each picture: grid, corruption, crop box, mirror, colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from ganzzle.cli.data_options import DataOptions
from ganzzle.puzzle import Grid

T = TypeVar("T")
BLOCK = 8  # px: picture codecs work in blocks of this size
FINEST = 4  # px: or, some of them, of this one


@dataclass(frozen=True)
class Shapes:
    """What all puzzles of a step share, drawn on the host."""

    grid: Grid
    batch: int  # puzzles of one process
    piece: int  # px of a side
    corruption: str
    erosion: int
    rim: str
    bicubic: bool
    shifted: bool = False  # whether every piece lies at a place of its own within its slot
    told: float = 1.0  # the share of the gap that is told

    @classmethod
    def draw(cls, options: DataOptions, rng: np.random.Generator) -> Shapes:
        """The same draws for every process of a step."""
        if options.large and rng.random() < options.large:
            return cls.draw_large(options, rng)
        corruption = _choice(list(options.corruptions), list(options.corruptions.values()), rng)
        grid = draw_grid(options, corruption != "none", rng)
        batch = options.pieces_per_step // grid.slots
        erode = "erode" in corruption.split("+")
        width = _choice(options.erosion, options.erosion_weights, rng)
        rim = _choice(list(options.rims), list(options.rims.values()), rng)
        piece = options.piece
        many = 0 < options.small_above < grid.slots
        if many or (options.small and rng.random() < options.small):
            piece = _choice(options.small_pieces, (), rng)
            width = min(max(1, round(width * piece / options.piece)), piece // 4)
        return cls(
            grid=grid,
            batch=max(1, options.min_batch, min(options.max_batch, batch)),
            piece=piece,
            corruption=corruption,
            erosion=width if erode else 0,
            rim=rim if erode else "black",
            bicubic=bool(rng.random() >= options.bilinear),
        )

    @classmethod
    def draw_large(cls, options: DataOptions, rng: np.random.Generator) -> Shapes:
        """Few large pieces with gaps between them; of large pictures there are fewer in a step."""
        corruption = _choice(list(options.large_corruptions), list(options.large_corruptions.values()), rng)
        grid = Grid.of(_choice(options.large_grids, options.large_grid_weights, rng))
        low, high = options.large_picture
        piece = max(options.piece, int(rng.integers(low, high + 1)) // max(grid.rows, grid.cols))
        gap, chance, told = rng.random(3)
        erosion = round(_in_between(options.gaps, gap) * piece) if "erode" in corruption.split("+") else 0
        batch = options.pieces_per_step // grid.slots * min(1.0, 2 * options.piece**2 / piece**2)
        return cls(
            grid=grid,
            batch=max(1, options.min_batch, min(options.max_batch, int(batch))),
            piece=piece,
            corruption=corruption,
            erosion=erosion,
            rim="black",
            bicubic=bool(rng.random() >= options.bilinear),
            shifted=bool(erosion) and bool(chance < options.shifted),
            told=1 + options.mistold * (2 * told - 1),
        )


def draw_grid(options: DataOptions, corrupted: bool, rng: np.random.Generator) -> Grid:
    """One of the listed grids, or now and then a random one."""
    low, high = options.random_sides
    if rng.random() < options.random_grids:
        rows = int(rng.integers(low, high + 1))
        most = max(low, min(high, options.random_max_pieces // rows))
        return Grid(rows, int(rng.integers(low, most + 1)))
    if corrupted and options.corruption_grids:
        return Grid.of(_choice(options.corruption_grids, options.corruption_grid_weights, rng))
    return Grid.of(_choice(options.grids, options.grid_weights, rng))


def draw_boxes(
    options: DataOptions, grid: Grid, piece: int, sizes: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """(4, B) top, left, height, width in px of each picture's crop. sizes: (2, B) px in use."""
    uniform = rng.random((7 if options.blocks else 6, sizes.shape[1]))
    scale = _between(options.crop_scale, uniform[0])
    low, high = np.log(options.crop_aspect)
    aspect = np.exp(_between((low, high), uniform[1]))  # width over height
    # Where the crop keeps its content's proportions, its aspect is the grid's.
    wanted = grid.cols / grid.rows * sizes[0] / sizes[1]
    aspect = np.where(uniform[2] < options.keep_aspect, aspect * wanted, aspect)
    # A side that had to be cut to the picture's would bend the aspect: shrink the other side as well.
    height = np.minimum(np.minimum(scale / np.sqrt(aspect), 1), 1 / aspect)
    width = np.minimum(np.minimum(scale * np.sqrt(aspect), 1), aspect)
    extent = np.stack([height, width]) * sizes
    boxes = np.concatenate([uniform[3:5] * (sizes - extent), extent])
    if options.native:
        native, fits = _native_boxes(grid, piece, sizes, uniform[3:5])
        boxes = np.where((uniform[5] < options.native) & fits, native, boxes)
    if options.blocks:
        along, fits = _along_blocks(grid, boxes)
        boxes = np.where((uniform[6] < options.blocks) & fits, along, boxes)
    return boxes


def draw_mirror(options: DataOptions, boxes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(4, B) boxes, of which the mirrored ones start at their right end, with a negative width, and those upside down
    at their lower end, with a negative height."""
    top, left, height, width = boxes
    mirrored = rng.random(len(top)) < options.mirror
    turned = rng.random(len(top)) < options.upside_down if options.upside_down else np.zeros(len(top), bool)
    origin = [top + turned * height, left + mirrored * width]
    return np.stack([*origin, np.where(turned, -height, height), np.where(mirrored, -width, width)])


def draw_colours(options: DataOptions, count: int, rng: np.random.Generator) -> np.ndarray:
    """(5, B) float32: a factor for each channel, an offset, and 1 where a picture loses its colours first.

    (x * gain - 0.5) * contrast + 0.5 + brightness, as one factor and one offset for values 0..255. Half of the pictures
    without colours stay grey, the others get a tint.
    """
    uniform = rng.random((6, count))
    spread = (2 * uniform - 1) * options.jitter
    spread[:3, uniform[5] < options.grey / 2] = 0
    factor = (1 + spread[:3]) * (1 + spread[3])
    offset = 255 / 2 * (spread[4] - spread[3])
    return np.stack([*factor, offset, uniform[5] < options.grey]).astype(np.float32)


def draw_swaps(options: DataOptions, count: int, rng: np.random.Generator) -> np.ndarray:
    """(3, B) long: the channel that becomes red, green and blue; most stay in their places, the others go anywhere."""
    others = rng.permuted(np.tile(np.arange(3), (count, 1)), axis=1)
    return np.where(rng.random(count) < options.swapped, others.T, np.arange(3)[:, None])


def draw_levels(options: DataOptions, count: int, rng: np.random.Generator) -> np.ndarray:
    """(2, B) float32: sigma of the noise and share of the missing pieces, where a step has them."""
    uniform = rng.random((2, count))
    levels = [_between(options.noise, uniform[0]), _between(options.missing, uniform[1])]
    return np.stack(levels).astype(np.float32)


def adjust_colours_(picture: Tensor, colours: Tensor, grey: bool) -> Tensor:
    """Change pictures (B, 3, H, W) of whole values 0..255 in place as `draw_colours` said, (5, B).

    `grey`: whether there are any that lose their colour.
    """
    factor, offset, colourless = colours.T[:, :, None, None].split([3, 1, 1], 1)
    if grey:
        picture.lerp_(picture.mean(1, keepdim=True), colourless)
    torch.addcmul(offset, picture, factor, out=picture)
    return picture.round_().clamp_(0, 255)


def swap_channels(picture: Tensor, swaps: Tensor) -> Tensor:
    """Pictures (B, 3, H, W) with their channels in the places that `draw_swaps` said, (3, B)."""
    return picture[torch.arange(len(picture), device=picture.device)[:, None], swaps.T]


def _native_boxes(
    grid: Grid, piece: int, sizes: np.ndarray, uniform: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(4, B) boxes of exactly the puzzle's size at whole pixels, and where they fit. sizes, uniform: (2, B).

    A cut on the border of a codec's block would show in the pixels, so such offsets are moved off it.
    """
    extent = np.full_like(sizes, piece) * [[grid.rows], [grid.cols]]
    room = sizes - extent
    origin = np.maximum(np.floor(uniform * (room + 1)), 0)
    aside = np.where(origin + BLOCK // 2 <= room, BLOCK // 2, -(BLOCK // 2))
    origin = np.where(origin % BLOCK == 0, origin + aside, origin)
    fits = (room >= BLOCK // 2).all(0)
    return np.concatenate([np.maximum(origin, 0), extent]), fits


def _along_blocks(grid: Grid, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(4, B) boxes made a little smaller, so that every cut lies on a block's border, and where that is possible.

    Nothing goes on smoothly there, each block has errors of its own: a user's puzzle may be cut so, too.
    """
    cells = np.array([[grid.rows], [grid.cols]])
    cell = boxes[2:] / cells // FINEST * FINEST
    return np.concatenate([boxes[:2] // BLOCK * BLOCK, cell * cells]), (cell > 0).all(0)


def _between(limits: Sequence[float], uniform: np.ndarray) -> np.ndarray:
    return limits[0] + (limits[1] - limits[0]) * uniform


def _in_between(limits: Sequence[float], uniform: float) -> float:
    return limits[0] + (limits[1] - limits[0]) * uniform


def _choice(values: Sequence[T], weights: Sequence[float], rng: np.random.Generator) -> T:
    """One of the values; without weights each is as likely. Draws exactly once."""
    shares = np.asarray(weights or [1.0] * len(values), np.float64)
    edges = np.cumsum(shares / shares.sum())
    return values[min(int(np.searchsorted(edges, rng.random(), side="right")), len(values) - 1)]
