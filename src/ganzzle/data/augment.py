"""What is drawn for each step and each picture: grid, corruption, crop box, mirror, colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from ganzzle.data.options import DataOptions
from ganzzle.puzzle import Grid

T = TypeVar("T")
BLOCK = 8  # px: picture codecs work in blocks of this size


@dataclass(frozen=True)
class Shapes:
    """What all puzzles of a step share, drawn on the host."""

    grid: Grid
    batch: int  # puzzles of one process
    corruption: str
    erosion: int
    rim: str
    bicubic: bool

    @classmethod
    def draw(cls, options: DataOptions, rng: np.random.Generator) -> Shapes:
        """The same draws for every process of a step."""
        corruption = _choice(list(options.corruptions), list(options.corruptions.values()), rng)
        grid = draw_grid(options, corruption != "none", rng)
        batch = options.pieces_per_step // grid.slots
        erode = "erode" in corruption.split("+")
        width = _choice(options.erosion, options.erosion_weights, rng)
        rim = _choice(list(options.rims), list(options.rims.values()), rng)
        return cls(
            grid=grid,
            batch=max(1, options.min_batch, min(options.max_batch, batch)),
            corruption=corruption,
            erosion=width if erode else 0,
            rim=rim if erode else "black",
            bicubic=bool(rng.random() >= options.bilinear),
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


def draw_boxes(options: DataOptions, grid: Grid, sizes: Tensor, draw: torch.Generator) -> Tensor:
    """(B, 4) top, left, height, width in px of each picture's crop. sizes: (B, 2) px in use."""
    uniform = torch.rand(6, len(sizes), device=sizes.device, generator=draw)
    scale = _between(options.crop_scale, uniform[0])
    low, high = (float(np.log(a)) for a in options.crop_aspect)
    aspect = _between((low, high), uniform[1]).exp()  # width over height
    # Where the crop keeps its content's proportions, its aspect is the grid's.
    keep = uniform[2] < options.keep_aspect
    wanted = grid.cols / grid.rows * sizes[:, 0] / sizes[:, 1]
    aspect = torch.where(keep, aspect * wanted, aspect)
    height = (scale * aspect.clamp(min=1e-3).rsqrt()).clamp(max=1)
    width = (scale * aspect.sqrt()).clamp(max=1)
    # The clamp above would bend the aspect: shrink the other side as well.
    height = torch.minimum(height, 1 / aspect)
    width = torch.minimum(width, aspect)
    extent = torch.stack([height, width], 1) * sizes
    origin = uniform[3:5].T * (sizes - extent)
    boxes = torch.cat([origin, extent], 1)
    if not options.native:
        return boxes
    native, fits = _native_boxes(options, grid, sizes, uniform[3:5].T)
    use = (uniform[5] < options.native) & fits
    return torch.where(use[:, None], native, boxes)


def draw_mirror(options: DataOptions, count: int, draw: torch.Generator) -> Tensor:
    """(B,) bool: which pictures are mirrored."""
    return torch.rand(count, device=draw.device, generator=draw) < options.mirror


def mirror_boxes(boxes: Tensor, mirrored: Tensor) -> Tensor:
    """(B, 4) boxes -> (4, B); where `mirrored` (B,) holds they start at their right end, with a negative width."""
    top, left, height, width = boxes.unbind(1)
    left = torch.where(mirrored, left + width, left)
    return torch.stack([top, left, height, torch.where(mirrored, -width, width)])


def adjust_colours(
    options: DataOptions, picture: Tensor, draw: torch.Generator, count: int, mine: slice
) -> Tensor:
    """Gain of each channel, contrast, brightness; a share without colour.

    (B, 3, H, W) of whole values 0..255 -> the same shape, in 0..1; the picture that was given is used up.
    """
    if not (options.jitter or options.grey):
        return picture.div_(255)
    uniform = torch.rand(6, count, device=picture.device, generator=draw)[:, mine]
    spread = (2 * uniform - 1) * options.jitter
    contrast, brightness = 1 + spread[3], spread[4] / 2
    # (x * gain - 0.5) * contrast + 0.5 + brightness, in one pass over the pictures.
    factor = ((1 + spread[:3]) * contrast).T[:, :, None, None]
    offset = (brightness - spread[3] / 2).mul_(255)[:, None, None, None]
    changed = torch.addcmul(offset, picture, factor)
    if options.grey:
        grey = (uniform[5] < options.grey)[:, None, None, None]
        changed = torch.where(grey, changed.mean(1, keepdim=True), changed)
    return changed.round_().clamp_(0, 255).div_(255)


def _native_boxes(options: DataOptions, grid: Grid, sizes: Tensor, uniform: Tensor) -> tuple[Tensor, Tensor]:
    """Boxes of exactly the puzzle's size at whole pixels, and where they fit.

    A cut on the border of a codec's block would show in the pixels, so such offsets are moved off it.
    """
    extent = torch.stack(
        [
            torch.full_like(sizes[:, 0], grid.rows * options.piece),
            torch.full_like(sizes[:, 1], grid.cols * options.piece),
        ],
        1,
    )
    room = sizes - extent
    origin = (uniform * (room + 1)).floor().clamp(min=0)
    aside = torch.where(origin + BLOCK // 2 <= room, BLOCK // 2, -(BLOCK // 2))
    origin = torch.where(origin % BLOCK == 0, origin + aside, origin)
    fits = (room >= BLOCK // 2).all(1)
    return torch.cat([origin.clamp(min=0), extent], 1), fits


def _between(limits: Sequence[float], uniform: Tensor) -> Tensor:
    return limits[0] + (limits[1] - limits[0]) * uniform


def _choice(values: Sequence[T], weights: Sequence[float], rng: np.random.Generator) -> T:
    """One of the values; without weights each is as likely. Draws exactly once."""
    shares = np.asarray(weights or [1.0] * len(values), np.float64)
    edges = np.cumsum(shares / shares.sum())
    return values[min(int(np.searchsorted(edges, rng.random(), side="right")), len(values) - 1)]
