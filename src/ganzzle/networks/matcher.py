"""The matcher: psi_d for slots, psi_e for pieces, psi_s for both; their dot products are the matrix C."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.blocks import MixerBlock, Norm, gelu
from ganzzle.networks.generator import MATCHED, Imagined
from ganzzle.networks.linear import Linear
from ganzzle.networks.piece_encoder import TOKENS, grid_code
from ganzzle.networks.roi_align import slot_features

BINS = 4  # a slot is cropped to 4 x 4, as many as a piece has tokens
MAX_SHARPNESS = 4.6  # log of the largest inverse temperature


class Matcher(nn.Module):
    """Encodings of the pieces and the imagined picture -> C (B, N, slots)."""

    def __init__(self, width: int, map_width: int, embedding: int = 256, mixers: int = 1) -> None:
        super().__init__()
        self.enter_slots = Linear(map_width + 3, width)
        self.place = Linear(8 + 16, width)
        self.slot_mixers = nn.Sequential(*(MixerBlock(TOKENS, width) for _ in range(mixers)))  # psi_d
        self.piece_mixers = nn.Sequential(*(MixerBlock(TOKENS, width) for _ in range(mixers)))  # psi_e
        self.shared_norm = Norm(width)  # psi_s from here on
        self.narrow = Linear(width, width // 4)
        self.hidden = Linear(TOKENS * (width // 4), 2 * embedding)
        self.out = Linear(2 * embedding, embedding)
        self.sharpness = nn.Parameter(torch.tensor(math.log(10.0)))  # log 1 / temperature

    def forward(self, encodings: Tensor, imagined: Imagined, rows: int, cols: int) -> Tensor:
        """encodings: (B, N, 16, width)."""
        pieces = self.embed_pieces(encodings)
        slots = self.embed_slots(imagined, rows, cols)
        with torch.autocast(pieces.device.type, enabled=False):
            return self.sharpness.clamp(max=MAX_SHARPNESS).exp() * (pieces @ slots.transpose(1, 2))

    def embed_pieces(self, encodings: Tensor) -> Tensor:
        """(B, N, 16, width) -> (B, N, embedding), of length 1."""
        batch = len(encodings)
        return self._shared(self.piece_mixers(encodings.flatten(0, 1))).unflatten(0, (batch, -1))

    def embed_slots(self, imagined: Imagined, rows: int, cols: int) -> Tensor:
        """The features of the matched scale, with its colours -> (B, slots, embedding), of length 1."""
        features = imagined.features[MATCHED]
        colours = (imagined.pictures[MATCHED].permute(0, 2, 3, 1) - 0.5) * 4
        crops = slot_features(torch.cat([features, colours.to(features.dtype)], 3), rows, cols, BINS)
        x = self.enter_slots(crops) + self.place(slot_code(rows, cols, features))[:, None]
        return self._shared(self.slot_mixers(x.flatten(0, 1))).unflatten(0, (len(features), -1))

    def _shared(self, x: Tensor) -> Tensor:
        x = self.narrow(self.shared_norm(x)).flatten(1)
        return F.normalize(self.out(gelu(self.hidden(gelu(x)))).float(), dim=1)


def slot_code(rows: int, cols: int, like: Tensor) -> Tensor:
    """(rows * cols, 24) where each slot lies in the picture, and how large it is."""
    down = _waves((torch.arange(rows, device=like.device) + 0.5) / rows)
    across = _waves((torch.arange(cols, device=like.device) + 0.5) / cols)
    place = torch.cat([down[:, None].expand(-1, cols, -1), across[None].expand(rows, -1, -1)], 2).flatten(
        0, 1
    )
    return torch.cat([place, grid_code(rows, cols, like).expand(rows * cols, -1)], 1)


def _waves(at: Tensor) -> Tensor:
    """(n,) in 0..1 -> (n, 8)"""
    angles = at[:, None] * math.pi * 2.0 ** torch.arange(4, device=at.device)
    return torch.cat([angles.sin(), angles.cos()], 1)
