"""Training the network that tells which strips lie side by side, on drawn pages that are cut anew at each step."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.data.band_cuts import Bands, CutOptions, Draws, cut_bands
from ganzzle.data.drawn_pages import DrawnPages, PageOptions, inked_rows, load_pages
from ganzzle.networks.bands import BandNetwork, BandSize
from ganzzle.training.task import Backward, Say

WINDOWS = 12  # of each held-out page


@dataclass(frozen=True)
class BandOptions:
    """The `[task]` table."""

    size: BandSize = field(default_factory=BandSize)
    pages: PageOptions = field(default_factory=PageOptions)
    cuts: CutOptions = field(default_factory=CutOptions)
    windows: int = 3  # of a step
    learning_rate: float = 2e-3
    weight_decay: float = 0.01  # a step, relative to the learning rate
    clip: float = 1.0  # of the gradient's norm


class BandTask:
    """A `Task` with pages of its own."""

    def __init__(self, options: BandOptions, device: torch.device) -> None:
        self.options, self.device = options, device
        self.network = BandNetwork(options.size).to(device)
        self.networks: dict[str, nn.Module] = {"bands": self.network}
        self.adam = torch.optim.AdamW(
            self.network.parameters(), options.learning_rate, weight_decay=options.weight_decay
        )
        self.optimizers: dict[str, torch.optim.Optimizer] = {"adam": self.adam}

    def source(self, seed: int, rank: int, say: Say) -> DrawnPages:
        """The pages, drawn or read, on the device; each process cuts them in its own way."""
        options = self.options
        pages = load_pages(options.pages, say).to(self.device)
        held_out = pages[options.pages.count :]
        training = pages[: options.pages.count]
        say(f"{len(training)} drawn pages, {len(held_out)} held out")
        return DrawnPages(
            training, held_out, options.windows, options.size.band, options.cuts, 1000 * seed + rank
        )

    def step(self, batch: Bands, backward: Backward, progress: float) -> dict[str, Tensor]:
        """One update by the cross entropy of each band's partner among all bands of its window and blank paper."""
        loss, right = self._judged(batch)
        self.adam.zero_grad(set_to_none=True)
        backward(loss)
        nn.utils.clip_grad_norm_(self.network.parameters(), self.options.clip)
        self.adam.step()
        return {"loss": loss.detach(), "right": right}

    @torch.no_grad()
    def validate(self, pictures: Mapping[str, Tensor]) -> dict[str, float]:
        """Per cent of the bands of held-out pages (V, H, W) whose partner is told from all others of the window."""
        scores = {}
        for name, pages in pictures.items():
            right = []
            for k, page in enumerate(pages[:, None]):
                draws = Draws((0, k), page.device)
                windows = (page, inked_rows(page), WINDOWS, self.options.size.band, self.options.cuts)
                right.append(float(self._judged(cut_bands(*windows, draws))[1]))
            scores[f"{name} right"] = 100 * sum(right) / len(right)
        return scores

    def export(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The network, in half precision."""
        return self.network.state_dict(), {
            "kind": "bands",
            "size": json.dumps(dataclasses.asdict(self.options.size)),
        }

    def _judged(self, batch: Bands) -> tuple[Tensor, Tensor]:
        """The loss, and the share of bands along right borders whose partner scores highest."""
        network = self.network
        windows, seams = batch.right.shape[:2]
        right = network.right(batch.right.flatten(0, 1)).unflatten(0, (windows, seams))
        left = network.left(batch.left.flatten(0, 1)).unflatten(0, (windows, seams))
        paper = (windows, 1, right.shape[2], -1)
        right = torch.cat([right, network.blank(network.right).expand(paper)], 1)
        left = torch.cat([left, network.blank(network.left).expand(paper)], 1)
        scores = network.scores(right, left).float()
        partner = torch.arange(seams, device=scores.device).repeat(windows)
        rightwards, leftwards = scores[:, :seams].flatten(0, 1), scores[:, :, :seams].mT.flatten(0, 1)
        loss = (F.cross_entropy(rightwards, partner) + F.cross_entropy(leftwards, partner)) / 2
        return loss, (rightwards.argmax(1) == partner).float().mean()
