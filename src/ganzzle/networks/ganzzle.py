"""GANzzle: pieces -> latent vector -> mental image -> slots; pieces against slots."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.generator import Generator, Imagined
from ganzzle.networks.matcher import Matcher
from ganzzle.networks.piece_encoder import Latent, LatentPool, PieceEncoder
from ganzzle.networks.roi_align import slot_features
from ganzzle.networks.storing import restore


@dataclass(frozen=True)
class GanzzleSize:
    """How large the networks are."""

    width: int = 256  # channels of encoder and generator
    convolutions: int = 2  # blocks of the encoder at 8 x 8
    mixers: int = 3  # blocks of the encoder at 4 x 4
    cells: int = 8  # the latent's map has cells x cells places
    memory: int = 32  # places of the latent without a position
    heads: int = 8
    blocks: int = 4  # of the generator at its coarsest scale
    embedding: int = 256  # of a piece and of a slot
    matcher_mixers: int = 1
    dropout: float = 0.0  # inside the generator's blocks, while training
    imagine: bool = True  # False: slots know nothing of the pieces, the paper's "without mental image"


class GanzzleNetwork(nn.Module):
    """The whole model but the discriminator, which is needed in training only."""

    def __init__(self, size: GanzzleSize) -> None:
        super().__init__()
        self.imagine = size.imagine
        self.encoder = PieceEncoder(size.width, size.convolutions, size.mixers)
        self.pool = LatentPool(size.width, size.cells, size.memory, size.heads)
        self.generator = Generator(size.width, size.cells, size.memory, size.heads, size.blocks, size.dropout)
        self.matcher = Matcher(size.width, self.generator.matched_width, size.embedding, size.matcher_mixers)

    @property
    def scales(self) -> int:
        """How many scales the generator has."""
        return self.generator.scales

    def encode(self, pieces: Tensor, rows: int, cols: int) -> Tensor:
        """(B, N, 3, 32, 32) in 0..1 -> (B, N, 16, width)."""
        return self.encoder(pieces.flatten(0, 1), rows, cols).unflatten(0, pieces.shape[:2])

    def latent(self, encodings: Tensor, present: Tensor) -> Latent:
        """The average over the pieces; without the mental image it says nothing about them."""
        latent: Latent = self.pool(encodings, present)
        if self.imagine:
            return latent
        return Latent(torch.zeros_like(latent.content), torch.ones_like(latent.mass))

    def forward(
        self, pieces: Tensor, present: Tensor, rows: int, cols: int, scales: int | None = None
    ) -> tuple[Tensor, Imagined]:
        """C (B, N, slots) and what was imagined; rows of missing pieces mean nothing."""
        encodings = self.encode(pieces, rows, cols)
        latent = self.latent(encodings, present)
        imagined = self.generator(latent, self.scales if scales is None else scales)
        return self.matcher(encodings, imagined, rows, cols), imagined


def load_network(weights: Mapping[str, Tensor], size: str) -> GanzzleNetwork:
    """The network of exported weights; `size` is the JSON text stored with them."""
    network = GanzzleNetwork(GanzzleSize(**json.loads(size)))
    restore(network, weights)
    return network.eval()


def pixel_similarity(pieces: Tensor, imagined: Imagined, rows: int, cols: int) -> Tensor:
    """C (B, N, slots) from pixels alone: minus the squared distance of 4 x 4 thumbnails, for comparison."""
    thumbs = F.adaptive_avg_pool2d(pieces.flatten(0, 1), 4).flatten(2).transpose(1, 2)
    thumbs = thumbs.reshape(*pieces.shape[:2], -1).float()
    slots = slot_features(imagined.pictures[-1].float().permute(0, 2, 3, 1), rows, cols).flatten(2)
    return -10 * torch.cdist(thumbs, slots).square()
