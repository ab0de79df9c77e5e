"""What the solvers of the baselines share: a network for one puzzle size, then the Hungarian method."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ganzzle.board.assignment import hungarian
from ganzzle.errors import SolverError
from ganzzle.networks.storing import restore
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import Arrangement, Solver, check_number
from ganzzle.solvers.devices import one_thread, pick_device
from ganzzle.solvers.ganzzle import network_pieces
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import fitting, read_weights

CPU_PIECES = 144  # that one thread takes at once


class OneSizeSolver(Solver):
    """A network (pieces, present) -> log P for puzzles of one grid; missing pieces leave slots empty."""

    kind: str

    def __init__(self, weights: str | Path, device: str, batch_pieces: int) -> None:
        """`weights`: "faces" or "art", the embedded ones for 6x6, a name of embedded ones, or a .safetensors file.

        `batch_pieces`: how many go in at once.
        """
        check_number("batch_pieces", batch_pieces, 1)
        self.device = pick_device(device)
        self.batch_pieces = batch_pieces
        path = self._found(weights)
        tensors, metadata = read_weights(path, self.kind)
        with fitting(path):
            size = json.loads(metadata["size"])
            self.grid = self.only_grid = Grid.of(size["grid"])
            network = self.network_of(size)
            restore(network, tensors)
        self.network = network.to(self.device).eval()

    def _found(self, weights: str | Path) -> Path:
        """The file; weights that are not there come with the command that makes them."""
        if str(weights) in ("faces", "art"):
            weights = f"{self.kind}-{weights}-6"
        try:
            return find_weights(weights)
        except SolverError as error:
            match = re.fullmatch(rf"{self.kind}-(faces|art)-([1-9]\d*)", str(weights))
            if match is None:
                raise SolverError(
                    f"{error}, or a name such as {self.kind}-faces-6 of weights that were embedded"
                ) from None
            raise SolverError(
                f"there are no embedded weights '{weights}'; train them with "
                f"`{train_command(self.kind, match[1], int(match[2]))}`, then pass "
                f"--weights runs/{weights}/{weights}.safetensors"
            ) from None

    @abstractmethod
    def network_of(self, size: dict[str, Any]) -> nn.Module:
        """The network, still empty, of the size stored with the weights."""

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange one puzzle."""
        return self.arrange_batch([puzzle], seed)[0]

    def arrange_batch(self, puzzles: Sequence[Puzzle], seed: int) -> list[Arrangement]:
        """Arrange puzzles of one size, as many at once as `batch_pieces` allows."""
        if puzzles[0].grid != self.grid:
            raise SolverError(
                f"these weights of {self.kind} are for {self.grid} puzzles, and this one is {puzzles[0].grid}; "
                f"give weights trained for {puzzles[0].grid}, or take another solver"
            )
        on_cpu = self.device.type == "cpu"
        pieces = min(self.batch_pieces, CPU_PIECES) if on_cpu else self.batch_pieces
        count = max(1, pieces // self.grid.slots)
        parts = [puzzles[start : start + count] for start in range(0, len(puzzles), count)]
        arranged = self._arrange_on_cpu(parts) if on_cpu else map(self._arrange_together, parts)
        return [arrangement for part in arranged for arrangement in part]

    def _arrange_on_cpu(self, parts: Sequence[Sequence[Puzzle]]) -> list[list[Arrangement]]:
        """Every thread takes parts of its own: threads that share one wait for each other after every step."""
        threads = min(torch.get_num_threads(), len(parts))
        with one_thread():
            if threads == 1:
                return [self._arrange_together(part) for part in parts]
            with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
                return list(pool.map(self._arrange_together, parts))

    @torch.inference_mode()
    def _arrange_together(self, puzzles: Sequence[Puzzle]) -> list[Arrangement]:
        pieces = network_pieces(np.stack([p.pieces for p in puzzles]), self.device)
        there = pieces.shape[1]
        # Missing pieces are black, as in training.
        pieces = F.pad(pieces, (0, 0, 0, 0, 0, 0, 0, self.grid.slots - there))
        present = (torch.arange(self.grid.slots, device=self.device) < there).expand(len(puzzles), -1)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            log_p = self.network(pieces, present)
        return [_arrangement(matrix) for matrix in log_p[:, :there].float().cpu().numpy()]

    def _solve_unknown_grid(self, puzzle: Puzzle, seed: int) -> Solution:
        """There is one grid only that it can be."""
        if len(puzzle) != self.grid.slots:
            raise SolverError(
                f"these weights of {self.kind} are for {self.grid} puzzles, and this one has {len(puzzle)} pieces; "
                "say its grid if pieces are missing, or take another solver"
            )
        return replace(self.solve(replace(puzzle, grid=self.grid), seed), puzzle=puzzle)


def train_command(kind: str, name: str, side: int) -> str:
    """How to train the model for side x side puzzles of a set; the configs are for 6x6."""
    command = f"ganzzle train {kind}-{name}"
    if side != 6:
        grid = f"{side}x{side}"
        command += (
            f" --set name={kind}-{name}-{side} --set task.size.grid={grid} --set \"data.grids=['{grid}']\""
        )
    return command


def _arrangement(log_p: np.ndarray) -> Arrangement:
    """log_p: (n, slots) of the pieces that are there."""
    placement = hungarian(log_p)
    confidence = np.exp(log_p[np.arange(len(log_p)), placement].astype(np.float64))
    return Arrangement(placement=placement, confidence=np.clip(confidence, 0, 1))
