"""What the hybrid network is shown of puzzles, and what it says about them on its way to the assembler."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ganzzle.networks.cropping import crop_wear
from ganzzle.networks.hybrid import HybridInput, HybridOutput, mental_image
from ganzzle.networks.relations import Prediction, seam_log_probs
from ganzzle.puzzle import Grid, Pixels, Puzzle
from ganzzle.solvers.hybrid.rules import LEAST, Wear

# How much the edges by themselves say about the seams of noisy puzzles; the rest is what the last stage makes of them.
BY_EDGES = 2 / 3


class Sight:
    """What the network said about B puzzles of n pieces, on its way to the host: call `wait` before reading.

    `tensors`: log-potentials slots (B, n, S), right (B, n, n), down (B, n, n), border (B, n, 4), float32, and mental
    images (B, H, W, 3), uint8.
    """

    def __init__(self, grid: Grid, wear: Wear, found: tuple[Tensor, ...]) -> None:
        self.grid = grid
        self.wear = wear
        self._event: torch.cuda.Event | None = None
        if not found[0].is_cuda:
            self.tensors = tuple(x.contiguous() for x in found)
            return
        # Into pinned memory, because only then the copy does not wait for what is asked of the GPU afterwards.
        self.tensors = tuple(torch.empty(x.shape, dtype=x.dtype, pin_memory=True) for x in found)
        for host, device in zip(self.tensors, found, strict=True):
            host.copy_(device, non_blocking=True)
        self._event = torch.cuda.Event()
        self._event.record()

    def wait(self) -> None:
        """Until the tensors are there."""
        if self._event is not None:
            self._event.synchronize()

    def tables(self, part: slice) -> list[NDArray[np.float32]]:
        """The log-potentials of some of the puzzles, each (b, n, ...)."""
        return [x[part].numpy() for x in self.tensors[:4]]

    def mental_images(self, part: slice) -> Pixels:
        """Those of some of the puzzles, (b, H, W, 3), apart from the memory that the GPU copies into."""
        return self.tensors[4][part].numpy().copy()


def prepare(puzzles: Sequence[Puzzle], wear: Wear, device: torch.device) -> HybridInput:
    """What the network sees of puzzles of one size."""
    grid = puzzles[0].grid
    assert grid is not None
    return shown(on_device(puzzles, device), grid, wear)


def on_device(puzzles: Sequence[Puzzle], device: torch.device) -> Tensor:
    """The pieces of B puzzles of one size, (B, n, h, w, 3) uint8; a GPU is not waited for."""
    on_gpu = device.type == "cuda"
    stacked = torch.empty((len(puzzles), *puzzles[0].pieces.shape), dtype=torch.uint8, pin_memory=on_gpu)
    np.stack([p.pieces for p in puzzles], out=stacked.numpy())
    return stacked.to(device, non_blocking=on_gpu)


def shown(stacked: Tensor, grid: Grid, wear: Wear) -> HybridInput:
    """What the network sees of pieces (B, n, h, w, 3) uint8: blank ones stand for missing ones."""
    batch, count, *size = stacked.shape[:4]
    pieces = stacked.permute(0, 1, 4, 2, 3).float() / 255
    if count < grid.slots:
        pieces = torch.nn.functional.pad(pieces, (0, 0, 0, 0, 0, 0, 0, grid.slots - count))
    present = torch.arange(grid.slots, device=stacked.device).expand(batch, -1) < count
    small, sharp = crop_wear(pieces, wear.width)
    share = torch.full((batch,), wear.width / min(size), device=stacked.device)
    return HybridInput(small, present, grid, share, sharp)


def with_mirrored(given: HybridInput) -> HybridInput:
    """B puzzles, followed by their mirror images."""
    mirrored = mirror(given)
    sharp = None
    if given.sharp is not None and mirrored.sharp is not None:
        sharp = torch.cat([given.sharp, mirrored.sharp])
    return replace(
        given,
        pieces=torch.cat([given.pieces, mirrored.pieces]),
        present=given.present.repeat(2, 1),
        wear=given.wear.repeat(2),
        sharp=sharp,
    )


def mirror(given: HybridInput) -> HybridInput:
    """The mirror images of puzzles: every piece is flipped left to right, its number stays."""
    sharp = None if given.sharp is None else given.sharp.flip(-1)
    return replace(given, pieces=given.pieces.flip(-1), sharp=sharp)


def mirror_back(said: Prediction, grid: Grid) -> Prediction:
    """What is said of mirrored puzzles, for the true ones: columns are reversed, right and left change places."""
    slots = said.slots
    if slots is not None:
        slots = slots.unflatten(2, (grid.rows, grid.cols)).flip(3).flatten(2)
    border = torch.cat([said.border[..., :2].flip(-1), said.border[..., 2:]], -1)
    return Prediction(slots, said.right.transpose(1, 2), said.down, border)


def two_looks(
    last: Prediction, grid: Grid, count: int, first: Prediction | None = None
) -> tuple[Tensor, ...]:
    """`potentials` of B puzzles from what is said of them and then of their mirror images, 2B in all."""
    seen, mirrored = _halves(last)
    by_edges, in_mirror = (None, None) if first is None else _halves(first)
    if in_mirror is not None:
        in_mirror = mirror_back(in_mirror, grid)
    return mean_look(
        potentials(seen, count, by_edges), potentials(mirror_back(mirrored, grid), count, in_mirror)
    )


def _halves(said: Prediction) -> tuple[Prediction, Prediction]:
    """What is said of 2B puzzles, as B and B."""
    slots = (None, None) if said.slots is None else said.slots.chunk(2)
    one, other = (Prediction(*each) for each in zip(slots, *(x.chunk(2) for x in said[1:]), strict=True))
    return one, other


def mean_look(seen: Sequence[Tensor], mirrored: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The mean of probabilities: what one look rules out, the other may still bring up (benchmarks/looks.py)."""
    return tuple(torch.logaddexp(a, b) - math.log(2) for a, b in zip(seen, mirrored, strict=True))


