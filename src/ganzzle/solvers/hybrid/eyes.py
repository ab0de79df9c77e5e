"""The network of `hybrid`: in its best form for the device, and how it looks at puzzles."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from ganzzle.networks.hybrid import HybridInput, HybridNetwork, HybridOutput, HybridSize
from ganzzle.networks.linear import best_packing, pack_linears
from ganzzle.networks.relations import Prediction, slot_neighbours
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers.hybrid.graphs import Graphs
from ganzzle.solvers.hybrid.rules import LARGEST, Wear, is_hard
from ganzzle.solvers.hybrid.sight import (
    Sight,
    imagined,
    mean_look,
    mirror,
    mirror_back,
    on_device,
    potentials,
    shown,
    two_looks,
    with_mirrored,
)
from ganzzle.weights_io import fitting, read_weights

RECORDED = 400  # pieces up to which a run is recorded: with more, the GPU is busy anyway


class Eyes:
    """Looks at puzzles with the network: once, or at hard ones twice, the second time in a mirror."""

    def __init__(self, weights: Path, device: torch.device, looks: int = 2, graphs: bool = True) -> None:
        """`looks` at a hard puzzle: 1 or 2. On a GPU `graphs` lets it repeat runs on small ones from recordings."""
        self.device, self.looks = device, looks
        self.graphs = Graphs() if graphs and device.type == "cuda" else None
        self.network = _loaded(weights, device)

    def looks_at(self, puzzle: Puzzle, wear: Wear) -> int:
        """How often the network looks at puzzles like this one."""
        return self.looks if is_hard(puzzle, wear) else 1

    @torch.inference_mode()
    def look(self, puzzles: Sequence[Puzzle], wear: Wear, by_edges: bool = True) -> Sight:
        """Run the network; a GPU is not waited for. `by_edges`: of noisy puzzles the edges alone are heard, too."""
        grid = puzzles[0].grid
        assert grid is not None
        twice = self.looks_at(puzzles[0], wear) == 2
        pieces = on_device(puzzles, self.device)
        how = grid, wear, twice, by_edges and wear.noisy
        if self.graphs is None or len(puzzles) * grid.slots > RECORDED:
            return Sight(grid, wear, self._say(*how, pieces))
        key, work = (*how, pieces.shape), partial(self._say, *how)
        return Sight(grid, wear, self.graphs.run(key, work, pieces, self._kept(grid, pieces.device)))

    def _say(self, grid: Grid, wear: Wear, twice: bool, by_edges: bool, pieces: Tensor) -> tuple[Tensor, ...]:
        """What the network says of pieces (B, n, h, w, 3), as `Sight` holds it."""
        count, given = pieces.shape[1], shown(pieces, grid, wear)
        if twice and grid.slots > LARGEST:  # one after the other, because of the memory
            *seen, picture = self._say_once(given, count, by_edges)
            *mirrored, _ = self._say_once(replace(mirror(given), paint=False), count, by_edges, mirrored=True)
            return (*mean_look(seen, mirrored), picture)
        if not twice:
            return self._say_once(given, count, by_edges)
        output = self.network(with_mirrored(given))
        said = two_looks(output.stages[-1], grid, count, _by_edges(output) if by_edges else None)
        return (*said, imagined(output, grid, len(pieces)))

    def _say_once(
        self, given: HybridInput, count: int, by_edges: bool, mirrored: bool = False
    ) -> tuple[Tensor, ...]:
        """The same by one look, at mirrored pieces or not; the mental image stays as it is seen."""
        output = self.network(given)
        last, first = output.stages[-1], _by_edges(output) if by_edges else None
        if mirrored:
            last = mirror_back(last, given.grid)
            first = None if first is None else mirror_back(first, given.grid)
        return (*potentials(last, count, first), imagined(output, given.grid, len(given.pieces)))

    def _kept(self, grid: Grid, device: torch.device) -> tuple[Tensor, ...]:
        """Tensors that the network makes once for a grid, and may give up when there are many grids."""
        dtype = best_packing(self.device) or torch.float32
        return self.network.slot_tokens(grid, device), slot_neighbours(grid, device, dtype)


def _by_edges(output: HybridOutput) -> Prediction | None:
    """What the edges alone say; of very many pieces it was not kept."""
    return output.stages[0] if len(output.stages) > 1 else None


def _loaded(path: Path, device: torch.device) -> HybridNetwork:
    """The network in its best form for the device."""
    tensors, metadata = read_weights(path, "hybrid")
    with fitting(path):
        with torch.device("meta"):  # nothing to draw and to copy: the tensors are there
            network = HybridNetwork(HybridSize.from_json(json.loads(metadata["network"])))
        network.load_state_dict(tensors, assign=True)
    network.to(device).eval()
    packing = best_packing(device)
    if packing is not None:
        pack_linears(network, packing)
    return network
