"""Training the hybrid network: seams and slots at every stage, thumbnails of the whole picture."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import cut_batch, evaluation_batch
from ganzzle.networks.borders import l1_on_gpu
from ganzzle.networks.cropping import crop_wear
from ganzzle.networks.discriminator import Discriminator
from ganzzle.networks.edge_encoder import window_pixels
from ganzzle.networks.hybrid import HybridInput, HybridNetwork, HybridOutput, HybridSize, shrink
from ganzzle.puzzle import Grid
from ganzzle.training.config import ConfigError
from ganzzle.training.optimizers import adam_for, adamw_and_muon
from ganzzle.training.picture_losses import deceive, pixel_loss, pyramid, teach_discriminator
from ganzzle.training.relation_losses import relation_losses, true_neighbours
from ganzzle.training.task import Backward
from ganzzle.weights_io import pack_int8

PAINTED_PX = 16  # px of pieces from which on the painter has something to learn
MOST_VALIDATED = 96  # pictures of a set
PIECE = 32  # px of the paper's pieces
# Grid, corruption and px of a piece.
VALIDATION = (
    (6, "none", PIECE), (12, "none", PIECE), (6, "noise:0.2", PIECE), (6, "erode:2", PIECE), (6, "erode:5", PIECE),
    (6, "missing:0.3", PIECE), (10, "erode:3", PIECE), (5, "erode:7", 64), (3, "erode:18", 108),
    (3, "erode:13+missing:0.22", 108),
)  # fmt: skip


@dataclass(frozen=True)
class HybridOptions:
    """The `[task]` table."""

    width: int = 384
    heads: int = 8
    stages: tuple[int, ...] = (2, 2, 3)
    exchange: int = 0  # blocks in which the windows and patches of a piece look at each other
    candidates: int = 8
    paint_share: float = 1.0  # share of the steps in which the painter learns
    painter: int = 0
    only_painter: bool = False  # all but the painter stays as it is (train.start says how)
    learning_rate: float = 8e-4  # AdamW, everything but the blocks' matrices
    muon_learning_rate: float = 1.5e-3  # the blocks' matrices
    weight_decay: float = 0.05
    clip: float = 1.0
    picture_weight: float = 2.0
    early_weight: float = 0.5  # weight of every stage's loss but the last one's
    painter_weight: float = 4.0  # squared error of what the painter paints, summed over its scales
    adversarial: float = 0.02  # weight of the discriminator's say about it; 0: there is none
    adversarial_start: float = 0.4  # share of the run after which it joins
    adversarial_end: float = 1.0  # and after which it leaves: in the end it weaves patterns into flat parts
    discriminator_width: int = 48
    discriminator_learning_rate: float = 4e-4


class HybridTask:
    """A `Task`: one network, and while its painter learns, a discriminator."""

    def __init__(self, options: HybridOptions, device: torch.device) -> None:
        self.options, self.device = options, device
        size = HybridSize(
            width=options.width,
            heads=options.heads,
            stages=tuple(options.stages),
            exchange=options.exchange,
            candidates=options.candidates,
            painter=options.painter,
        )
        self.network = HybridNetwork(size).to(device)
        if options.only_painter:
            if not options.painter:
                raise ConfigError("task.only_painter needs a painter; set task.painter")
            for name, parameter in self.network.named_parameters():
                parameter.requires_grad_(name.startswith("painter."))
        self.networks: dict[str, nn.Module] = {"hybrid": self.network}
        adamw, muon = adamw_and_muon(
            self.network, (".blocks.",), options.learning_rate, options.muon_learning_rate, options.weight_decay,
            betas=(0.9, 0.98),
        )  # fmt: skip
        self.optimizers: dict[str, torch.optim.Optimizer] = {"adamw": adamw}
        if muon is not None:
            self.optimizers["muon"] = muon
        self.discriminator: Discriminator | None = None
        if options.painter and options.adversarial > 0:
            self.discriminator = Discriminator(2, options.discriminator_width).to(device)
            self.networks["discriminator"] = self.discriminator
            self.optimizers["discriminator"] = adam_for(
                self.discriminator, options.discriminator_learning_rate
            )
        self._seen: tuple[Tensor, Tensor] | None = None

    def fuse(self, backend: str) -> None:
        """Compile the distances between edges and the encoder, which are mostly memory traffic.

        The rest gained nothing more: the host could not start its work faster, and took longer to compile.
        """
        self.network.l1 = torch.compile(l1_on_gpu, dynamic=True, backend=backend)
        # The compiler stumbles over the padding in it. Said here: what says so takes 70 MB and a second to import.
        self.network.encoder.window_pixels = torch.compiler.disable(window_pixels)
        self.network.encoder.compile(dynamic=True, backend=backend)

    def step(self, batch: PuzzleBatch, backward: Backward, progress: float) -> dict[str, Tensor]:
        """One update of the network, then, while it takes part, of the discriminator."""
        options = self.options
        output = self._look(batch)
        losses = relation_losses(
            output.stages, batch.slots, batch.present, Grid(batch.rows, batch.cols), options.early_weight
        )
        losses["picture"] = thumbnail_loss(output.thumbs, batch)
        total = losses["total"] + options.picture_weight * losses["picture"]
        painted = output.pictures  # of the first puzzles of the batch, or none
        wanted: list[Tensor] = []
        if painted:
            wanted = pyramid(batch.picture[: len(painted[0])], [p.shape[-2:] for p in painted])
            losses["painter"] = pixel_loss(painted, wanted)
            total = total + options.painter_weight * losses["painter"]
            self._seen = (painted[-1][:8].detach(), wanted[-1][:8])
        discriminator = self._discriminator_at(progress) if painted else None
        if discriminator is not None:
            losses["adversarial"] = deceive(discriminator, painted)
            total = total + options.adversarial * losses["adversarial"]
        backward(total)
        nn.utils.clip_grad_norm_(self.network.parameters(), options.clip)
        for name, optimizer in self.optimizers.items():
            if name != "discriminator":
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        if discriminator is not None:
            adam = self.optimizers["discriminator"]
            losses["discriminator"] = teach_discriminator(discriminator, adam, painted, wanted, backward)
        return {name: value.detach() for name, value in losses.items()}

    def images(self) -> dict[str, Tensor]:
        """Mental images of the last step, above the pictures they stand for, where all have one size."""
        return {} if self._seen is None else {"mental image": torch.cat(self._seen, 2)}

    def _look(self, batch: PuzzleBatch) -> HybridOutput:
        """What the network says of a batch."""
        # Grids of so few pieces are rare, and a single piece would be compiled for anew.
        few = batch.pieces.shape[1] <= self.options.candidates
        with as_written(few), torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
            output: HybridOutput = self.network(replace(hybrid_input(batch), paint=self._paints(batch)))
        return output

    def _paints(self, batch: PuzzleBatch) -> bool:
        """Whether the painter learns in this step, in all processes or in none."""
        return batch.pieces.shape[-1] >= PAINTED_PX and batch.chance < self.options.paint_share

    def _discriminator_at(self, progress: float) -> Discriminator | None:
        """The discriminator, where there is one and it takes part at this progress of the run."""
        joined = self.options.adversarial_start <= progress < self.options.adversarial_end
        return self.discriminator if joined else None

    @torch.no_grad()
    def validate(self, pictures: Mapping[str, Tensor]) -> dict[str, float]:
        """Per cent of pieces whose most likely slot, and right neighbour, is the true one, on held-out pictures."""
        network = self.network.eval()
        scores = {}
        for name, stored in pictures.items():
            for side, corruption, piece in VALIDATION:
                batch = evaluation_batch(
                    stored[:MOST_VALIDATED].to(self.device), side, side, corruption, piece=piece
                )
                with (
                    as_written(),
                    torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"),
                ):
                    last = network(hybrid_input(batch)).stages[-1]
                there = batch.present
                neighbour = true_neighbours(batch.slots, there, Grid(side, side))[0]
                has_one = there & (neighbour < there.shape[1])
                in_slot = (last.slots.argmax(2) == batch.slots)[there].float().mean()
                at_seam = (last.right.argmax(2) == neighbour)[has_one].float().mean()
                scores[f"{name} {side}x{side} {corruption} slots"] = 100 * float(in_slot)
                scores[f"{name} {side}x{side} {corruption} seams"] = 100 * float(at_seam)
        network.train()
        return scores

    def export(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        """Weights to embed (large matrices as int8 with a scale a row) and what is needed to rebuild the network."""
        size = json.dumps(self.network.size.to_json())
        return pack_int8(self.network.state_dict()), {"kind": "hybrid", "network": size}


def as_written(really: bool = True) -> AbstractContextManager[None]:
    """Within it nothing is compiled and nothing compiled is used."""
    return torch.compiler.set_stance("force_eager") if really else nullcontext()


def hybrid_input(batch: PuzzleBatch) -> HybridInput:
    """What the network sees of a training batch: worn rims cropped away, the rest resampled to 32 px."""
    pieces, wear = batch.pieces, batch.erosion
    share = torch.full((len(pieces),), batch.told * wear / pieces.shape[-1], device=pieces.device)
    small, sharp = crop_wear(pieces, wear)
    return HybridInput(small, batch.present, Grid(batch.rows, batch.cols), share, sharp)


def thumbnail_loss(thumbs: list[Tensor], batch: PuzzleBatch) -> Tensor:
    """Squared error of the thumbnails (B, N, 3, t, t) that every stage paints of the slots, summed over the stages."""
    target = shrink(cut_batch(batch.picture, batch.rows, batch.cols), thumbs[0].shape[-1])
    return sum((F.mse_loss(t, target) for t in thumbs), torch.zeros((), device=target.device))
