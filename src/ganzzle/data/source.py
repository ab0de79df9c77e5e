"""The source of training puzzles: decodes once, keeps uint8 pictures on the device, cuts and corrupts there.

Every draw of step k comes from (seed, k), so a resumed run sees the same puzzles. What is small is drawn and worked out
on the host and sent at once; the device only works on pixels. With several processes each draws the whole batch's
choices and takes its own share, so that together they see the pictures that one process with the larger batch would
see; the order of the pieces and the noise on them each draws for itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ganzzle.cli.data_options import DataError, DataOptions, SetOptions
from ganzzle.data.augment import (
    Shapes,
    adjust_colours_,
    draw_boxes,
    draw_colours,
    draw_levels,
    draw_mirror,
    draw_swaps,
    swap_channels,
)
from ganzzle.data.batch import PuzzleBatch, send
from ganzzle.data.cutting import Damage, draw_arrival, shuffle_puzzles
from ganzzle.data.decoded import decode
from ganzzle.data.drawings import as_drawings, draw_drawings
from ganzzle.data.panels import draw_panels, put_panels
from ganzzle.data.reading import data_root, encoded_pictures
from ganzzle.data.resizing import resample, resize_matrices, sampling
from ganzzle.data.splits import named_in, read_names
from ganzzle.errors import printable

NO_PICTURES = "the config names no pictures; add a [[data.sets]] table with a name and a source"


def check_sets(options: DataOptions) -> None:
    """Refuse options without any pictures."""
    if not options.sets:
        raise DataError(NO_PICTURES)


@dataclass(frozen=True, eq=False)
class PictureSet:
    """The pictures of one set, on one device."""

    name: str
    weight: float
    pictures: Tensor  # (M, 3, S, S) uint8, for training
    sizes: np.ndarray  # (M, 2) float: height and width in use, on the host
    held_out: Tensor  # (V, 3, S, S) uint8, for validation
    unreadable: int = 0


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn for each picture of a batch, on the host."""

    chosen: np.ndarray  # (B,) long: which picture
    swaps: np.ndarray  # (3, B) long: how its channels change places; no rows where none does
    sides: np.ndarray  # (5, 2, B): how it is sampled, down and across
    colours: np.ndarray  # (5, B): how its colours change
    sigma: np.ndarray  # (B,) noise
    missing: np.ndarray  # (B,) share of the pieces
    panels: np.ndarray  # (15, B): parts of other pictures, and frames; no rows where there are none
    drawings: np.ndarray  # (3, B): how it becomes a drawing; no rows where none does


