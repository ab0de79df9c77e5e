"""Training GANzzle: mental image, matching and discriminator in one run, in stages by its progress."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from ganzzle.board.assignment import (
    balanced,
    contrastive_loss,
    hungarian_attention_loss,
    log_sinkhorn,
    soft_hungarian,
    with_missing,
)
from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import check_corruptions
from ganzzle.networks.blocks import AttentionBlock, MixerBlock, Norm
from ganzzle.networks.discriminator import Discriminator
from ganzzle.networks.ganzzle import GanzzleNetwork, GanzzleSize, pixel_similarity
from ganzzle.networks.generator import MATCHED, Imagined
from ganzzle.networks.storing import packed
from ganzzle.training.config import ConfigError
from ganzzle.training.ema import averaged_copy, follow
from ganzzle.training.optimizers import adam_for, adamw_and_muon
from ganzzle.training.picture_losses import deceive, pixel_loss, pyramid, teach_discriminator
from ganzzle.training.scoring import direct_accuracies
from ganzzle.training.task import Backward


@dataclass(frozen=True)
class GanzzleOptions:
    """The `[task]` table. Starts are shares of the run."""

    size: GanzzleSize = field(default_factory=GanzzleSize)
    grow: list[float] = field(default_factory=lambda: [0.0, 0.005, 0.01, 0.25])  # start of each scale
    contrastive: float = 1.0
    hungarian: float = 0.5
    hungarian_start: float = 0.1
    pixel: float = 8.0  # lambda_p
    adversarial: float = 0.005  # 0: no discriminator
    adversarial_start: float = 0.5
    adversarial_pictures: int = 64  # of a batch that the discriminator sees
    discriminator_width: int = 64
    learning_rate: float = 1e-3  # AdamW, everything but the blocks' matrices
    muon_learning_rate: float = 2e-3  # the blocks' matrices; 0: AdamW for them too
    discriminator_learning_rate: float = 1e-3
    weight_decay: float = 0.05
    clip: float = 1.0
    average: float = 0.998  # decay of the moving average that is exported
    validate_grids: list[str] = field(default_factory=lambda: ["2x2", "4x4", "6x6", "8x8", "10x10", "12x12"])
    validate_corruptions: list[str] = field(default_factory=list)  # at 6x6, or else at the first grid


class GanzzleTask:
    """Networks `ganzzle`, `average` (its moving average) and `discriminator`."""

    def __init__(self, options: GanzzleOptions, device: torch.device) -> None:
        check_corruptions(options.validate_corruptions)
        if not options.validate_grids:
            raise ConfigError("task.validate_grids is empty; name at least one grid")
        self.options, self.device = options, device
        self.network = GanzzleNetwork(options.size).to(device)
        self.average = averaged_copy(self.network)
        self.networks: dict[str, nn.Module] = {"ganzzle": self.network, "average": self.average}
        adamw, muon = adamw_and_muon(
            self.network, ("mixers.", "blocks."), options.learning_rate, options.muon_learning_rate,
            options.weight_decay, betas=(0.9, 0.99),
        )  # fmt: skip
        self.optimizers: dict[str, torch.optim.Optimizer] = {"adam": adamw}
        if muon is not None:
            self.optimizers["muon"] = muon
        self.discriminator: Discriminator | None = None
        if options.adversarial > 0:
            self.discriminator = Discriminator(self.network.scales, options.discriminator_width).to(device)
            self.networks["discriminator"] = self.discriminator
            self.optimizers["discriminator"] = adam_for(
                self.discriminator, options.discriminator_learning_rate
            )
        self._balance = balanced
        self._seen: tuple[Tensor, Tensor] | None = None

    @property
    def matches(self) -> bool:
        """Whether matching is learned at all; otherwise pieces are compared with the picture's pixels."""
        return self.options.contrastive > 0 or self.options.hungarian > 0

    def fuse(self, backend: str) -> None:
        """Compile the blocks of the network that learns, and a round of Sinkhorn."""
        for module in self.network.modules():
            # Convolutions over sizes unknown when compiling are beyond the compiler, their norms are not.
            if isinstance(module, Norm | MixerBlock | AttentionBlock):
                module.compile(dynamic=True, backend=backend)
        self._balance = torch.compile(balanced, dynamic=True, backend=backend)

    def step(self, batch: PuzzleBatch, backward: Backward, progress: float) -> dict[str, Tensor]:
        """First the networks that solve, then, once it has joined, the discriminator."""
        scales = sum(progress >= start for start in self.options.grow)
        discriminator = self.discriminator if progress >= self.options.adversarial_start else None
        scores, imagined = self._forward(batch, scales)
        targets = pyramid(batch.picture, [p.shape[-2:] for p in imagined.pictures])
        losses = {"pixel": pixel_loss(imagined.pictures, targets)}
        total = self.options.pixel * losses["pixel"]
        if scores is not None:
            for name, weight, loss in self._matching_losses(scores, batch, progress):
                losses[name] = loss
                total = total + weight * loss
        if discriminator is not None:
            losses["adversarial"] = deceive(discriminator, self._judged(imagined.pictures))
            total = total + self.options.adversarial * losses["adversarial"]
        solving = [optimizer for name, optimizer in self.optimizers.items() if name != "discriminator"]
        for optimizer in solving:
            optimizer.zero_grad(set_to_none=True)
        backward(total)
        losses["gradient"] = nn.utils.clip_grad_norm_(self.network.parameters(), self.options.clip)
        for optimizer in solving:
            optimizer.step()
        follow(self.average, self.network, self.options.average)
        if discriminator is not None:
            losses["discriminator"] = teach_discriminator(
                discriminator, self.optimizers["discriminator"], self._judged(imagined.pictures),
                self._judged(targets), backward,
            )  # fmt: skip
        self._seen = (imagined.pictures[-1][:8].detach(), targets[-1][:8])
        return {name: loss.detach() for name, loss in losses.items()}

    def validate(self, pictures: Mapping[str, Tensor]) -> dict[str, float]:
        """Direct accuracy of the averaged network."""

        def solve(batch: PuzzleBatch) -> Tensor:
            scores, imagined = self.average(batch.pieces, batch.present, batch.rows, batch.cols)
            if not self.matches:
                scores = pixel_similarity(batch.pieces, imagined, batch.rows, batch.cols)
            return log_sinkhorn(with_missing(scores, batch.present))

        grids = self.options.validate_grids
        corrupted = "6x6" if "6x6" in grids else grids[0]
        cases = [(grid, "none") for grid in grids]
        cases += [(corrupted, corruption) for corruption in self.options.validate_corruptions]
        return direct_accuracies(solve, pictures, cases)

    def images(self) -> dict[str, Tensor]:
        """Mental images of the last step, above the pictures they stand for."""
        return {} if self._seen is None else {"mental image": torch.cat(self._seen, 2)}

    def export(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The averaged network, its matrices as int8."""
        size = json.dumps(dataclasses.asdict(self.options.size))
        return packed(self.average), {"kind": "ganzzle", "size": size}

    def _forward(self, batch: PuzzleBatch, scales: int) -> tuple[Tensor | None, Imagined]:
        network = self.network
        encodings = network.encode(batch.pieces, batch.rows, batch.cols)
        imagined: Imagined = network.generator(network.latent(encodings, batch.present), scales)
        if scales <= MATCHED or not self.matches:
            return None, imagined
        return network.matcher(encodings, imagined, batch.rows, batch.cols), imagined

    def _judged(self, pictures: list[Tensor]) -> list[Tensor]:
        """The part of a batch that the discriminator sees."""
        return [p[: self.options.adversarial_pictures] for p in pictures]

    def _matching_losses(
        self, scores: Tensor, batch: PuzzleBatch, progress: float
    ) -> Iterable[tuple[str, float, Tensor]]:
        options = self.options
        if options.contrastive > 0:
            yield "contrastive", options.contrastive, contrastive_loss(scores, batch.slots, batch.present)
        if options.hungarian > 0 and progress >= options.hungarian_start:
            log_s = log_sinkhorn(with_missing(scores, batch.present), balance=self._balance)
            truth = torch.zeros_like(log_s).scatter_(2, batch.slots[:, :, None], 1.0)
            solved = soft_hungarian(log_s.detach(), balance=self._balance)
            loss = hungarian_attention_loss(log_s, solved, truth, batch.present)
            yield "hungarian", options.hungarian, loss
