"""`ganzzle`: the paper's own solver. One forward pass imagines the picture and compares every piece with every slot;
the Hungarian method on the doubly stochastic matrix S says where each piece goes.

A puzzle is looked at twice, as it is and mirrored, in one batch; the two matrices C are averaged.
Pieces of another size than 32 px are resampled. Missing pieces leave slots empty: they are rows of zeros in C.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ganzzle.board.assignment import hungarian, log_sinkhorn
from ganzzle.errors import SolverError
from ganzzle.networks.ganzzle import load_network
from ganzzle.networks.linear import best_packing, pack_linears
from ganzzle.networks.piece_encoder import PIECE
from ganzzle.puzzle import Grid, Pixels, Puzzle
from ganzzle.reading.pictures import resize_picture
from ganzzle.solvers.base import Arrangement, Solver, check_number
from ganzzle.solvers.devices import pick_device
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import fitting, read_weights

SHOWN = 256  # px of the longer side of the mental image that is handed out


class Ganzzle(Solver):
    """One model for all sizes. `weights`: "faces", "art", or a .safetensors file of your own training."""

    name = "ganzzle"
    prefix = "ganzzle-"

    def __init__(
        self, weights: str | Path = "faces", device: str = "auto", batch_pieces: int = 4608, looks: int = 2
    ) -> None:
        """`batch_pieces`: how many pieces go through the network at once; `looks`: 1, or 2 with the mirror image."""
        if looks not in (1, 2):
            raise SolverError(f"looks is 1 or 2, not {looks}")
        check_number("batch_pieces", batch_pieces, 1)
        self.device = pick_device(device)
        self.batch_pieces = batch_pieces
        self.looks = looks
        path = find_weights(weights, self.prefix)
        tensors, metadata = read_weights(path, "ganzzle")
        with fitting(path):
            self.network = load_network(tensors, metadata["size"]).to(self.device)
        packing = best_packing(self.device)
        if packing is not None:
            pack_linears(self.network, packing)
        self.in_half = packing == torch.bfloat16

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange one puzzle."""
        return self.arrange_batch([puzzle], seed)[0]

    def arrange_batch(self, puzzles: Sequence[Puzzle], seed: int) -> list[Arrangement]:
        """Arrange puzzles of one size, as many at once as `batch_pieces` allows."""
        grid = puzzles[0].grid
        assert grid is not None
        count = max(1, self.batch_pieces // (self.looks * len(puzzles[0])))
        arranged: list[Arrangement] = []
        for start in range(0, len(puzzles), count):
            arranged += self._arrange_together(puzzles[start : start + count], grid)
        return arranged

    @torch.inference_mode()
    def _arrange_together(self, puzzles: Sequence[Puzzle], grid: Grid) -> list[Arrangement]:
        pieces = network_pieces(np.stack([p.pieces for p in puzzles]), self.device)
        if self.looks == 2:
            pieces = torch.cat([pieces, pieces.flip(-1)])
        present = torch.ones(pieces.shape[:2], dtype=torch.bool, device=self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.in_half):
            scores, imagined = self.network(pieces, present, grid.rows, grid.cols)
        if self.looks == 2:
            scores = mean_of_looks(scores, grid)
        missing = grid.slots - pieces.shape[1]
        log_s = log_sinkhorn(F.pad(scores.float(), (0, 0, 0, missing)), iterations=50).cpu().numpy()
        finest = imagined.pictures[-1][: len(puzzles)]
        pictures = finest.clamp(0, 1).mul(255).round().byte().permute(0, 2, 3, 1).cpu().numpy()
        return [
            _arrangement(matrix[: len(puzzle)], picture, grid)
            for puzzle, matrix, picture in zip(puzzles, log_s, pictures, strict=True)
        ]


class GanzzleSingle(Ganzzle):
    """The same network trained for one puzzle size."""

    name = "ganzzle-single"
    prefix = "ganzzle-single-"

    def __init__(
        self, weights: str | Path = "faces-6", device: str = "auto", batch_pieces: int = 4608, looks: int = 2
    ) -> None:
        super().__init__(weights, device, batch_pieces, looks)


def mean_of_looks(scores: Tensor, grid: Grid) -> Tensor:
    """C (2B, N, slots) of B puzzles and then of their mirror images -> (B, N, slots) for the puzzles as they are."""
    seen, mirrored = scores.chunk(2)
    back = mirrored.unflatten(2, (grid.rows, grid.cols)).flip(3).flatten(2)
    return (seen + back) / 2


def network_pieces(pieces: Pixels, device: torch.device) -> Tensor:
    """(B, N, h, w, 3) uint8 -> (B, N, 3, 32, 32) in 0..1, resampled where they have another size."""
    x = torch.from_numpy(pieces).to(device).permute(0, 1, 4, 2, 3).float() / 255
    if x.shape[-2:] == (PIECE, PIECE):
        return x
    flat = F.interpolate(x.flatten(0, 1), size=(PIECE, PIECE), mode="bilinear", antialias=True)
    return flat.clamp(0, 1).unflatten(0, x.shape[:2])


def _arrangement(log_s: np.ndarray, picture: Pixels, grid: Grid) -> Arrangement:
    """log_s: (n, slots) of the pieces that are there."""
    probable = np.exp(log_s.astype(np.float64))
    placement = hungarian(probable)  # Hung(S): the most pieces in their place to be expected
    confidence = probable[np.arange(len(log_s)), placement]
    longest = max(grid.rows, grid.cols)
    height, width = (max(1, round(SHOWN * side / longest)) for side in (grid.rows, grid.cols))
    return Arrangement(
        placement=placement,
        confidence=np.clip(confidence, 0, 1),
        mental_image=resize_picture(picture, height, width),
    )
