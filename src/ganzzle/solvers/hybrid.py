"""`hybrid`: the mental image anchors, the seams bind.

One network looks at all pieces together and gives seam logits, piece-slot logits and the mental image; the assembler
turns these into a placement. Worn rims are found and cropped first, pieces of other sizes are resampled for the network
while the classical distances it is also given use their real pixels. Nothing about the corruption is told to it.
Puzzles of more than 900 pieces are left to the assembler on classical seam costs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ganzzle.assembler import assemble_batch
from ganzzle.networks.hybrid import HybridConfig, HybridInput, HybridNetwork, mental_image
from ganzzle.networks.linear import best_packing, pack_linears
from ganzzle.networks.relations import Prediction, seam_log_probs
from ganzzle.networks.wear import crop_wear, wear_width
from ganzzle.puzzle import Puzzle
from ganzzle.solvers.assembler import Assembler
from ganzzle.solvers.base import Arrangement, Solver
from ganzzle.solvers.devices import pick_device
from ganzzle.solvers.hybrid_confidence import confidence, placement_evidence
from ganzzle.weights_io import embedded, read_weights

LEAST = -12.0  # log-potential of what the network rules out
LARGEST = 900  # pieces the network takes; larger puzzles are the assembler's alone
SMALLEST = 8  # px; smaller pieces are enlarged for the distances


class Hybrid(Solver):
    """See the module's docstring."""

    name = "hybrid"

    def __init__(
        self, weights: str | Path = "hybrid", device: str = "auto", slot_weight: float = 0.5, batch: int = 64
    ) -> None:
        """`weights` is an embedded name or a file, `slot_weight` scales the mental image's say against the seams'."""
        self.device = pick_device(device)
        self.slot_weight = slot_weight
        self.batch = batch
        tensors, metadata = read_weights(embedded(weights), "hybrid")
        self.network = HybridNetwork(HybridConfig.from_json(json.loads(metadata["network"])))
        self.network.load_state_dict(tensors)
        self.network.to(self.device).eval()
        packing = best_packing() if self.device.type == "cpu" else None
        if packing is not None:
            pack_linears(self.network, packing)

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange one puzzle."""
        return self.arrange_batch([puzzle], seed)[0]

    def arrange_batch(self, puzzles: Sequence[Puzzle], seed: int) -> list[Arrangement]:
        """Arrange puzzles of one size: the network sees them together, apart from those with another wear."""
        if puzzles and puzzles[0].grid is not None and puzzles[0].grid.slots > LARGEST:
            return Assembler().arrange_batch(puzzles, seed)
        arranged: list[Arrangement | None] = [None] * len(puzzles)
        by_wear: dict[int, list[int]] = {}
        for k, puzzle in enumerate(puzzles):
            by_wear.setdefault(wear_width(puzzle.pieces), []).append(k)
        for wear, members in by_wear.items():
            for start in range(0, len(members), self.batch):
                part = members[start : start + self.batch]
                for k, arrangement in zip(
                    part, self._arrange_alike([puzzles[k] for k in part], wear, seed), strict=True
                ):
                    arranged[k] = arrangement
        return [a for a in arranged if a is not None]

    @torch.inference_mode()
    def potentials(self, puzzles: Sequence[Puzzle]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What the network tells the assembler about puzzles of one size and wear; see the function `potentials`."""
        given = prepare(puzzles, wear_width(puzzles[0].pieces), self.device)
        return potentials(self.network(given).stages[-1], len(puzzles[0]))

    @torch.inference_mode()
    def _arrange_alike(self, puzzles: Sequence[Puzzle], wear: int, seed: int) -> list[Arrangement]:
        given = prepare(puzzles, wear, self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            output = self.network(given)
        count = len(puzzles[0])
        slots, right, down, border = potentials(output.stages[-1], count)
        imagined = mental_image(output.thumbs[-1], given.grid).clamp(0, 1).mul(255).round().byte()
        pictures = imagined.permute(0, 2, 3, 1).cpu().numpy()
        assemblies = assemble_batch(right, down, given.grid, self.slot_weight * slots, border, seed=seed)
        return [
            Arrangement(
                placement=assembly.placement,
                confidence=confidence(placement_evidence(assembly, slots[k], right[k], down[k], given.grid)),
                mental_image=pictures[k],
                order=assembly.order,
            )
            for k, assembly in enumerate(assemblies)
        ]


def prepare(puzzles: Sequence[Puzzle], wear: int, device: torch.device) -> HybridInput:
    """What the network sees of puzzles of one size: blank pieces stand for missing ones."""
    grid = puzzles[0].grid
    assert grid is not None
    stacked = torch.from_numpy(np.stack([p.pieces for p in puzzles])).to(device)
    pieces = stacked.permute(0, 1, 4, 2, 3).float() / 255
    missing = grid.slots - pieces.shape[1]
    pieces = torch.nn.functional.pad(pieces, (0, 0, 0, 0, 0, 0, 0, missing))
    present = torch.arange(grid.slots, device=device).expand(len(puzzles), -1) < grid.slots - missing
    small, sharp = crop_wear(pieces, wear)
    if min(sharp.shape[-2:]) < SMALLEST:
        sharp = small
    share = torch.full((len(puzzles),), wear / min(puzzles[0].piece_size), device=device)
    return HybridInput(small, present, grid, share, sharp)


def potentials(last: Prediction, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Log-potentials of the `count` pieces that are there, for the assembler, float32 on the host.

    -> slots (B, n, S), right (B, n, n), down (B, n, n), border (B, n, 4).
    """
    assert last.slots is not None
    fit = last.slots.float()
    slots = 0.5 * (fit.log_softmax(2) + fit.log_softmax(1))
    edge = last.border.float()
    right, no_right, no_left = seam_log_probs(last.right.float(), edge[..., 0], edge[..., 1])
    down, no_below, no_above = seam_log_probs(last.down.float(), edge[..., 2], edge[..., 3])
    border = 0.5 * torch.stack([no_right, no_left, no_below, no_above], 2)

    def on_host(x: Tensor) -> np.ndarray:
        return np.ascontiguousarray(x.clamp(min=LEAST).cpu().numpy())

    return (
        on_host(slots[:, :count]),
        on_host(right[:, :count, :count]),
        on_host(down[:, :count, :count]),
        on_host(border[:, :count]),
    )
