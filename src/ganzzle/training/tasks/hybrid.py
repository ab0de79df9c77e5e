"""Training the hybrid network: seams and slots at every stage, thumbnails of the whole picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.cutting import cut_batch, evaluation_batch
from ganzzle.networks.borders import l1_on_gpu
from ganzzle.networks.discriminator import Discriminator
from ganzzle.networks.edge_encoder import window_pixels
from ganzzle.networks.hybrid import HybridConfig, HybridInput, HybridNetwork, shrink
from ganzzle.networks.relations import Prediction
from ganzzle.networks.wear import crop_wear
from ganzzle.puzzle import Grid
from ganzzle.training.config import ConfigError
from ganzzle.training.muon import Muon
from ganzzle.training.picture_losses import deceive, judge, pixel_loss, pyramid
from ganzzle.weights_io import pack_int8

PAINTED_PX = 16  # px of pieces from which on the painter has something to learn
VALIDATION = ((6, "none"), (12, "none"), (6, "noise:0.2"), (6, "erode:2"), (6, "erode:5"), (6, "missing:0.3"))


@dataclass(frozen=True)
class HybridTaskConfig:
    """What the `[task]` table of a config may say."""

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
    """A `Task`: one network, Muon for the blocks and AdamW for the rest."""

    def __init__(self, config: HybridTaskConfig, device: torch.device) -> None:
        self.config = config
        self.device = device
        shape = HybridConfig(
            width=config.width,
            heads=config.heads,
            stages=tuple(config.stages),
            exchange=config.exchange,
            candidates=config.candidates,
            painter=config.painter,
        )
        network = HybridNetwork(shape).to(device)
        if config.only_painter:
            if not config.painter:
                raise ConfigError("task.only_painter needs a painter; set task.painter")
            for name, parameter in network.named_parameters():
                parameter.requires_grad_(name.startswith("painter."))
        self.networks: dict[str, nn.Module] = {"hybrid": network}
        in_blocks = [
            p
            for name, p in network.named_parameters()
            if p.ndim == 2 and min(p.shape) >= 64 and ".blocks." in name
            if p.requires_grad
        ]
        known = {id(p) for p in in_blocks}
        rest = [p for p in network.parameters() if p.requires_grad and id(p) not in known]
        groups = [
            {"params": [p for p in rest if p.ndim > 1], "weight_decay": config.weight_decay},
            {"params": [p for p in rest if p.ndim <= 1], "weight_decay": 0.0},
        ]
        fused = device.type == "cuda"
        self.optimizers: dict[str, torch.optim.Optimizer] = {
            "adamw": torch.optim.AdamW(groups, lr=config.learning_rate, betas=(0.9, 0.98), fused=fused)
        }
        if in_blocks:
            self.optimizers["muon"] = Muon(in_blocks, config.muon_learning_rate, config.weight_decay)
        self.discriminator: Discriminator | None = None
        if config.painter and config.adversarial > 0:
            self.discriminator = Discriminator(2, config.discriminator_width).to(device)
            self.networks["discriminator"] = self.discriminator
            self.optimizers["discriminator"] = torch.optim.Adam(
                self.discriminator.parameters(), config.discriminator_learning_rate, (0.0, 0.99), fused=fused
            )
        self._seen: tuple[Tensor, Tensor] | None = None

    def fuse(self, backend: str) -> None:
        """Compile the distances between edges and the encoder, which are mostly memory traffic.

        The rest gained nothing more: the host could not start its work faster, and took longer to compile.
        """
        network = self.networks["hybrid"]
        assert isinstance(network, HybridNetwork)
        network.l1 = torch.compile(l1_on_gpu, dynamic=True, backend=backend)
        # The compiler stumbles over the padding in it. Said here: what says so takes 70 MB and a second to import.
        network.encoder.window_pixels = torch.compiler.disable(window_pixels)
        network.encoder.compile(dynamic=True, backend=backend)

    def step(
        self, batch: PuzzleBatch, backward: Callable[[Tensor], None], progress: float
    ) -> dict[str, Tensor]:
        """One update; returns the parts of the loss without waiting for them."""
        network = self.networks["hybrid"]
        # Rare, and one piece would be compiled for anew.
        few = batch.pieces.shape[1] <= self.config.candidates
        with as_written(few), torch.autocast(self.device.type, torch.bfloat16, self.device.type == "cuda"):
            given = hybrid_input(batch)
            output = network(replace(given, paint=self._paints(batch)))
        losses = relation_losses(
            output.stages, batch.slots, batch.present, Grid(batch.rows, batch.cols), self.config.early_weight
        )
        target = shrink(cut_batch(batch.picture, batch.rows, batch.cols), output.thumbs[0].shape[-1])
        losses["picture"] = sum(
            (F.mse_loss(t, target) for t in output.thumbs), torch.zeros((), device=self.device)
        )
        total = losses["total"] + self.config.picture_weight * losses["picture"]
        wanted: list[Tensor] = []
        judged = (
            bool(output.pictures)
            and self.discriminator is not None
            and self.config.adversarial_start <= progress < self.config.adversarial_end
        )
        if output.pictures:
            wanted = pyramid(
                batch.picture[: len(output.pictures[0])], [p.shape[-2:] for p in output.pictures]
            )
            losses["painter"] = pixel_loss(output.pictures, wanted)
            total = total + self.config.painter_weight * losses["painter"]
            self._seen = (output.pictures[-1][:8].detach(), wanted[-1][:8])
        if judged and self.discriminator is not None:
            losses["adversarial"] = deceive(self.discriminator, output.pictures)
            total = total + self.config.adversarial * losses["adversarial"]
        backward(total)
        nn.utils.clip_grad_norm_(network.parameters(), self.config.clip)
        for name, optimizer in self.optimizers.items():
            if name != "discriminator":
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        if judged and self.discriminator is not None:
            losses["discriminator"] = judge(self.discriminator, output.pictures, wanted)
            self.optimizers["discriminator"].zero_grad(set_to_none=True)
            backward(losses["discriminator"])
            self.optimizers["discriminator"].step()
        return {name: value.detach() for name, value in losses.items()}

    def images(self) -> dict[str, Tensor]:
        """Mental images of the last step, above the pictures they stand for, where all have one size."""
        return {} if self._seen is None else {"mental image": torch.cat(self._seen, 2)}

    def _paints(self, batch: PuzzleBatch) -> bool:
        """Whether the painter learns in this step, in all processes or in none."""
        if batch.pieces.shape[-1] < PAINTED_PX:  # too few px to learn from
            return False
        return batch.chance < self.config.paint_share

    @torch.no_grad()
    def validate(self, pictures: dict[str, Tensor]) -> dict[str, float]:
        """Per cent of pieces whose most likely slot, and right neighbour, is the true one, on held-out pictures."""
        network = self.networks["hybrid"].eval()
        scores = {}
        for name, stored in pictures.items():
            for side, corruption in VALIDATION:
                batch = evaluation_batch(stored[:96].to(self.device), side, side, corruption)
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
        network = self.networks["hybrid"]
        assert isinstance(network, HybridNetwork)
        config = json.dumps(network.config.to_json())
        return pack_int8(network.state_dict()), {"kind": "hybrid", "network": config}


def as_written(really: bool = True) -> AbstractContextManager[None]:
    """Within it nothing is compiled and nothing compiled is used."""
    return torch.compiler.set_stance("force_eager") if really else nullcontext()


def hybrid_input(batch: PuzzleBatch) -> HybridInput:
    """What the network sees of a training batch: worn rims cropped away, the rest resampled to 32 px."""
    pieces, wear = batch.pieces, batch.erosion
    share = torch.full((len(pieces),), wear / pieces.shape[-1], device=pieces.device)
    small, sharp = crop_wear(pieces, wear)
    return HybridInput(small, batch.present, Grid(batch.rows, batch.cols), share, sharp)


def relation_losses(
    stages: list[Prediction], slots: Tensor, present: Tensor, grid: Grid, early_weight: float
) -> dict[str, Tensor]:
    """Cross entropy of neighbours (with "none" as a choice) and of slots, both ways, at every stage.

    `slots` (B, N) true slot of each piece, `present` (B, N). Missing pieces share the missing slots evenly.
    """
    shares = torch.full((len(stages),), early_weight, device=slots.device)
    shares[-1] = 1.0
    neighbours = true_neighbours(slots, present, grid)
    seams = _seam_losses(stages, neighbours[0::2], neighbours[1::2], present)
    fits = _slot_losses(stages, true_assignment(slots, present))
    losses = {f"seams{k}": loss for k, loss in enumerate(seams.unbind())}
    losses |= {f"slots{len(stages) - len(fits) + k}": loss for k, loss in enumerate(fits.unbind())}
    losses["total"] = (shares * seams).sum() + (shares[len(stages) - len(fits) :] * fits).sum()
    return losses


def _slot_losses(stages: list[Prediction], assignment: Tensor) -> Tensor:
    """(K,) for the K stages that say something about slots; rows and columns of the assignment (B, N, N) sum to one."""
    fits = torch.stack([stage.slots for stage in stages if stage.slots is not None]).float()
    either = fits.logsumexp(3).mean((1, 2)) + fits.logsumexp(2).mean((1, 2))
    return 0.5 * either - (assignment * fits).sum(3).mean((1, 2))


def _seam_losses(stages: list[Prediction], after: Tensor, before: Tensor, present: Tensor) -> Tensor:
    """(K,) mean over the four sides; `after` (right, down) and `before` (left, up), (2, B, N): neighbours, N for none.

    All stages at once, because a GPU waits for the host where operations are many and small.
    """
    seams = torch.stack([torch.stack([stage.right, stage.down]) for stage in stages]).float()
    border = torch.stack([stage.border for stage in stages]).float().unflatten(3, (2, 2)).movedim(3, 1)
    none_after, none_before = border.unbind(4)  # (K, 2, B, N)
    weight = present.float() / present.float().sum()
    count = present.shape[1]
    any_after = torch.logaddexp(seams.logsumexp(4), none_after)
    any_before = torch.logaddexp(seams.logsumexp(3), none_before)
    index = after.clamp(max=count - 1)[None, ..., None].expand(len(stages), -1, -1, -1, 1)
    # A pair is the choice of both of its pieces.
    chosen = torch.where(after < count, 2 * seams.gather(4, index)[..., 0], none_after)
    chosen = chosen + none_before * (before == count)
    return ((any_after + any_before - chosen) * weight).sum((1, 2, 3)) / 4


def true_neighbours(slots: Tensor, present: Tensor, grid: Grid) -> Tensor:
    """(4, B, N): the piece right of, left of, below, above each piece; N where there is none."""
    batch, count = slots.shape
    piece_at = torch.argsort(slots, 1).reshape(batch, grid.rows, grid.cols)
    padded = F.pad(piece_at, (1, 1, 1, 1), value=count)
    moved = (padded[:, 1:-1, 2:], padded[:, 1:-1, :-2], padded[:, 2:, 1:-1], padded[:, :-2, 1:-1])
    there = F.pad(present, (0, 1), value=False)
    sides = []
    for side in moved:
        neighbour = side.flatten(1).gather(1, slots)
        sides.append(torch.where(there.gather(1, neighbour), neighbour, count))
    return torch.stack(sides)


def true_assignment(slots: Tensor, present: Tensor) -> Tensor:
    """(B, N, N) 1 at every piece's slot; missing pieces are spread over the missing slots."""
    count = slots.shape[1]
    exact = F.one_hot(slots, count).float()
    empty = (exact * (~present)[..., None]).sum(1)  # (B, N) slots whose piece is missing
    spread = empty / empty.sum(1, keepdim=True).clamp(min=1)
    return torch.where(present[..., None], exact, spread[:, None])