def potentials(
    last: Prediction, count: int, first: Prediction | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Log-potentials of the `count` pieces that are there, for the assembler, float32, by the network's last stage.

    Where it is given, `first`, what the edges say before any piece knows of the others, is heard about the seams, too:
    under noise the last stage is surer of them than it should be.

    -> slots (B, n, S), right (B, n, n), down (B, n, n), border (B, n, 4).
    """
    assert last.slots is not None
    fit = last.slots.float()
    slots = 0.5 * (fit.log_softmax(2) + fit.log_softmax(1))
    right, down, border = _seams(last, count)
    if first is not None:
        both = zip((right, down, border), _seams(first, count), strict=True)
        right, down, border = (late.lerp(early, BY_EDGES) for late, early in both)
    return slots[:, :count].clamp(min=LEAST), right, down, border


def _seams(said: Prediction, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Log-potentials right (B, n, n), down (B, n, n) and border (B, n, 4) of the first `count` pieces."""
    edge = said.border.float()
    right, no_right, no_left = seam_log_probs(said.right.float(), edge[..., 0], edge[..., 1])
    down, no_below, no_above = seam_log_probs(said.down.float(), edge[..., 2], edge[..., 3])
    border = 0.5 * torch.stack([no_right, no_left, no_below, no_above], 2)
    return (
        right[:, :count, :count].clamp(min=LEAST),
        down[:, :count, :count].clamp(min=LEAST),
        border[:, :count].clamp(min=LEAST),
    )


def imagined(output: HybridOutput, grid: Grid, batch: int) -> Tensor:
    """The mental images of the first B puzzles, (B, H, W, 3) uint8."""
    picture = output.pictures[-1] if output.pictures else mental_image(output.thumbs[-1], grid)
    return picture[:batch].clamp(0, 1).mul(255).round().byte().permute(0, 2, 3, 1)
