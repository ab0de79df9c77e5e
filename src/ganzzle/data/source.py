"""The source of training puzzles: decodes once, keeps uint8 pictures on the device, cuts and corrupts there.

Every draw of step k comes from (seed, k): the shape of a batch from a numpy generator, the rest from a generator on the
device. So a resumed run sees the same puzzles. With several processes each draws the whole batch's choices and takes
its own share, so that together they see what one process with the larger batch would see.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ganzzle.data.augment import Shapes, adjust_colours, draw_boxes, draw_mirror, mirror_boxes
from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import Damage, make_puzzles
from ganzzle.data.decoded import decode
from ganzzle.data.options import DataError, DataOptions, SetOptions
from ganzzle.data.reading import data_root, encoded_pictures
from ganzzle.data.resizing import resample, resize_matrices
from ganzzle.data.splits import named_in, read_names


@dataclass(frozen=True, eq=False)
class PictureSet:
    """The pictures of one set, on one device."""

    name: str
    weight: float
    pictures: Tensor  # (M, 3, S, S) uint8, for training
    sizes: Tensor  # (M, 2) float: height and width in use
    held_out: Tensor  # (V, 3, S, S) uint8, for validation
    unreadable: int = 0


class PictureSource:
    """Puzzles for training, `batch(step)`, and pictures for validation, `validation()`."""

    def __init__(
        self, sets: Sequence[PictureSet], options: DataOptions, seed: int = 0, rank: int = 0, world: int = 1
    ) -> None:
        if not sets:
            raise DataError(
                "the config names no pictures; add a [[data.sets]] table with a name and a source"
            )
        self.options, self.seed, self.rank, self.world = options, seed, rank, world
        self.sets = list(sets)
        self.pictures = sets[0].pictures if len(sets) == 1 else torch.cat([s.pictures for s in sets])
        self.sizes = torch.cat([s.sizes for s in sets])
        self.device = self.pictures.device
        counts = np.array([len(s.pictures) for s in sets])
        weights = np.array([s.weight for s in sets], np.float64)
        edges = np.cumsum(weights / weights.sum())[:-1]
        self._edges = torch.tensor(edges, dtype=torch.float32, device=self.device)
        self._counts = torch.tensor(counts, dtype=torch.float32, device=self.device)
        self._starts = torch.tensor(np.cumsum(counts) - counts, device=self.device)
        self._draw = torch.Generator(self.device)
        self._private = torch.Generator(self.device)
        self._frozen: dict[Shapes, PuzzleBatch] = {}

    @classmethod
    def load(
        cls,
        options: DataOptions,
        device: torch.device | str,
        seed: int = 0,
        rank: int = 0,
        world: int = 1,
        say: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True),
    ) -> PictureSource:
        """Read and decode every set the options name."""
        sets = []
        for one in options.sets:
            loaded = load_set(one, options, device, seed)
            note = f", {loaded.unreadable} unreadable ones skipped" if loaded.unreadable else ""
            say(f"{one.name}: {len(loaded.pictures)} pictures, {len(loaded.held_out)} held out{note}")
            sets.append(loaded)
        return cls(sets, options, seed, rank, world)

    def validation(self) -> dict[str, Tensor]:
        """The held-out pictures of each set, (V, 3, S, S) uint8."""
        return {s.name: s.held_out for s in self.sets if len(s.held_out)}

    def describe(self) -> Mapping[str, int]:
        """How many training pictures each set has."""
        return {s.name: len(s.pictures) for s in self.sets}

    def batch(self, step: int) -> PuzzleBatch:
        """The puzzles of one step: one grid and one kind of corruption for all of them."""
        rng = np.random.default_rng([self.seed, step])
        shapes = Shapes.draw(self.options, rng)
        if shapes in self._frozen:
            return self._frozen[shapes]
        self._draw.manual_seed(int(rng.integers(2**62)))
        self._private.manual_seed(int(rng.integers(2**62)) + self.rank)
        batch = self._make(shapes)
        if self.options.frozen:
            self._frozen[shapes] = batch
        return batch

    def _make(self, shapes: Shapes) -> PuzzleBatch:
        options, draw, count = self.options, self._draw, shapes.batch * self.world
        mine = slice(self.rank * shapes.batch, (self.rank + 1) * shapes.batch)
        chosen = self._choose(count)
        sizes = self.sizes.index_select(0, chosen)
        boxes = draw_boxes(options, shapes.grid, sizes, draw)[mine]  # (B, 4) top, left, height, width
        mirrored = draw_mirror(options, count, draw)[mine]
        boxes = mirror_boxes(boxes, mirrored)
        out = shapes.grid.rows * options.piece, shapes.grid.cols * options.piece
        side = self.pictures.shape[-1]
        down, across = resize_matrices(boxes[:2], boxes[2:], out, sizes[mine].T, side, shapes.bicubic)
        picture = resample(self.pictures.index_select(0, chosen[mine]), down, across)
        picture = adjust_colours(options, picture, draw, count, mine)
        damage = self._draw_damage(shapes, count, mine)
        return make_puzzles(picture, shapes.grid.rows, shapes.grid.cols, damage, self._private)

    def _choose(self, count: int) -> Tensor:
        """(count,) indices of pictures: a set by its weight, then a picture of it."""
        uniform = torch.rand(2, count, device=self.device, generator=self._draw)
        which = (uniform[0][:, None] >= self._edges).sum(1)
        size = self._counts.index_select(0, which)
        inside = torch.minimum((uniform[1] * size).floor(), size - 1)
        return self._starts.index_select(0, which) + inside.long()

    def _draw_damage(self, shapes: Shapes, count: int, mine: slice) -> Damage:
        kinds = shapes.corruption.split("+")
        uniform = torch.rand(2, count, device=self.device, generator=self._draw)[:, mine]
        (low, high), (few, many) = self.options.noise, self.options.missing
        return Damage(
            kind=shapes.corruption,
            sigma=low + (high - low) * uniform[0] if "noise" in kinds else None,
            erosion=shapes.erosion,
            rim=shapes.rim,
            missing=few + (many - few) * uniform[1] if "missing" in kinds else None,
        )


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
        torch.from_numpy(sizes[train]).to(device),
        on_device(np.flatnonzero(readable & held_out)),
        int((~readable).sum()),
    )