class PictureSource:
    """Puzzles for training, `batch(step)`, and pictures for validation, `validation()`."""

    def __init__(
        self, sets: Sequence[PictureSet], options: DataOptions, seed: int = 0, rank: int = 0, world: int = 1
    ) -> None:
        if not sets:
            raise DataError(NO_PICTURES)
        self.options, self.seed, self.rank, self.world = options, seed, rank, world
        self.pictures = sets[0].pictures if len(sets) == 1 else torch.cat([s.pictures for s in sets])
        parts = self.pictures.split([len(s.pictures) for s in sets])
        self.sets = [replace(s, pictures=part) for s, part in zip(sets, parts, strict=True)]  # kept once
        self.sizes = np.concatenate([s.sizes for s in sets])
        self.device = self.pictures.device
        self._counts = np.array([len(s.pictures) for s in sets])
        self._starts = np.cumsum(self._counts) - self._counts
        weights = np.array([s.weight for s in sets], np.float64)
        self._edges = np.cumsum(weights / weights.sum())[:-1]
        self._pixels = torch.Generator(self.device)
        self._frozen: dict[Shapes, PuzzleBatch] = {}

    @classmethod
    def load(
        cls,
        options: DataOptions,
        device: torch.device | str,
        seed: int = 0,
        rank: int = 0,
        world: int = 1,
        say: Callable[[str], None] = lambda text: print(printable(text), file=sys.stderr, flush=True),
    ) -> PictureSource:
        """Read and decode every set the options name."""
        sets = []
        for one in options.sets:
            loaded = load_set(one, options, device, seed)
            note = f", {loaded.unreadable} unreadable ones skipped" if loaded.unreadable else ""
            say(f"{one.name}: {len(loaded.pictures)} pictures, {len(loaded.held_out)} held out{note}")
            sets.append(loaded)
        return cls(sets, options, seed, rank, world)

    def validation(self, most: int | None = None) -> dict[str, Tensor]:
        """The held-out pictures of each set, or the first ones of them, (V, 3, S, S) uint8."""
        return {s.name: s.held_out[:most] for s in self.sets if len(s.held_out)}

    def describe(self) -> Mapping[str, int]:
        """How many training pictures each set has."""
        return {s.name: len(s.pictures) for s in self.sets}

    def batch(self, step: int) -> PuzzleBatch:
        """The puzzles of one step: one grid and one kind of corruption for all of them."""
        bits = np.random.PCG64([self.seed, step])
        rng = np.random.Generator(bits)
        shapes = Shapes.draw(self.options, rng)
        if shapes in self._frozen:
            return self._frozen[shapes]
        drawn = self._draw(shapes, rng)
        bits.advance(self.rank << 64)  # from here on each process draws its own
        chance = float(np.random.default_rng([self.seed, step, 1]).random())
        batch = replace(self._make(shapes, drawn, rng), chance=chance)
        if self.options.frozen:
            self._frozen[shapes] = batch
        return batch

    def _draw(self, shapes: Shapes, rng: np.random.Generator) -> Drawn:
        """The choices of all processes are drawn, this one's are given."""
        options, grid, count = self.options, shapes.grid, shapes.batch * self.world
        chosen = self._choose(count, rng)
        sizes = self.sizes[chosen].T
        boxes = draw_mirror(options, draw_boxes(options, grid, shapes.piece, sizes, rng), rng)
        out = shapes.piece * np.array([[grid.rows], [grid.cols]])
        sides = sampling(boxes[:2], boxes[2:], out, sizes, shapes.bicubic)
        colours = draw_colours(options, count, rng)
        levels = draw_levels(options, count, rng)
        panels = np.empty((0, count), np.float32)
        if options.collage or options.framed:
            panels = draw_panels(options, count, rng)
        drawings = draw_drawings(options, count, rng) if options.drawn else panels[:0]
        swaps = np.empty((0, count), np.int64)
        if options.swapped:
            swaps = draw_swaps(options, count, rng)
        every = chosen, swaps, sides, colours, *levels, panels, drawings
        mine = slice(self.rank * shapes.batch, (self.rank + 1) * shapes.batch)
        return Drawn(*(drawn[..., mine] for drawn in every))

    def _make(self, shapes: Shapes, drawn: Drawn, rng: np.random.Generator) -> PuzzleBatch:
        """From the choices to puzzles; the order of the pieces and the pixels of the noise are drawn here."""
        options, grid, kinds = self.options, shapes.grid, shapes.corruption.split("+")
        missing = drawn.missing if "missing" in kinds else None
        arrival = draw_arrival(shapes.batch, grid.slots, missing, rng)
        which = np.flatnonzero(drawn.drawings[:2].any(0))
        chosen, swaps, order, places, sides, colours, sigma, panels, drawings, present = send(
            self.device,
            drawn.chosen,
            drawn.swaps,
            arrival.order,
            which,
            drawn.sides,
            drawn.colours,
            drawn.sigma,
            drawn.panels,
            drawn.drawings[:, which],
            arrival.present,
        )
        out = grid.rows * shapes.piece, grid.cols * shapes.piece
        down, across = resize_matrices(sides, out, self.pictures.shape[-1], shapes.bicubic)
        picture = resample(self.pictures.index_select(0, chosen), down, across)
        if len(swaps):
            picture = swap_channels(picture, swaps)
        if len(which):
            picture.index_copy_(0, places, as_drawings(picture.index_select(0, places), drawings))
        if options.jitter or options.grey:
            adjust_colours_(picture, colours, bool(drawn.colours[4].any()))
        if len(panels):
            picture = put_panels(picture, panels)
        picture = picture.div_(255)
        damage = Damage(
            shapes.corruption, sigma if "noise" in kinds else None, shapes.erosion, shapes.rim, missing,
            shapes.shifted,
        )  # fmt: skip
        self._pixels.manual_seed(int(rng.integers(2**62)))
        puzzles = shuffle_puzzles(picture, grid.rows, grid.cols, damage, order, present, self._pixels)
        return replace(puzzles, told=shapes.told)

    def _choose(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """(count,) indices of pictures: a set by its weight, then a picture of it."""
        uniform = rng.random((2, count))
        which = np.searchsorted(self._edges, uniform[0], side="right")
        return self._starts[which] + (uniform[1] * self._counts[which]).astype(np.int64)


def load_set(one: SetOptions, options: DataOptions, device: torch.device | str, seed: int) -> PictureSet:
    """Decode a set; a seeded part of it is held out for validation, always as whole squashed pictures."""
    root = data_root(options.root)
    encoded = encoded_pictures(one.source, root)
    if one.names:
        encoded = named_in(encoded, read_names(root / one.names))
    if one.limit:
        encoded = encoded[: one.limit]
    size = options.size
    rng = np.random.default_rng([seed, len(encoded)])
    held_out = np.zeros(len(encoded), bool)
    held_out[rng.permutation(len(encoded))[: min(options.validation, len(encoded) // 5)]] = True
    decoded = decode(encoded, size, ~held_out & (one.fit == "native"))
    readable, sizes = decoded.readable, decoded.sizes
    train = np.flatnonzero(readable & ~held_out)
    if len(train) == 0:
        raise DataError(f"set '{one.name}' has no readable picture at {Path(root, one.source)}")

    def on_device(which: np.ndarray) -> Tensor:
        chunks = [torch.from_numpy(decoded.pictures[which[k : k + 512]]) for k in range(0, len(which), 512)]
        moved = [chunk.to(device).permute(0, 3, 1, 2).contiguous() for chunk in chunks]
        return torch.cat(moved) if moved else torch.empty(0, 3, size, size, dtype=torch.uint8, device=device)

    return PictureSet(
        one.name,
        one.weight,
        on_device(train),
        sizes[train],
        on_device(np.flatnonzero(readable & held_out)),
        int((~readable).sum()),
    )
