"""A training source of six small pictures, for the tests of the data room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from PIL import Image

from ganzzle.cli.data_options import DataOptions
from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import cut_batch
from ganzzle.data.source import PictureSet, PictureSource


def some_pictures(count: int, size: int = 96, seed: int = 0) -> torch.Tensor:
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (count, 8, 8, 3), dtype=np.uint8)
    large = [np.asarray(Image.fromarray(s).resize((size, size), Image.Resampling.BICUBIC)) for s in small]
    return torch.from_numpy(np.stack(large)).permute(0, 3, 1, 2).contiguous()


def source(rank: int = 0, world: int = 1, **options: object) -> PictureSource:
    pictures = some_pictures(6)
    everything = PictureSet("toy", 1.0, pictures, np.full((6, 2), 96.0), pictures[:2])
    settings = DataOptions(grids=["3x3", "2x4"], pieces_per_step=54, size=96)
    return PictureSource([everything], replace(settings, **options), seed=3, rank=rank, world=world)  # type: ignore[arg-type]


def put_back(batch: PuzzleBatch) -> torch.Tensor:
    """The pieces in slot order."""
    order = batch.slots.argsort(1)
    return torch.stack([pieces[o] for pieces, o in zip(batch.pieces, order, strict=True)])


def check_sound_and_repeated(**options: object) -> None:
    """Pieces are what the picture shows, in whole levels, and two sources with the same options agree."""
    one, other = source(**options), source(**options)  # type: ignore[arg-type]
    for step in (3, 0, 5):
        batch, again = one.batch(step), other.batch(step)
        assert torch.equal(batch.pieces, again.pieces)
        assert torch.equal(batch.slots, again.slots)
        assert torch.equal(batch.picture, again.picture)
        assert torch.equal(put_back(batch), cut_batch(batch.picture, batch.rows, batch.cols))
        levels = batch.picture * 255
        assert (levels - levels.round()).abs().max() < 1e-4
        assert 0 <= levels.min() <= levels.max() <= 255
        assert batch.picture.dtype == torch.float32
